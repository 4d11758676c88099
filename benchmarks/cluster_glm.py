"""A section of cluster.py: time to the same objective beside the solvers of dask-glm.

A loss over a ball has the minimizer of the loss with a penalty whose weight is the ball's
multiplier; dask-glm gets that penalty, from our most exact solution, and must come within 1e-6 of
the penalized objective there. Each of its solvers has the smallest number of iterations (doubled
until it is enough) that does; it certifies nothing. Ours must certify 1e-6, and its time includes
making the loss of the persisted arrays. They run in one process, on one cluster, by turns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from common import timed

CLOSE = 1e-6
MOST = 15.0  # seconds after which a solver is not given more iterations

SOLVERS: dict[str, dict[str, dict[str, Any]]] = {
    "l1": {
        "admm": {"abstol": 0.0, "reltol": 0.0},
        "proximal_grad": {"tol": 0.0},
    },
    "l2": {
        "admm": {"abstol": 0.0, "reltol": 0.0},
        "lbfgs": {"tol": 1e-14},
        "proximal_grad": {"tol": 0.0},
    },
    "none": {
        "newton": {"tol": 0.0},
        "lbfgs": {"tol": 1e-14},
        "gradient_descent": {"tol": 0.0},
        "admm": {"abstol": 0.0, "reltol": 0.0},
    },
}


class Task:
    """A penalty, the matching ball, and the penalized objective on one machine."""

    def __init__(self, kind: str, A: Any, b: Any) -> None:
        import frankwolfe as fw

        self.kind, self.A, self.b = kind, A, b
        here = fw.Logistic(A, b)
        free = fw.minimize(here, fw.L2Ball(100.0), tol=1e-12)
        if kind == "l1":
            self.region: Any = fw.L1Ball(0.5 * float(np.abs(free.x).sum()))
        elif kind == "l2":
            self.region = fw.L2Ball(0.5 * float(np.linalg.norm(free.x)))
        else:
            self.region = fw.L2Ball(2.0 * float(np.linalg.norm(free.x)))
        x = fw.minimize(here, self.region, tol=1e-12).x
        g = here.grad(x) * b.size
        sizes = {"l1": np.abs(g).max(), "l2": np.linalg.norm(g) / np.linalg.norm(x), "none": 0.0}
        self.weight = float(sizes[kind])
        self.best = self.penalized(x)

    def penalized(self, x: Any) -> float:
        """The sum of losses and the penalty, as dask-glm has them."""
        penalty = {"l1": np.abs(x).sum(), "l2": 0.5 * x @ x, "none": 0.0}[self.kind]
        return float(np.logaddexp(0.0, -self.b * (self.A @ x)).sum() + self.weight * penalty)

    def error(self, x: Any) -> float:
        """By how much the penalized objective is above the best, as a share of it."""
        return (self.penalized(np.asarray(x)) - self.best) / self.best


def dask_glm(quick: bool) -> list[dict[str, Any]]:
    """Seconds of each solver, best of several by turns."""
    try:
        import dask_glm.algorithms as peers
    except ImportError:
        print("dask-glm is not installed")
        return []
    import dask.array as da
    from cluster import cluster

    rng = np.random.default_rng(0)
    rows, columns = (5000, 20) if quick else (200_000, 100)
    A = rng.standard_normal((rows, columns))
    b = np.where(A[:, :10].sum(axis=1) + 3.0 * rng.standard_normal(rows) > 0.0, 1.0, -1.0)
    found = []
    with cluster(2) as client:
        data = da.from_array(A, chunks=(rows // 4, columns)).persist()
        signs = da.from_array(b, chunks=rows // 4).persist()
        labels = ((signs + 1.0) / 2.0).persist()
        client.gather(client.compute([data.sum(), labels.sum()]))
        for kind, solvers in SOLVERS.items():
            task = Task(kind, A, b)
            ours = partial(_ours, task, data, signs)
            theirs = {
                name: run
                for name, options in solvers.items()
                if (
                    run := _enough(partial(_theirs, peers, task, data, labels, name, options), task)
                )
            }
            found += _compared(task, {"frankwolfe": ours, **theirs}, 1 if quick else 3)
            missing = set(solvers) - set(theirs)
            found += [_row(task, name, np.nan, np.nan, np.nan) for name in sorted(missing)]
    return found


def _ours(task: Task, data: Any, signs: Any) -> Any:
    import frankwolfe as fw

    result = fw.minimize(fw.Logistic(data, signs), task.region, tol=CLOSE)
    assert result.success
    return result.x


def _theirs(
    peers: Any, task: Task, data: Any, labels: Any, name: str, options: Any, most: int
) -> Any:
    penalty: dict[str, Any] = {}
    if task.kind != "none":
        penalty = {"regularizer": task.kind, "lamduh": task.weight}
    elif name in ("lbfgs", "admm"):
        penalty = {"regularizer": "l2", "lamduh": 0.0}
    solve = getattr(peers, name)
    return solve(data, labels, max_iter=most, normalize=False, **penalty, **options)


def _enough(run: Callable[..., Any], task: Task) -> Callable[[], Any] | None:
    """The run with the fewest iterations, a power of two, that comes close enough."""
    most = 2
    while True:
        try:
            seconds, x = timed(partial(run, most=most))
        except Exception as error:
            print(f"dask-glm, {task.kind}: {type(error).__name__}: {error}")
            return None
        if task.error(x) <= CLOSE:
            return partial(run, most=most)
        if seconds > MOST:
            return None
        most *= 2


def _compared(task: Task, runs: dict[str, Callable[[], Any]], turns: int) -> list[dict[str, Any]]:
    best = dict.fromkeys(runs, (np.inf, np.nan))
    for _ in range(turns):
        for name, run in runs.items():
            seconds, x = timed(run)
            if seconds < best[name][0]:
                best[name] = seconds, task.error(x)
    ours = best["frankwolfe"][0]
    return [_row(task, name, *best[name], best[name][0] / ours) for name in runs]


def _row(task: Task, name: str, seconds: float, error: float, ratio: float) -> dict[str, Any]:
    return {
        "penalty": task.kind,
        "solver": name,
        "seconds": "not within 1e-6" if np.isnan(seconds) else round(seconds, 2),
        "error": "" if np.isnan(error) else f"{error:.1e}",
        "times ours": "" if np.isnan(ratio) else round(ratio, 1),
    }
