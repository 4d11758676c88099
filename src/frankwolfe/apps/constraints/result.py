r"""Minimization over a region under linear constraints, with a bound that holds for both.

By the method of multipliers: :mod:`~frankwolfe.apps.constraints.rounds`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.affine_cells import CellAffine
from frankwolfe.apps.constraints.formulation import Formulation
from frankwolfe.apps.constraints.matrices import MatrixFormulation
from frankwolfe.apps.constraints.outcome import Outcome
from frankwolfe.apps.constraints.rounds import Options, Rounds
from frankwolfe.apps.constraints.row_units import RowUnits
from frankwolfe.apps.constraints.vectors import VectorFormulation
from frankwolfe.base import Array, Clock, InvalidInput, Point, Unproven, quiet
from frankwolfe.core import Problem, Proof, rounding_at
from frankwolfe.interrupts import held_back
from frankwolfe.solver import Figures, Result, Status, figures_under_constraints

__all__ = ["ConstrainedResult", "constrained", "unconstrained"]


@dataclass(frozen=True, eq=False, repr=False)
class ConstrainedResult(Result):
    """The outcome of :func:`frankwolfe.minimize` under linear constraints.

    Attributes
    ----------
    infeasibility : float
        The largest violation of a constraint, over the norm of its row.
    violations : array
        How far each row of Ax is above its upper bound, or below its lower one (negative).
    multipliers : array
        y, one for each row: positive where the upper bound holds x back, negative where the lower.
    lower_bound : float
        A lower bound on f over the points of the region that satisfy the constraints; infinite
        where it is proved that there are none.
    gap : float
        f(x) - lower_bound. Where x is not quite feasible it may be below zero.
    feasible_x : array, FactoredMatrix or None
        The best point found that satisfies the constraints up to rounding; None where none was.
        It is `x` where it is as good as was asked for.
    feasible_fun : float
        f there: an upper bound on the least f, as `lower_bound` is one from below. NaN where
        none was found.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.squared_distance([0.7, 0.2, 0.1])
    >>> result = fw.minimize(f, fw.Simplex(), subject_to=fw.Affine([[1.0, 0, 0]], -np.inf, 0.5))
    >>> result.x.round(4), result.multipliers.round(3)
    (array([0.5, 0.3, 0.2]), array([0.3]))
    >>> fw.minimize(f, fw.Simplex(), subject_to=fw.Affine(np.ones((1, 3)), 2.0)).status
    <Status.INFEASIBLE: 10>
    """

    infeasibility: float = 0.0
    feasible_fun: float = math.nan
    feasible_x: Point = None
    violations: Array = field(default_factory=lambda: np.empty(0))
    multipliers: Array = field(default_factory=lambda: np.empty(0))

    def verify(self, problem: Problem | None = None) -> Proof:
        """Nothing can be proved under constraints yet: `lower_bound` holds up to rounding."""
        raise Unproven(
            "bounds under constraints cannot be proved in floating point: lower_bound holds up to "
            "rounding."
        )

    def _beside(self) -> str:
        return f"  violated: {self.infeasibility:.3g} at most, of {self.multipliers.size} rows\n"


def constrained(
    problem: Problem, rows: Affine, options: Options, x0: Point = None
) -> ConstrainedResult:
    """Minimize under constraints; see :func:`frankwolfe.minimize`."""
    rows = rows.on(problem.objective.shape)
    problem = _taken(problem)
    with quiet():
        near, units = rows.in_units()
        solved = _excluded if near.impossible.any() else _found
        return _result(problem, solved(problem, near, options, x0), near, units)


def formulated(problem: Problem, rows: Affine) -> Formulation:
    """A problem under constraints on vectors, or on the cells of a matrix, as rounds take it."""
    if isinstance(rows, CellAffine):
        return MatrixFormulation(problem, rows)
    return VectorFormulation(problem, rows)


def _result(problem: Problem, out: Outcome, rows: Affine, units: RowUnits) -> ConstrainedResult:
    """The result in the caller's units, from the outcome for rows of the norm one."""
    known = _figures(problem, out)
    return ConstrainedResult(
        x=out.x,
        **known._asdict(),
        failure_probability=out.failure,
        success=out.status is Status.CONVERGED,
        status=out.status,
        message=" ".join([_said(out, known.gap), *out.notes]),
        nit=out.counts.nit,
        nfev=out.counts.nfev,
        njev=out.counts.njev,
        nlmo=out.counts.nlmo,
        seconds=out.counts.seconds,
        history=out.history,
        method=out.method,
        convex=out.convex,
        active_set=out.active_set,
        problem=problem,
        infeasibility=out.infeasibility,
        feasible_x=out.feasible_x,
        feasible_fun=out.feasible_value,
        violations=units.given(rows.excess(out.x)),
        multipliers=units.multipliers(out.multipliers),
    )


