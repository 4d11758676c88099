"""Which vertex minimizes a linear function, once its smallest and largest entries are known.

Plain functions of numbers, without Numba: the regions call them, and the fast path compiles the
same ones (`kernels/fast_path.py`), which knows the oracles by the numbers below.
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
    """The coordinate where g is largest in size, and the entry against its sign."""
    return (top, -radius) if largest > -least else (bottom, radius)


def unit_simplex_vertex(bottom: int, least: float, scale: float) -> tuple[int, float]:
    """The coordinate where g is smallest; zero where no entry is negative. NaN is kept."""
    return (0, 0.0) if least >= 0.0 else (bottom, scale)
