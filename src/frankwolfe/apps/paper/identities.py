"""Algorithm 2 as plain Frank-Wolfe steps, and the recursion of the paper's text without a guard."""

from __future__ import annotations

import numpy as np

from frankwolfe import datasets
from frankwolfe.core.problem import Problem
from frankwolfe.methods import jacobi
from frankwolfe.methods.polynomials import coefficients, omega
from frankwolfe.objectives import Logistic
from frankwolfe.regions import L2Ball

__all__ = ["collapse_error", "text_recursion_norm"]


def _problem(radius: float) -> Problem:
    return Problem(Logistic(*datasets.breast_cancer().paper()), L2Ball(radius))


def collapse_error(alpha: float, beta: float, gamma: float, steps: int = 1000) -> float:
    """Largest relative distance, in lockstep, of Algorithm 2 from FW with step ω_k γ_k.

    Both start each step from one point, so that rounding does not pile up.
    """
    problem = _problem(50.0)
    method = jacobi(alpha, beta, gamma)
    state = method.init(problem)
    largest = 0.0
    for k in range(steps):
        x, s = state.x, state.atom.dense(problem.n)
        step = omega(k, alpha, beta, gamma) * 2.0 / (k + 2)
        expected = x + step * (s - x)
        method.advance(state)
        scale = float(np.linalg.norm(x) + step * np.linalg.norm(s)) or 1.0
        largest = max(largest, float(np.linalg.norm(state.x - expected)) / scale)
    return largest


def text_recursion_norm(
    alpha: float = 1.2, beta: float = 1.2, gamma: float = 2 / 3, steps: int = 1000
) -> float:
    """Largest |x_k| / t that the unguarded recursion with x_{k-1} reaches for t = 1."""
    problem = _problem(1.0)
    x = before = problem.start()
    largest = 0.0
    for k in range(steps):
        s = problem.region.lmo(problem.objective.grad(x)).dense(problem.n)
        y = x + 2.0 / (k + 2) * (s - x)
        a, b, c = coefficients(k, alpha, beta)
        z = (a * (1.0 - gamma) + b) * y - c * before  # the text's z_{k+1}
        # its correction: the weights must sum to one again
        x, before = z + (1.0 - (a * (1.0 - gamma) + b) + c) * x, x
        largest = max(largest, float(np.linalg.norm(x)))
    return largest
