"""The attack on round numbers: `python -m tests.attack.round_regions --seeds 0:200 [--only Box]`.

A seed and a kind of region make a quadratic with round numbers, in one precision, and a method;
some under rows that a known point satisfies, often with equality. Values, bounds, proofs and the
verdict that nothing is possible are compared with Clarabel, which sees the region as a linear
program.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np

import frankwolfe as fw
from frankwolfe.methods import METHODS

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # regions in other words
from minima import least
from programs import program
from round_numbers import ROUND, gradient, share, shares, signed

__all__ = ["KINDS", "judged"]

Rng = np.random.Generator
OTHERS = {"SubmodularBase", "CvxpySet", "OracleRegion", "SpectralBall", "Fantope", "Elliptope"}
OTHERS |= {"L2Ball", "LpBall", "GroupBall", "KSupportBall", "Ellipsoid", "LatentGroupBall"}
KINDS = tuple(name for name in ROUND if name not in {*OTHERS, "IsotonicBall", "WeightedLInfBall"})
"""Those that linear programs describe."""
UNSURE = 1e-7  # what Clarabel may be off by, of the size of f
MEMBER = {4: 1e-5, 8: 1e-11}  # how far outside a point may be, by its bytes


class Problem(NamedTuple):
    """A quadratic over a region, maybe under rows, and the method that is tried."""

    A: np.ndarray
    b: np.ndarray
    region: fw.Region
    rows: fw.Affine | None
    method: str | None
    written: Any

    @property
    def objective(self) -> fw.Objective:
        return fw.SquaredError(self.A, self.b, reduction="sum")

    def truth(self) -> tuple[float, float]:
        """The least value by Clarabel, nan where it is not sure, and the size of f."""
        A, b = self.A.astype(float), self.b.astype(float)
        x = cp.Variable(A.shape[1])
        limits = self.written.constraints(cp, x)
        if self.rows is not None:
            S, low, high = self.rows.matrix, self.rows.lower, self.rows.upper
            limits += [S @ x <= high, S @ x >= low]
        far = np.array([self.region.reach(unit, x.size) for unit in np.eye(x.size)])
        size = 0.5 * float(((np.abs(A) @ far + np.abs(b)) ** 2).sum())
        unit = max(size, 1e-300)
        asked = cp.Problem(cp.Minimize(0.5 * cp.sum_squares((A @ x - b) / unit**0.5)), limits)
        try:
            asked.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
        except cp.SolverError:
            return np.nan, size
        return (unit * asked.value if asked.status == "optimal" else np.nan), size


def problem(seed: int, kind: str) -> Problem:
    """The problem of a seed over a kind of region."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n = int(rng.integers(2, 7))
    region = ROUND[kind](rng, n)
    n = region.dimension or n
    m = int(rng.choice([1, max(1, n // 2), n, 2 * n]))
    A = np.array([signed(rng, n) if rng.random() < 0.7 else gradient(rng, n) for _ in range(m)])
    if rng.random() < 0.3:
        A = np.eye(n) * share(rng)
    b = signed(rng, len(A)) * float(rng.choice([1.0, 10.0]))
    if (
        rng.random() < 0.3
    ):  # what a vertex gives, exactly or nearly: the gap is nothing but rounding
        b = A @ region.lmo(gradient(rng, n)).dense(n)
    if rng.random() < 0.25:
        A, b = A.astype(np.float32), b.astype(np.float32)
    rows = _rows(rng, region, n) if rng.random() < 0.3 else None
    method = str(rng.choice(sorted(METHODS))) if rows is None and rng.random() < 0.6 else None
    return Problem(A, b, region, rows, method, program(region, n))


def _rows(rng: Rng, region: fw.Region, n: int) -> fw.Affine:
    """Round rows that a mixture of atoms, or one atom, satisfies: just, or with room."""
    count = int(rng.integers(1, 3))
    weights = rng.choice([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25], [1 / 3, 1 / 3, 1 / 3]])
    x = weights @ np.array([region.lmo(gradient(rng, n)).dense(n) for _ in range(3)])
    S = np.array([np.where(rng.random(n) < 0.5, shares(rng, n), 0.0) for _ in range(count)])
    S[:, 0] = share(rng)
    level = S @ x
    low = np.where(rng.random(count) < 0.5, level, level - share(rng))
    high = np.where(rng.random(count) < 0.5, level, level + share(rng))
    return fw.Affine(S, low, high)


def judged(seed: int, kind: str) -> dict[str, Any]:
    """What came out, and what is wrong with it."""
    given = problem(seed, kind)
    record: dict[str, Any] = {"seed": seed, "kind": kind, "method": given.method, "defects": []}
    if given.written is None:  # around a centre
        return {**record, "level": "no program"}
    if given.method and METHODS[given.method]().accepts(fw.Problem(given.objective, given.region)):
        return {**record, "level": "not for it"}
    began = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            options = {} if given.rows is None else {"subject_to": given.rows}
            stop = {} if given.method is None else {"max_iter": 300}
            result = fw.minimize(
                given.objective, given.region, method=given.method, **options, **stop
            )
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        told = f"{type(error).__name__}: {str(error)[:200]} ({last.filename[-30:]}:{last.lineno})"
        return {**record, "level": "error", "defects": [told]}
    record["seconds"] = time.process_time() - began
    record["level"] = result.status.name
    record["defects"] = _defects(given, result)
    return record


def _defects(given: Problem, result: Any) -> list[str]:
    value, size = given.truth()
    if result.status is fw.Status.INFEASIBLE:
        return [f"called infeasible; Clarabel finds {value:.6g}"]
    x, fun, bound = result.x, float(result.fun), float(result.lower_bound)
    found = _outside(given, x, result.success)
    eps = float(np.finfo(x.dtype).eps)
    rounding = 64.0 * eps * size
    exact = 0.5 * float(((given.A.astype(float) @ x - given.b) ** 2).sum())
    if not abs(exact - fun) <= rounding:
        found.append(f"fun {fun:.17g}, f(x) {exact:.17g}")
    # under rows x may lie beside them, where f is less
    if result.certified and given.rows is None and not bound <= fun + rounding:
        found.append(f"bound {bound:.17g} above fun {fun:.17g}")
    if not np.isfinite(value):
        return found
    unsure = UNSURE * size + rounding
    if result.certified and bound > value + unsure:
        found.append(f"false bound: {bound:.12g} above {value:.12g}, gap {result.gap:.3g}")
    if result.certified and result.gap < fun - value - unsure:
        found.append(f"false gap {result.gap:.3g}: {fun:.12g} above {value:.12g}")
    if result.success and fun > value + 1e-6 * max(1.0, abs(value)) + unsure:
        found.append(f"wrong answer {fun:.12g} above {value:.12g}")
    if given.rows is None and fun < value - unsure - 1e3 * size * MEMBER[x.itemsize]:
        found.append(f"too good {fun:.12g} below {value:.12g}")
    return found


def _outside(given: Problem, x: np.ndarray, success: bool) -> list[str]:
    """By the region itself, and by planes that another solver finds."""
    region, allowed = given.region, MEMBER[x.itemsize] + given.region.exactness
    allowed += 4.0 * region.resolution(x.size, x.dtype)
    out = region.violation(x)
    found = [] if out <= allowed else [f"outside by {out:.2g}"]
    for g in (np.ones(x.size), -np.ones(x.size), np.arange(1.0, x.size + 1.0)):
        beyond = least(region, g) - float(g @ x)
        if beyond > max(1e-8, 10.0 * allowed) * region.reach(np.abs(g), x.size):
            found.append(f"beyond a plane by {beyond:.2g}")
    if given.rows is not None and success:
        level, sizes = given.rows.matrix @ x, np.abs(given.rows.matrix).sum(axis=1)
        off = np.maximum(given.rows.lower - level, level - given.rows.upper) / sizes
        far = max(float(np.abs(x).max()), 1.0)
        if off.max() > 1e-5 * far:
            found.append(f"rows missed by {off.max():.2g}")
    return found


def main() -> int:
    """Run, print; 1 where there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack.round_regions")
    parser.add_argument("--seeds", default="0:20", help="a:b, the seeds from a up to b - 1")
    parser.add_argument("--only", nargs="*", default=list(KINDS), help="kinds of regions")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    levels: Counter[str] = Counter()
    bad = 0
    for seed in range(first, last):
        for kind in options.only:
            record = judged(seed, kind)
            levels[record["level"]] += 1
            bad += bool(record["defects"])
            if record["defects"] or record.get("seconds", 0.0) > 5.0:
                print(record, flush=True)
    print(f"{sum(levels.values())} problems, {bad} with defects: {dict(levels)}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
