"""Convex sets that cvxpy describes."""

from __future__ import annotations

import math
import warnings
from functools import cached_property
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype
from frankwolfe.base.checks import all_finite, frobenius
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.memory import Buffer
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.feasibility import spacing
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Accuracy, InexactAtom
from frankwolfe.regions.programs.compiled import Compiled, CvxpyObject, checked, cvxpy_module
from frankwolfe.regions.programs.extent import unit

__all__ = ["CvxpySet"]

EXTENT_MARGIN = 1e-6  # relative; the box moves outward by the tolerance of the solver
SOLVER_EXACTNESS = {"SCS": 1e-4, "OSQP": 1e-4}  # how far outside points of rough solvers are
MIN_WIDTH_RATIO = 1e-3  # of the largest width; what is smaller may be a solver's tolerance
INWARD_SHARES = (1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7)  # of the way to the middle, in turn


class CvxpySet(Region):
    r"""The values that a cvxpy variable can have under convex constraints.

    The set is compiled once, with the cost of the oracle as a parameter, and solved again for
    each gradient. A variable of any shape is taken as a vector, row after row: ``x.value.ravel()``.
    Constraints may have other variables too: the set is then a projection.

    Parameters
    ----------
    x : cvxpy.Variable
        Not integer or boolean.
    constraints : list of cvxpy constraints
        Convex by cvxpy's rules (DCP); their parameters must have values, and enter as its rules
        for parameters say (DPP).
    solver : str, optional
        Any that cvxpy finds installed; by default HiGHS where all is linear, else Clarabel, and
        cvxpy's choice where these are missing.
    **options
        For the solver, instead of the tight tolerances that Clarabel and HiGHS get here.

    Raises
    ------
    InvalidInput
        Where the set is empty, unbounded, or not convex by the rules.

    Notes
    -----
    *What is certified.* The bound below <g, s> is computed here from the compiled cone program
    and the solver's multipliers, which are first moved into the dual cones (of equations,
    inequalities, second-order, exponential and semidefinite cones, the last for Clarabel and
    SCS): a solver that stops early, or is accurate to 1e-6 only, shows in the gap.
    *What is trusted*: how far x reaches, which 2 n programs find at the start; that auxiliary
    variables of cvxpy, which multiply the residuals of the multipliers, are nowhere more than ten
    times as large as in the solution; and, for other cones, the solver's own objective to 1e-5.

    Points are as accurate as the solver, about 1e-8 of the set's size. `diameter` is an upper
    bound, the diagonal of the smallest box around the set.

    References
    ----------
    A. Agrawal, R. Verschueren, S. Diamond and S. Boyd, *A Rewriting System for Convex
    Optimization Problems*, Journal of Control and Decision 5, 2018; C. Jansson, D. Chaykin and
    C. Keil, *Rigorous Error Bounds for the Optimal Value in Semidefinite Programming*, SIAM
    Journal on Numerical Analysis 46, 2007, for bounds of this kind.

    Examples
    --------
    >>> import cvxpy as cp, numpy as np, frankwolfe as fw
    >>> x = cp.Variable(3)
    >>> region = fw.regions.CvxpySet(x, [cp.norm(x) <= 1, cp.sum(x) == 0])
    >>> region.lmo(np.array([1.0, 0.0, -1.0])).dense(3).round(4) + 0.0
    array([-0.7071,  0.    ,  0.7071])
    """

    family = "polytopes"
    formula = r"\{x : \text{convex constraints}\}"
    atom = "a solver's point"
    cost = "a cone program"
    package = "cvxpy"
    extra = "sets"

    costly_oracle = loose_diameter = True
    exactness = 1e-7

    def __init__(
        self, x: CvxpyObject, constraints: CvxpyObject, solver: str | None = None, **options: object
    ) -> None:
        given = checked(x, constraints)
        self._compiled = Compiled(x, given, solver, options)
        self.exactness = SOLVER_EXACTNESS.get(self._compiled.solver, type(self).exactness)
        self._count = len(given)
        self._constraints = given
        self.dimension = n = int(x.size)
        ends = [self._end(sign * unit(n, j), j) for sign in (1.0, -1.0) for j in range(n)]
        self._middle: Array = np.mean(ends, axis=0)
        values = np.array(ends)
        lower, upper = values.min(axis=0), values.max(axis=0)
        away = EXTENT_MARGIN * (upper - lower + 1e-3 * np.abs(lower))
        self.lower, self.upper = lower - away, upper + away
        size = float((upper - lower).max())
        far = float(np.abs(upper).max())
        size = size if size > MIN_WIDTH_RATIO * far else far or 1.0
        self._width = np.maximum(upper - lower, MIN_WIDTH_RATIO * size)

    def _end(self, cost: Array, j: int) -> Array:
        """Point that goes farthest along axis j; an error where the set is empty or unbounded."""
        found = self._compiled.solve(cost, None)
        if found.status == "infeasible":
            raise InvalidInput("the set is empty: no value of x satisfies all constraints.")
        if found.status == "unbounded":
            raise InvalidInput(
                f"the set is unbounded: entry {j} of x has no limit; add constraints that hold it."
            )
        if found.x is None:
            raise InvalidInput(
                f"{self._compiled.solver} found no point of the set: try another solver."
            )
        return found.x

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        return self._oracle(g, out)[0]

    def inexact_lmo(self, g: Array, memory: Buffer, wanted: Accuracy) -> InexactAtom:
        atom, bound = self._oracle(g, memory.array)
        support = atom.dot(g)
        return atom, support, max(support - bound, 0.0) if math.isfinite(bound) else 0.0

    def _oracle(self, g: Array, out: Array | None) -> tuple[Atom, float]:
        """Point of the set, and a lower bound on <g, s>."""
        out = np.empty_like(g) if out is None else out
        if not all_finite(g):  # f has broken down: the loop sees it and ends the run
            out[:] = np.nan
            return Dense(out), math.nan
        wide = np.asarray(g, dtype=np.float64)
        largest = float(np.abs(wide).max()) or 1.0
        cost = wide / largest
        more = float((np.abs(cost) * self._width).max()) or 1.0
        cost = cost / more
        found = self._compiled.solve(cost, (self.lower, self.upper))
        # whatever the solver says, no point of the box is better than its best corner
        corner = float(np.where(cost > 0.0, self.lower, self.upper) @ cost)
        bound = max(found.bound, corner)
        out[:] = self._drawn_in(self._middle if found.x is None else found.x)
        return Dense(out), largest * (more * bound)

    def _drawn_in(self, s: Array) -> Array:
        """Solver's point s, moved slightly toward the middle where it is seen to be outside."""
        if not self._alone:
            return s
        for share in (0.0, *INWARD_SHARES):
            nearer = s + share * (self._middle - s)
            if self._residual(nearer) == 0.0:
                return np.asarray(nearer)
        return s

    @cached_property
    def _alone(self) -> bool:
        """True if the constraints have no variable but x, so that they can be evaluated."""
        return all(v.id == self._compiled.x.id for k in self._constraints for v in k.variables())

    def _residual(self, x: Array) -> float:
        """Largest violation of a constraint at x, in its own units."""
        variable = self._compiled.x
        before = variable.value
        variable.save_value(x.reshape(variable.shape))
        worst = max((float(np.max(k.violation())) for k in self._constraints), default=0.0)
        variable.save_value(before)
        return worst

    def violation(self, x: Array) -> float:
        """The distance from the set, in the largest entry relative to the widths of the set."""
        x = np.asarray(x, dtype=np.float64)
        if self._alone and self._residual(x) == 0.0:
            return 0.0
        target, distance = self._distance
        target.value = x / self._width
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of accuracy
            distance.solve(solver=self._compiled.solver, warm_start=False)
        return math.inf if distance.value is None else max(0.0, float(distance.value))

    @cached_property
    def _distance(self) -> tuple[CvxpyObject, CvxpyObject]:
        """Parameter and problem of the distance from a point, relative to the widths."""
        cp = cvxpy_module()
        target = cp.Parameter(self._width.size)
        away = cp.multiply(1.0 / self._width, cp.vec(self._compiled.x, order="C")) - target
        return target, cp.Problem(cp.Minimize(cp.norm_inf(away)), self._constraints)

    def diameter(self, n: int) -> float:
        return frobenius(self.upper - self.lower)

    def reach(self, weights: Array, n: int) -> float:
        return float((np.maximum(np.abs(self.lower), np.abs(self.upper)) * weights).sum())

    def resolution(self, n: int, dtype: Dtype) -> float:
        far = np.maximum(np.abs(self.lower), np.abs(self.upper))
        j = int((far / self._width).argmax())
        return spacing(dtype, float(far[j]), float(self._width[j]))

    def start(self, n: int) -> Array:
        return self._middle.copy()

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        cp = cvxpy_module()
        x, y = cp.Variable(n), cp.Variable(n)
        weights = rng.uniform(0.5, 1.5, n)
        return [
            cls(x, [cp.norm(cp.multiply(weights, x)) <= 1, cp.sum(x) <= 0.5]),
            cls(y, [cp.norm1(y) <= 2, y >= -0.5, y <= weights]),
        ]

    def fingerprint(self) -> str:
        _, _, A, b = self._compiled.program.apply_parameters()[:4]
        return fingerprint(repr(self), [A.data, A.indices, A.indptr, b, self.lower, self.upper])

    def __repr__(self) -> str:
        count = self._count
        return (
            f"CvxpySet({self.dimension} variables, {count} constraint{'' if count == 1 else 's'}, "
            f"{self._compiled.solver})"
        )
