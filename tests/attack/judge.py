"""The verdicts on a case, from exact values at points that are exactly in the region."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

import frankwolfe as fw

from .asked import asked
from .cases import Case
from .inside import ALLOWED, inside_of
from .known import candidates, others
from .matrices import inner_matrix, outside_matrix
from .rational import DIGITS, Exact, decimal, exact, from_fractions
from .refine import refined
from .runs import Run, run
from .truth import Number, truth_of

__all__ = ["LIMIT", "Judge", "Verdict", "judge"]

LIMIT = 30.0  # seconds that no run may take
SLOW = 5.0  # seconds after which a run is made again, to see whether it is always so slow
SLACK = 16.0 * 2.0**-52  # of the size of the values: a bound is a double, and so is `fun`

ESTIMATE = 16.0  # how much larger than `floor` a gap may be that is put down to rounding
TINY = 1e-280  # below it numbers lose their digits


@dataclass
class Verdict:
    """What was found: defects, and how far the main run came."""

    case: Case
    level: str = ""
    defects: list[dict[str, Any]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    def add(self, kind: str, method: str, detail: str, amount: float = math.nan) -> None:
        self.defects.append({"kind": kind, "method": method, "detail": detail, "amount": amount})

    @property
    def kinds(self) -> set[str]:
        return {d["kind"] for d in self.defects}


class Judge:
    """Exact values and membership for one case."""

    def __init__(self, case: Case, objective: Any) -> None:
        self.case, self.objective = case, objective
        self.matrix = bool(objective.matrix)
        self.truth = truth_of(case.objective, objective)
        self.region = None if self.matrix else inside_of(case.region)

    def outside(self, x: Any) -> float:
        """How far x is outside, in units of what is allowed."""
        tol = ALLOWED[self.truth.dtype.itemsize]
        if self.region is None:
            return outside_matrix(self.case.region, x, tol)
        if not np.isfinite(x).all():
            return math.inf
        return self.region.outside(exact(x).fractions(), tol)

    def inner(self, x: Any) -> Exact:
        """A point exactly in the region, x up to rounding."""
        if self.region is None:
            return inner_matrix(self.case.region, x)
        return from_fractions(self.region.inner(exact(x).fractions()))

    def value(self, x: Exact) -> Number:
        return self.truth.value(x)

    def floor(self, x: Any) -> float:
        """The gap that rounding in the precision of the data may leave."""
        reach = 0.0 if self.region is None else self.region.reach(np.size(x))
        return self.truth.floor(x, reach)


def _above(a: Any, b: Number) -> float:
    """a - b, exactly, as a float; what is not a number is infinitely far above."""
    if isinstance(a, float) and not math.isfinite(a):
        return -math.inf if a == -math.inf else math.inf
    return float(decimal(_minus(a, b)))


def _minus(a: Any, b: Number) -> Number:
    if isinstance(b, Decimal) or isinstance(a, Decimal):
        with localcontext(DIGITS):
            return decimal(a) - decimal(b)
    return Fraction(a) - b


def judge(case: Case, *, extra: bool = True, phase: Callable[[str], None] = print) -> Verdict:
    """Run the case, and other methods beside it, and judge all of them.

    `phase` is told what happens next, so that a hang or a crash can be blamed on it.
    """
    verdict = Verdict(case)
    phase(case.method or "default")
    main = run(case, case.method, short=False)
    if SLOW < main.seconds < LIMIT:  # once more: a first call compiles, and a machine may be busy
        phase(case.method or "default")
        main = min(main, run(case, case.method, short=False), key=lambda r: r.seconds)
    verdict.facts = _facts(main)
    runs = [main]
    _behaviour(verdict, main)
    if main.result is None:
        verdict.level = "refused" if main.refused else "error"
        if main.error:
            return verdict
    phase("building")
    try:
        objective, region = case.build()
        problem = fw.Problem(objective, region)
    except fw.InvalidInput:
        return verdict
    court = Judge(case, objective)
    if main.result is not None:
        for name in others(case, problem, main, extra=extra):
            phase(name or "default")
            runs.append(run(case, name, short=True))
            _behaviour(verdict, runs[-1])
    phase("judging")
    with np.errstate(all="ignore"):
        _sentence(verdict, court, problem, [r for r in runs if r.result is not None])
    return verdict


def _facts(main: Run) -> dict[str, Any]:
    facts: dict[str, Any] = {"seconds": round(main.seconds, 3), "refused": main.refused}
    if main.result is not None:
        r = main.result
        facts |= {"used": r.method, "status": r.status.name, "certified": bool(r.certified)}
        facts |= {"fun": float(r.fun), "gap": float(r.gap), "nit": int(r.nit)}
        facts |= {"success": bool(r.success), "convex": bool(r.convex)}
        if main.proof is not None:
            facts |= {"proof": float(main.proof.gap), "proving": round(main.proving, 3)}
    return facts


def _behaviour(verdict: Verdict, done: Run) -> None:
    """Errors, warnings and time."""
    if done.error:
        verdict.add("raw error", done.name, done.error)
    for text in done.warned:
        verdict.add("warning", done.name, text)
    if done.seconds > LIMIT:
        verdict.add("over 30 s", done.name, f"{done.seconds:.1f} s", done.seconds)


def _sentence(verdict: Verdict, court: Judge, problem: fw.Problem, runs: list[Run]) -> None:
    """Feasibility, values and certificates of all runs, against the best point known."""
    points: list[Exact] = []
    for done in runs:
        result = done.result
        if not math.isfinite(result.fun):
            verdict.add("not finite", done.name, f"fun is {result.fun}")
            verdict.level = verdict.level or "not finite"
            continue
        outside = court.outside(result.x)
        if outside > 1.0:
            verdict.add("infeasible", done.name, f"{outside:.3g} times what is allowed", outside)
        _value(verdict, court, done)
        points.append(court.inner(result.x))
    points += [court.inner(x) for x in candidates(verdict.case, problem, runs)]
    values = [court.value(x) for x in points]
    finite = [v for v in values if not (isinstance(v, Decimal) and v.is_infinite())]
    if not finite:
        return
    best = min(finite, key=decimal)
    best = min(refined(court, points[values.index(best)], best), best, key=decimal)
    verdict.facts["best"] = float(best)
    for done in runs:
        if math.isfinite(done.result.fun):
            _certificate(verdict, court, done, best)
            _proof(verdict, court, done, best)
    main = next(iter(runs), None)
    if main is not None and math.isfinite(main.result.fun) and main.method == verdict.case.method:
        verdict.level = _level(verdict, court, main)


def _value(verdict: Verdict, court: Judge, done: Run) -> None:
    """Whether `fun` is f(x)."""
    result = done.result
    true = court.value(court.truth.point(result.x))
    off, allowed = _above(float(result.fun), true), court.truth.rounding(result.x)
    off = off if court.truth.known else max(off, 0.0)
    allowed = 4.0 * allowed + SLACK * max(abs(float(true)), TINY)
    if not abs(off) <= allowed:
        relative = abs(off) / max(abs(float(true)), 1e-300)
        detail = f"fun {float(result.fun):.17g}, f(x) {float(true):.17g}, rounding {allowed:.2g}"
        verdict.add("fun is not f(x)", done.name, detail, relative)


def _certificate(verdict: Verdict, court: Judge, done: Run, best: Number) -> None:
    """Whether the bound and the gap hold, and whether convexity is told right."""
    result = done.result
    if result.certified:
        slack = SLACK * max(abs(float(result.fun)), abs(float(best)), TINY)
        slack += court.truth.noise(result.x)
        over = _above(float(result.lower_bound), best)
        if over > slack:
            share = over / max(float(result.gap), 1e-300)
            detail = (
                f"lower bound {result.lower_bound:.17g}, a point has {float(best):.17g}: "
                f"too high by {over:.2g}, {share:.2g} gaps, "
                f"{over / max(court.floor(result.x), 1e-300):.2g} of rounding"
            )
            verdict.add("false bound", done.name, detail, over)
        true = court.value(court.truth.point(result.x))
        if not court.truth.known:  # a bound from above: `fun` is another
            true = min(true, Fraction(result.fun), key=decimal)
        error = _above(true, best) - float(result.gap)
        allowed = slack + 4.0 * court.truth.rounding(result.x)  # `fun` is f(x) up to that
        if error > allowed and not over > slack:
            detail = f"error exceeds gap {result.gap:.3g} by {error:.2g}"
            verdict.add("false gap", done.name, detail, error)
        if result.success and result.gap > 1.001 * asked(result, verdict.case.tol):
            verdict.add("false success", done.name, f"gap {result.gap:.3g}, fun {result.fun:.3g}")
    if not result.convex and _clearly_convex(court):
        verdict.add("false not convex", done.name, "says that f is not convex")


def _proof(verdict: Verdict, court: Judge, done: Run, best: Number) -> None:
    """Whether what claims to hold to the last digit does: nothing is allowed for rounding."""
    if done.proof is None:
        return
    proof, true = done.proof, court.value(court.truth.point(done.result.x))
    excess = {
        "f(x) above upper": -_above(proof.upper, true),
        "lower above a value": _above(proof.lower, best),
        "error above gap": -_above(proof.gap, _minus(true, best)),
    }
    for words, amount in excess.items():
        if amount > 0.0 and (court.truth.known or words.startswith("lower")):
            detail = f"{words} by {amount:.2g}: {proof}, f(x) {float(true):.17g}"
            verdict.add("false proof", done.name, detail, amount)


def _clearly_convex(court: Judge) -> bool:
    Q = getattr(court.truth, "Q", None)
    if Q is None:
        return True
    eigenvalues = np.linalg.eigvalsh(Q)
    return bool(eigenvalues[0] > 1e-5 * abs(eigenvalues[-1]))


def _level(verdict: Verdict, court: Judge, main: Run) -> str:
    """How far the main run came."""
    result = main.result
    if not result.convex:
        return "not convex"
    wanted = asked(result, 1e-8)
    if not result.certified:
        return "uncertified"
    if result.gap <= wanted * (1.0 + 1e-9):
        return "certified"
    said = "said" if result.status.name not in QUIET else "not said"
    if main.proof is not None and main.proof.gap <= wanted:
        return f"proved, {said}"  # the run's rounding hides it, `verify` shows it
    floor = court.floor(result.x)
    verdict.facts["floor"] = floor
    return f"precision, {said}" if result.gap <= wanted + ESTIMATE * floor else "short"


QUIET = ("MAX_ITERATIONS", "MAX_TIME")
