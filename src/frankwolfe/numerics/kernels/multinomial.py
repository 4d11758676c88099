r"""The softmax loss :math:`\sum_i w_i (\log \sum_k e^{z_{ik}} - z_{i y_i})` of an image.

The K entries of an observation stand side by side in z. A few observations at a time are turned
so that those of a class stand side by side, and the loops over them become vector code. Sums are
taken relative to the largest entry and without it, so that nothing overflows and a small loss
keeps its digits.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from frankwolfe.numerics.kernels.elementary import exp_negative
from frankwolfe.numerics.kernels.losses import REASSOCIATE

__all__ = ["along", "linearize", "probabilities", "shifted", "value"]

BLOCK = 64  # observations at a time


@njit(inline="always")
def _room(classes):  # type: ignore[no-untyped-def]
    """Room for the entries of a block, their sums without the largest, the largest, its class."""
    one = np.empty(BLOCK)
    return np.empty((classes, BLOCK)), one, np.empty(BLOCK), np.empty(BLOCK, np.int64)


@njit(inline="always")
def _turn(z, first, count, out):  # type: ignore[no-untyped-def]
    """out = the entries of `count` observations, a row for each class."""
    classes = out.shape[0]
    for k in range(classes):
        row = out[k]
        start = first * classes + k
        for i in range(count):
            row[i] = z[start + i * classes]


@njit(inline="always")
def _softmax(y, count, rest, most, top):  # type: ignore[no-untyped-def]
    """y = exp(y - largest); `rest` their sum without the largest, which is `most`, at `top`."""
    for i in range(count):
        most[i], top[i], rest[i] = y[0, i], 0, 0.0
    for k in range(1, y.shape[0]):
        row = y[k]
        for i in range(count):
            more = row[i] > most[i]
            most[i] = row[i] if more else most[i]
            top[i] = k if more else top[i]
    for k in range(y.shape[0]):
        row = y[k]
        for i in range(count):
            e = exp_negative(row[i] - most[i])
            row[i] = e
            rest[i] += 0.0 if top[i] == k else e


@njit(inline="always")
def _losses(own, first, count, w, most, rest):  # type: ignore[no-untyped-def]
    """The sum of the terms of a block."""
    total = 0.0
    for i in range(count):
        weight = w[0] if w.size == 1 else w[first + i]
        total += weight * ((most[i] - own[i]) + math.log1p(rest[i]))
    return total


@njit(inline="always")
def _own(y, first, count, labels, out):  # type: ignore[no-untyped-def]
    """out = the entry of each observation's label."""
    for i in range(count):
        out[i] = y[labels[first + i], i]


@njit(inline="always")
def _slopes(e, first, count, labels, w, rest, top):  # type: ignore[no-untyped-def]
    """phi' of a block in the place of its exponentials."""
    for i in range(count):
        k = labels[first + i]
        others = rest[i] if top[i] == k else 1.0 + rest[i] - e[k, i]
        e[k, i] = -others
        rest[i] = (w[0] if w.size == 1 else w[first + i]) / (1.0 + rest[i])
    for k in range(e.shape[0]):
        row = e[k]
        for i in range(count):
            row[i] *= rest[i]


@njit(inline="always")
def _divide(e, count, rest, share):  # type: ignore[no-untyped-def]
    """The probabilities in the place of the exponentials."""
    for i in range(count):
        share[i] = 1.0 / (1.0 + rest[i])
    for k in range(e.shape[0]):
        row = e[k]
        for i in range(count):
            row[i] *= share[i]


@njit(inline="always")
def _moments(p, d, count, first, w, own, mean, square):  # type: ignore[no-untyped-def]
    """Take from d its mean under p, relative to the label's `own`; return phi' and phi'' of it."""
    for i in range(count):
        mean[i] = square[i] = 0.0
    for k in range(p.shape[0]):
        for i in range(count):
            mean[i] += p[k, i] * (d[k, i] - own[i])
    for k in range(p.shape[0]):
        for i in range(count):
            d[k, i] -= own[i] + mean[i]
            square[i] += p[k, i] * d[k, i] * d[k, i]
    slope, curvature = 0.0, 0.0
    for i in range(count):
        weight = w[0] if w.size == 1 else w[first + i]
        slope += weight * mean[i]
        curvature += weight * square[i]
    return slope, curvature


@njit(inline="always")
def _sums(slopes, count, sums, sizes):  # type: ignore[no-untyped-def]
    """Add the sums over a block, and those of sizes, for each class."""
    for k in range(sums.size):
        one, two, row = 0.0, 0.0, slopes[k]
        for i in range(count):
            one += row[i]
            two += abs(row[i])
        sums[k] += one
        sizes[k] += two


@njit(inline="always")
def _products(p, d, count, w, room, cross, gram):  # type: ignore[no-untyped-def]
    """Add phi'' between classes, below the diagonal, and between each of them and d."""
    for k in range(cross.size):
        mine, change, both = room[k], d[k], 0.0
        for i in range(count):
            mine[i] = w[i] * p[k, i]
            both += mine[i] * change[i]
        cross[k] += both
        for j in range(k):
            other, both = p[j], 0.0
            for i in range(count):
                both += mine[i] * other[i]
            gram[k, j] -= both


