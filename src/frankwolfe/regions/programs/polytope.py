"""A polytope by its inequalities and equations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from frankwolfe.numerics.arrays import Array, Indices, Shape
from frankwolfe.numerics.atoms import Atom, Dense, Sparse
from frankwolfe.numerics.checks import all_finite, is_sparse
from frankwolfe.numerics.fingerprint import fingerprint
from frankwolfe.numerics.highs import Basis, Constraints, Solved
from frankwolfe.numerics.interior.frame import Frame
from frankwolfe.numerics.memory import Buffer
from frankwolfe.regions.abilities import Accuracy
from frankwolfe.regions.base import ROUNDING, Region
from frankwolfe.regions.bounds import clip_rounding, rounding, snap_to_bounds, spacing, within
from frankwolfe.regions.programs.centre import Centre, centre
from frankwolfe.regions.programs.dual import lower_bound
from frankwolfe.regions.programs.extent import row_sizes
from frankwolfe.regions.programs.framing import framed
from frankwolfe.regions.programs.given import from_linprog, from_scipy
from frankwolfe.regions.programs.scaled import Scaled, scaled

__all__ = ["Polytope", "WarmBasis"]

SMALL = 64  # variables up to which the bounding box is found by two programs each
OVER = 1e-13  # past a row, relative to its size: more than rounding
FEW = 4  # atoms are sparse where there are so many times as many variables as rows


@dataclass(slots=True)
class WarmBasis(Buffer):
    """Room for the atom, and the basis from which the next program starts."""

    basis: Basis


class Polytope(Region):
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
        (low, high) for all variables or for each; None or infinity is no bound, and so is any
        number from 1e20 on. By default (0, None).

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

    family = "polytopes"
    formula = r"Ax \le b,\ Cx = d,\ l \le x \le u"
    atom = "a basic solution"
    cost = "a linear program"
    package = "highspy"
    extra = "lp"

    polytope = vertex_faces = True
    loose_diameter = True

    def __init__(
        self,
        A_ub: Any = None,
        b_ub: Any = None,
        A_eq: Any = None,
        b_eq: Any = None,
        bounds: Any = None,
    ) -> None:
        self._begin(from_linprog(A_ub, b_ub, A_eq, b_eq, bounds))

    @classmethod
    def of(cls, *constraints: Any) -> Self:
        """From `LinearConstraint` and `Bounds` objects of scipy.optimize.

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
        self.constraints = given
        self.dimension = given.lower.size
        self._scaled = scaled(given)

    # the oracle

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        g = self._gradient(g)
        return self._oracle(g, self._scaled.home, out)[0]

    def oracle_memory(self, shape: Shape, dtype: np.dtype[Any]) -> WarmBasis:
        home = self._scaled.home
        room = np.empty(0 if self._few_entries else shape, dtype=dtype)
        return WarmBasis(room, Basis(home.columns.copy(), home.rows.copy()))

    def inexact_lmo(self, g: Any, memory: WarmBasis, wanted: Accuracy) -> tuple[Atom, float, float]:
        atom, bound, basis = self._oracle(g, memory.basis, memory.array)
        memory.basis = basis
        support = atom.dot(g)
        return atom, support, max(support - bound, 0.0) if math.isfinite(bound) else 0.0

    def _oracle(self, g: Array, start: Basis, out: Array | None) -> tuple[Atom, float, Basis]:
        """A vertex, a bound below all <g, s>, and the basis of the vertex."""
        if not all_finite(g):  # f has broken down: the loop sees it and ends the run
            return Dense(np.full(g.size, np.nan, dtype=g.dtype)), math.nan, start
        cost, scale = self._costs(g)
        set_ = self._scaled
        found = set_.program.minimize(cost, start)
        bound = lower_bound(set_.program, (set_.lower, set_.upper), cost, found.y)
        return self._atom(self._mended(found), g, out), scale * bound, found.basis

    def _costs(self, g: Array) -> tuple[Array, float]:
        """The cost in units, the largest about one, and what was taken from it."""
        wide = np.asarray(g, dtype=np.float64)
        largest = float(np.abs(wide).max())
        if largest == 0.0:
            return np.zeros(g.size), 1.0
        scale = 2.0 ** math.frexp(largest)[1] if largest > 1e-300 else largest
        cost = wide / scale * self._scaled.units
        more = 2.0 ** math.frexp(float(np.abs(cost).max()))[1]
        return cost / more, scale * more

    def _mended(self, found: Solved) -> Array:
        """The vertex; where HiGHS left it outside by its tolerance, drawn toward the middle."""
        y = found.x
        if found.status != "optimal" and not (y.size and self._over(y) <= OVER):
            return self._scaled.vertex
        over = self._over(y)
        return y if over <= OVER else self._drawn_in(y)

    def _over(self, y: Array) -> float:
        """How far y is outside, in units of the polytope, relative to the sizes of rows."""
        A, low, high, lower, upper = self._scaled.program.constraints
        rows, columns = self._sizes
        out = float((np.maximum(lower - y, y - upper) / columns).max())
        if low.size:
            level = A @ y
            out = max(out, float((np.maximum(low - level, level - high) / rows).max()))
        return max(out, 0.0)

    def _drawn_in(self, y: Array) -> Array:
        """On the way to the middle, the first point that keeps all bounds and inequalities."""
        A, low, high, lower, upper = self._inside.constraints
        middle, equal = self._inside.x, self._inside.constraints.equations
        y = np.clip(y, lower, upper)
        if not low.size:
            return y
        level, centre_level = A @ y, A @ middle
        past = np.where(equal, 0.0, np.maximum(np.maximum(low - level, level - high), 0.0))
        room = np.where(equal, 1.0, np.minimum(centre_level - low, high - centre_level))
        share = min(1.0, 1.0001 * float((past / (past + np.maximum(room, 1e-300))).max()))
        return np.asarray(y + share * (middle - y))

    @property
    def _few_entries(self) -> bool:
        """Whether most entries of every vertex are zero: then atoms are sparse."""
        given = self.constraints
        rows = given.low.size
        return FEW * rows <= given.lower.size and not given.lower.any()

    def _atom(self, y: Array, g: Array, out: Array | None) -> Atom:
        x = snap_to_bounds(y, *self._scaled.program.constraints[3:], 0.1) * self._scaled.units
        if self._few_entries:
            indices = np.flatnonzero(x)
            return Sparse(indices, x[indices].astype(g.dtype))
        out = np.empty(g.size, dtype=g.dtype) if out is None else out
        out[:] = x
        return Dense(out)

    # where it lies

    @cached_property
    def _sizes(self) -> tuple[Array, Array]:
        """Of rows and variables, in units: how much each changes over the polytope at most."""
        set_ = self._scaled
        width = set_.upper - set_.lower
        A, low, high, _, _ = set_.program.constraints
        rows = row_sizes(A, width)
        level = np.where(np.isfinite(high), high, low)
        return np.where(rows > 0.0, rows, np.maximum(1.0, np.abs(level))), np.where(
            width > 0.0, width, 1.0
        )

    @cached_property
    def _inside(self) -> Centre:
        return centre(self._scaled.program.constraints)

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        """The bounds of each variable, the smallest there are where variables are few."""
        set_ = self._scaled
        n = set_.lower.size
        if n > SMALL:
            return set_.lower, set_.upper
        ends, basis = np.empty((2, n)), set_.home
        for j in range(n):
            for side, sign in ((0, 1.0), (1, -1.0)):
                found = set_.program.minimize(sign * np.eye(1, n, j)[0], basis)
                ends[side, j], basis = found.x[j], found.basis
        return ends[0], ends[1]

    def diameter(self, n: Any) -> float:
        lower, upper = self._box
        return float(np.linalg.norm((upper - lower) * self._scaled.units))

    def reach(self, weights: Array, n: int) -> float:
        set_ = self._scaled
        far = np.maximum(np.abs(set_.lower), np.abs(set_.upper)) * set_.units
        return float((far * weights).sum())

    def violation(self, x: Array) -> float:
        return self._over(np.asarray(x, dtype=np.float64) / self._scaled.units)

    def resolution(self, n: Any, dtype: Any) -> float:
        set_ = self._scaled
        reach = np.maximum(np.abs(set_.lower), np.abs(set_.upper)) * set_.units
        size = self._sizes[1] * set_.units
        j = int((reach / size).argmax())
        return spacing(dtype, float(reach[j]), float(size[j]))

    def start(self, n: Any) -> Any:
        return self._scaled.vertex * self._scaled.units

    def middle(self, n: Any) -> Any:
        return self._inside.x * self._scaled.units

    def snap(self, x: Any) -> Any:
        units = self._scaled.units
        return clip_rounding(x, self.constraints.lower, self.constraints.upper, units)

    def inside(self, x: Array) -> Array:
        x = self.snap(x)
        if self.violation(x) <= ROUNDING[x.itemsize]:
            return x
        y = self._on_equations(np.asarray(x, dtype=np.float64) / self._scaled.units)
        return np.asarray(self._drawn_in(y) * self._scaled.units, dtype=x.dtype)

    def _on_equations(self, y: Array) -> Array:
        """The nearest point that has the equations."""
        A, _, high, _, _ = self._inside.constraints
        equal = self._inside.constraints.equations
        if not equal.any():
            return y
        rows = (A.tocsr()[equal]).toarray() if is_sparse(A) else A[equal]
        return np.asarray(y + np.linalg.lstsq(rows, high[equal] - rows @ y, rcond=None)[0])

    def frame(self, n: int) -> Frame | None:
        set_ = self._scaled
        return framed(self._inside, set_.units, set_.lower)

    # faces

    @property
    def costly_faces(self) -> bool:
        """A linear program each."""
        return True

    def face_atom(self, g: Array, x: Array) -> Atom:
        """With equality in the rows and bounds that x has reached."""
        near, y = rounding(x), np.asarray(x, dtype=np.float64) / self._scaled.units
        A, low, high, lower, upper = self._scaled.program.constraints
        (rows, columns), level = self._sizes, A @ y
        at_low, at_high = level - low <= near * rows, high - level <= near * rows
        lowest, highest = y - lower <= near * columns, upper - y <= near * columns
        bounds = np.where(highest, upper, lower), np.where(lowest, lower, upper)
        sides = np.where(at_high, high, low), np.where(at_low, low, high)
        cost, _ = self._costs(g)
        found = self._scaled.program.minimize_on(-cost, bounds, sides)
        vertex = found.x if found.status == "optimal" else y
        return self._atom(vertex, g, None)

    def snap_to_face(self, x: Array) -> Array:
        units = self._scaled.units
        return snap_to_bounds(x, self.constraints.lower, self.constraints.upper, units)

    def _room(self, x: Array, where: Indices, d: Array) -> float:
        A, low, high, lower, upper = self._scaled.program.constraints
        units, rows = self._scaled.units, self._sizes[0]
        y, d = np.asarray(x, dtype=np.float64) / units, d / units[where]
        room = within(y[where], d, lower[where], upper[where])
        level, slope = A @ y, A[:, where] @ d
        left = np.where(slope > 0.0, high - level, level - low)
        real = np.abs(slope) > rounding(x) * rows  # vertices are rounded
        steps = np.maximum(left[real], 0.0) / np.abs(slope[real])
        return min(room, float(steps.min(initial=math.inf)))

    # what it is

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

    def fingerprint(self) -> str:
        A = self.constraints.A
        parts = [A] if isinstance(A, np.ndarray) else [A.indptr, A.indices, A.data]
        return fingerprint(repr(self), [*parts, *self.constraints[1:]])

    def __repr__(self) -> str:
        equal = int(self.constraints.equations.sum())
        ends = (self.constraints.low, self.constraints.high)
        rows = sum(int(np.isfinite(end).sum()) for end in ends) - 2 * equal
        return (
            f"{type(self).__name__}({self.dimension} variables, {rows} "
            f"inequalit{'y' if rows == 1 else 'ies'}, {equal} equation{'' if equal == 1 else 's'})"
        )
