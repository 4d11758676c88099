"""Everyday functions, each beside what one would write or call instead.

Each line has the seconds of both, medians of a few rounds by turns, and how good both answers are.
Run with: python benchmarks/studies/everyday.py [SECTION ...] [--rounds 5]
Sections: project, min_norm, enclosing_ball, quadratic_assignment, optimal_design, herd.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np
from common import by_turns, header, parser, row
from everyday_peers import herded, max_distance, multiplicative, naive_min_norm, ritter
from scipy.optimize import quadratic_assignment as scipy_assignment

import frankwolfe as fw

Call = Callable[[], Any]


def compare(name: str, ours: Call, other: Call, good: Callable[[Any], str], rounds: int) -> None:
    """A line of the table."""
    a, b = ours(), other()
    times = by_turns({"ours": ours, "other": other}, rounds)
    mine, theirs = (float(np.median(times[key])) for key in ("ours", "other"))
    row(name, f"{1e3 * mine:.2f}", f"{1e3 * theirs:.2f}", f"{theirs / mine:.1f}", good(a), good(b))


def solved(problem: cp.Problem, variable: cp.Variable, value: Any = None, **options: Any) -> Any:
    """The value of a variable of CVXPY's, where the problem is solved again each time."""
    if value is not None:
        problem.parameters()[0].value = value
    problem.solve(solver="CLARABEL", **options)
    return variable.value


def project(rounds: int) -> None:
    """The nearest point, beside CVXPY and Clarabel with the point as a parameter."""
    rng = np.random.default_rng(0)
    hull = rng.standard_normal((100, 20))
    w = cp.Variable(100, nonneg=True)
    cases: list[tuple[str, Any, Any, Callable[[Any], list[Any]]]] = [
        ("L1Ball, n = 1000", fw.L1Ball(5.0), 1000, lambda x: [cp.norm1(x) <= 5]),
        ("Simplex, n = 1000", fw.Simplex(), 1000, lambda x: [x >= 0, cp.sum(x) == 1]),
        (
            "Birkhoff, 30 x 30", fw.Birkhoff(30), (30, 30),
            lambda x: [x >= 0, cp.sum(x, axis=0) == 1, cp.sum(x, axis=1) == 1],
        ),
        ("LpBall(3), n = 200", fw.LpBall(3.0, 2.0), 200, lambda x: [cp.norm(x, 3) <= 2]),
        (
            "ConvexHull, 100 points in 20", fw.ConvexHull(hull), 20,
            lambda x: [x == hull.T @ w, cp.sum(w) == 1],
        ),
    ]  # fmt: skip
    header("nearest point", "ours, ms", "cvxpy, ms", "times", "distance", "cvxpy's")
    for name, region, shape, constraints in cases:
        p = rng.standard_normal(shape)
        x, parameter = cp.Variable(shape), cp.Parameter(shape)
        program = cp.Problem(cp.Minimize(cp.sum_squares(x - parameter)), constraints(x))

        def ours(p: Any = p, region: Any = region) -> Any:
            return fw.project(p, region).x

        def other(p: Any = p, program: Any = program, x: Any = x) -> Any:
            return solved(program, x, p)

        def good(found: Any, p: Any = p) -> str:
            return f"{np.linalg.norm(found - p):.9g}"

        compare(name, ours, other, good, rounds)
    # the last again, as the point of smallest norm among the differences
    compare("the same by min_norm", lambda: p + fw.min_norm(hull - p).x, other, good, rounds)


def min_norm(rounds: int) -> None:
    """The point of smallest norm, beside the loop that multi-task code carries along."""
    header("smallest norm, m x n", "ours, ms", "loop, ms", "times", "relative gap", "loop's")
    for m, n in ((2, 10**5), (3, 10**5), (10, 10**5), (50, 10**5), (10, 100), (50, 100)):
        rng = np.random.default_rng(m)
        G = rng.standard_normal((m, n)) + rng.standard_normal(n)

        def good(w: Any, G: Any = G) -> str:
            x = w @ G
            return f"{max(x @ x - (G @ x).min(), 0.0) / (x @ x):.0e}"

        compare(
            f"{m} x {n:,}",
            lambda G=G: fw.min_norm(G).weights,
            lambda G=G: naive_min_norm(G),
            good,
            5 * rounds,
        )