def _figures(problem: Problem, out: Outcome) -> Figures:
    """Value, gap and bound of the result; nothing is certified if they contradict."""
    rounding = rounding_at(problem, out.x)
    # rows hold to rounding only, and f changes with them at the rate of the multipliers
    loose = rounding + float(np.abs(out.multipliers).sum()) * out.infeasibility
    feasible = out.feasible_x is out.x
    found = figures_under_constraints(out.value, out.bound, feasible=feasible, rounding=loose)
    sure = found.certified and out.bound <= problem.objective.least
    return found._replace(gap=found.gap + rounding if sure else found.gap)


def unconstrained(result: Result, rows: Affine | None) -> ConstrainedResult:
    """The result of a plain run as a constrained one, with no rows or infinite bounds."""
    known = {name: result[name] for name in result}
    none = np.zeros(0 if rows is None else rows.rows)
    more = {"feasible_x": result.x, "feasible_fun": result.fun, "problem": result.problem}
    return ConstrainedResult(**(known | more), violations=none, multipliers=none.copy())


def _found(problem: Problem, rows: Affine, options: Options, x0: Point) -> Outcome:
    """Solve; Ctrl-C between runs ends the next at once."""
    out: Outcome | None = None
    try:
        with held_back() as ctrl_c, Clock(options.seconds, ctrl_c.pressed).running():
            out = Rounds(formulated(problem, rows), options).solved(x0)
    except KeyboardInterrupt:
        if out is None:
            raise
    return out


def _excluded(problem: Problem, rows: Affine, options: Options, x0: Point) -> Outcome:
    """The outcome if a zero row has bounds that exclude zero, with the point of one step.

    Such a row proves infeasibility, however close to zero its bounds are: no unit makes that
    distance small.
    """
    void = rows.impossible
    possible = rows.bounded(np.where(void, 0.0, rows.lower), np.where(void, 0.0, rows.upper))
    out = _found(problem, possible, replace(options, most=1, callback=None, resume=None), x0)
    return replace(
        out,
        status=Status.INFEASIBLE,
        bound=math.inf,
        infeasibility=float(np.abs(rows.excess(out.x)).max()),
        multipliers=np.where(void, np.where(rows.lower > 0.0, -1.0, 1.0), 0.0),
        feasible=False,
        feasible_x=None,
        feasible_value=math.nan,
    )


def _said(out: Outcome, gap: float) -> str:
    """The message: why the run ended, and what was reached if that is not all."""
    status = out.status
    if status is Status.INFEASIBLE:
        return status.message
    if status is Status.CONVERGED:
        exact = out.feasible_x is out.x
        return f"{status.message} The constraints hold to {'rounding' if exact else 'tol'}."
    return (
        f"{status.message} The constraints {'hold' if out.feasible else 'do not hold'} to tol, the "
        f"gap is {gap:.3g}{'' if out.close else ', which is more than was asked for'}."
    )


def _taken(problem: Problem) -> Problem:
    """The problem in double precision, checked to be one that constraints can be added to."""
    f = problem.objective
    if not f.place.here or f.distant:
        raise InvalidInput(f"subject_to goes with data in this process's memory, not with {f!r}.")
    if not f.convex:
        raise InvalidInput(f"subject_to needs a convex objective, and {f!r} is not known to be.")
    if f.dtype.itemsize == 8:
        return problem
    wide = f.in_double()
    if wide is None:
        raise InvalidInput("subject_to needs data in double precision: pass float64 arrays.")
    return Problem(wide, problem.region)
