"""The verdict on a problem over a set that has no exact arithmetic of its own."""

from __future__ import annotations

import math
import time
import traceback
import warnings
from typing import Any

import numpy as np
from minima import least

import frankwolfe as fw
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.methods import METHODS

from .asked import asked
from .rational import decimal
from .sets import Siege, siege
from .truth import truth_of

__all__ = ["judged"]

SLOW = 20.0  # seconds that no run may take
SLACK = 64.0 * 2.0**-52
MEMBER = {4: 2e-6, 8: 2e-12}  # how far outside a point may be, by its bytes
SUPPORT = 1e-8  # and how far beyond a plane that another solver found
BESIDE = ("fully_corrective", "pairwise", "interior_point", "frank_wolfe")
ESTIMATE = 16.0  # times what rounding leaves, which no gap must fall below
MANY = 20_000  # points of a grid
FEW = 6  # variables up to which another solver looks at the set


def judged(seed: int, kind: str) -> dict[str, Any]:
    """Level, defects and time of one problem."""
    record: dict[str, Any] = {"seed": seed, "kind": kind, "defects": [], "seconds": 0.0}
    try:
        given = siege(seed, kind)
        objective = given.function()
        problem = fw.Problem(objective, given.region)
    except fw.InvalidInput as error:
        return {**record, "level": "refused", "why": str(error)}
    except Exception as error:
        return {**record, "level": "error", "defects": [f"making: {_told(error)}"]}
    record["objective"] = given.objective.name
    result = _run(given, objective, record)
    if result is None:
        return record
    record |= {"fun": float(result.fun), "gap": float(result.gap), "status": result.status.name}
    record |= {"nit": int(result.nit), "method": result.method, "tol": given.tol}
    with np.errstate(all="ignore"):
        try:
            _member(given, result, record)
            _oracle(given, problem, record)
            record["level"] = _values(given, objective, problem, result, record)
        except Exception as error:
            record |= {"level": "judge failed", "defects": [f"judge: {_told(error)}"]}
    if record["level"] in ("short", "precision", "said not convex"):
        record["about"] = f"{given.labels} {given.region!r} n={problem.n}"
    return record


