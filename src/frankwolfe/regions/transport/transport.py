"""Transport plans between given masses."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices, Shape
from frankwolfe.base.checks import all_finite, at_least_one
from frankwolfe.base.errors import MissingExtra
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom, Sparse
from frankwolfe.core.feasibility import clip_rounding, rounding, snap_to_bounds, spacing, within
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import (
    Accuracy,
    Faces,
    Formulation,
    InexactAtom,
    Projection,
    Projector,
)
from frankwolfe.core.standard_form.form import StandardForm, cells
from frankwolfe.subproblems.quadratics.transport import project_to_sums
from frankwolfe.subproblems.transport_duals import (
    Plan,
    balanced,
    cheapest_plan,
    conjugate,
    farthest,
    farthest_bound,
    plan_bound,
    plan_through,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Transport"]

MAX_EXACT_DIAMETER = 9  # cells; above, there are too many vertices to list
MAX_FRAME_ENTRIES = 10_000_000  # of the dense equations: 80 MB
MAX_QUICK_FACE_CELLS = 1000  # above, the plan in a face costs as much as the oracle


@dataclass(slots=True)
class _Potentials(Memory):
    """Dual potentials of the rows, from the last call."""

    rows: Array
    known: bool = False


class Transport(Region, Projector, Faces, Formulation):
    r"""Transport plans: matrices T >= 0 with row sums a and column sums b.

    The plans that carry masses a to masses b. A vertex has at most n + m - 1 entries that are
    not zero; the oracle solves an optimal transport problem by the network simplex of POT
    (``ot.emd``), in a run from the potentials of the last call. What the certificate counts is a
    bound of our own from these potentials: with :math:`v_j = \min_i C_{ij} - u_i` no plan costs
    less than :math:`\langle a, u\rangle + \langle b, v\rangle`, whatever u is. The variable is
    the vector of the n m entries, row after row: ``x.reshape(n, m)`` is the plan.

    Parameters
    ----------
    a, b : arrays of shape (n,) and (m,)
        Masses >= 0 with the same sum, which need not be one. Totals that differ by rounding
        are taken for equal, and b is scaled to the sum of a.
    pivots : int, optional
        Most pivots of the network simplex in a call; where it ends early the certificate is
        weaker, and true. By default the larger of 100,000 and 500 (n + m).

    Notes
    -----
    The diameter is exact for up to nine cells and where all masses are equal, elsewhere a bound
    from the sums of rows and columns: the two plans farthest apart are hard to find.

    References
    ----------
    N. Bonneel, M. van de Panne, S. Paris and W. Heidrich, *Displacement interpolation using
    Lagrangian mass transport*, ACM Transactions on Graphics, 2011 (the network simplex); G. Peyré
    and M. Cuturi, *Computational optimal transport*, 2019, section 3 (duals and c-transforms).

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> cost = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0]])
    >>> fw.Transport([0.5, 0.5], [0.25, 0.5, 0.25]).lmo(cost.ravel()).dense(6).reshape(2, 3)
    array([[0.25, 0.25, 0.  ],
           [0.  , 0.25, 0.25]])
    """

    iterates = True

    family = "transport"
    formula = r"T \ge 0,\ T1 = a,\ T^\top 1 = b"
    atom = "a plan on a forest"
    cost = "a network simplex"
    package = "ot"
    extra = "ot"

    polytope = many_vertices = True

    def __init__(self, a: ArrayLike, b: ArrayLike, *, pivots: int | None = None) -> None:
        self.a, self.b, self.mass = balanced(a, b)
        if importlib.util.find_spec("ot") is None:
            raise MissingExtra("Transport", "POT", "ot")
        self.shape = self.a.size, self.b.size
        self.dimension = self.a.size * self.b.size
        least = max(100_000, 500 * sum(self.shape))
        self.pivots = least if pivots is None else at_least_one("pivots", pivots)
        self._rows, self._columns = np.flatnonzero(self.a), np.flatnonzero(self.b)
        self._whole = self._rows.size == self.a.size and self._columns.size == self.b.size
        self._from, self._to = self.a[self._rows], self.b[self._columns]
        few = self._from.size * self._to.size <= MAX_EXACT_DIAMETER
        self._diameter = (farthest if few else farthest_bound)(self._from, self._to)

    def _block(self, x: Array) -> Array:
        """Entries between nonzero masses, as a matrix in double precision."""
        matrix = np.asarray(x, dtype=np.float64).reshape(self.shape)
        return matrix if self._whole else matrix[np.ix_(self._rows, self._columns)]

    def _everywhere(self, block: Array) -> Array:
        """Vector of all entries, zero outside the block."""
        if self._whole:
            return block.ravel()
        x = np.zeros(self.shape)
        x[np.ix_(self._rows, self._columns)] = block
        return x.ravel()

    def _atom(self, places: Indices, values: Array, dtype: Dtype) -> Atom:
        """Sparse atom of some cells of the block and their values."""
        if not self._whole:
            i, j = np.divmod(places, self._to.size)
            places = self._rows[i] * self.b.size + self._columns[j]
        return Sparse(places, values.astype(dtype, copy=False))

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        if not all_finite(g):
            return self._through(g)
        plan = self._plan(self._block(g), None)
        return self._atom(plan.cells, plan.values, g.dtype)

    def _plan(self, cost: Array, near: Array | None) -> Plan:
        """Cheapest plan for a cost matrix, from potentials `near` where given."""
        return cheapest_plan(cost, self._from, self._to, self.pivots, near)

    def _through(self, g: Array) -> Atom:
        """Plan through an entry of g that is not finite, so that the loop sees it."""
        where = int(np.flatnonzero(~np.isfinite(g))[0])
        places, values = plan_through(where, self.a, self.b)
        return Sparse(places, values.astype(g.dtype))

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> _Potentials:
        return _Potentials(np.zeros(self._from.size))

    def inexact_lmo(self, g: Array, memory: _Potentials, wanted: Accuracy) -> InexactAtom:
        if not all_finite(g):
            atom = self._through(g)
            return atom, atom.dot(g), 0.0
        cost = self._block(g)
        plan = self._plan(cost, memory.rows if memory.known else None)
        memory.rows, memory.known = plan.potentials, True
        value = float(plan.values @ cost.ravel()[plan.cells])
        bound = plan_bound(cost, plan.potentials, self._from, self._to)
        return self._atom(plan.cells, plan.values, g.dtype), value, max(value - bound, 0.0)

    def project(self, p: Array) -> Projection:
        x, levels = project_to_sums(self._block(p), self._from, self._to, self._levels)

        def bound(g: Array, scale: float) -> float:
            return plan_bound(self._block(g), -scale * levels, self._from, self._to)

        return Projection(self._everywhere(x).astype(p.dtype), bound)

    def _levels(self, p: Array) -> tuple[Array, Array]:
        """Dual of the cheapest plan for costs -p: a start near the levels of the nearest plan."""
        u = self._plan(-p, None).potentials
        return -u, -conjugate(-p, u)

    def standard_form(self, n: int) -> StandardForm | None:
        rows, columns = self._from.size, self._to.size
        if min(rows, columns) < 2 or n * (rows + columns) > MAX_FRAME_ENTRIES or not self._whole:
            return None
        return cells(self.a, self.b)

    @property
    def costly_faces(self) -> bool:
        """True above `MAX_QUICK_FACE_CELLS` cells: each face is a transport problem."""
        return self.dimension > MAX_QUICK_FACE_CELLS  # type: ignore[operator]

    def face_atom(self, g: Array, x: Array) -> Atom:
        """Plan of largest cost on the cells where x is not zero."""
        cost, free = -self._block(g), self._block(x) > rounding(x) * self.mass
        low, high = float(cost[free].min()), float(cost[free].max())
        spread = high - low or 1.0
        # a cell outside costs more than any way around it that is made of cells inside
        barred = np.where(free, (cost - low) / spread, float(sum(free.shape)))
        plan = self._plan(barred, None)
        return self._atom(plan.cells, plan.values, g.dtype)

    def snap_to_face(self, x: Array) -> Array:
        return snap_to_bounds(x, 0.0, math.inf, self.mass)

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        return within(x[where], d, 0.0, math.inf, rounding(x) * self.mass)

    def snap(self, x: Array) -> Array:
        return clip_rounding(x, 0.0, None, self.mass)

    def diameter(self, n: int) -> float:
        return self._diameter

    def resolution(self, n: int, dtype: Dtype) -> float:
        return spacing(dtype, self.mass, self.mass)

    def reach(self, weights: Array, n: int) -> float:
        if weights.size == 1:
            return self.mass * float(weights[0])
        weights = weights.reshape(self.shape)
        by_rows, by_columns = self.a @ weights.max(axis=1), self.b @ weights.max(axis=0)
        return float(min(by_rows, by_columns))

    def violation(self, x: Array) -> float:
        matrix = np.asarray(x, dtype=np.float64).reshape(self.shape)
        rows, columns = matrix.sum(axis=1) - self.a, matrix.sum(axis=0) - self.b
        off = max(float(np.abs(rows).max()), float(np.abs(columns).max()))
        return max(off, -float(matrix.min())) / self.mass

    def start(self, n: int) -> Array:
        """Product plan ab'/mass: from here nonconvex functions, too, tend to good points."""
        return self.middle(n)

    def middle(self, n: int) -> Array:
        return np.outer(self.a, self.b / self.mass).ravel()

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        rows = max(math.isqrt(n), 1)
        columns = max(n // rows, 1)
        a, b = rng.uniform(0.5, 1.5, rows), rng.uniform(0.5, 1.5, columns)
        return [
            cls(np.full(rows, 1.0 / rows), np.full(columns, 1.0 / columns)),
            cls(a / a.sum(), b / b.sum()),
            cls(2.0 * b / b.sum(), 2.0 * a / a.sum()),
        ]

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"Transport({rows} x {columns} plans of mass {self.mass:g})"
