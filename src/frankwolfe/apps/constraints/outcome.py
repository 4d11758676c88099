"""The outcome of rounds under constraints, before it is put in the caller's units."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from frankwolfe.apps.constraints.course import Counts
from frankwolfe.apps.constraints.evidence import Evidence
from frankwolfe.apps.constraints.formulation import RoundOutcome
from frankwolfe.base import Array, Point
from frankwolfe.core import ActiveSet
from frankwolfe.solver import History, Status

__all__ = ["Outcome", "outcome_of"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Point, bound and evidence with which rounds have ended; rows have the norm one.

    Attributes
    ----------
    status : Status
        Why they ended.
    x, value : a point and float
        The point, and f there.
    bound : float
        Lower bound on f under the constraints; infinite if nothing satisfies them.
    failure : float
        Probability that the bound is none.
    infeasibility : float
        Largest violation of a row at x.
    multipliers : array
        Lagrange multipliers of the rows.
    feasible, close : bool
        True if x satisfies the rows, and its gap is at most the one asked for, up to the tolerance.
    feasible_x, feasible_value : a point and float
        The best point that satisfies the rows to rounding, and f there; None and NaN if none was
        found.
    counts, history, method, active_set, convex
        Counts of all runs, and of the last one what a `Result` has under these names.
    notes : list of str
        Further sentences for the message.
    """

    status: Status
    x: Point
    value: float
    bound: float
    failure: float
    infeasibility: float
    multipliers: Array
    feasible: bool
    close: bool
    counts: Counts
    history: History
    method: str
    active_set: ActiveSet | None = None
    convex: bool = True
    feasible_x: Point = None
    feasible_value: float = math.nan
    notes: list[str] = field(default_factory=list)


def outcome_of(
    seen: RoundOutcome, status: Status, known: Evidence, counts: Counts, notes: list[str]
) -> Outcome:
    """The outcome of rounds, by the last one and what all have shown.

    The point is the best feasible one if that meets the tolerance, or the last one does not.
    """
    last, x, value, violated = seen.result, seen.result.x, seen.value, seen.violated
    own = seen.feasible and abs(value - known.bound) <= seen.wanted
    better = known.optimality_ratio() <= 1.0 or not own
    there = known.best_x is not None and better and status is not Status.INFEASIBLE
    if there:
        x, value = known.best_x, known.best
        violated = float(np.abs(known.rows.excess(x)).max())
    return Outcome(
        status=status,
        x=x,
        value=value,
        bound=known.bound,
        failure=known.failure,
        infeasibility=violated,
        multipliers=seen.multipliers,
        feasible=seen.feasible or there,
        close=abs(value - known.bound) <= known.enough(value),
        counts=counts,
        history=last.history,
        method=last.method,
        active_set=last.active_set,
        convex=last.convex,
        feasible_x=known.best_x,
        feasible_value=math.nan if known.best_x is None else known.best,
        notes=[*known.remark(), *notes],
    )
