"""Linear constraints beside a region, and CVXPY on the same programs; see README.md.

    python benchmarks/studies/constrained.py [--assets 5000] [--days 1000] [--rows 100]
        [--solvers CLARABEL] [--rounds 3] [--random 600]

A portfolio over the simplex whose risk is that of past returns, under limits on sectors (half of
the rows) and on dense exposures. CVXPY gets the returns as rows of their own, which is faster for
its solvers than a dense covariance. Then random small problems: how many agree with Clarabel.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from common import by_turns, header, parser, row

import frankwolfe as fw

AVERSION, LIMIT, NEAR = 10.0, 0.05, 2e-6


def portfolio(assets: int, days: int, rows: int) -> tuple[Any, ...]:
    """Returns over the root of their number, means, and the constraints."""
    rng = np.random.default_rng(0)
    common = 0.003 * rng.standard_normal((days, 20)) @ rng.standard_normal((20, assets))
    own = 0.02 * rng.standard_normal((days, assets)) * rng.uniform(0.5, 2.0, assets)
    means, sectors = rng.normal(5e-4, 1e-3, assets), rows // 2
    places = rng.integers(0, sectors, assets), np.arange(assets)
    groups = sp.csr_array((np.ones(assets), places), shape=(sectors, assets))
    exposures = rng.standard_normal((rows - sectors, assets))
    usual = exposures.mean(axis=1)
    lower = np.concatenate([np.zeros(sectors), usual - LIMIT])
    upper = np.concatenate([np.full(sectors, LIMIT), usual + LIMIT])
    A = sp.vstack([groups, sp.csr_array(exposures)]).tocsr()
    return (common + own) / np.sqrt(days), means, A, lower, upper


def one_portfolio(options: Any) -> None:
    """Ours and CVXPY's solvers in turn."""
    F, means, A, lower, upper = portfolio(options.assets, options.days, options.rows)
    found: dict[str, str] = {}

    def ours() -> None:
        f = fw.Quadratic(AVERSION * F.T @ F, -means, convex=True)
        result = fw.minimize(f, fw.Simplex(), subject_to=fw.Affine(A, lower, upper))
        found["frankwolfe"] = f"{result.fun:.9g} ({result.status.name}, gap {result.gap:.1e})"

    def theirs(solver: str) -> None:
        x, y = cp.Variable(options.assets), cp.Variable(options.days)
        cost = 0.5 * AVERSION * cp.sum_squares(y) - means @ x
        within = [y == F @ x, x >= 0, cp.sum(x) == 1, A @ x >= lower, A @ x <= upper]
        program = cp.Problem(cp.Minimize(cost), within)
        try:
            program.solve(solver=solver)
            found[solver] = f"{program.value:.9g} ({program.status})"
        except cp.SolverError as error:
            found[solver] = f"failed: {str(error).splitlines()[0][:40]}"

    ours()  # compiled
    runs: dict[str, Any] = {"frankwolfe": ours}
    runs.update({name: lambda name=name: theirs(name) for name in options.solvers})
    times = by_turns(runs, options.rounds)
    header("portfolio", "seconds, least", "largest", "f")
    for name, took in times.items():
        row(name, f"{min(took):.3g}", f"{max(took):.3g}", found[name])


def random_problem(seed: int) -> tuple[Any, ...]:
    """An objective and a region in both languages, and rows."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 25)), int(rng.integers(1, 4))
    x = cp.Variable(n)
    regions: list[tuple[Any, list[Any]]] = [
        (fw.Simplex(), [x >= 0, cp.sum(x) == 1]),
        (fw.L1Ball(2.0), [cp.norm1(x) <= 2]),
        (fw.Box(-np.ones(n), np.ones(n)), [x >= -1, x <= 1]),
        (fw.L2Ball(1.5), [cp.norm(x) <= 1.5]),
        (fw.Hypersimplex(2), [x >= 0, x <= 1, cp.sum(x) == 2]),
    ]
    region, within = regions[int(rng.integers(5))]
    D, b = rng.standard_normal((2 * n, n)), np.sign(rng.standard_normal(2 * n))
    b[:2] = 1.0, -1.0
    half, c = rng.standard_normal((n // 2 + 1, n)), rng.standard_normal(n)
    objectives = [
        (fw.SquaredError(D, b, reduction="sum"), 0.5 * cp.sum_squares(D @ x - b)),
        (fw.Logistic(D, b, reduction="sum"), cp.sum(cp.logistic(-cp.multiply(b, D @ x)))),
        (fw.Quadratic(half.T @ half, c), 0.5 * cp.sum_squares(half @ x) + c @ x),
        (fw.Quadratic(np.zeros((n, n)), c), c @ x),
    ]
    f, cost = objectives[int(rng.integers(4))]
    A = rng.standard_normal((k, n)) * 10.0 ** rng.integers(-2, 3, (k, 1))
    shares = rng.dirichlet(np.ones(6))
    inside = sum(w * region.lmo(rng.standard_normal(n)).dense(n) for w in shares)
    middle, size = A @ inside, np.abs(A).sum(axis=1)
    lower = np.where(rng.random(k) < 0.5, middle, -np.inf)
    upper = np.where(rng.random(k) < 0.5, middle, middle + 0.1 * size / n)
    if rng.random() < 0.2:  # what nothing satisfies
        upper = middle + 100.0 * size
        lower = upper - 1e-9 * size
    below = np.isfinite(lower)
    more = [A[below] @ x >= lower[below]] if below.any() else []
    program = cp.Problem(cp.Minimize(cost), [*within, *more, A @ x <= upper])
    return f, region, fw.Affine(A, lower, upper), program


def judged(seed: int) -> str:
    """What became of one random problem."""
    f, region, rows, program = random_problem(seed)
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    result = fw.minimize(f, region, subject_to=rows)
    if program.status.startswith("infeasible"):
        proved = result.status is fw.Status.INFEASIBLE
        return "proved to have no solution" if proved else f"NOT PROVED (seed {seed})"
    size = max(1.0, abs(program.value))
    if result.lower_bound > program.value + 1e-6 * size:
        return f"FALSE BOUND (seed {seed})"
    agrees = result.success and abs(result.fun - program.value) <= NEAR * size
    return "agree" if agrees else f"OFF (seed {seed})"


def main() -> None:
    """The portfolio, then random problems."""
    line = parser(__doc__)
    line.add_argument("--assets", type=int, default=5000)
    line.add_argument("--days", type=int, default=1000)
    line.add_argument("--rows", type=int, default=100)
    line.add_argument("--solvers", nargs="*", default=["CLARABEL"])
    line.add_argument("--rounds", type=int, default=3)
    line.add_argument("--random", type=int, default=600)
    options = line.parse_args()
    one_portfolio(options)
    print()
    header("random problems", "how many")
    for what, count in Counter(judged(seed) for seed in range(options.random)).most_common():
        row(what, count)


if __name__ == "__main__":
    main()
