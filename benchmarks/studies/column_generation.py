"""Column generation in the place of rounds of multipliers, for linear f; see README.md.

    python benchmarks/studies/column_generation.py [--rounds 3] [--most 1000]

Its restricted problem, convex combinations of the vertices seen under the constraints, is a linear
program, which HiGHS solves; its prices say which vertex comes next, by one call of the oracle, and
give a bound. Violations cost, so that every restricted problem has a solution (an exact penalty).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from common import by_turns, header, parser, row
from scipy.optimize import linprog

import frankwolfe as fw

TOL, SEVERAL = 1e-6, 100


class Found(NamedTuple):
    """The least value, and a bound."""

    value: float
    bound: float


def generated(c: Any, region: Any, rows: fw.Affine, most: int) -> Found:
    """Minimize <c, x>; vertices that are single coordinates come in by the hundred."""
    n, m, A = c.size, rows.rows, rows.matrix
    ends = [region.lmo(sign * c).dense(n) for sign in (1.0, -1.0)]
    width = np.abs(A @ (ends[1] - ends[0])).max()
    penalty = 10.0 * float(c @ (ends[1] - ends[0])) / width
    points = np.array(ends).T
    above, below = np.isfinite(rows.upper), np.isfinite(rows.lower)
    off = np.vstack([np.eye(m)[above], -np.eye(m)[below]])
    bounds = np.concatenate([rows.upper[above], -rows.lower[below]])
    bound, value = -np.inf, np.inf
    for _ in range(most):
        at, costs = A @ points, c @ points
        lines = np.hstack([np.vstack([at[above], -at[below]]), -off, off])
        solved = linprog(
            np.concatenate([costs, np.full(2 * m, penalty)]),
            A_ub=lines,
            b_ub=bounds,
            A_eq=np.concatenate([np.ones(at.shape[1]), np.zeros(2 * m)])[None],
            b_eq=[1.0],
        )
        value, prices = solved.fun, -solved.ineqlin.marginals
        y = np.zeros(m)
        y[above] += prices[: above.sum()]
        y[below] -= prices[above.sum() :]
        g = c + A.T @ y
        bound = max(bound, region.lmo(g).dot(g) - rows.support(y))
        if value - bound <= TOL * max(1.0, abs(value)):
            break
        new = region.several(g, SEVERAL) if region.sparse_atoms else [region.lmo(g)]
        points = np.hstack([points, np.array([atom.dense(n) for atom in new]).T])
    return Found(value, bound)


def problem(region: Any, n: int, m: int) -> tuple[Any, fw.Affine]:
    """Costs, and rows with two sides around a point inside."""
    rng = np.random.default_rng(0)
    A, c = rng.standard_normal((m, n)), rng.standard_normal(n)
    inside = np.mean([region.lmo(g).dense(n) for g in rng.standard_normal((40, n))], axis=0)
    middle = A @ inside
    wide = 0.02 * np.abs(middle).max()
    return c, fw.Affine(A, middle - wide, middle + wide)


PROBLEMS = {
    "simplex, 100 rows": (fw.Simplex(), 5000, 100),
    "l1 ball, 50 rows": (fw.L1Ball(1.0), 2000, 50),
    "hypersimplex, 50 rows": (fw.Hypersimplex(50), 2000, 50),
    "Birkhoff, 10 rows": (fw.Birkhoff(50), 2500, 10),
    "permutahedron, 5 rows": (fw.Permutahedron(np.arange(60.0)), 60, 5),
}


def main() -> None:
    """Both in turn, for each problem."""
    line = parser(__doc__)
    line.add_argument("--rounds", type=int, default=3)
    line.add_argument("--most", type=int, default=1000)
    options = line.parse_args()
    header("problem", "n", "by", "seconds, least", "largest", "value", "bound")
    for name, (region, n, m) in PROBLEMS.items():
        c, rows = problem(region, n, m)
        f = fw.Quadratic(sp.csr_array((n, n)), c, convex=True)
        found: dict[str, Any] = {}

        def ours(f: Any = f, region: Any = region, rows: Any = rows, found: Any = found) -> None:
            result = fw.minimize(f, region, subject_to=rows, tol=TOL)
            found["multipliers"] = Found(result.fun, result.lower_bound)

        def theirs(c: Any = c, region: Any = region, rows: Any = rows, found: Any = found) -> None:
            found["columns"] = generated(c, region, rows, options.most)

        ours()  # compiled
        for by, took in by_turns({"multipliers": ours, "columns": theirs}, options.rounds).items():
            times = f"{min(took):.3g}", f"{max(took):.3g}"
            row(name, n, by, *times, f"{found[by].value:.8g}", f"{found[by].bound:.8g}")


if __name__ == "__main__":
    main()
