r"""The softmax loss :math:`\sum_i w_i (\log \sum_k e^{z_{ik}} - z_{i y_i})` of an image.

Loops over blocks of observations; the operations on one block are in `softmax`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from frankwolfe.base.kernels.losses import REASSOCIATE
from frankwolfe.core.kernels.softmax import (
    BLOCK,
    complete,
    divide,
    losses,
    moments,
    own,
    products,
    room,
    slopes,
    softmax,
    sums,
    turn,
    turn_back,
    weights,
)

__all__ = ["along", "linearize", "probabilities", "shifted", "value"]


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def value(z, classes, labels, w):
    """Loss phi(z)."""
    y, rest, most, top, mass, share, of_label = room(classes)
    total = 0.0
    for first in range(0, labels.size, BLOCK):
        count = min(BLOCK, labels.size - first)
        turn(z, first, count, y)
        own(y, first, count, labels, of_label)
        weights(w, first, count, mass)
        softmax(y, count, rest, most, top)
        total += losses(of_label, count, mass, most, rest, share)
    return total


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def linearize(z, b, labels, w, slope):
    """Write phi' into `slope`, where b is added to each observation; return phi and <phi', z>."""
    classes = b.size
    y, rest, most, top, mass, share, of_label = room(classes)
    entries = np.empty((classes, BLOCK))
    total = inner = 0.0
    for first in range(0, labels.size, BLOCK):
        count = min(BLOCK, labels.size - first)
        turn(z, first, count, entries)
        for k in range(classes):
            row, moved, shift = entries[k], y[k], b[k]
            for i in range(count):
                moved[i] = row[i] + shift
        own(y, first, count, labels, of_label)
        weights(w, first, count, mass)
        softmax(y, count, rest, most, top)
        total += losses(of_label, count, mass, most, rest, share)
        slopes(y, first, count, labels, mass, rest, share, top)
        turn_back(y, first, count, slope)
        for k in range(classes):
            row, steep = entries[k], y[k]
            for i in range(count):
                inner += steep[i] * row[i]
    return total, inner


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def along(z, dz, t, classes, labels, w):
    """phi, phi' and phi'' of t -> phi(z + t dz)."""
    y, rest, most, top, mass, share, of_label = room(classes)
    d = np.empty((classes, BLOCK))
    total = slope = curvature = 0.0
    for first in range(0, labels.size, BLOCK):
        count = min(BLOCK, labels.size - first)
        turn(z, first, count, y)
        turn(dz, first, count, d)
        for k in range(classes):
            for i in range(count):
                y[k, i] += t * d[k, i]
        own(y, first, count, labels, of_label)
        weights(w, first, count, mass)
        softmax(y, count, rest, most, top)
        total += losses(of_label, count, mass, most, rest, share)
        divide(y, count, share)
        own(d, first, count, labels, of_label)
        one, two = moments(y, d, count, mass, of_label, rest, most)
        slope += one
        curvature += two
    return total, slope, curvature


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def shifted(z, dz, t, b, labels, w, total_slopes, sizes, cross, gram):
    """phi, phi' and phi'' of t -> phi(z + t dz + b), b added to each observation, and phi along b.

    `total_slopes` and `sizes` get the sums of phi' and |phi'| for each class, `cross` and `gram`
    the second derivatives between b and dz and between b and b (see `complete`). An empty dz
    stands for zero.
    """
    classes, moving = b.size, dz.size > 0
    y, rest, most, top, mass, share, of_label = room(classes)
    d, p = np.zeros((classes, BLOCK)), np.empty((classes, BLOCK))
    total_slopes[:] = 0.0
    sizes[:] = 0.0
    cross[:] = 0.0
    gram[:] = 0.0
    total = slope = curvature = 0.0
    for first in range(0, labels.size, BLOCK):
        count = min(BLOCK, labels.size - first)
        turn(z, first, count, y)
        if moving:
            turn(dz, first, count, d)
        for k in range(classes):
            for i in range(count):
                y[k, i] = (y[k, i] + t * d[k, i]) + b[k]
        own(y, first, count, labels, of_label)
        weights(w, first, count, mass)
        softmax(y, count, rest, most, top)
        total += losses(of_label, count, mass, most, rest, share)
        for k in range(classes):
            for i in range(count):
                p[k, i] = y[k, i]
        divide(p, count, share)
        slopes(y, first, count, labels, mass, rest, share, top)
        sums(y, count, total_slopes, sizes)
        if moving:
            own(d, first, count, labels, of_label)
            one, two = moments(p, d, count, mass, of_label, rest, most)
            slope += one
            curvature += two
        products(p, d, count, mass, y, cross, gram)
    complete(gram)
    return total, slope, curvature


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def probabilities(z, classes, out):
    """out = softmax of each observation's entries."""
    y, rest, most, top, _, share, _ = room(classes)
    observations = z.size // classes
    for first in range(0, observations, BLOCK):
        count = min(BLOCK, observations - first)
        turn(z, first, count, y)
        softmax(y, count, rest, most, top)
        for i in range(count):
            share[i] = 1.0 / (1.0 + rest[i])
        divide(y, count, share)
        turn_back(y, first, count, out)
