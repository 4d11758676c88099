"""Numerical checks of the paper's algebra: Section 3's polynomials, Algorithm 2, its recursion."""

from __future__ import annotations

import numpy as np

from frankwolfe.core import Problem
from frankwolfe.datasets import breast_cancer
from frankwolfe.methods import jacobi
from frankwolfe.methods.polynomials import coefficients, evaluate, omega, weights
from frankwolfe.objectives import Logistic
from frankwolfe.regions import L2Ball

__all__ = [
    "collapse_error",
    "identity_error",
    "least_weight",
    "recurrence_error",
    "smaller_norm",
    "text_recursion_norm",
    "unrolled_error",
    "weight_sum_error",
]


def recurrence_error(alpha: float, beta: float, most: int = 1000) -> float:
    """Largest deviation of a_k + b_k - c_k from 1 for k <= `most`."""
    sums = [a + b - c for a, b, c in (coefficients(k, alpha, beta) for k in range(most + 1))]
    return float(np.abs(np.array(sums) - 1.0).max())


def least_weight(alpha: float, beta: float, most: int = 10) -> float:
    """Smallest weight θ_i of the polynomials up to degree `most`."""
    return min(float(weights(k, alpha, beta).min()) for k in range(most + 1))


def weight_sum_error(alpha: float, beta: float, most: int = 10) -> float:
    """Largest |Σ θ_i - 1| / Σ |θ_i| over degrees up to `most`."""
    found = [weights(k, alpha, beta) for k in range(most + 1)]
    return max(abs(float(w.sum()) - 1.0) / float(np.abs(w).sum()) for w in found)


def unrolled_error(alpha: float, beta: float, gamma: float, most: int = 10) -> float:
    """Largest deviation from 1 of the sum of the factors of x_0 and the atoms in (5), unrolled.

    It is relative to Σ |θ_i|. The factor of the atom s_j is γ Σ_{i>j} θ_i (1-γ)^{i-1-j}, a
    polynomial of degree k-1-j in 1-γ.
    """
    y, largest = 1.0 - gamma, 0.0
    for k in range(most + 1):
        theta = weights(k, alpha, beta)
        start = float(theta @ y ** np.arange(k + 1))
        atoms = [float(theta[j + 1 :] @ y ** np.arange(k - j)) for j in range(k)]
        off = abs(start + gamma * sum(atoms) - 1.0)
        largest = max(largest, off / float(np.abs(theta).sum()))
    return largest


def identity_error(alpha: float, beta: float, gamma: float, most: int = 10) -> float:
    """Largest deviation of p_k(1-γ) + γ Σ_{i=1..k} p_{k-i}(1-γ) from 1 for k <= `most`."""
    p = np.array([float(evaluate(k, alpha, beta, 1.0 - gamma)) for k in range(most + 1)])
    before = np.concatenate([[0.0], np.cumsum(p)[:-1]])
    return float(np.abs(p + gamma * before - 1.0).max())


def smaller_norm(
    alpha: float, beta: float, k: int = 3, points: int = 2000, *, monic: bool = False
) -> tuple[float, float]:
    """Weighted 1-norm in (7) of the Jacobi polynomial, and the smallest such norm.

    Both are taken over polynomials p of degree k with p = 1 at gamma = 0 (argument 1) or, if
    `monic`, with the leading coefficient of the Jacobi polynomial. The variable is
    x = 2 (1 - gamma) - 1, in which the Jacobi polynomials are orthogonal; the smallest norm comes
    from a linear program on Gauss-Jacobi points.
    """
    from scipy.optimize import linprog
    from scipy.special import roots_jacobi

    x, w = roots_jacobi(points, alpha, beta)
    w = w / w.sum()
    jacobi_norm = float(w @ np.abs(evaluate(k, alpha, beta, x)))
    basis = np.stack([evaluate(j, alpha, beta, x) for j in range(k + 1)], axis=1)
    cost = np.concatenate([np.zeros(k + 1), w])  # p = basis c, |p| <= t, minimize w't
    eye = np.eye(points)
    above = np.hstack([basis, -eye])
    below = np.hstack([-basis, -eye])
    fixed = np.zeros((1, k + 1 + points))
    fixed[0, k if monic else slice(k + 1)] = 1.0
    best = linprog(
        cost,
        A_ub=np.vstack([above, below]),
        b_ub=np.zeros(2 * points),
        A_eq=fixed,
        b_eq=[1.0],
        bounds=[(None, None)] * (k + 1) + [(0, None)] * points,
    )
    return jacobi_norm, float(np.asarray(best.fun))


def _problem(radius: float) -> Problem:
    return Problem(Logistic(*breast_cancer().paper()), L2Ball(radius))


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
