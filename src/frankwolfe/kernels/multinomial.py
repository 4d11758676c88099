r"""The softmax loss :math:`\sum_i w_i (\log \sum_k e^{z_{ik}} - z_{i y_i})` of an image.

The K entries of an observation stand side by side in z. Sums are taken relative to the largest
entry and without it, so that nothing overflows and a small loss keeps its digits.
"""

from __future__ import annotations

import math

from numba import njit

from frankwolfe.kernels.elementary import exp_negative

__all__ = ["along", "linearize", "probabilities", "value"]


@njit(inline="always")
def _largest(z, first, classes):  # type: ignore[no-untyped-def]
    """Place of the largest entry of an observation."""
    top = first
    for k in range(first + 1, first + classes):
        if z[k] > z[top]:
            top = k
    return top


@njit(inline="always")
def _exponentials(z, first, classes, out):  # type: ignore[no-untyped-def]
    """exp(z - largest) of one observation; return the sum without the largest, and its place."""
    top = _largest(z, first, classes)
    rest = 0.0
    for k in range(classes):
        out[k] = exp_negative(1.0 * z[first + k] - z[top])
        if first + k != top:
            rest += out[k]
    return rest, top


@njit(cache=True, error_model="numpy")
def value(z, labels, w, room):  # type: ignore[no-untyped-def]
    """phi(z); `room` has an entry for each class."""
    classes, same = room.size, w.size == 1
    total = 0.0
    for i in range(labels.size):
        first = i * classes
        rest, top = _exponentials(z, first, classes, room)
        v = (1.0 * z[top] - z[first + labels[i]]) + math.log1p(rest)
        total += (w[0] if same else w[i]) * v
    return total


@njit(cache=True, error_model="numpy")
def linearize(z, labels, w, room, slope):  # type: ignore[no-untyped-def]
    """Write phi'(z) into `slope`; return phi(z) and <phi'(z), z>."""
    classes, same = room.size, w.size == 1
    total = 0.0
    inner = 0.0
    for i in range(labels.size):
        first = i * classes
        own = first + labels[i]
        rest, top = _exponentials(z, first, classes, room)
        weight = w[0] if same else w[i]
        total += weight * ((1.0 * z[top] - z[own]) + math.log1p(rest))
        share = weight / (1.0 + rest)
        for k in range(classes):
            slope[first + k] = share * room[k]
        others = rest if own == top else 1.0 + rest - room[labels[i]]
        slope[own] = -share * others
        for k in range(first, first + classes):
            inner += slope[k] * z[k]
    return total, inner


@njit(cache=True, error_model="numpy")
def along(z, dz, t, labels, w, room, ahead):  # type: ignore[no-untyped-def]
    """phi, phi' and phi'' of t -> phi(z + t dz); `ahead` is room as well."""
    classes, same = room.size, w.size == 1
    total = 0.0
    slope = 0.0
    curvature = 0.0
    for i in range(labels.size):
        first = i * classes
        for k in range(classes):
            ahead[k] = z[first + k] + t * dz[first + k]
        rest, top = _exponentials(ahead, 0, classes, room)
        weight = w[0] if same else w[i]
        total += weight * ((ahead[top] - ahead[labels[i]]) + math.log1p(rest))
        share = 1.0 / (1.0 + rest)
        own = 1.0 * dz[first + labels[i]]
        mean = 0.0  # of dz, relative to the label's
        for k in range(classes):
            mean += share * room[k] * (dz[first + k] - own)
        square = 0.0
        for k in range(classes):
            away = dz[first + k] - own - mean
            square += share * room[k] * away * away
        slope += weight * mean
        curvature += weight * square
    return total, slope, curvature


@njit(cache=True, error_model="numpy")
def probabilities(z, classes, out):  # type: ignore[no-untyped-def]
    """out = the softmax of each observation."""
    for first in range(0, z.size, classes):
        part = out[first : first + classes]
        rest, _ = _exponentials(z, first, classes, part)
        for k in range(classes):
            part[k] /= 1.0 + rest
