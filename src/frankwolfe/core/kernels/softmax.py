r"""Operations of the softmax loss on a block of observations.

The K entries of an observation stand side by side in an image. A block of observations is turned
so that those of a class stand side by side, and the loops over them become vector code. Sums are
taken relative to the largest entry and without it, so that nothing overflows and a small loss
keeps its digits.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from frankwolfe.base.kernels.elementary import exp_negative, log1p_inverse_beyond

__all__ = [
    "BLOCK",
    "complete",
    "divide",
    "losses",
    "moments",
    "own",
    "products",
    "room",
    "slopes",
    "softmax",
    "sums",
    "turn",
    "turn_back",
    "weights",
]

BLOCK = 64  # observations at a time: several vectors long, and K rows of them stay in the cache


@njit(inline="always")
def room(classes):
    """Arrays for a block: entries, sums without the largest, largest, its class, three more."""
    entries, place = np.empty((classes, BLOCK)), np.empty(BLOCK, np.int64)
    one, two, three = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    return entries, np.empty(BLOCK), np.empty(BLOCK), place, one, two, three


@njit(inline="always")
def turn(z, first, count, out):
    """out = entries of `count` observations from `first` on, a row for each class."""
    classes = out.shape[0]
    for k in range(classes):
        row = out[k]
        start = first * classes + k
        for i in range(count):
            row[i] = z[start + i * classes]


@njit(inline="always")
def turn_back(y, first, count, out):
    """Inverse of `turn`: write the rows of y, one for each class, to the observations in `out`."""
    classes = y.shape[0]
    for k in range(classes):
        row = y[k]
        start = first * classes + k
        for i in range(count):
            out[start + i * classes] = row[i]


@njit(inline="always")
def softmax(y, count, rest, most, top):
    """y = exp(y - most), `most` the largest entry, of class `top`; `rest` = sum of the others."""
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
def losses(of_label, count, mass, most, rest, share):
    """Sum of the terms of a block; `share` = probability of the largest entry."""
    total = 0.0
    for i in range(count):
        log, share[i] = log1p_inverse_beyond(rest[i])
        total += mass[i] * ((most[i] - of_label[i]) + log)
    return total


@njit(inline="always")
def weights(w, first, count, out):
    """out = weights of the observations of a block; a single weight belongs to all."""
    if w.size == 1:
        out[:count] = w[0]
    else:
        out[:count] = w[first : first + count]


@njit(inline="always")
def own(y, first, count, labels, out):
    """out = entry of each observation's label."""
    for i in range(count):
        out[i] = y[labels[first + i], i]


@njit(inline="always")
def slopes(e, first, count, labels, mass, rest, share, top):
    """Overwrite the exponentials of a block with phi'; `rest` is overwritten too."""
    for i in range(count):
        k = labels[first + i]
        others = rest[i] if top[i] == k else 1.0 + rest[i] - e[k, i]  # p - 1, without cancellation
        e[k, i] = -others
    for i in range(count):
        rest[i] = mass[i] * share[i]
    for k in range(e.shape[0]):
        row = e[k]
        for i in range(count):
            row[i] *= rest[i]


@njit(inline="always")
def divide(e, count, share):
    """Overwrite the exponentials with probabilities."""
    for k in range(e.shape[0]):
        row = e[k]
        for i in range(count):
            row[i] *= share[i]


@njit(inline="always")
def moments(p, d, count, mass, of_label, mean, square):
    """Subtract the mean under p from d, relative to `of_label`; return phi' and phi'' along d."""
    for i in range(count):
        mean[i] = square[i] = 0.0
    for k in range(p.shape[0]):
        for i in range(count):
            mean[i] += p[k, i] * (d[k, i] - of_label[i])
    for k in range(p.shape[0]):
        for i in range(count):
            d[k, i] -= of_label[i] + mean[i]
            square[i] += p[k, i] * d[k, i] * d[k, i]
    slope, curvature = 0.0, 0.0
    for i in range(count):
        slope += mass[i] * mean[i]
        curvature += mass[i] * square[i]
    return slope, curvature


@njit(inline="always")
def sums(slopes, count, sums, sizes):
    """Add the sums of `slopes` and of |slopes| over a block, for each class."""
    for k in range(sums.size):
        one, two, row = 0.0, 0.0, slopes[k]
        for i in range(count):
            one += row[i]
            two += abs(row[i])
        sums[k] += one
        sizes[k] += two


@njit(inline="always")
def products(p, d, count, w, room, cross, gram):
    """Add second derivatives between classes, below the diagonal, and between each class and d."""
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
def complete(gram):
    """Complete the Hessian between classes from below its diagonal, by sums of one sign.

    Its rows sum to zero, for a number added to every class changes nothing. Along these ones it is
    given curvature, so that it can be inverted, and a step keeps the sum of b.
    """
    classes = gram.shape[0]
    for k in range(classes):
        for j in range(k):
            gram[j, k] = gram[k, j]
            gram[k, k] -= gram[k, j]
            gram[j, j] -= gram[k, j]
    gram += np.trace(gram) / classes**2
