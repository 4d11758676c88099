r"""Jacobi polynomials as the paper uses them, scaled so that :math:`J_k(1) = 1`.

Equation numbers are those of R. Francis and S. P. Chepuri, *Faster Rates for the
Frank-Wolfe Algorithm Using Jacobi Polynomials*: (3) is the recurrence, (4) its
coefficients, (5) the combination of all past iterates.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput

T = TypeVar("T", float, NDArray[np.float64])

__all__ = [
    "check_parameters",
    "coefficients",
    "evaluate",
    "omega",
    "omegas",
    "theorem2_bound",
    "weights",
]


def check_parameters(alpha: float, beta: float, gamma: float = 0.0) -> tuple[float, float, float]:
    """Check that alpha >= beta > -1 and that gamma lies in [0, 1], as Algorithm 2 asks."""
    alpha = number("alpha", alpha, above=-1.0)
    beta = number("beta", beta, above=-1.0)
    gamma = number("gamma", gamma, low=0.0, high=1.0)
    if alpha > 1e100:
        raise InvalidInput(f"alpha must be at most 1e100, got {alpha:g}.")
    if beta > alpha:
        raise InvalidInput(
            f"beta must not exceed alpha (Algorithm 2 asks alpha >= beta > -1), "
            f"got alpha={alpha:g}, beta={beta:g}."
        )
    return alpha, beta, gamma


def coefficients(k: int, alpha: float, beta: float) -> tuple[float, float, float]:
    r"""Coefficients :math:`a_k, b_k, c_k` of the recurrence, equation (4).

    They satisfy :math:`a_k + b_k - c_k = 1`, so that every :math:`J_k(1) = 1`.

    Parameters
    ----------
    k : int
        Degree, k >= 0.
    alpha, beta : float
        Parameters of the weight :math:`(1-x)^\alpha (1+x)^\beta`, both > -1.

    Returns
    -------
    a, b, c : float

    Examples
    --------
    >>> from frankwolfe import polynomials
    >>> polynomials.coefficients(1, 0.0, 0.0)          # Legendre: (3 x^2 - 1) / 2
    (1.5, 0.0, 0.5)
    """
    if k < 0 or not (alpha > -1.0 and beta > -1.0):
        raise InvalidInput(f"k >= 0 and alpha, beta > -1 are needed, got {k}, {alpha}, {beta}.")
    if k == 0:  # below equation (4)
        return (alpha + beta + 2) / (2 * (1 + alpha)), (alpha - beta) / (2 * (1 + alpha)), 0.0
    return _coefficients(k, alpha, beta)


def _coefficients(k: T, alpha: float, beta: float) -> tuple[T, T, T]:
    """Coefficients a_k, b_k, c_k of equation (4), for one k >= 1 or an array of them."""
    tau = k + alpha + beta + 1
    a = (tau + k) * (tau + k + 1) / (2 * tau * (tau - beta))  # (4), first line
    b = (tau + k) * (alpha**2 - beta**2) / (2 * tau * (tau - beta) * (tau + k - 1))  # second
    c = k * (k + beta) * (tau + k + 1) / (tau * (tau - beta) * (tau + k - 1))  # third
    return a, b, c


def omega(k: int, alpha: float, beta: float, gamma: float) -> float:
    r"""The weight :math:`\omega_k = a_k (1-\gamma) + b_k` of Algorithm 2, line 5.

    Examples
    --------
    >>> from frankwolfe import polynomials
    >>> round(polynomials.omega(0, 1.2, 1.2, 2 / 3), 4)
    0.3333
    """
    a, b, _ = coefficients(k, alpha, beta)
    return a * (1.0 - gamma) + b


def omegas(k: ArrayLike, alpha: float, beta: float, gamma: float) -> NDArray[np.float64]:
    r"""The weights :math:`\omega_k` for many k >= 1, the same bits as :func:`omega` gives.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe import polynomials
    >>> polynomials.omegas(np.arange(1.0, 4.0), 1.2, 1.2, 2 / 3).round(4)
    array([0.4091, 0.4568, 0.4896])
    """
    k = np.asarray(k, dtype=np.float64)
    if k.size and k.min() < 1.0:
        raise InvalidInput(f"k >= 1 is needed, got {k.min():g}: use omega for k = 0.")
    a, b, _ = _coefficients(k, alpha, beta)
    return np.asarray(a * (1.0 - gamma) + b)


def evaluate(k: int, alpha: float, beta: float, x: ArrayLike) -> NDArray[np.float64]:
    r"""Values of the polynomial :math:`J_k` at `x`, by the recurrence (3).

    Examples
    --------
    >>> from frankwolfe import polynomials
    >>> float(polynomials.evaluate(2, 0.0, 0.0, 0.0))
    -0.5
    """
    x = np.asarray(x, dtype=np.float64)
    before, now = np.zeros_like(x), np.ones_like(x)  # J_{-1} = 0, J_0 = 1
    for j in range(k):
        a, b, c = coefficients(j, alpha, beta)
        before, now = now, (a * x + b) * now - c * before  # (3)
    return now


def weights(k: int, alpha: float, beta: float) -> NDArray[np.float64]:
    r"""Combination weights :math:`\theta_0, \ldots, \theta_k` of Theorem 1, equation (5).

    They are the coefficients of :math:`J_k(\lambda) = \sum_i \theta_i \lambda^i`, so they
    sum to one. The paper also asks for :math:`\theta_i \in [0, 1]`; for a Jacobi
    polynomial of degree two or more that fails, as the example shows. The weights grow
    geometrically with k and lose all digits beyond k of about 40: use :func:`evaluate`
    there.

    Examples
    --------
    >>> from frankwolfe import polynomials
    >>> polynomials.weights(2, 0.0, 0.0)
    array([-0.5,  0. ,  1.5])
    """
    coefficients(k, alpha, beta)  # for its checks
    before, now = np.zeros(k + 1), np.zeros(k + 1)
    now[0] = 1.0
    for j in range(k):
        a, b, c = coefficients(j, alpha, beta)
        shifted = np.roll(now, 1)  # multiplication by lambda; the last entry is still zero
        before, now = now, a * shifted + b * now - c * before  # (3), coefficient by coefficient
    return now


def theorem2_bound(
    k: ArrayLike, alpha: float, beta: float, smoothness: float, diameter: float
) -> NDArray[np.float64]:
    r"""Theorem 2's bound :math:`|\alpha/\beta| \, 4LD^2 / ((k+1)(k+2))`.

    It is infinite at beta = 0. The bound is *not* true for every compact convex set:
    ``frankwolfe reproduce audit`` shows a simplex on which no method can meet it.

    Examples
    --------
    >>> from frankwolfe import polynomials
    >>> float(polynomials.theorem2_bound(1, 1.2, 1.2, smoothness=3.0, diameter=1.0))
    2.0
    """
    k = np.asarray(k, dtype=np.float64)
    ratio = abs(alpha / beta) if beta != 0 else np.inf
    return np.asarray(ratio * 4.0 * smoothness * diameter**2 / ((k + 1.0) * (k + 2.0)))
