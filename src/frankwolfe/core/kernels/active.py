"""Loops over the atoms of an active set: entries in one pool, each atom a piece of it."""

from __future__ import annotations

from numba import njit

__all__ = ["combine", "dots"]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def dots(starts, lengths, indices, values, g, out):  # type: ignore[no-untyped-def]
    """out_k = <g, atom k>; an atom as long as g has all entries, in order."""
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
def combine(starts, lengths, indices, values, weights, x):  # type: ignore[no-untyped-def]
    """x = the sum of weights times atoms."""
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
