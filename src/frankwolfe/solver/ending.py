"""How a run ends: the verdict is confirmed, the point put into the region, its value computed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from frankwolfe.base.errors import Unproven
from frankwolfe.core.certificate import EPS
from frankwolfe.core.evaluate import evaluate
from frankwolfe.core.proof import prove
from frankwolfe.core.state import State
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.solver.figures import Figures, figures
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.returned import SMALL, drifting, point_of, value_again
from frankwolfe.solver.run import Incumbent, Run
from frankwolfe.solver.stopping import Stop, StoppingRule

__all__ = ["confirmed", "ending"]

HIDDEN = (Status.STALLED, Status.PRECISION)  # of which rounding may be the cause
FOUND = "f was found below one of its tangents, so that it is not convex or its gradient is inexact"
DIGITS = "A x is known to no more digits"


def confirmed(run: Run, stop: StoppingRule, verdict: Stop) -> Stop | None:
    """The verdict once more where the image that x carried along has drifted away from Ax.

    A first time the run goes on from the image made anew, if there is more to do.
    """
    state = run.state
    if not state.certified or run.best.x is not None or state.iterate.fresh:
        return verdict
    if (run.renewed and not verdict.converged) or not drifting(state):
        return verdict
    if not verdict.converged:
        _renew(run)
        return stop.check(state, run.history) or verdict
    value = run.again = value_again(state, state.x, state.value)
    state.gap += max(value - state.value, 0.0)
    if value <= state.value or _met(stop.check(state, run.history)):
        return verdict
    if run.renewed:
        return Stop(Status.PRECISION, DIGITS, False)
    _renew(run)
    return stop.check(state, run.history)


def _met(verdict: Stop | None) -> bool:
    """Whether the aim is met, and not only a limit."""
    return verdict is not None and verdict.converged


def _if_met(verdict: Stop | None) -> Stop | None:
    """The verdict of a rule whose aim is met; None of any other."""
    return verdict if _met(verdict) else None


def _renew(run: Run) -> None:
    """Make the image anew, and evaluate there."""
    run.renewed, run.again = True, math.nan
    run.state.iterate.refresh()
    evaluate(run.state, Tangent(), Exact())
    run.best.value = math.inf  # of an image that was not that of its point
    run.best.see(run.state)


def ending(run: Run, verdict: Stop, stop: StoppingRule) -> Result:
    """The best point of a run, with its own value and gap."""
    state, best = run.state, _chosen(run, verdict)
    x, value, rounding = point_of(run, best, verdict.status)
    known = _known(state, best, value, rounding)
    if state.certified and not known.certified:
        verdict = _in_doubt(run, verdict, stop, known)
    if verdict.converged and known.certified and known.gap > state.gap:
        state.value, state.gap = value, known.gap  # of the point that is returned
        if not _met(found := stop.check(state, run.history)):
            verdict = found or Stop(Status.PRECISION, DIGITS, False)
    if verdict.status is Status.STALLED and known.certified and known.gap <= state.floor(x):
        verdict = replace(verdict, status=Status.PRECISION)
    if verdict.status in HIDDEN and known.certified and state.look_far(value):
        state.value, state.gap = value, known.gap
        verdict = _if_met(stop.check(state, run.history)) or verdict
    if verdict.status in HIDDEN and known.certified:
        verdict, known = _proved(run, verdict, stop, x, known, rounding)
    status = verdict.status
    return Result(
        x=x,
        **known._asdict(),
        failure_probability=state.problem.region.failure_probability(state.oracle_memory),
        success=verdict.converged,
        status=status,
        message=" ".join(_notes(run, status, verdict.reason)),
        nit=state.k,
        nfev=state.value_calls + state.gradient_calls,
        njev=state.gradient_calls,
        nlmo=state.oracle_calls,
        seconds=state.seconds,
        history=run.history,
        method=run.method.name,
        convex=state.convex,
        active_set=None if best.x is not None else state.made_of(),
        traffic=run.traffic,
        problem=state.problem,
    )


def _known(state: State, best: Incumbent, value: float, rounding: float) -> Figures:
    """The numbers of the best point, whose value is `value` up to rounding."""
    gap = _gap(state, best, value, rounding) if state.certified else best.gap
    certified = state.certified
    return figures(value, gap, state.lower_bound, certified=certified, rounding=rounding)


def _in_doubt(run: Run, verdict: Stop, stop: StoppingRule, known: Figures) -> Stop:
    """The verdict where nothing is certified after all: f is not finite, or below its bound."""
    state = run.state
    state.certified = False
    if not (math.isfinite(known.fun) and math.isfinite(state.lower_bound)):
        return verdict
    state.convex, state.value, state.gap = False, known.fun, known.gap
    if not verdict.converged or _met(stop.check(state, run.history)):
        return verdict
    return Stop(Status.STALLED, "f is below its own lower bound", False)


def _proved(
    run: Run, verdict: Stop, stop: StoppingRule, x: Any, known: Figures, rounding: float
) -> tuple[Stop, Figures]:
    """The verdict and the numbers by a proof, where a run's own count of rounding hides them.

    It counts what may be lost at worst; a proof, in pairs of doubles, loses next to nothing.
    """
    state, objective = run.state, run.state.problem.objective
    if objective.m * objective.n > SMALL:
        return verdict, known
    try:
        proof = prove(state.problem, x)
    except Unproven:
        return verdict, known
    # less the rounding of values, so that no value of f that anybody computes is below it
    bound = max(known.lower_bound, proof.lower - 4.0 * EPS * abs(known.fun))
    shown = figures(known.fun, proof.gap, bound, certified=True, rounding=rounding)
    if not (shown.certified and shown.gap < known.gap):
        return verdict, known
    state.value, state.gap, state.lower_bound = shown[:3]
    return _if_met(stop.check(state, run.history)) or verdict, shown


def _chosen(run: Run, verdict: Stop) -> Incumbent:
    """The best point: the last one where that is as good, or has met the aim."""
    state, best = run.state, run.best
    if not state.certified and verdict.converged:  # value and gap of the point that met the aim
        return Incumbent(state.value, None, state.gap)
    near = math.isfinite(state.value) and state.value - best.value <= state.rounding
    if near and state.model_gap < best.gap:
        return Incumbent(state.value, None, max(state.model_gap, 0.0))  # as good, and more sure
    return best


def _gap(state: State, best: Incumbent, value: float, rounding: float) -> float:
    """The certified gap of the best point, whose value is `value`."""
    if not math.isfinite(value):
        return math.inf
    gap, slack = state.gap, value - state.lower_bound
    if best.x is not None or not math.isfinite(gap) or value != best.value:
        gap = max(slack, 0.0)
    # rounding of f adds to the gap where the bound, f's own, has none
    return gap + rounding if state.lower_bound <= state.problem.objective.least else gap


def _notes(run: Run, status: Status, reason: str) -> list[str]:
    """The message, in sentences."""
    state = run.state
    notes = [f"{status.message} ({reason})"]
    if state.cuts:
        notes.append(f"{state.cuts} steps were cut to keep x in the region or under its rank cap.")
    if state.remark:
        notes.append(state.remark)
    if not state.convex:
        why = FOUND if state.problem.objective.convex else "The objective is not convex"
        notes.append(
            f"{why}: the gap measures stationarity and is no certificate, f may be smaller "
            "elsewhere."
        )
    if run.resumed and state.certified:
        notes.append("The run was resumed, and its lower bound rests on the checkpoint.")
    return [*notes, *run.notes.values()]
