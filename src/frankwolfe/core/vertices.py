"""Vertices that minimize a linear function, from its smallest and largest entries.

Plain functions of numbers, without Numba: the regions call them, and the fast path compiles the
same ones (`solver/kernels/fast_path.py`), which knows the oracles by the numbers below.
"""

from __future__ import annotations

__all__ = [
    "BOX",
    "CORNER",
    "L1",
    "L2",
    "SIMPLEX",
    "UNIT_SIMPLEX",
    "l1_vertex",
    "unit_simplex_vertex",
]

L2, CORNER, BOX, L1, SIMPLEX, UNIT_SIMPLEX = range(6)  # kinds of compiled oracles


def l1_vertex(
    bottom: int, least: float, top: int, largest: float, radius: float
) -> tuple[int, float]:
    """Vertex of the l1 ball: the coordinate of the largest |g_i|, the entry against its sign."""
    return (top, -radius) if largest > -least else (bottom, radius)


def unit_simplex_vertex(bottom: int, least: float, scale: float) -> tuple[int, float]:
    """Vertex of {x >= 0, Σ x_i <= scale}: at the smallest g_i, or zero if no entry is negative.

    NaN in `least` is kept.
    """
    return (0, 0.0) if least >= 0.0 else (bottom, scale)
