"""Least squares over a polytope of random rows, beside cvxpy's solvers and scipy's.

Everybody takes turns. Ours end with a certified gap of 1e-6 of f; for the others, f is compared at
their point, brought into the polytope. Building the polytope, and cvxpy's compilation, count.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from statistics import median

import common
import numpy as np
from common import header, row, timed
from scipy.optimize import Bounds, LinearConstraint, minimize

import frankwolfe as fw

OURS = ("default", "interior_point", "blended_pairwise", "fully_corrective", "pairwise")
MOST = 30.0  # seconds after which one does not take further turns
SHARE = 1e-6


class Problem:
    """f(x) = |Bx - b|^2 / 2N where Ax <= c and 0 <= x <= 1."""

    def __init__(self, n: int, m: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.n = n
        self.B = rng.standard_normal((n + n // 2, n))
        self.b = self.B @ rng.uniform(-0.5, 1.5, n) + rng.standard_normal(len(self.B))
        self.A = rng.uniform(0.0, 1.0, (m, n)) * (rng.random((m, n)) < 0.3)
        self.c = 0.3 * self.A.sum(axis=1) * rng.uniform(0.8, 1.2, m)

    @property
    def f(self) -> fw.SquaredError:
        return fw.SquaredError(self.B, self.b)

    def region(self) -> fw.Polytope:
        return fw.Polytope(self.A, self.c, bounds=(0.0, 1.0))


def ours(problem: Problem, method: str, gap: float) -> Callable[[], np.ndarray]:
    """A method of this library, to a certified gap."""

    def run() -> np.ndarray:
        name = None if method == "default" else method
        rule = fw.Gap(gap) | fw.Seconds(MOST)
        return fw.minimize(problem.f, problem.region(), method=name, stop=rule).x

    return run


def cvxpys(problem: Problem, solver: str, **options: object) -> Callable[[], np.ndarray]:
    """A solver by way of cvxpy."""
    import cvxpy as cp

    def run() -> np.ndarray:
        x = cp.Variable(problem.n)
        loss = cp.sum_squares(problem.B @ x - problem.b) / (2 * len(problem.b))
        constraints = [problem.A @ x <= problem.c, x >= 0, x <= 1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cp.Problem(cp.Minimize(loss), constraints).solve(solver=solver, **options)
        return np.full(problem.n, np.nan) if x.value is None else x.value

    return run


def scipys(problem: Problem, method: str) -> Callable[[], np.ndarray]:
    """A method of scipy, with exact derivatives."""
    f = problem.f
    H = problem.B.T @ problem.B / len(problem.b)
    limits = {"SLSQP": {"maxiter": 300, "ftol": 1e-10}, "trust-constr": {"maxiter": 300}}
    curvature = {"hess": lambda x: H} if method == "trust-constr" else {}

    def run() -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return minimize(
                f,
                np.zeros(problem.n),
                jac=f.grad,
                method=method,
                bounds=Bounds(0.0, 1.0),
                constraints=[LinearConstraint(problem.A, -np.inf, problem.c)],
                options=limits[method],
                **curvature,
            ).x

    return run


def contest(n: int, m: int, rounds: int, with_scipy: bool) -> None:
    """One size: seconds, and the relative error at a feasible point."""
    problem = Problem(n, m)
    region, f = problem.region(), problem.f
    sure = fw.minimize(f, region, method="interior_point", tol=1e-12)
    gap = SHARE * sure.fun
    runs = {f"frankwolfe {name}": ours(problem, name, gap) for name in OURS}
    runs |= {
        "cvxpy Clarabel": cvxpys(problem, "CLARABEL"),
        "cvxpy OSQP 1e-8": cvxpys(problem, "OSQP", eps_abs=1e-8, eps_rel=1e-8, max_iter=100_000),
        "cvxpy HiGHS": cvxpys(problem, "HIGHS", time_limit=MOST),
    }
    if with_scipy:
        runs |= {f"scipy {name}": scipys(problem, name) for name in ("SLSQP", "trust-constr")}
    times: dict[str, list[float]] = {name: [] for name in runs}
    errors: dict[str, float] = {}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            if times[name] and max(times[name]) > MOST / 3:
                continue
            spent, x = timed(run)
            if turn or spent > MOST / 3:  # the first turn compiles
                times[name].append(spent)
            found = np.isfinite(x).all()
            value = f(region.inside(np.array(x))) if found else np.inf
            errors[name] = (value - sure.lower_bound) / sure.fun
    for name, spent in times.items():
        row(n, m, name, f"{median(spent):.3f}", f"{errors[name]:.0e}")


def main() -> None:
    """A table for each size."""
    line = common.parser(__doc__)
    line.add_argument("--rounds", type=int, default=3)
    options = line.parse_args()
    header("n", "m", "solver", "seconds", "relative error")
    contest(200, 100, options.rounds, True)
    contest(500, 250, options.rounds, False)
    contest(1000, 500, options.rounds, False)


if __name__ == "__main__":
    main()
