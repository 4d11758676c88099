"""Lower bounds on the cost of assignments, from the dual problem."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.core.double_double import Doubled, exact, plus

__all__ = ["dual_bound", "potentials"]


def potentials(cost: Array, columns: Indices) -> Array:
    """Dual variables u of the rows for an assignment of least cost.

    Any u gives a valid `dual_bound`; these make it tight. They are the lengths of shortest paths
    between rows, where going from k to i costs what row i pays more than row k for the column
    of k (Bellman and Ford).
    """
    n = len(cost)
    extra = cost[:, columns] - cost[np.arange(n), columns]
    u = np.zeros(n)
    for _ in range(n):  # shortest paths have fewer than n arcs
        shorter = np.minimum((extra + u).min(axis=1), u)
        if np.array_equal(shorter, u):
            break
        u = shorter
    return u


def dual_bound(cost: Doubled, u: Array) -> Fraction:
    """Exact lower bound Σ_i u_i + Σ_j min_i (C_ij - u_i) on the cost of every assignment."""
    n = u.size
    reduced = plus(cost, exact(np.repeat(-u, n)))
    columns = (reduced.at(slice(j, None, n)).least() for j in range(n))
    return sum(columns, Fraction(0)) + exact(u).total().low
