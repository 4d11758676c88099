"""The end of a run: confirm the verdict, put the point into the region, recompute its value."""

from __future__ import annotations

import math
from dataclasses import replace

from frankwolfe.base.arrays import Point
from frankwolfe.base.errors import Unproven
from frankwolfe.core.certificate import EPS
from frankwolfe.core.evaluate import evaluate
from frankwolfe.core.proof import prove
from frankwolfe.core.state import State
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.solver.figures import Figures, figures
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.returned import POLICY, drifting, point_of, value_again
from frankwolfe.solver.run import Incumbent, Run
from frankwolfe.solver.stopping import Stop, StoppingRule

__all__ = ["confirmed", "ending"]

MAYBE_ROUNDING = (Status.STALLED, Status.PRECISION)  # ends that rounding may have caused
REFUTED = (
    "f was found below one of its tangents, so that it is not convex or its gradient is inexact"
)
NO_MORE_DIGITS = "A x is known to no more digits"


def confirmed(run: Run, stop: StoppingRule, verdict: Stop) -> Stop | None:
    """Check the verdict again with a new image Ax, if the one carried along may have drifted.

    The first time that this changes the verdict, the run goes on from the new image: None.
    """
    state = run.state
    if not state.certified or run.best.x is not None or state.iterate.fresh:
        return verdict
    if (run.renewed and not verdict.converged) or not drifting(state):
        return verdict
    if not verdict.converged:  # stalled, perhaps by the drift alone
        _renew(run)
        return stop.check(state, run.history) or verdict
    value = run.again = value_again(state, state.x, state.value)
    state.gap += max(value - state.value, 0.0)  # f - bound, with the value that is returned
    if value <= state.value or _met(stop.check(state, run.history)):
        return verdict
    if run.renewed:  # a second drift as large as the first: no image is any better
        return Stop(Status.PRECISION, NO_MORE_DIGITS, False)
    _renew(run)
    return stop.check(state, run.history)


def _met(verdict: Stop | None) -> bool:
    """True if the verdict is that the aim is met, and not a limit."""
    return verdict is not None and verdict.converged


def _if_met(verdict: Stop | None) -> Stop | None:
    """The verdict if its aim is met; otherwise None."""
    return verdict if _met(verdict) else None


def _renew(run: Run) -> None:
    """Recompute the image Ax, and evaluate there."""
    run.renewed, run.again = True, math.nan
    run.state.iterate.refresh()
    evaluate(run.state, Tangent(), Exact())
    run.best.value = math.inf  # it was the value of a drifted image: compare anew
    run.best.see(run.state)


def ending(run: Run, verdict: Stop, stop: StoppingRule) -> Result:
    """The result: the best point of a run, with its own value and gap."""
    state, best = run.state, _chosen(run, verdict)
    x, value, rounding = point_of(run, best, verdict.status)
    known = _known(state, best, value, rounding)
    if state.certified and not known.certified:
        verdict = _in_doubt(run, verdict, stop, known)
    if verdict.converged and known.certified and known.gap > state.gap:
        # rules decide about the state: let it be the point that is returned
        state.value, state.gap = value, known.gap
        if not _met(found := stop.check(state, run.history)):
            verdict = found or Stop(Status.PRECISION, NO_MORE_DIGITS, False)
    # the message then names rounding, and what to do about it, rather than step rules
    if verdict.status is Status.STALLED and known.certified and known.gap <= state.floor(x):
        verdict = replace(verdict, status=Status.PRECISION)
    if verdict.status in MAYBE_ROUNDING and known.certified and state.look_far(value):
        state.value, state.gap = value, known.gap
        verdict = _if_met(stop.check(state, run.history)) or verdict
    if verdict.status in MAYBE_ROUNDING and known.certified:
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
    """Figures of the best point, whose value is `value` up to `rounding`."""
    gap = _gap(state, best, value, rounding) if state.certified else best.gap
    certified = state.certified
    return figures(value, gap, state.lower_bound, certified=certified, rounding=rounding)


def _in_doubt(run: Run, verdict: Stop, stop: StoppingRule, known: Figures) -> Stop:
    """The verdict without a certificate: f is not finite, or below its own bound."""
    state = run.state
    state.certified = False
    if not (math.isfinite(known.fun) and math.isfinite(state.lower_bound)):
        return verdict
    state.convex, state.value, state.gap = False, known.fun, known.gap
    if not verdict.converged or _met(stop.check(state, run.history)):
        return verdict
    return Stop(Status.STALLED, "f is below its own lower bound", False)


def _proved(
    run: Run, verdict: Stop, stop: StoppingRule, x: Point, known: Figures, rounding: float
) -> tuple[Stop, Figures]:
    """The verdict and figures by a proof, where the run's own allowance for rounding hides them.

    The allowance is for the worst case; a proof, in pairs of doubles, loses next to nothing.
    """
    state, objective = run.state, run.state.problem.objective
    if objective.m * objective.n > POLICY.cheap_entries:  # a proof reads the data twenty times
        return verdict, known
    try:
        proof = prove(state.problem, x)
    except Unproven:
        return verdict, known
    # minus the rounding of f, so that no value computed in doubles lies below the bound
    bound = max(known.lower_bound, proof.lower - POLICY.paired_rounding * EPS * abs(known.fun))
    shown = figures(known.fun, proof.gap, bound, certified=True, rounding=rounding)
    if not (shown.certified and shown.gap < known.gap):
        return verdict, known
    state.value, state.gap, state.lower_bound = shown[:3]
    return _if_met(stop.check(state, run.history)) or verdict, shown


def _chosen(run: Run, verdict: Stop) -> Incumbent:
    """The best point: the last one if that is as good to rounding, or has met the aim."""
    state, best = run.state, run.best
    if not state.certified and verdict.converged:  # the gap that met the aim is that of this point
        return Incumbent(state.value, None, state.gap)
    # values that differ by rounding are equal: the gap decides
    near = math.isfinite(state.value) and state.value - best.value <= state.rounding
    if near and state.model_gap < best.gap:
        return Incumbent(state.value, None, max(state.model_gap, 0.0))  # with the smaller gap
    return best


def _gap(state: State, best: Incumbent, value: float, rounding: float) -> float:
    """Certified gap of the best point, whose value is `value`."""
    if not math.isfinite(value):
        return math.inf
    gap, slack = state.gap, value - state.lower_bound
    if best.x is not None or not math.isfinite(gap) or value != best.value:
        gap = max(slack, 0.0)
    # a bound from a tangent allows for rounding, but f's own (0, say) does not: add that of f
    return gap + rounding if state.lower_bound <= state.problem.objective.least else gap


def _notes(run: Run, status: Status, reason: str) -> list[str]:
    """The sentences of the result's message."""
    state = run.state
    notes = [f"{status.message} ({reason})"]
    if state.cuts:
        notes.append(f"{state.cuts} steps were cut to keep x in the region or under its rank cap.")
    if state.remark:
        notes.append(state.remark)
    if not state.convex:
        why = REFUTED if state.problem.objective.convex else "The objective is not convex"
        notes.append(
            f"{why}: the gap measures stationarity and is no certificate, f may be smaller "
            "elsewhere."
        )
    if run.resumed and state.certified:
        notes.append("The run was resumed, and its lower bound rests on the checkpoint.")
    return [*notes, *run.notes.values()]