def enclosing_ball(rounds: int) -> None:
    """The smallest ball, beside a cone program and Ritter's rule of thumb."""
    header("smallest ball, n x d", "ours, ms", "other, ms", "times", "radius", "other's")
    for n, d in ((100, 2), (1000, 3), (1000, 30)):
        X = np.random.default_rng(d).standard_normal((n, d))
        c, r = cp.Variable((1, d)), cp.Variable()
        program = cp.Problem(cp.Minimize(r), [cp.norm(X - np.ones((n, 1)) @ c, 2, axis=1) <= r])
        compare(
            f"{n:,} x {d}, Clarabel",
            lambda X=X: max_distance(X, fw.enclosing_ball(X).center),
            lambda X=X, program=program, c=c: max_distance(X, solved(program, c)[0]),
            "{:.9f}".format,
            rounds,
        )
    for n, d in ((10**6, 3), (10**5, 50), (2000, 1000)):
        X = np.random.default_rng(d).standard_normal((n, d))
        compare(
            f"{n:,} x {d}, Ritter",
            lambda X=X: fw.enclosing_ball(X).radius,
            lambda X=X: ritter(X),
            "{:.9f}".format,
            rounds,
        )


def instance(kind: str, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Two matrices for quadratic assignment, the sum of which is to be small."""
    if kind == "random":
        A, B = rng.integers(0, 100, (2, n, n)).astype(float)
        return A + A.T, B + B.T
    if kind == "grid and flows":
        side = int(np.sqrt(n))
        at = np.array([(i, j) for i in range(side) for j in range(side)], dtype=float)
        flows = rng.integers(0, 10, (len(at),) * 2) * (rng.random((len(at),) * 2) < 0.3)
        return np.abs(at[:, None] - at).sum(axis=2), (flows + flows.T).astype(float)
    A = np.triu(rng.random((n, n)) < 0.3, 1)
    A, change = A | A.T, np.triu(rng.random((n, n)) < 0.05, 1)
    order = rng.permutation(n)
    B = (A ^ (change | change.T))[order][:, order]
    return -A.astype(float), B.astype(float)  # a graph in a disturbed copy


def quadratic_assignment(rounds: int) -> None:
    """Sums over ten instances, beside scipy's FAQ."""

    def shuffled(A: Any, B: Any) -> float:
        return float(scipy_assignment(A, B, options={"rng": np.random.default_rng(0)}).fun)

    header("assignment, ten instances", "ours, ms", "scipy, ms", "times", "mean sum", "scipy's")
    for kind in ("random", "grid and flows", "graph and copy"):
        for n in (16, 49, 100, 225):
            rng = np.random.default_rng(n)
            pairs = [instance(kind, n, rng) for _ in range(10)]
            compare(
                f"{kind}, n = {n}",
                lambda pairs=pairs: np.mean([fw.quadratic_assignment(*p).fun for p in pairs]),
                lambda pairs=pairs: np.mean([shuffled(*p) for p in pairs]),
                "{:.6g}".format,
                max(rounds // 2, 1),
            )


def optimal_design(rounds: int) -> None:
    """D-optimal designs beside a multiplicative algorithm, and a cone program where n is small."""
    header("D-optimal, n x p", "ours, ms", "other, ms", "times", "log det", "other's")
    for n, p in ((200, 3), (1000, 6), (5000, 10), (2000, 30), (100_000, 5)):
        X = np.random.default_rng(p).standard_normal((n, p))

        def good(w: Any, X: Any = X) -> str:
            return f"{np.linalg.slogdet(X.T @ (w[:, None] * X))[1]:.6f}"

        compare(
            f"{n:,} x {p}, multiplicative",
            lambda X=X: fw.optimal_design(X, tol=1e-4).weights,
            lambda X=X: multiplicative(X, 1e-4),
            good,
            1 if n > 10**4 else rounds,
        )
        if n > 1000:
            continue
        w = cp.Variable(n, nonneg=True)
        goal = cp.Maximize(cp.log_det(X.T @ cp.diag(w) @ X))
        program = cp.Problem(goal, [cp.sum(w) == 1])
        compare(
            f"{n:,} x {p}, Clarabel",
            lambda X=X: fw.optimal_design(X).weights,
            lambda program=program, w=w: solved(program, w),
            good,
            1,
        )


def herd(rounds: int) -> None:
    """Fifty points of many, beside the same loop on the whole kernel matrix."""
    header("herding, m points", "ours, ms", "loop, ms", "times", "MMD", "loop's")
    for m in (500, 2000, 5000):
        X = np.random.default_rng(m).standard_normal((m, 3))
        compare(
            f"{m:,}",
            lambda X=X: fw.herd(X, 50, bandwidth=2.0).mmd[-1],
            lambda X=X: herded(X, 50, 2.0),
            "{:.9f}".format,
            rounds,
        )


SECTIONS = (project, min_norm, enclosing_ball, quadratic_assignment, optimal_design, herd)


def main() -> None:
    """Print the tables."""
    names = [section.__name__ for section in SECTIONS]
    line = parser(__doc__)
    line.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(names))
    line.add_argument("--rounds", type=int, default=5)
    options = line.parse_args()
    if unknown := set(options.sections) - set(names):
        line.error(f"no section {', '.join(sorted(unknown))}: {', '.join(names)}")
    for section in SECTIONS:
        if not options.sections or section.__name__ in options.sections:
            section(options.rounds)
            print()


if __name__ == "__main__":
    main()
