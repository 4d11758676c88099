"""The unit of time: what one Frank-Wolfe step must cost at least, in NumPy and SciPy.

One A @ x and one A.T @ r; for completion one sweep of the entries and a sparse product pair; for
the projections one assignment, argmin or argpartition, and one axpy.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from suite.problem import Problem


def proxy(problem: Problem) -> Callable[[], object]:
    """The function to be timed."""
    rng = np.random.default_rng(0)
    if problem.cells is not None:
        return _completion(problem, rng)
    if problem.A is not None:
        A, transposed = problem.A, problem.transposed
        x, r = rng.standard_normal(A.shape[1]), rng.standard_normal(A.shape[0])
        return lambda: (A @ x, transposed @ r)
    return _projection(problem, rng)


def _completion(problem: Problem, rng: np.random.Generator) -> Callable[[], object]:
    m, (rows, columns) = problem.loss.b.size, problem.region.shape
    z, s, loss = rng.standard_normal(m), rng.standard_normal(m), problem.loss
    G = sp.csr_matrix((z, problem.cells), shape=(rows, columns))
    transposed, u, v = G.T.tocsr(), np.ones(rows), np.ones(columns)

    def once() -> object:
        r = z - loss.b
        slope = 2.0 * np.clip(r, -loss.delta, loss.delta)
        return slope, z + 1e-9 * s, G @ v, transposed @ u

    return once


def _projection(problem: Problem, rng: np.random.Generator) -> Callable[[], object]:
    n = problem.n
    if problem.region.name == "birkhoff":
        from scipy.optimize import linear_sum_assignment

        cost = rng.uniform(size=(problem.region.k, problem.region.k))
        return lambda: linear_sum_assignment(cost)
    x, g, out = rng.standard_normal(n), rng.standard_normal(n), np.empty(n)

    def axpy() -> object:
        np.multiply(x, 0.999, out=out)
        return np.add(x, out, out=out)

    if problem.region.name == "simplex":
        return lambda: (np.argmin(g), axpy())
    k = n - problem.region.k
    return lambda: (np.argpartition(np.abs(g), k), axpy())


def measure(once: Callable[[], object], seconds: float = 0.02) -> float:
    """Seconds of one call, the least of several batches."""
    began = perf_counter()
    once()
    count = max(1, int(seconds / 5 / max(perf_counter() - began, 1e-7)))
    best = np.inf
    for _ in range(5):
        began = perf_counter()
        for _ in range(count):
            once()
        best = min(best, (perf_counter() - began) / count)
    return float(best)
