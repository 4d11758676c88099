"""How a run ends: the verdict is confirmed, the point put into the region, its value computed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from frankwolfe.core.evaluate import evaluate
from frankwolfe.core.proof import between, prove
from frankwolfe.core.state import State
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.numerics.certificate import EPS
from frankwolfe.numerics.checks import all_finite
from frankwolfe.numerics.errors import InvalidInput, Unproven
from frankwolfe.numerics.membership import nearest_inside
from frankwolfe.regions.base import ROUNDING, Region
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.run import Incumbent, Run
from frankwolfe.solver.stopping import Stop, StoppingRule

__all__ = ["confirmed", "ending"]

SHORT = 10_000  # variables up to which it costs nothing to look whether x is in the region
DRIFTING = 64  # and up to which it costs little to find the nearest point by the oracle
DRIFT = 1e-11  # relative noise below which a carried image need not be made again
SMALL = 200_000  # entries of A up to which that costs little
HIDDEN = (Status.STALLED, Status.PRECISION)  # of which rounding may be the cause
VAGUE = 1e-9  # share of f that rounding may take before it is computed in pairs of doubles
DIGITS = "A x is known to no more digits"


def confirmed(run: Run, stop: StoppingRule, verdict: Stop) -> Stop | None:
    """The verdict once more where the image that x carried along has drifted away from Ax.

    A first time the run goes on from the image made anew, if there is more to do.
    """
    state = run.state
    if not state.certified or run.best.x is not None or state.iterate.fresh:
        return verdict
    if (run.renewed and not verdict.converged) or not _drifting(state):
        return verdict
    if not verdict.converged:
        _renew(run)
        return stop.check(state, run.history) or verdict
    value = run.again = _value_again(state, state.x, state.value)
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


def _renew(run: Run) -> None:
    """Make the image anew, and evaluate there."""
    run.renewed, run.again = True, math.nan
    run.state.iterate.refresh()
    evaluate(run.state, Tangent(), Exact())
    run.best.value = math.inf  # of an image that was not that of its point
    run.best.see(run.state)


def _drifting(state: State) -> bool:
    """Whether the image that x carries along may differ from Ax by more than a little."""
    objective = state.problem.objective
    if objective.carries_x:
        return False
    value, noise = abs(state.value), state.errors.eps * state.cancelling
    small = objective.m * objective.n <= SMALL
    return small or noise > min(DRIFT * max(1.0, value), VAGUE * value)


def _value_again(state: State, x: Any, value: float) -> float:
    """f at x, from A x itself where the image that was carried along may differ from it.

    That costs a pass over the data, and is left where the two are the same to `DRIFT`.
    """
    objective = state.problem.objective
    if not (math.isfinite(value) and _drifting(state)):
        return value
    z = objective.new_image()
    objective.image(x, z)
    if not objective.everywhere and not objective.in_domain(z):
        return value
    return objective.value(z)


def ending(run: Run, verdict: Stop, stop: StoppingRule) -> Result:
    """The best point of a run, with its own value and gap."""
    state, best = run.state, _chosen(run, verdict)
    x, value = _point(run, best, verdict)
    gap = _gap(state, best, value) if state.certified else best.gap
    gap = math.inf if math.isnan(gap) else gap
    if verdict.converged and state.certified and gap > state.gap:
        state.value, state.gap = value, gap  # of the point that is returned
        if not _met(found := stop.check(state, run.history)):
            verdict = found or Stop(Status.PRECISION, DIGITS, False)
    if verdict.status is Status.STALLED and state.certified and gap <= _floor(state, x):
        verdict = replace(verdict, status=Status.PRECISION)
    if verdict.status in HIDDEN and state.certified:
        verdict, gap = _proved(run, verdict, stop, x, value, gap)
    status = verdict.status
    return Result(
        x=x,
        fun=value,
        gap=gap,
        certified=state.certified,
        failure_probability=state.problem.region.failure_probability(state.oracle_memory),
        lower_bound=state.lower_bound,
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


def _proved(
    run: Run, verdict: Stop, stop: StoppingRule, x: Any, value: float, gap: float
) -> tuple[Stop, float]:
    """The verdict and the gap by a proof, where a run's own count of rounding hides them.

    It counts what may be lost at worst; a proof, in pairs of doubles, loses next to nothing.
    """
    state, objective = run.state, run.state.problem.objective
    if objective.m * objective.n > SMALL:
        return verdict, gap
    try:
        proof = prove(state.problem, x)
    except Unproven:
        return verdict, gap
    # less the rounding of values, so that no value of f that anybody computes is below it
    bound = max(state.lower_bound, proof.lower - 4.0 * EPS * abs(value))
    shown = max(proof.gap, value - bound)
    if not shown < gap:
        return verdict, gap
    state.value, state.gap, state.lower_bound = value, shown, bound
    found = stop.check(state, run.history)
    return (found if found and _met(found) else verdict), shown


def _chosen(run: Run, verdict: Stop) -> Incumbent:
    """The best point: the last one where that is as good, or has met the aim."""
    state, best = run.state, run.best
    if not state.certified and verdict.converged:  # value and gap of the point that met the aim
        return Incumbent(state.value, None, state.gap)
    near = math.isfinite(state.value) and state.value - best.value <= state.rounding
    if near and state.model_gap < best.gap:
        return Incumbent(state.value, None, max(state.model_gap, 0.0))  # as good, and more sure
    return best


def _point(run: Run, best: Incumbent, verdict: Stop) -> tuple[Any, float]:
    """The point in the region, and f there."""
    state, value = run.state, best.value
    x = best.point(state)
    if verdict.status is Status.LOST:  # f cannot be computed again
        return x, value
    current = best.x is None
    if isinstance(x, np.ndarray):
        if verdict.status is Status.NOT_FINITE and not all_finite(x):
            x, current = state.problem.start(), False  # an atom of the first, infinite gradient
        if x.size <= SHORT and not _combined(state, current=current):
            inside = _back(state.problem.region, state.problem.region.inside(x))
            if inside is not x and not np.array_equal(inside, x):
                x, value, current = inside, state.problem.objective(inside), False
    if not (current and state.iterate.fresh):
        known = current and not math.isnan(run.again)
        value = run.again if known else _value_again(state, x, value)
    if state.certified and state.errors.eps * state.cancelling > VAGUE * abs(value):
        value = _value_in_pairs(state, x, value)
    return x, best.value if math.isnan(value) else value


def _back(region: Region, x: Any) -> Any:
    """x, or the nearest point where the rounding of many steps has led out of a small polytope.

    A short step moves small entries and is lost in large ones.
    """
    if not region.polytope or region.offers(Region.project) or x.size > DRIFTING:
        return x
    if region.violation(x) <= max(ROUNDING[x.itemsize], region.exactness):
        return x
    n = x.size

    def vertex(g: Any) -> Any:
        return np.asarray(region.lmo(g).dense(n), dtype=np.float64)

    try:
        found = nearest_inside(vertex, x.astype(np.float64), vertex(np.zeros(n)))[0]
    except InvalidInput:  # an oracle for some gradients alone
        return x
    found = region.snap(found.astype(x.dtype))
    return found if region.violation(found) < region.violation(x) else x


def _combined(state: State, *, current: bool) -> bool:
    """Whether x is a combination of vertices by construction, and so in the region."""
    return current and state.active_set is not None and state.problem.region.polytope


def _value_in_pairs(state: State, x: Any, value: float) -> float:
    """f at x in pairs of doubles, where little is left of its terms; small data alone."""
    problem = state.problem
    if problem.objective.m * problem.objective.n > 10 * SMALL:
        return value
    try:
        low, high = between(problem, x)
    except Unproven:
        return value
    return min(max(value, low), high)


def _gap(state: State, best: Incumbent, value: float) -> float:
    """The certified gap of the best point, whose value is `value`."""
    if not math.isfinite(value):
        return math.inf
    gap, slack = state.gap, value - state.lower_bound
    if best.x is not None or not math.isfinite(gap) or value != best.value:
        gap = max(slack, 0.0)
    gap += _unsure(state, value)
    return max(gap, slack) if math.isfinite(slack) else gap  # rounded as a reader would


def _unsure(state: State, value: float) -> float:
    """What rounding of f adds to the gap where the bound, f's own, has none."""
    bound = state.lower_bound
    if bound > state.problem.objective.least or not math.isfinite(bound):
        return 0.0
    value = state.value if math.isfinite(state.value) else value
    return 8.0 * (state.errors.eps * state.cancelling + EPS * abs(value))


def _floor(state: State, x: Any) -> float:
    return state.errors.floor(x, state.cancelling)


def _notes(run: Run, status: Status, reason: str) -> list[str]:
    """The message, in sentences."""
    state = run.state
    notes = [f"{status.message} ({reason})"]
    if state.cuts:
        notes.append(f"{state.cuts} steps were cut to keep x in the region or under its rank cap.")
    if state.remark:
        notes.append(state.remark)
    if not state.convex:
        notes.append(
            "The objective is not convex: the gap measures stationarity and is no certificate, "
            "f may be smaller elsewhere."
        )
    if run.resumed and state.certified:
        notes.append("The run was resumed, and its lower bound rests on the checkpoint.")
    return [*notes, *run.notes.values()]
