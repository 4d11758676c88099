"""The attack on matrix completion: `python -m tests.attack.completion --seeds 0:50`.

A seed makes ratings, a region and an oracle, which may be held back or told wrong vectors. The
bound of each state is compared with the value of a point that cvxpy or projected gradients found.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import sys
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np

import frankwolfe as fw

from .completion_shapes import Ratings, ratings
from .completion_truth import Truth, peers_matrix
from .processes import records

__all__ = ["judged"]

LIMIT = 300  # seconds, after which a process is ended; the first problems compile
FORCED = 2.0  # seconds of a run whose oracle cannot reach what is asked for
TOL = 1e-6


class Bounds(fw.callbacks.Callback):
    """The best lower bound that a state has, and what is no number."""

    def __init__(self) -> None:
        self.best, self.wrong = -np.inf, False

    def on_step(self, run: Any) -> None:
        state = run.state
        bounds = [state.lower_bound, state.oracle_bound]
        bounds += [state.value - state.gap] if state.certified else []
        self.best = max(self.best, *bounds)
        self.wrong |= not np.isfinite([state.value, state.above]).all()


def _run(case: Ratings, bounds: Bounds, tol: float) -> Any:
    stop = fw.Seconds(FORCED) | fw.Iterations(60) if case.forced else None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return fw.minimize(case.objective(), case.region(), tol=tol, stop=stop, callback=bounds)


def _defects(
    case: Ratings, truth: Truth, answer: Any, bounds: Bounds, theirs: Any, aim: float
) -> list[str]:
    found = ["not finite"] if bounds.wrong else []
    eps = float(np.finfo(np.float32 if case.single else np.float64).eps)
    y = truth.unscaled(answer.x.toarray())
    if truth.outside(y) > 100 * eps:
        found.append(f"outside by {truth.outside(y):.1e}")
    best = truth.optimum(y, *([] if theirs is None else [theirs]))
    size = truth.value(y) + float(np.abs(truth.gradient(y) * y).sum())
    room = 16.0 * eps * size  # of sums in this order or that
    if bounds.best > best.above + room:
        found.append(f"bound {bounds.best:.17g} above {best.above:.17g}, room {room:.1e}")
    if answer.fun < best.below - room:
        found.append(f"value {answer.fun:.17g} below {best.below:.17g}, room {room:.1e}")
    if abs(answer.fun - truth.value(y)) > room + 100 * eps * size:
        found.append(f"value {answer.fun:.17g} is {truth.value(y):.17g}")
    if answer.success and answer.certified and answer.fun - best.above > 1.01 * aim + room:
        found.append(f"says that it converged, {answer.fun - best.above:.1e} from the optimum")
    if not answer.certified:
        found.append("no certificate")
    return found


def judged(seed: int, *, peers: bool = True) -> dict[str, Any]:
    """What the problem of a seed came to."""
    case, bounds = ratings(seed), Bounds()
    record = {"seed": seed, "level": "", "defects": [], "seconds": 0.0, "case": str(case)}
    truth = Truth(case)
    tol = TOL * min(1.0, truth.value(np.zeros(case.shape)))  # small numbers are no easier
    began = time.process_time()
    try:
        answer = _run(case, bounds, tol)
    except Exception as wrong:
        return record | {"level": "failed", "defects": [f"{type(wrong).__name__}: {wrong}"]}
    record |= {"seconds": round(time.process_time() - began, 2), "steps": answer.nit}
    record |= {"said": answer.message, "calls": answer.njev, "fun": answer.fun, "gap": answer.gap}
    theirs = peers_matrix(case) if peers else None
    level = "reached" if answer.success else "forced" if case.forced else "short"
    defects = _defects(case, truth, answer, bounds, theirs, tol * max(1.0, answer.fun))
    return record | {"level": level, "defects": defects, "peer": theirs is not None}


def _judged(first: int, last: int) -> None:
    """A process: one line for each problem."""
    for seed in range(first, last):
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        print(json.dumps(judged(seed)), flush=True)


def main() -> int:
    """Run, print; 1 where there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack.completion", description=__doc__)
    parser.add_argument("--seeds", default="0:50", help="a:b, the seeds from a up to b - 1")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        _judged(*map(int, options.part.split(":")))
        return 0
    began, found = time.monotonic(), []
    for record in records("tests.attack.completion", *map(int, options.seeds.split(":")), LIMIT):
        found.append(record)
        if record["defects"] or record["level"] in ("short", "died") or record["seconds"] > 2.5:
            print(record, flush=True)
    print(dict(Counter(record["level"] for record in found)))
    slowest = sorted(found, key=lambda r: -r["seconds"])[:10]
    print("slowest:", [(r["seed"], r["seconds"]) for r in slowest])
    bad = sum(bool(r["defects"]) for r in found)
    print(f"{len(found)} problems, {bad} with defects, {time.monotonic() - began:.0f} s")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
