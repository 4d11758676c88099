"""The quadratic assignment problem: a local search by swaps, and the Gilmore-Lawler bound."""

from __future__ import annotations

import numpy as np

from frankwolfe.apps.everyday.kernels import swaps
from frankwolfe.base import Array, Indices

__all__ = ["cheapest", "gilmore_lawler", "swapped"]

MIN_RELATIVE_GAIN = (
    1e-13  # of the sizes in a cost: a smaller gain is rounding, and swaps would cycle
)


def cheapest(cost: Array) -> Indices:
    """Column of each row in an assignment of least cost."""
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(cost)[1])


def swapped(A: Array, B: Array, C: Array, p: Indices) -> tuple[Indices, int]:
    r"""Improve p by swaps of two entries until none gains; return it and the number of swaps.

    The cost of p is :math:`\sum_{ij} A_{ij} B_{p_i p_j} + \sum_i C_{i p_i}`. The changes of all
    swaps are kept and updated, so that a swap costs :math:`n^2`.

    References
    ----------
    E. Taillard, *Robust taboo search for the quadratic assignment problem*, Parallel Computing
    17, 1991.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.apps.everyday.permutations import swapped
    >>> A = np.array([[0.0, 3.0, 0.0], [3.0, 0.0, 1.0], [0.0, 1.0, 0.0]])   # 0 and 1 trade much
    >>> B = np.array([[0.0, 9.0, 2.0], [9.0, 0.0, 1.0], [2.0, 1.0, 0.0]])   # 1 and 2 are near
    >>> swapped(A, B, np.zeros((3, 3)), np.arange(3))
    (array([1, 2, 0]), 2)
    """
    n = p.size
    places = np.array(p, dtype=np.int64)
    permuted = np.ascontiguousarray(B[places][:, places])
    change = _worth(A, permuted)
    size = float(np.abs(A).max() * np.abs(B).max()) * n + float(np.abs(C).max())
    count = swaps.improve(
        A, permuted, C, places, change, MIN_RELATIVE_GAIN * size, 10 * n + 50, np.empty((4, n))
    )
    return places, int(count)


def _worth(A: Array, B: Array) -> Array:
    """Change of Σ_ij A_ij B_ij when rows and columns i and j of B are exchanged, for all i, j."""
    both = A @ B.T + A.T @ B
    own, a, b = both.diagonal(), A.diagonal(), B.diagonal()
    total = both + both.T - own - own[:, None]
    # the sums above run over all k; for k = i and k = j other terms count
    total -= (a[:, None] - A) * (B - b[:, None]) + (a[:, None] - A.T) * (B.T - b[:, None])
    total -= (A.T - a) * (b - B.T) + (A - a) * (b - B)
    total += (a[:, None] - a) * (b - b[:, None]) + (A - A.T) * (B.T - B)
    return np.asarray(total)


def gilmore_lawler(A: Array, B: Array, C: Array) -> float:
    """Gilmore-Lawler lower bound on the cost of all permutations, not corrected for rounding.

    Each row pays at least its sorted entries against those of the other in reverse; one
    assignment problem chooses the rows. (Gilmore 1962, Lawler 1963.)
    """
    bounds = [_by_rows(A, B, C)]
    # transposed, the problem has the same costs and another bound
    if not (np.array_equal(A, A.T) and np.array_equal(B, B.T)):
        bounds.append(_by_rows(A.T, B.T, C))
    return max(bounds)


def _by_rows(A: Array, B: Array, C: Array) -> float:
    n = len(A)
    beside = ~np.eye(n, dtype=bool)
    rising = np.sort(A[beside].reshape(n, n - 1), axis=1)
    falling = -np.sort(-B[beside].reshape(n, n - 1), axis=1)
    cost = C + np.outer(A.diagonal(), B.diagonal()) + rising @ falling.T
    return float(cost[np.arange(n), cheapest(cost)].sum())