@njit(inline="always")
def _complete(gram):  # type: ignore[no-untyped-def]
    """The rest of phi'' between classes from what is below the diagonal, all of one sign.

    Its rows sum to zero, since the same for every class changes nothing. There it is given
    curvature, so that it can be inverted, and a step keeps the sum of b.
    """
    classes = gram.shape[0]
    for k in range(classes):
        for j in range(k):
            gram[j, k] = gram[k, j]
            gram[k, k] -= gram[k, j]
            gram[j, j] -= gram[k, j]
    gram += np.trace(gram) / classes**2


@njit(cache=True, fastmath=REASSOCIATE, error_model="numpy")
def value(z, classes, labels, w):  # type: ignore[no-untyped-def]
    """phi(z)."""
    y, rest, most, top = _room(classes)
    own = np.empty(BLOCK)
    total = 0.0
    for first in range(0, labels.size, BLOCK):
        count = min(BLOCK, labels.size - first)
        _turn(z, first, count, y)
        _own(y, first, count, labels, own)
        _softmax(y, count, rest, most, top)
        total += _losses(own, first, count, w, most, rest)
    return total


@njit(cache=True, fastmath=REASSOCIATE, error_model="numpy")
def linearize(z, classes, labels, w, slope):  # type: ignore[no-untyped-def]
    """Write phi'(z) into `slope`; return phi(z) and <phi'(z), z>."""
    y, rest, most, top = _room(classes)
    own = np.empty(BLOCK)
    total = inner = 0.0
    for first in range(0, labels.size, BLOCK):
        count = min(BLOCK, labels.size - first)
        _turn(z, first, count, y)
        _own(y, first, count, labels, own)
        _softmax(y, count, rest, most, top)
        total += _losses(own, first, count, w, most, rest)
        _slopes(y, first, count, labels, w, rest, top)
        for k in range(classes):
            start, row = first * classes + k, y[k]
            for i in range(count):
                slope[start + i * classes] = row[i]
            for i in range(count):  # not in the loop that writes: see `losses.linearize`
                inner += row[i] * z[start + i * classes]
    return total, inner


@njit(cache=True, fastmath=REASSOCIATE, error_model="numpy")
def along(z, dz, t, classes, labels, w):  # type: ignore[no-untyped-def]
    """phi, phi' and phi'' of t -> phi(z + t dz)."""
    y, rest, most, top = _room(classes)
    d, own = np.empty((classes, BLOCK)), np.empty(BLOCK)
    total = slope = curvature = 0.0
    for first in range(0, labels.size, BLOCK):
        count = min(BLOCK, labels.size - first)
        _turn(z, first, count, y)
        _turn(dz, first, count, d)
        for k in range(classes):
            for i in range(count):
                y[k, i] += t * d[k, i]
        _own(y, first, count, labels, own)
        _softmax(y, count, rest, most, top)
        total += _losses(own, first, count, w, most, rest)
        _divide(y, count, rest, most)
        _own(d, first, count, labels, own)
        one, two = _moments(y, d, count, first, w, own, rest, most)
        slope += one
        curvature += two
    return total, slope, curvature


@njit(cache=True, fastmath=REASSOCIATE, error_model="numpy")
def shifted(z, dz, t, b, labels, w, sums, sizes, cross, gram):  # type: ignore[no-untyped-def]
    """`along` at z with b added to each observation, and what phi does along b.

    `sums` and `sizes` get the sums of phi' and of its size for each class, `cross` and `gram`
    phi'' between b and dz and between b and b (see `_complete`). An empty dz is none.
    """
    classes, moving = b.size, dz.size > 0
    y, rest, most, top = _room(classes)
    d, own, p = np.zeros((classes, BLOCK)), np.empty(BLOCK), np.empty((classes, BLOCK))
    sums[:] = 0.0
    sizes[:] = 0.0
    cross[:] = 0.0
    gram[:] = 0.0
    total = slope = curvature = 0.0
    for first in range(0, labels.size, BLOCK):
        count = min(BLOCK, labels.size - first)
        _turn(z, first, count, y)
        if moving:
            _turn(dz, first, count, d)
        for k in range(classes):
            for i in range(count):
                y[k, i] = (y[k, i] + t * d[k, i]) + b[k]
        _own(y, first, count, labels, own)
        _softmax(y, count, rest, most, top)
        total += _losses(own, first, count, w, most, rest)
        for k in range(classes):
            for i in range(count):
                p[k, i] = y[k, i]
        _divide(p, count, rest, most)
        _slopes(y, first, count, labels, w, rest, top)
        _sums(y, count, sums, sizes)
        if moving:
            _own(d, first, count, labels, own)
            one, two = _moments(p, d, count, first, w, own, rest, most)
            slope += one
            curvature += two
        for i in range(count):
            rest[i] = w[0] if w.size == 1 else w[first + i]
        _products(p, d, count, rest, y, cross, gram)
    _complete(gram)
    return total, slope, curvature


@njit(cache=True, fastmath=REASSOCIATE, error_model="numpy")
def probabilities(z, classes, out):  # type: ignore[no-untyped-def]
    """out = the softmax of each observation."""
    y, rest, most, top = _room(classes)
    observations = z.size // classes
    for first in range(0, observations, BLOCK):
        count = min(BLOCK, observations - first)
        _turn(z, first, count, y)
        _softmax(y, count, rest, most, top)
        _divide(y, count, rest, most)
        for i in range(count):
            for k in range(classes):
                out[(first + i) * classes + k] = y[k, i]