def _told(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{'/'.join(last.filename.split('/')[-3:])}:{last.lineno}"
    return f"{type(error).__name__}: {str(error)[:200]} ({where})"


def _run(given: Siege, objective: fw.Objective, record: dict[str, Any]) -> Any:
    began = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = fw.minimize(objective, given.region, tol=given.tol)
    except fw.InvalidInput as error:
        record |= {"level": "refused", "why": str(error)}
        if str(error).startswith("x0"):  # which nobody gave
            record["defects"].append(str(error))
        return None
    except Exception as error:
        record |= {"level": "error", "defects": [_told(error)]}
        return None
    record["seconds"] = round(time.process_time() - began, 2)
    if record["seconds"] > SLOW and result.convex:  # without convexity steps are many
        record["defects"].append(f"{record['seconds']} s")
    if not math.isfinite(result.fun):
        record |= {"level": "not finite"}
        if result.status.name != "NOT_FINITE" or given.labels.get("scaling") != "extreme":
            record["defects"].append(f"fun {result.fun}")
        return None
    return result


def _allowed(region: fw.Region, x: Any) -> float:
    return max(region.exactness, MEMBER[_dtype(x).itemsize])


def _dtype(x: Any) -> np.dtype[Any]:
    return np.dtype(x.dtype if isinstance(x, np.ndarray) else x.left.dtype)


def _member(given: Siege, result: Any, record: dict[str, Any]) -> None:
    """Inside by the set itself, and by planes that another solver finds."""
    region, x = given.region, result.x
    outside = region.violation(x)
    away = region.resolution(_shape(x), _dtype(x))
    if not outside <= _allowed(region, x) + 4.0 * away:
        record["defects"].append(f"outside by {outside:.2g}")
    if region.matrix or not _other(given) or x.size > FEW:
        return
    size = region.diameter(x.size) + float(np.abs(x).max()) * 1e-3 + 0.01  # solvers' tolerance
    for g in np.random.default_rng(given.seed).standard_normal((4, x.size)):
        for side in (g, -g):
            beyond = least(region, side) - float(side @ x)
            if not beyond <= max(SUPPORT, 1e2 * _allowed(region, x)) * np.linalg.norm(g) * size:
                record["defects"].append(f"beyond a plane by {beyond:.2g}, size {size:.2g}")
                return


def _other(given: Siege) -> bool:
    """Whether `least` has a way for this set: examples alone where cvxpy or integers make it."""
    region = given.region
    if isinstance(region, fw.regions.IntegerPolytope):
        lower, upper = region.constraints.lower, region.constraints.upper
        return float(np.prod(upper - lower + 1.0)) < MANY
    if isinstance(region, fw.regions.LinearImage) and region.inner > FEW:
        return False
    if given.kind == "Elliptope":
        return (region.dimension or 0) <= 9
    return given.kind not in ("CvxpySet", "Polytope")


def _shape(x: Any) -> Any:
    return x.size if isinstance(x, np.ndarray) else x.shape


def _oracle(given: Siege, problem: fw.Problem, record: dict[str, Any]) -> None:
    """Gradients of every range: the oracle's value and bound against another solver's."""
    region = given.region
    if region.matrix or not _other(given) or problem.n > FEW:
        return
    rng, n = np.random.default_rng(given.seed), problem.n
    memory = region.oracle_memory(n, np.dtype(float))
    size = region.diameter(n) + float(np.abs(region.start(n)).max()) or 1.0
    for g in (
        rng.standard_normal(n) * 10.0 ** rng.uniform(-12, 12, n),
        rng.standard_normal(n) * 10.0 ** rng.uniform(-12, 12),
        np.full(n, float(rng.choice([-1.0, 0.0, 1.0]))),
        rng.integers(-1, 2, n) * 10.0 ** rng.uniform(-300, -200),
    ):
        # tiny gradients for other solvers: as many times larger
        unit = float(np.abs(g).max()) or 1.0
        best = least(region, g / unit)
        atom = region.lmo(g)
        off = (atom.dot(g) / unit - best) / size
        if not abs(off) <= max(1e-8, 10.0 * region.exactness):
            record["defects"].append(f"oracle off by {off:.2g} of the size at {g}")
        atom, value, error = region.inexact_lmo(g, memory, EXACT)
        off = ((value - error) / unit - best) / size
        if not (off <= 1e-8 and error >= 0.0):
            record["defects"].append(f"oracle's bound off by {off:.2g} of the size at {g}")


EXACT = Accuracy(above=np.inf, slack=np.inf, share=1.0, between=0)


def _values(
    given: Siege, objective: Any, problem: fw.Problem, result: Any, record: dict[str, Any]
) -> str:
    """No value is below the bound; how far the run came."""
    if not result.convex:
        if result.certified:
            record["defects"].append("certified without convexity")
        return "not convex" if given.waves else "said not convex"
    if given.waves:  # distances among a point or two may be convex
        if given.objective.name == "Function_wave":
            record["defects"].append("said convex")
        return "convex"
    truth = truth_of(given.objective, objective)
    best = _best(given, problem, result, truth)
    slack = SLACK * max(abs(float(result.fun)), abs(best)) + truth.noise(result.x)
    over = float(result.lower_bound) - best
    if result.certified and over > slack:
        record["defects"].append(f"false bound: over by {over:.2g}, gap {result.gap:.2g}")
    value = float(decimal(truth.value(truth.point(result.x))))
    if not abs(value - result.fun) <= 4.0 * truth.rounding(result.x) + SLACK * abs(value):
        record["defects"].append(f"fun {result.fun:.17g}, f(x) {value:.17g}")
    if not result.certified:
        return "uncertified"
    wanted = asked(result, given.tol)
    if result.success != (result.gap <= wanted * (1.0 + 1e-9)):
        record["defects"].append(f"success {result.success}, gap {result.gap:.3g}")
    if result.success:
        return "success"
    return (
        "precision" if result.gap <= wanted + ESTIMATE * _floor(problem, result, truth) else "short"
    )


def _floor(problem: fw.Problem, result: Any, truth: Any) -> float:
    """What rounding may leave of a gap, with what x is off its region."""
    if problem.objective.matrix:
        return float(truth.rounding(result.x))
    n = problem.n
    ends = [np.abs(problem.region.lmo(s * u).dense(n)) for u in np.eye(n) for s in (1.0, -1.0)]
    floor = truth.floor(result.x, np.max(ends, axis=0))
    slope = np.abs(problem.objective.grad(result.x.astype(np.float64)))
    off = problem.region.exactness * problem.region.diameter(n)
    return float(floor + slope.sum() * off)


def _best(given: Siege, problem: fw.Problem, result: Any, truth: Any) -> float:
    """The least value that is known, less what its point may have gained outside."""
    points = [result.x]
    for name in BESIDE:
        if METHODS[name]().accepts(problem) is None:
            stop = fw.Seconds(0.3) | fw.Iterations(200)
            done = fw.minimize(problem.objective, problem.region, method=name, stop=stop)
            points.append(done.x)
    return min(_pulled(problem, truth, x) for x in points)


def _pulled(problem: fw.Problem, truth: Any, x: Any) -> float:
    region = problem.region
    value = float(decimal(truth.value(truth.point(x))))
    if region.matrix or not math.isfinite(value):
        return value + abs(value) * 1e-9 if math.isfinite(value) else math.inf
    largest = float(np.abs(x).max())
    far = region.violation(x) * (region.diameter(x.size) + x.size * largest)
    far += float(np.finfo(x.dtype).eps) * largest
    return value + float(np.abs(problem.objective.grad(x)).sum()) * far
