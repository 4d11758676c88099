"""Loops over the atoms of an active set, whose entries lie in one pool, one atom after another.

Atom k has the `lengths[k]` entries from `starts[k]` on; one as long as x is dense, in order, and
its part of `indices` is not read.
"""

from __future__ import annotations

from numba import njit

__all__ = ["combine", "dots"]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def dots(starts, lengths, indices, values, g, out):
    """out_k = <g, atom k>."""
    n = g.size
    for k in range(starts.size):
        first, length = starts[k], lengths[k]
        total = 0.0
        if length == n:
            for p in range(n):
                total += values[first + p] * g[p]
        else:
            for p in range(first, first + length):
                total += values[p] * g[indices[p]]
        out[k] = total


@njit(cache=True, nogil=True)
def combine(starts, lengths, indices, values, weights, x):
    """x = sum over k of weights_k times atom k."""
    n = x.size
    x[:] = 0.0
    for k in range(starts.size):
        first, length, weight = starts[k], lengths[k], weights[k]
        if length == n:
            for p in range(n):
                x[p] += weight * values[first + p]
        else:
            for p in range(first, first + length):
                x[indices[p]] += weight * values[p]
