"""Regularized transport and Gromov-Wasserstein: ours beside POT, by turns in one run.

Quadratic regularization of costs between random places in the plane, largest cost one: the time,
and how far f is above the best lower bound of all. POT's `cg` is its conditional gradient with its
own limits, `smooth` its L-BFGS on the dual; whose plan has not the right sums pays for what it
lacks (`fw.Transport(a, b).project` of it). Then Gromov-Wasserstein between random points,
both by conditional gradients from the same start.
Run with: python benchmarks/studies/transport.py [--sizes 200x200 1000x1000] [--gromov 50 200]
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from common import header, parser, row, timed

import frankwolfe as fw

Array = np.ndarray
REGULARIZATIONS = (10.0, 1.0, 1e-1, 1e-2)


def regularized(rows: int, columns: int, *, uniform: bool, cg: bool) -> None:
    """Lines for one size: each regularization, each contestant."""
    rng = np.random.default_rng(rows + columns)
    start, end = rng.standard_normal((rows, 2)), rng.standard_normal((columns, 2))
    C = ((start[:, None] - end) ** 2).sum(axis=2)
    C /= C.max()
    a, b = (np.full(k, 1.0 / k) if uniform else rng.dirichlet(np.ones(k)) for k in (rows, columns))
    region = fw.Transport(a, b)
    for reg in REGULARIZATIONS:
        f = fw.objectives.regularized_transport(C, reg)
        timed(fw.minimize, f, region)  # compiled
        spent, result = timed(fw.minimize, f, region)
        kind = "equal" if uniform else "random"
        place, below = f"{rows} x {columns}, {kind}, reg {reg:g}", result.lower_bound
        row(place, "frankwolfe", f"{spent:.2f}", f"{result.gap / result.fun:.0e}", "certified")
        for name, solve in _others(a, b, C, reg, cg=cg).items():
            spent, plan = timed(solve)
            lacks = region.violation(plan.ravel())
            inside = plan if lacks <= 1e-12 else region.project(plan.ravel()).x
            above = (f(np.ravel(inside)) - below) / below
            row(place, name, f"{spent:.2f}", f"{above:.0e}", f"sums off by {lacks:.0e}")


def _others(
    a: Array, b: Array, C: Array, reg: float, *, cg: bool
) -> dict[str, Callable[[], Array]]:
    import ot

    def conditional() -> Array:
        def value(T: Array) -> float:
            return 0.5 * float((T * T).sum())

        return np.asarray(ot.optim.cg(a, b, C, reg, value, lambda T: T))

    def smooth(tolerance: float, most: int) -> Array:
        plan = ot.smooth.smooth_ot_dual(a, b, C, reg, "l2", stopThr=tolerance, numItermax=most)
        return np.asarray(plan)

    made = {
        "POT smooth": lambda: smooth(1e-9, 1000),
        "POT smooth, 1e-15": lambda: smooth(1e-15, 100_000),
    }
    return {"POT cg": conditional, **made} if cg else made


def gromov(n: int, seeds: int) -> None:
    """A line: times and values of all seeds."""
    contestants = {"frankwolfe": _ours, "POT": _pots}
    times: dict[str, list[float]] = {name: [] for name in contestants}
    values: dict[str, list[float]] = {name: [] for name in contestants}
    for seed in range(seeds):
        problem = _graphs(n, seed)
        for name, run in contestants.items():
            spent, value = timed(run, *problem)
            times[name].append(spent)
            values[name].append(value)
    one, other = (np.array(values[name]) for name in contestants)
    worse, better = (one > other * (1 + 1e-9) + 1e-12).sum(), (one < other * (1 - 1e-9)).sum()
    spent_by = [f"{np.median(times[name]):.2g}" for name in contestants]
    row(n, *spent_by, f"{better} / {seeds - better - worse} / {worse}")


def _ours(C1: Array, C2: Array, p: Array, q: Array) -> float:
    return float(
        fw.minimize(fw.objectives.GromovWasserstein(C1, C2), fw.Transport(p, q), tol=1e-9).fun
    )


def _pots(C1: Array, C2: Array, p: Array, q: Array) -> float:
    import ot

    limits = {"tol_rel": 1e-9, "tol_abs": 1e-9, "log": True}
    _, log = ot.gromov.gromov_wasserstein(C1, C2, p, q, "square_loss", **limits)
    return float(log["gw_dist"])


def _graphs(n: int, seed: int) -> tuple[Array, Array, Array, Array]:
    """Distances of random points in the plane and in space, and masses."""
    rng = np.random.default_rng(seed)
    points = [rng.standard_normal((k, d)) for k, d in ((n, 2), (n + n // 4, 3))]
    distances = [np.sqrt(((x[:, None] - x) ** 2).sum(axis=2)) for x in points]
    masses = [rng.dirichlet(np.ones(len(x))) for x in points]
    return distances[0], distances[1], masses[0], masses[1]


def main() -> None:
    """Print both tables."""
    line = parser(__doc__)
    line.add_argument("--sizes", nargs="*", default=["200x200", "100x400", "1000x1000"])
    line.add_argument("--gromov", nargs="*", type=int, default=[30, 100, 300])
    line.add_argument("--seeds", type=int, default=5)
    line.add_argument("--without-cg", action="store_true")
    options = line.parse_args()
    warnings.simplefilter("ignore")
    header("problem", "solver", "seconds", "relative error", "")
    for text in options.sizes:
        rows, columns = map(int, text.split("x"))
        for uniform in (True, False):
            regularized(rows, columns, uniform=uniform, cg=not options.without_cg)
    print()
    header("n", "frankwolfe, s", "POT, s", "values lower / the same / higher")
    fw.minimize(fw.objectives.GromovWasserstein(np.eye(2), np.eye(2)), fw.Transport([1, 1], [1, 1]))
    for n in options.gromov:
        gromov(n, options.seeds)


if __name__ == "__main__":
    main()
