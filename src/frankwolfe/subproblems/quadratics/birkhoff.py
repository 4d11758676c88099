"""Projection onto the doubly stochastic matrices, and a bound on assignments."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.subproblems.kernels import transport as plans
from frankwolfe.subproblems.quadratics.transport import project_to_sums

__all__ = ["assignment_bound", "project_doubly_stochastic"]


def project_doubly_stochastic(p: Array) -> tuple[Array, Array]:
    r"""Projection X of P onto the doubly stochastic matrices, and the row levels of its dual.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quadratics.birkhoff import project_doubly_stochastic
    >>> project_doubly_stochastic(np.array([[1.0, 0.0], [0.5, 0.0]]))[0]
    array([[0.625, 0.375],
           [0.375, 0.625]])
    """
    ones = np.ones(p.shape[0])
    return project_to_sums(p, ones, ones)


def assignment_bound(cost: Array, u: Array) -> float:
    """Lower bound on the cost of every assignment: sum(u) + sum(v), v_j = min_i C_ij - u_i."""
    v = np.empty(cost.shape[1])
    plans.cheapest(cost, u, v)
    return float(u.sum() + v.sum())
