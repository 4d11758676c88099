"""A set that cvxpy describes, compiled once, with the cost as a parameter."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.regions.programs.cones import dual_point, lower_bound

__all__ = ["Compiled", "ConicAnswer", "checked", "cvxpy_module"]

TIGHT_OPTIONS: dict[str, dict[str, object]] = {
    "CLARABEL": {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11},
    # by default 1e-7 of the largest cost, which may be all of the smallest
    "HIGHS": {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
}
AUXILIARY_GROWTH = 10.0  # auxiliary variables are at most so many times as large elsewhere
OBJECTIVE_TOL = 1e-5  # relative, off a solver's own bound where its duals cannot be checked

CvxpyObject: TypeAlias = Any
"""An expression, constraint, problem or module of cvxpy, which ships no types."""


def cvxpy_module() -> CvxpyObject:
    """Import cvxpy, when it is first needed."""
    try:
        import cvxpy
    except ImportError:
        raise MissingExtra("a set that cvxpy describes", "cvxpy", "sets") from None
    return cvxpy


class ConicAnswer(NamedTuple):
    """Point of a conic solver (None where it has none), a lower bound on <cost, x>, its status."""

    x: Array | None
    bound: float
    status: str


class Compiled:
    """Problem min <cost, x> over the set, compiled once; x in the order of its rows."""

    def __init__(
        self,
        x: CvxpyObject,
        constraints: list[CvxpyObject],
        solver: str | None,
        options: Mapping[str, object],
    ) -> None:
        cp = cvxpy_module()
        self.x, self.n = x, int(x.size)
        self._cost = cp.Parameter(self.n, value=np.zeros(self.n))
        flat = cp.vec(x, order="C")
        self._problem = cp.Problem(cp.Minimize(self._cost @ flat), constraints)
        self._solver = solver
        self.options = dict(options)
        self.solver = self._chosen()
        if not options:
            self.options = dict(TIGHT_OPTIONS.get(self.solver, {}))

    def _chosen(self) -> str:
        """Compile the set, choose a solver that fits its cones, and return its name."""
        cp = cvxpy_module()
        try:
            self.program, chain = self._data()[1:3]
            better = "HIGHS" if self._linear else "CLARABEL"
            if self._solver is None and better in cp.installed_solvers():
                self._solver = better
                self.program, chain = self._data()[1:3]
        except cp.error.SolverError as error:
            said = str(error).strip().splitlines()[0].rstrip(".")
            raise InvalidInput(f"cvxpy has no solver for this set: {said}.") from None
        return str(chain.solver.name())

    @property
    def _linear(self) -> bool:
        """True if all cones are polyhedral."""
        return all(type(k).__name__ in {"Zero", "NonNeg"} for k in self.program.constraints)

    def _data(self) -> tuple[CvxpyObject, CvxpyObject, CvxpyObject, CvxpyObject]:
        """Solver data, cone program, chain of reductions, and what inverts them."""
        data, chain, inverse = self._problem.get_problem_data(
            self._solver, solver_opts=self.options
        )
        return data, data["param_prob"], chain, inverse

    def solve(self, cost: Array, box: tuple[Array, Array] | None) -> ConicAnswer:
        """Minimize one cost; `box` bounds the entries of x, and without it there is no bound."""
        cp = cvxpy_module()
        self._cost.value = cost
        before = self.x.value  # the variable is the caller's, and keeps its value
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                data, program, chain, inverse = self._data()
                raw = chain.solve_via_data(
                    self._problem, data, warm_start=False, verbose=False, solver_opts=self.options
                )
                found = chain.solver.invert(raw, inverse[-1])
                self._problem.unpack_results(raw, chain, inverse)
        except cp.error.SolverError:
            return ConicAnswer(None, -math.inf, "stopped")
        status = _status(found.status)
        if status not in {"optimal", "stopped"} or self.x.value is None:
            return ConicAnswer(None, -math.inf, status)
        x = np.asarray(self.x.value, dtype=np.float64).ravel()
        self.x.save_value(before)
        bound = -math.inf if box is None else self._bound(program, raw, found, box)
        return ConicAnswer(x, bound, status)

    def _bound(
        self, program: CvxpyObject, raw: CvxpyObject, found: CvxpyObject, box: tuple[Array, Array]
    ) -> float:
        """Dual bound of multipliers moved into the dual cones; else the solver's, less a margin."""
        c, d, A, b = program.apply_parameters()[:4]
        y = self._multipliers(program, raw, found)
        if y is None:
            value = float(found.opt_val)
            return value - OBJECTIVE_TOL * (1.0 + abs(value))
        rows = sum(int(k.size) for k in program.constraints if type(k).__name__ == "Zero")
        free = np.arange(y.size) < rows  # equations come first
        signs = (np.where(free, sign, 1.0) for sign in (1.0, -1.0))  # cvxpy's sign, or the other
        around = self._around(program, found, box, c.size)
        return float(d) + max(lower_bound(c, A, b, sign * y, around) for sign in signs)

    def _around(
        self, program: CvxpyObject, found: CvxpyObject, box: tuple[Array, Array], count: int
    ) -> tuple[Array, Array]:
        """Box of all variables: x in its own, others by cvxpy or `AUXILIARY_GROWTH`."""
        v = np.concatenate([np.ravel(value) for value in found.primal_vars.values()])
        size = AUXILIARY_GROWTH * max(1.0, float(np.abs(v).max()))
        low, high = np.full(count, -size), np.full(count, size)
        begin = program.var_id_to_col.get(self.x.id)
        there = any(v.id == self.x.id and v.size == self.n for v in program.variables)
        if begin is not None and there:  # not where cvxpy keeps a triangle of it
            order = np.arange(self.n).reshape(self.x.shape, order="C").ravel(order="F")
            low[begin : begin + self.n], high[begin : begin + self.n] = box[0][order], box[1][order]
        own = [getattr(program, name, None) for name in ("lower_bounds", "upper_bounds")]
        low = low if own[0] is None else np.maximum(low, own[0])
        high = high if own[1] is None else np.minimum(high, own[1])
        return low, high

    def _multipliers(
        self, program: CvxpyObject, raw: CvxpyObject, found: CvxpyObject
    ) -> Array | None:
        """Multipliers moved into the dual cones, row by row; None where a cone has no rule."""
        whole = {"CLARABEL": lambda: np.array(raw.z), "SCS": lambda: np.array(raw["y"])}
        direct = whole[self.solver]() if self.solver in whole else None
        parts, begin = [], 0
        for k in program.constraints:
            kind, rows, size = _shape(k)
            if direct is not None:
                y = direct[begin : begin + rows]
            elif kind == "PSD":  # solvers have triangles of their own
                return None
            else:
                y = np.ravel(found.dual_vars[k.id])
            made = dual_point(kind, y, size, upper=self.solver == "CLARABEL")
            if made is None or made.size != rows:
                return None
            parts.append(made)
            begin += rows
        return np.concatenate(parts) if parts else np.zeros(0)


