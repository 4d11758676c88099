"""The hull of the integer points of a polytope."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Matrix, Shape
from frankwolfe.base.checks import all_finite, at_least_one
from frankwolfe.base.clock import seconds_left
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.memory import Buffer
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.region import OUTSIDE_TOL
from frankwolfe.core.region_abilities import Accuracy, InexactAtom
from frankwolfe.regions.programs.by_rows import MAX_TIGHT_BOX, ByRows
from frankwolfe.regions.programs.dual import lower_bound
from frankwolfe.regions.programs.extent import unit
from frankwolfe.regions.programs.given import VariableBounds, from_linprog, integers
from frankwolfe.regions.programs.highs import Basis
from frankwolfe.regions.programs.highs_integer import branch
from frankwolfe.regions.programs.scaled import scaled
from frankwolfe.subproblems.membership import nearest_inside, spanning

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["IntegerPolytope", "WarmPoint"]

FIRST_POINT_FACTOR = 10  # times `nodes` for the first point: without one there is no region

INTEGRALITY_TOL = 1e-6  # from an integer: HiGHS's own tolerance
ROUNDED_ROW_TOL = 1e-9  # past a row, relative to its size, for a point that was rounded
BRANCHING_TOL = 2e-10  # of Σ|c_i x_i|: what branch and bound may miss by its tolerances


@dataclass(slots=True)
class WarmPoint(Buffer):
    """Buffer for the atom, with the basis of the relaxation and the last atom."""

    basis: Basis
    known: Array


class IntegerPolytope(ByRows):
    r"""The hull of the points of a polytope whose entries, or some of them, are integers.

    The arguments are those of `Polytope`, again with non-negative variables where no
    `bounds` are given. The oracle solves the relaxation from the last basis; where its vertex
    is not whole, HiGHS's branch and bound goes on, from the last atom.

    Parameters
    ----------
    A_ub, b_ub, A_eq, b_eq, bounds
        As for :class:`~frankwolfe.Polytope`.
    integrality : 0, 1, or one of them for each variable
        1 where a variable is an integer (the default for all), 0 where it is not.
    nodes : int
        Most nodes of branch and bound in one call, which nothing interrupts; ten times as many
        to find a first point. Where they run out, the certificate has the
        bound that was reached by then: a number of nodes, unlike a time, makes no run differ.

    Notes
    -----
    The gap uses a bound from multipliers of the relaxation, which holds whatever HiGHS says, or
    the bound of its branch and bound, whichever is larger. The latter is HiGHS's word, less its
    tolerances: 2e-10 times the largest that :math:`\sum_i |g_i x_i|` can be. Integers in
    atoms are exact, and atoms satisfy the rows to 1e-9, relative to their size.

    `contains` asks the oracle for as many vertices as it takes to combine a point or to cut it
    off. `diameter` is an upper bound, as for :class:`~frankwolfe.Polytope`.

    References
    ----------
    Q. Huangfu and J. A. J. Hall, *Parallelizing the Dual Revised Simplex Method*, Mathematical
    Programming Computation 10, 2018; P. Wolfe, *Finding the Nearest Point in a Polytope*,
    Mathematical Programming 11, 1976, for `contains`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> bag = fw.regions.IntegerPolytope(A_ub=[[3.0, 4.0, 5.0]], b_ub=[8.0], bounds=(0, 1))
    >>> bag.lmo(np.array([-2.0, -3.0, -4.0])).dense(3)
    array([1., 0., 1.])
    >>> bag.contains([0.5, 0.5, 0.5]), bag.contains([1.0, 1.0, 0.2])  # both keep the row
    (True, False)
    """

    formula = r"\mathrm{conv}\{x : Ax \le b,\ Cx = d,\ l \le x \le u,\ x_i \in \mathbb{Z}\}"
    atom = "an integer point"
    cost = "branch and bound"

    def __init__(
        self,
        A_ub: Matrix | None = None,
        b_ub: ArrayLike | None = None,
        A_eq: Matrix | None = None,
        b_eq: ArrayLike | None = None,
        bounds: VariableBounds = None,
        *,
        integrality: ArrayLike = 1,
        nodes: int = 1000,
    ) -> None:
        given = from_linprog(A_ub, b_ub, A_eq, b_eq, bounds)
        self.dimension = n = given.lower.size
        self.nodes = at_least_one("nodes", nodes)
        self.whole = integers(integrality, n)
        lower = np.where(self.whole, np.ceil(given.lower - ROUNDED_ROW_TOL), given.lower)
        upper = np.where(self.whole, np.floor(given.upper + ROUNDED_ROW_TOL), given.upper)
        if (lower > upper).any():
            j = int((lower > upper).argmax())
            raise InvalidInput(f"the polytope holds no integer point: variable {j} has none.")
        self.constraints = given._replace(lower=lower, upper=upper)
        self._scaled = scaled(self.constraints, self.whole)
        self._home = self._first()
        self._pool: list[Array] = [self._home * self._scaled.units]

    def _first(self) -> Array:
        """First integer point; in units, as all points here but atoms."""
        zero = np.zeros(self._scaled.units.size)
        found = branch(
            self._scaled.program.constraints, self.whole, zero, FIRST_POINT_FACTOR * self.nodes
        )
        if found.status == "infeasible":
            raise InvalidInput("the polytope holds no integer point.")
        point = None if found.x is None else self._rounded(found.x, zero)
        if point is None:
            raise InvalidInput(
                "no integer point of the polytope was found within "
                f"{FIRST_POINT_FACTOR * self.nodes} nodes: pass a larger number of nodes."
            )
        return point

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        if not all_finite(g):  # f has broken down: the loop sees it and ends the run
            return Dense(np.full(g.size, np.nan, dtype=g.dtype))
        return self._atom(self._best(g, self._scaled.home, self._home, math.inf)[0], g, out)

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> WarmPoint:
        home = self._scaled.home
        basis = Basis(home.columns.copy(), home.rows.copy())
        return WarmPoint(np.empty(shape, dtype=dtype), basis, self._home.copy())

    def inexact_lmo(self, g: Array, memory: WarmPoint, wanted: Accuracy) -> InexactAtom:
        if not all_finite(g):
            return self.ask(g), math.nan, 0.0
        y, bound, memory.basis = self._best(g, memory.basis, memory.known, seconds_left())
        memory.known = y
        atom = self._atom(y, g, memory.array)
        support = atom.dot(g)
        return atom, support, max(support - bound, 0.0)

    def _best(
        self, g: Array, start: Basis, known: Array, seconds: float
    ) -> tuple[Array, float, Basis]:
        """Integer point, a lower bound on <g, s>, and the basis of the relaxation."""
        (cost, scale), set_ = self._costs(g), self._scaled
        end = perf_counter() + seconds
        relaxed = set_.program.minimize(cost, start, seconds)
        bound = lower_bound(set_.program, (set_.lower, set_.upper), cost, relaxed.y)
        y = self._rounded(relaxed.x, cost, ROUNDED_ROW_TOL) if relaxed.status == "optimal" else None
        if y is None:
            left = end - perf_counter()
            found = branch(set_.program.constraints, self.whole, cost, self.nodes, known, left)
            y = None if found.x is None else self._rounded(found.x, cost)
            y = known if y is None or cost @ known < cost @ y else y
            far = np.maximum(np.abs(set_.lower), np.abs(set_.upper))
            bound = max(bound, found.bound - BRANCHING_TOL * float(np.abs(cost) @ far))
        return y, scale * bound, relaxed.basis

    def _rounded(self, y: Array, cost: Array, near: float = INTEGRALITY_TOL) -> Array | None:
        """y with exact integers and the other entries best for these; None where that fails."""
        exact = np.where(self.whole, np.round(y), y)
        if np.abs(exact - y).max() > near:
            return None
        if not self.whole.all():
            program = self._scaled.program
            _, *rows, lower, upper = program.constraints
            held = np.where(self.whole, exact, lower), np.where(self.whole, exact, upper)
            found = program.minimize_on(cost, held, (rows[0], rows[1]))
            if found.status != "optimal":
                return None
            exact = np.where(self.whole, exact, found.x)
        return exact if self._over(exact) <= ROUNDED_ROW_TOL else None

    def _atom(self, y: Array, g: Array, out: Array | None) -> Atom:
        """Point y as an atom in the units of the caller."""
        out = np.empty(g.size, dtype=g.dtype) if out is None else out
        out[:] = y * self._scaled.units
        return Dense(out)

    # where it lies: its vertices are known one by one

    def _ask(self, g: Array) -> Array:
        """Best integer point for g, in the units of the caller."""
        return self._best(g, self._scaled.home, self._home, math.inf)[0] * self._scaled.units

    @cached_property
    def _width(self) -> Array:
        """Width of each variable, in the units of the caller; the unit where it is fixed."""
        lower, upper = self._box
        return np.where(upper > lower, upper - lower, 1.0) * self._scaled.units

    @cached_property
    def _corners(self) -> list[Array]:
        """Vertices that go farthest along each axis."""
        n = self._scaled.units.size
        return [self._ask(sign * unit(n, j)) for j in range(n) for sign in (1.0, -1.0)]

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        if self._scaled.units.size > MAX_TIGHT_BOX:
            return self._scaled.lower, self._scaled.upper
        corners = np.array(self._corners) / self._scaled.units
        return corners.min(axis=0), corners.max(axis=0)

    def start(self, n: int) -> Array:
        return self._home * self._scaled.units

    @cached_property
    def _middle(self) -> Array:
        points = spanning(self._vertex, self._width.size, 1.0)
        return np.asarray(points.mean(axis=0) * self._width)

    def middle(self, n: int) -> Array:
        """The mean of vertices that span the hull; the start where variables are many."""
        return self.start(n) if n > MAX_TIGHT_BOX else self._middle.copy()

    def violation(self, x: Array) -> float:
        return self._nearest(x)[1]

    def inside(self, x: Array) -> Array:
        x = self.snap(x)
        point, out = self._nearest(x)
        return x if out <= OUTSIDE_TOL[x.itemsize] else point.astype(x.dtype)

    def _nearest(self, x: Array) -> tuple[Array, float]:
        """Point of the hull nearest to x in units of the widths, and its distance."""
        here, known = np.asarray(x, dtype=np.float64) / self._width, np.array(self._pool)
        y, out = nearest_inside(self._vertex, here, known / self._width)
        return y * self._width, out

    def _vertex(self, g: Array) -> Array:
        """Vertex over the widths, which is kept since the oracle costs much."""
        found: Array = self._ask(g / self._width)
        if not any(np.array_equal(found, known) for known in self._pool):
            self._pool.append(found)
        return found / self._width

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        weights = rng.integers(2, 9, n).astype(float)
        bag = cls(
            weights[None], [max(float(weights.max()), 0.45 * float(weights.sum()))], bounds=(0, 1)
        )
        rows = np.vstack([np.ones(n), np.arange(n) % 3 + 1.0])
        stock = cls(-rows[1:], [-float(n)], rows[:1], [float(n)], bounds=(0, 2))
        return [bag, stock]

    def fingerprint(self) -> str:
        return fingerprint(super().fingerprint(), [self.whole, self.nodes])

    def __repr__(self) -> str:
        count = int(self.whole.sum())
        return super().__repr__()[:-1] + f", {count} integer{'' if count == 1 else 's'})"
