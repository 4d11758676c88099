"""Costs of permutations with products of pairs: a local search, and a bound."""

from __future__ import annotations

import numpy as np

from frankwolfe.apps.everyday.kernels import swaps
from frankwolfe.base.arrays import Array, Indices

__all__ = ["cheapest", "gilmore_lawler", "swapped"]

ROUNDING = 1e-13  # of the sizes in a cost: swaps that gain less are none


def cheapest(cost: Array) -> Indices:
    """The column of each row in the assignment of least cost."""
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(cost)[1])


def swapped(A: Array, B: Array, C: Array, p: Indices) -> tuple[Indices, int]:
    r"""A permutation that no swap of two entries improves, from p on; and how many were made.

    The cost of p is the sum of :math:`A_{ij} B_{p_i p_j}` and of :math:`C_{i p_i}`. The worth of
    all swaps is kept, so that one costs :math:`n^2`.

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
        A, permuted, C, places, change, ROUNDING * size, 10 * n + 50, np.empty((4, n))
    )
    return places, int(count)


def _worth(A: Array, B: Array) -> Array:
    """By how much the sum of A * B rises for each pair of rows and columns of B exchanged."""
    both = A @ B.T + A.T @ B
    own, a, b = both.diagonal(), A.diagonal(), B.diagonal()
    total = both + both.T - own - own[:, None]
    # the sums above run over all k; for k = i and k = j other terms count
    total -= (a[:, None] - A) * (B - b[:, None]) + (a[:, None] - A.T) * (B.T - b[:, None])
    total -= (A.T - a) * (b - B.T) + (A - a) * (b - B)
    total += (a[:, None] - a) * (b - b[:, None]) + (A - A.T) * (B.T - B)
    return np.asarray(total)


def gilmore_lawler(A: Array, B: Array, C: Array) -> float:
    """A number that no permutation costs less than, but for rounding.

    Each row pays at least its sorted entries against those of the other in reverse; one
    assignment problem chooses the rows. (Gilmore 1962, Lawler 1963.)
    """
    bounds = [_by_rows(A, B, C)]
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
