"""Doubly stochastic matrices."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices
from frankwolfe.base.checks import at_least_one
from frankwolfe.core.atoms import Atom, Sparse
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.feasibility import clip_rounding, rounding, snap_to_bounds, within
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import ExactBound, Faces, Formulation, Projection, Projector
from frankwolfe.core.standard_form.form import StandardForm, cells
from frankwolfe.regions.transport.assignment import dual_bound, potentials
from frankwolfe.subproblems.quadratics.birkhoff import assignment_bound, project_doubly_stochastic

__all__ = ["Birkhoff"]

MAX_QUICK_FACE_ROWS = 100  # above, the assignment in a face costs as much as the oracle
MAX_UNSCALED_COST = 1e150  # larger costs are scaled, so that sums of them do not overflow


class Birkhoff(Region, Projector, Faces, Formulation, ExactBound):
    r"""The Birkhoff polytope: n x n matrices >= 0 whose rows and columns sum to one.

    Its vertices are the permutation matrices; the oracle solves an assignment problem
    (`scipy.optimize.linear_sum_assignment`, about :math:`n^3`). The variable is the vector of
    the :math:`n^2` entries, row after row: ``x.reshape(n, n)`` is the matrix.

    Parameters
    ----------
    n : int
        Rows and columns, >= 1.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> cost = np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]])
    >>> fw.Birkhoff(3).lmo(cost.ravel()).dense(9).reshape(3, 3)
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 1.]])
    """

    iterates = True

    family = "graphs"
    formula = r"X \ge 0,\ X1 = X^\top 1 = 1"
    atom = "a permutation"
    cost = "n^3"

    polytope = many_vertices = True
    needs_room = False

    def __init__(self, n: int) -> None:
        self.n = at_least_one("n", n)
        self.dimension = self.n**2

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        return self._permutation(self._assignment(g.reshape(self.n, self.n)), g.dtype)

    def _permutation(self, columns: Indices, dtype: Dtype) -> Atom:
        """Permutation matrix with a one in the given column of each row."""
        indices = np.arange(0, self.n**2, self.n) + columns
        return Sparse(indices, np.ones(self.n, dtype=dtype))

    def _assignment(self, cost: Array) -> Indices:
        """Column of each row in the assignment of least cost."""
        from scipy.optimize import linear_sum_assignment

        largest = max(float(cost.max()), -float(cost.min()))
        if not math.isfinite(largest):  # one through an entry that is not, so that it is seen
            row, column = np.argwhere(~np.isfinite(cost))[0]
            return np.asarray((np.arange(self.n) + column - row) % self.n)
        return np.asarray(
            linear_sum_assignment(cost / largest if largest > MAX_UNSCALED_COST else cost)[1]
        )

    @property
    def costly_faces(self) -> bool:
        """True above `MAX_QUICK_FACE_ROWS` rows: each face is an assignment problem."""
        return self.n > MAX_QUICK_FACE_ROWS

    def project(self, p: Array) -> Projection:
        x, a = project_doubly_stochastic(p.reshape(self.n, self.n))

        def bound(g: Array, scale: float) -> float:
            cost = g.astype(np.float64, copy=False).reshape(self.n, self.n)
            return assignment_bound(cost, -scale * a)

        return Projection(x.ravel().astype(p.dtype, copy=False), bound)

    def standard_form(self, n: int) -> StandardForm | None:
        return cells(np.ones(self.n), np.ones(self.n)) if self.n > 1 else None

    def diameter(self, n: int) -> float:
        return math.sqrt(2.0 * self.n) if self.n > 1 else 0.0

    def reach(self, weights: Array, n: int) -> float:
        if weights.size == 1:
            return self.n * float(weights[0])
        return float(weights.reshape(self.n, self.n).max(axis=1).sum())

    def least(self, g: Doubled) -> Fraction:
        cost = g.high.reshape(self.n, self.n)
        return dual_bound(g, potentials(cost, self._assignment(cost)))

    def violation(self, x: Array) -> float:
        matrix = np.asarray(x, dtype=np.float64).reshape(self.n, self.n)
        rows, columns = matrix.sum(axis=1) - 1.0, matrix.sum(axis=0) - 1.0
        off = max(float(np.abs(rows).max()), float(np.abs(columns).max()))
        return max(off, -float(matrix.min()))

    def start(self, n: int) -> Array:
        return np.eye(self.n).ravel()

    def face_atom(self, g: Array, x: Array) -> Atom:
        """Permutation of largest cost among the cells where x is not zero."""
        from scipy.optimize import linear_sum_assignment

        # where x > 0 there is a permutation (Birkhoff): the infinite cells are never needed
        cost = np.where(x > rounding(x), -g, np.inf).reshape(self.n, self.n)
        return self._permutation(np.asarray(linear_sum_assignment(cost)[1]), g.dtype)

    def snap_to_face(self, x: Array) -> Array:
        return snap_to_bounds(x, 0.0, 1.0, 1.0)

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        return within(x[where], d, 0.0, math.inf)

    def middle(self, n: int) -> Array:
        return np.full(self.n**2, 1.0 / self.n)

    def snap(self, x: Array) -> Array:
        return clip_rounding(x, 0.0, 1.0, 1.0)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        side = math.isqrt(n)
        return [cls(side), cls(side + 1)]

    def __repr__(self) -> str:
        return f"Birkhoff({self.n} x {self.n} matrices, {self.dimension} variables)"