def _shape(k: CvxpyObject) -> tuple[str, int, int]:
    """Kind of a cone, its rows, and the size of each in it: of a matrix, its side."""
    kind, rows = type(k).__name__, int(k.size)
    if kind == "PSD":  # all entries, of which solvers have a triangle
        side = int(k.shape[0])
        return kind, side * (side + 1) // 2, side
    if kind == "SvecPSD":
        each = rows // k.num_cones()
        return "PSD", rows, (math.isqrt(8 * each + 1) - 1) // 2
    return kind, rows, k.cone_sizes()[0] if kind == "SOC" else 1


def _status(said: str) -> str:
    """Translate a status of cvxpy: optimal, infeasible, unbounded or stopped."""
    if "infeasible" in said:
        return "unbounded" if "unbounded" in said and "or" in said else "infeasible"
    if "unbounded" in said:
        return "unbounded"
    return "optimal" if said == "optimal" else "stopped"


def checked(x: CvxpyObject, constraints: CvxpyObject) -> list[CvxpyObject]:
    """Validate x and the constraints by cvxpy's rules, and return these as a list."""
    cp = cvxpy_module()
    if not isinstance(x, cp.Variable) or x.size == 0:
        raise InvalidInput(f"x must be a cvxpy Variable, got {type(x).__name__}.")
    if isinstance(constraints, cp.constraints.constraint.Constraint):
        constraints = [constraints]
    given = list(constraints)
    for k in given:
        if not isinstance(k, cp.constraints.constraint.Constraint):
            raise InvalidInput(f"constraints must be cvxpy constraints, got {type(k).__name__}.")
        _fits(k)
    held = [x, *(v for k in given for v in k.variables())]
    if any(v.attributes["integer"] or v.attributes["boolean"] for v in held):
        raise InvalidInput("x must not be integer or boolean: use IntegerPolytope for such sets.")
    return given


def _fits(k: CvxpyObject) -> None:
    """Raise where a constraint is not convex, or its parameters have no value."""
    said = str(k)[:60]
    if not k.is_dcp():
        raise InvalidInput(f"the constraint {said} is not convex by cvxpy's rules (DCP).")
    if any(p.value is None for p in k.parameters()):
        raise InvalidInput(f"the constraint {said} has a parameter without a value.")
    if not k.is_dcp(dpp=True):
        raise InvalidInput(
            f"the constraint {said} does not follow cvxpy's rules for parameters (DPP): "
            "put numbers in their place."
        )
