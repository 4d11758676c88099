"""Squared distances of many points from one."""

from __future__ import annotations

from numba import njit

__all__ = ["squares"]

FAST = {"reassoc", "contract"}


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def squares(points, center, out):
    """out_i = |points_i - center|^2, summed in double precision."""
    for i in range(points.shape[0]):
        total = 0.0
        row = points[i]
        for j in range(center.size):
            apart = row[j] - center[j]
            total += apart * apart
        out[i] = total
