"""Norms of groups of entries."""

from __future__ import annotations

import math

from numba import njit

__all__ = ["largest"]


@njit(cache=True, error_model="numpy")
def largest(g, order, starts):  # type: ignore[no-untyped-def]
    """The group with the largest 2-norm, that norm over `unit`, and `unit` = max |g|.

    Group k holds the entries `order[starts[k] : starts[k + 1]]`; a group with NaN wins.
    """
    unit = 0.0
    for i in range(g.size):
        unit = max(unit, abs(g[i]))
    best, most = 0, 0.0
    for k in range(starts.size - 1):
        total = 0.0
        for i in range(starts[k], starts[k + 1]):
            part = g[order[i]] / unit if unit > 0.0 else g[order[i]]
            total += part * part
        if math.isnan(total):
            return k, total, unit
        if total > most:
            best, most = k, total
    return best, math.sqrt(most), unit
