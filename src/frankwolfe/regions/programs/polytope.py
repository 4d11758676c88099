"""A polytope by its inequalities and equations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices, Matrix, Shape
from frankwolfe.base.checks import all_finite
from frankwolfe.base.clock import seconds_left
from frankwolfe.base.memory import Buffer
from frankwolfe.core.atoms import Atom, Dense, Sparse
from frankwolfe.core.feasibility import rounding, snap_to_bounds, within
from frankwolfe.core.region_abilities import Accuracy, Faces, Formulation, InexactAtom
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.regions.programs.by_rows import ROW_TOL, ByRows
from frankwolfe.regions.programs.dual import lower_bound
from frankwolfe.regions.programs.framing import framed
from frankwolfe.regions.programs.given import VariableBounds, from_linprog, from_scipy
from frankwolfe.regions.programs.highs import Basis, Constraints, Solved
from frankwolfe.regions.programs.scaled import scaled

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Polytope", "WarmBasis"]

SPARSE_ATOM_RATIO = 4  # variables a row; from here on a basic solution has few entries


@dataclass(slots=True)
class WarmBasis(Buffer):
    """Buffer for the atom, and the basis from which the next program starts."""

    basis: Basis


class Polytope(ByRows, Faces, Formulation):
    r"""The polytope :math:`A_{ub} x \le b_{ub},\ A_{eq} x = b_{eq},\ l \le x \le u`.

    The arguments are those of `scipy.optimize.linprog`, with its default bounds: **without
    `bounds` all variables are non-negative**. The oracle is a linear program, solved by HiGHS's
    primal simplex method from the last basis. Its multipliers give a bound that holds whatever
    the solver says, and the gap of a run uses that bound.

    Parameters
    ----------
    A_ub, b_ub : matrix of shape (m, n), dense or sparse, and vector, optional
        Inequalities.
    A_eq, b_eq : matrix of shape (k, n), dense or sparse, and vector, optional
        Equations.
    bounds : pair, or n pairs, optional
        (low, high) for all variables or for each; None or infinity is no bound. By default
        (0, None).

    Raises
    ------
    InvalidInput
        Where it is empty or unbounded, or shapes do not fit.

    Notes
    -----
    The diameter of a polytope given in this way is hard to compute. `diameter` is an upper bound,
    the diagonal of a box around it: for up to 64 variables the smallest such box, so that the
    bound is at most :math:`\sqrt n` times too large.

    References
    ----------
    Q. Huangfu and J. A. J. Hall, *Parallelizing the Dual Revised Simplex Method*, Mathematical
    Programming Computation 10, 2018; A. Neumaier and O. Shcherbina, *Safe Bounds in Linear and
    Mixed-Integer Linear Programming*, Mathematical Programming 99, 2004, for the bound.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> region = fw.Polytope(A_ub=[[1.0, 2.0]], b_ub=[4.0], bounds=(0.0, 3.0))
    >>> region.lmo(np.array([-1.0, -1.0])).dense(2)
    array([3. , 0.5])
    >>> fw.minimize(fw.squared_distance([3.0, 2.0]), region).x.round(6) + 0.0
    array([2.4, 0.8])
    """

    formula = r"Ax \le b,\ Cx = d,\ l \le x \le u"
    atom = "a basic solution"
    cost = "a linear program"

    def __init__(
        self,
        A_ub: Matrix | None = None,
        b_ub: ArrayLike | None = None,
        A_eq: Matrix | None = None,
        b_eq: ArrayLike | None = None,
        bounds: VariableBounds = None,
    ) -> None:
        self._begin(from_linprog(A_ub, b_ub, A_eq, b_eq, bounds))

    @classmethod
    def of(cls, *constraints: object) -> Self:
        """Polytope of `LinearConstraint` and `Bounds` objects of scipy.optimize.

        As in `scipy.optimize.minimize`, a variable without `Bounds` is free.

        Examples
        --------
        >>> import frankwolfe as fw
        >>> from scipy.optimize import Bounds, LinearConstraint
        >>> fw.Polytope.of(LinearConstraint([[1, 1, 1]], 1, 1), Bounds(0, 0.5))
        Polytope(3 variables, 0 inequalities, 1 equation)
        """
        made = cls.__new__(cls)
        made._begin(from_scipy(constraints))
        return made

    def _begin(self, given: Constraints) -> None:
        """Keep the constraints, and scale them for the solver."""
        self.constraints = given
        self.dimension = given.lower.size
        self._scaled = scaled(given)

    # the oracle

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        return self._oracle(g, self._scaled.home, out, math.inf)[0]

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> WarmBasis:
        home = self._scaled.home
        room = np.empty(0 if self._few_entries else shape, dtype=dtype)
        return WarmBasis(room, Basis(home.columns.copy(), home.rows.copy()))

    def inexact_lmo(self, g: Array, memory: WarmBasis, wanted: Accuracy) -> InexactAtom:
        atom, bound, basis = self._oracle(g, memory.basis, memory.array, seconds_left())
        memory.basis = basis
        support = atom.dot(g)
        return atom, support, max(support - bound, 0.0) if math.isfinite(bound) else 0.0

    def _oracle(
        self, g: Array, start: Basis, out: Array | None, seconds: float
    ) -> tuple[Atom, float, Basis]:
        """Vertex, a lower bound on <g, s>, and the basis of the vertex."""
        if not all_finite(g):  # f has broken down: the loop sees it and ends the run
            return Dense(np.full(g.size, np.nan, dtype=g.dtype)), math.nan, start
        cost, scale = self._costs(g)
        set_ = self._scaled
        found = set_.program.minimize(cost, start, seconds)
        bound = lower_bound(set_.program, (set_.lower, set_.upper), cost, found.y)
        return self._atom(self._mended(found), g, out), scale * bound, found.basis

    def _mended(self, found: Solved) -> Array:
        """Vertex found, or the one to start from where pivots ran out before any was found."""
        late = found.status != "optimal" and not (found.x.size and self._over(found.x) <= ROW_TOL)
        return self._kept(self._scaled.vertex if late else found.x)

    @property
    def _few_entries(self) -> bool:
        """True if most entries of every vertex are zero: then atoms are sparse."""
        given = self.constraints
        rows = given.low.size
        return SPARSE_ATOM_RATIO * rows <= given.lower.size and not given.lower.any()

    def _atom(self, y: Array, g: Array, out: Array | None) -> Atom:
        """Vertex y as an atom in the units of the caller, exactly on its bounds."""
        x = snap_to_bounds(y, *self._scaled.program.constraints[3:], 0.1) * self._scaled.units
        if self._few_entries:
            indices = np.flatnonzero(x)
            return Sparse(indices, x[indices].astype(g.dtype))
        out = np.empty(g.size, dtype=g.dtype) if out is None else out
        out[:] = x
        return Dense(out)

    def standard_form(self, n: int) -> StandardForm | None:
        set_ = self._scaled
        return framed(self._inside, set_.units, set_.lower)

    # faces

    @property
    def costly_faces(self) -> bool:
        """True, because each face is a linear program of its own."""
        return True

    def face_atom(self, g: Array, x: Array) -> Atom:
        """Best vertex with equality in the rows and bounds that x has reached."""
        near, y = rounding(x), np.asarray(x, dtype=np.float64) / self._scaled.units
        A, low, high, lower, upper = self._scaled.program.constraints
        (rows, columns), level = self._sizes, A @ y
        at_low, at_high = level - low <= near * rows, high - level <= near * rows
        lowest, highest = y - lower <= near * columns, upper - y <= near * columns
        # an entry on one bound is fixed there; one on neither keeps both
        bounds = np.where(highest, upper, lower), np.where(lowest, lower, upper)
        sides = np.where(at_high, high, low), np.where(at_low, low, high)
        cost, _ = self._costs(g)
        found = self._scaled.program.minimize_on(-cost, bounds, sides)
        vertex = found.x if found.status == "optimal" else y
        return self._atom(vertex, g, None)

    def snap_to_face(self, x: Array) -> Array:
        units = self._scaled.units
        return snap_to_bounds(x, self.constraints.lower, self.constraints.upper, units)

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        A, low, high, lower, upper = self._scaled.program.constraints
        units, (rows, columns) = self._scaled.units, self._sizes
        y, d = np.asarray(x, dtype=np.float64) / units, d / units[where]
        room = within(y[where], d, lower[where], upper[where], rounding(x) * columns[where])
        level, slope = A @ y, A[:, where] @ d
        left = np.where(slope > 0.0, high - level, level - low)
        real = np.abs(slope) > rounding(x) * rows  # vertices are rounded
        steps = np.maximum(left[real], 0.0) / np.abs(slope[real])
        return min(room, float(steps.min(initial=math.inf)))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        from scipy.sparse import diags_array

        most = 1.0 if n == 1 else 0.75
        sector = (np.arange(n) % 2 == 0).astype(float)
        shares = cls(
            A_ub=sector[None] * rng.uniform(0.9, 1.0, n),
            b_ub=[most],
            A_eq=np.ones((1, n)),
            b_eq=[1.0],
            bounds=(0.0, most),
        )
        steps = diags_array([np.ones(n), -np.ones(n - 1)], offsets=[0, -1], format="csc")
        rows = np.concatenate([rng.uniform(0.5, 1.5, n), np.full(n, 0.7)])
        from scipy.sparse import vstack

        walk = cls(A_ub=vstack([steps, -steps]), b_ub=rows, bounds=(None, None))
        return [shares, walk]
