"""Suboptimality of every method on a panel of the figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frankwolfe.apps.paper.optimum import Optimum, find
from frankwolfe.apps.paper.setups import Setup
from frankwolfe.methods.polynomials import theorem2_bound
from frankwolfe.solver.loop import solve, uninterrupted
from frankwolfe.solver.result import Result
from frankwolfe.solver.stopping import Iterations

__all__ = ["Panel", "measure", "rounding_courses"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Panel:
    """Measurements for one panel of the figure.

    Attributes
    ----------
    setup : Setup
    optimum : Optimum
    results : dict of str to Result
        One run a method.
    smoothness, diameter : float
        L and D of Theorem 2.
    """

    setup: Setup
    optimum: Optimum
    results: dict[str, Result]
    smoothness: float
    diameter: float

    @property
    def iterations(self) -> Floats:
        """Numbers of the steps, 0 to K."""
        return self.results["FW"].history["iteration"]

    def error(self, method: str) -> Floats:
        """Errors f(x_k) - f* of a method for k = 0, ..., K."""
        return np.asarray(self.results[method].history["value"] - self.optimum.value)

    @property
    def facts(self) -> str:
        """Sentence with the optimal value and the parameters."""
        setup = self.setup
        return (
            f"f* = {self.optimum.value:.14g}, t = {setup.radius:g}, α = {setup.alpha:g}, "
            f"β = {setup.beta:g}, γ = {setup.gamma:.4g}, L = {self.smoothness:.6g}, "
            f"D = {self.diameter:g}."
        )

    def theorem2(self) -> Floats:
        """Bound of Theorem 2 at every k."""
        setup = self.setup
        return theorem2_bound(
            self.iterations, setup.alpha, setup.beta, self.smoothness, self.diameter
        )


def measure(setup: Setup, iterations: int, say: Callable[[str], None]) -> Panel:
    """Find the optimum and run every method for the same number of steps."""
    say(f"({setup.key}) optimum by cvxpy, checked by our own bounds")
    optimum = find(setup, max_iter=20_000)
    problem = setup.problem()
    results = {}
    for name, method in setup.methods().items():
        say(f"({setup.key}) {name}: {iterations:,} iterations")
        results[name] = uninterrupted(solve(problem, method, Iterations(iterations)))
    smoothness = problem.smoothness
    assert smoothness is not None
    return Panel(setup, optimum, results, smoothness, problem.diameter)


def rounding_courses(panel: Panel, method: str, runs: int) -> Floats:
    """Errors f(x_k) - f* at every step, a row for each start that differs from 0 by about 1e-15.

    The rows are equal where the mathematics determines the iterates, and differ where rounding
    does.
    """
    problem = panel.setup.problem()
    chosen, last = panel.setup.methods()[method], int(panel.iterations[-1])
    rows = []
    for seed in range(runs):
        x0 = 1e-15 * np.random.default_rng(seed).standard_normal(problem.n)
        found = uninterrupted(solve(problem, chosen, Iterations(last), x0=x0))
        rows.append(found.history["value"] - panel.optimum.value)
    return np.array(rows)
