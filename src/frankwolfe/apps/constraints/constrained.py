r"""Minimization over a region under linear constraints, with a bound that holds for both.

By the method of multipliers: :mod:`~frankwolfe.apps.constraints.rounds`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.cgal import CGAL, cgal_steps
from frankwolfe.apps.constraints.matrix_rounds import MatrixRounds
from frankwolfe.apps.constraints.rounds import Fields, Options, Rounds
from frankwolfe.base.arrays import Array, Point
from frankwolfe.base.checks import quiet
from frankwolfe.base.clock import Clock
from frankwolfe.base.errors import InvalidInput, Unproven
from frankwolfe.core.problem import Problem
from frankwolfe.core.proof import Proof
from frankwolfe.core.rounding import rounding_at
from frankwolfe.interrupts import held_back
from frankwolfe.solver.figures import figures_under_constraints
from frankwolfe.solver.result import Result, Status

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
        known = solved(problem, near, options, x0)
        feasible, close = known.pop("feasible"), known.pop("close")
        known["problem"] = problem
        known |= _figures(problem, known)
        known["multipliers"] = units.multipliers(known["multipliers"])
        said = " ".join([_said(known, feasible, close), *known.pop("notes", ())])
        off = units.given(near.excess(known["x"]))
    return ConstrainedResult(**known, message=said, violations=off)


def _figures(problem: Problem, known: Fields) -> Fields:
    """Value, gap and bound of the result; nothing is certified if they contradict."""
    x, value, bound = known["x"], known["fun"], known["lower_bound"]
    with quiet():
        rounding = rounding_at(problem, x)
    # rows hold to rounding only, and f changes with them at the rate of the multipliers
    loose = rounding + float(np.abs(known["multipliers"]).sum()) * known["infeasibility"]
    feasible = known.get("feasible_x") is x
    found = figures_under_constraints(value, bound, feasible=feasible, rounding=loose)
    sure = found.certified and bound <= problem.objective.least
    return found._replace(gap=found.gap + rounding if sure else found.gap)._asdict()


def unconstrained(result: Result, rows: Affine | None) -> ConstrainedResult:
    """The result of a plain run as a constrained one, with no rows or infinite bounds."""
    known = {name: result[name] for name in result}
    none = np.zeros(0 if rows is None else rows.rows)
    more = {"feasible_x": result.x, "feasible_fun": result.fun, "problem": result.problem}
    return ConstrainedResult(**(known | more), violations=none, multipliers=none.copy())


def _found(problem: Problem, rows: Affine, options: Options, x0: Point) -> Fields:
    """Solve and return the fields of the result; Ctrl-C between runs ends the next at once."""
    known: Fields | None = None
    try:
        with held_back() as ctrl_c, Clock(options.seconds, ctrl_c.pressed).running():
            if isinstance(options.method, CGAL):
                known = cgal_steps(problem, rows, options.method, options, x0)
            else:
                kind = MatrixRounds if problem.objective.matrix else Rounds
                known = kind(problem, rows, options).solved(x0)
    except KeyboardInterrupt:
        if known is None:
            raise
    return known


def _excluded(problem: Problem, rows: Affine, options: Options, x0: Point) -> Fields:
    """Fields of the result if a zero row has bounds that exclude zero: the point of one step.

    Such a row proves infeasibility, however close to zero its bounds are: no unit makes that
    distance small.
    """
    void = rows.impossible
    possible = rows.bounded(np.where(void, 0.0, rows.lower), np.where(void, 0.0, rows.upper))
    known = _found(problem, possible, replace(options, most=1, callback=None, resume=None), x0)
    proof = np.where(void, np.where(rows.lower > 0.0, -1.0, 1.0), 0.0)
    return {
        **known,
        **{"status": Status.INFEASIBLE, "success": False, "feasible": False},
        **{"lower_bound": math.inf, "gap": -math.inf, "certified": True, "multipliers": proof},
        **{"feasible_x": None, "feasible_fun": math.nan},
        **{"infeasibility": float(np.abs(rows.excess(known["x"])).max())},
    }


def _said(known: Fields, feasible: bool, close: bool) -> str:
    """The message: why the run ended, and what was reached if that is not all."""
    status: Status = known["status"]
    if status is Status.INFEASIBLE:
        return status.message
    if status is Status.CONVERGED:
        exact = known.get("feasible_x") is known["x"]
        return f"{status.message} The constraints hold to {'rounding' if exact else 'tol'}."
    return (
        f"{status.message} The constraints {'hold' if feasible else 'do not hold'} to tol, the "
        f"gap is {known['gap']:.3g}{'' if close else ', which is more than was asked for'}."
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
