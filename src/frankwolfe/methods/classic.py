"""The methods of the paper: FW (Algorithm 1), JFW (Algorithm 2 and equation (8)), and AFW."""

from __future__ import annotations

from typing import Literal

from frankwolfe.base.errors import InvalidInput
from frankwolfe.methods import references
from frankwolfe.methods.assembled import FrankWolfe
from frankwolfe.methods.parts.base import Step
from frankwolfe.methods.parts.combinations import Jacobi, JacobiMomentum
from frankwolfe.methods.parts.look_back import LookBack
from frankwolfe.methods.parts.models import GradientMomentum
from frankwolfe.methods.parts.steps import OpenLoop, describe

__all__ = ["afw", "frank_wolfe", "jacobi", "jacobi_momentum"]


def frank_wolfe(step: Step | None = None) -> FrankWolfe:
    r"""The Frank-Wolfe method, Algorithm 1 of the paper.

    .. code-block:: text

        for k = 0, 1, ...
            s_k     <- argmin over C of <grad f(x_k), s>      line 3, equation (2)
            x_{k+1} <- x_k + gamma_k (s_k - x_k)              line 4
            gamma_k <- 2/(k+2)                                line 5

    With these steps :math:`f(x_k) - \min f \le 2LD^2/(k+2)` (Section 2.1).

    Parameters
    ----------
    step : Step, optional
        A rule of :mod:`frankwolfe.methods.parts.steps`; :math:`2/(k+2)` by default.

    References
    ----------
    M. Frank and P. Wolfe, *An algorithm for quadratic programming*, 1956; M. Jaggi,
    *Revisiting Frank-Wolfe*, ICML 2013.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [1.0, 2.0, 3.0], reduction="sum")
    >>> result = fw.minimize(f, fw.L2Ball(1.0), method=fw.frank_wolfe(fw.steps.ExactLineSearch()))
    >>> bool(abs(np.linalg.norm(result.x) - 1) < 1e-6)
    True
    """
    step = OpenLoop() if step is None else step
    return FrankWolfe(step=step, name=f"FW ({describe(step)})", reference=references.FRANK_WOLFE)


def jacobi(
    alpha: float | Literal["auto"] = 1.2, beta: float = 1.2, gamma: float = 2 / 3
) -> FrankWolfe:
    r"""JFW, Algorithm 2 of the paper, line by line.

    .. code-block:: text

        for k = 0, 1, ...                                     gamma_k = 2/(k+2), line 7
            s_k     <- argmin over C of <grad f(x_k), s>                         line 3
            y_{k+1} <- x_k + gamma_k (s_k - x_k)                                 line 4
            z_{k+1} <- (a_k (1-gamma) + b_k) y_{k+1} - c_k x_k                   line 5, cf. (3)
            x_{k+1} <- z_{k+1} + gamma a_k x_k                                   line 6

    with the coefficients of equation (4). Because :math:`a_k + b_k - c_k = 1` this is
    Frank-Wolfe with the step :math:`\omega_k \gamma_k`, :math:`\omega_k = a_k(1-\gamma) + b_k`:
    smaller early steps, a gain where the region is much larger than the optimum's norm. It has
    no general O(1/k^2) rate, which Theorem 2 (equation (9)) claims; see ``docs/paper.md``.

    Parameters
    ----------
    alpha, beta : float
        Parameters of the Jacobi polynomials, alpha >= beta > -1. With alpha = "auto" there are
        no parameters: gamma_k is chosen at every step, by the last gradient's slope along the
        last direction (`LookBack`), alpha = beta = -1/2, and `beta` and `gamma` are not
        used. Then :math:`\omega_k = 2(1-\gamma_k)`, the step is :math:`4(1-\gamma_k)/(k+2)`, and
        ``history.jacobi_gamma`` has the :math:`\gamma_k`.
    gamma : float
        In [0, 1].

    References
    ----------
    R. Francis and S. P. Chepuri, *Faster Rates for the Frank-Wolfe Algorithm Using Jacobi
    Polynomials*.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> A, b = fw.datasets.breast_cancer().paper()
    >>> result = fw.minimize(fw.Logistic(A, b), fw.L2Ball(50.0), method=fw.jacobi(), max_iter=100)
    >>> result.nit
    100
    >>> f, auto = fw.Logistic(A, b), fw.jacobi("auto")
    >>> other = fw.minimize(f, fw.L2Ball(50.0), method=auto, max_iter=100)
    >>> bool(other.fun < result.fun), bool(other.history.jacobi_gamma[-1] > 0.99)
    (True, True)
    """
    word: object = alpha
    if isinstance(word, str) and word != "auto":
        raise InvalidInput(f'alpha must be a number > -1 or "auto", got {word!r}.')
    if isinstance(alpha, str):
        return FrankWolfe(step=LookBack(4.0), name="JFW(auto)", reference=references.JACOBI)
    return FrankWolfe(
        combination=Jacobi(alpha, beta, gamma),
        name=f"JFW(α={alpha:g}, β={beta:g}, γ={gamma:.3g})",
        reference=references.JACOBI,
    )


def jacobi_momentum(alpha: float = 6.0, beta: float = 6.0, gamma: float = 2 / 3) -> FrankWolfe:
    r"""The second-order recursion of the paper's text, equation (8), kept in the region.

    .. code-block:: text

        for k = 0, 1, ...
            s_k     <- argmin over C of <grad f(x_k), s>
            y_{k+1} <- x_k + gamma_k (s_k - x_k),        gamma_k = 2/(k+2)
            x_{k+1} <- x_k + omega_k (y_{k+1} - x_k) + mu_k (x_k - x_{k-1})      cf. (8)

    with the largest :math:`\mu_k \le c_k` that keeps every weight over the atoms seen >= 0.
    It differs from Algorithm 2, where :math:`x_{k-1}` does not occur. On a ball with a curved
    boundary and the optimum on it, it needs no line search and is far ahead of FW, JFW and
    AFW: after 500 steps on thirteen such problems it was below 1e-12, FW at 1e-3 to 1e-7.
    On polytopes it is behind them, and in the interior no better.

    Parameters and references are those of `jacobi`; the default parameters are those
    that did well on most of these problems.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [1.0, 2.0, 3.0], reduction="sum")
    >>> result = fw.minimize(f, fw.L2Ball(1.0), method=fw.methods.jacobi_momentum(), tol=1e-8)
    >>> result.success
    True
    """
    return FrankWolfe(
        combination=JacobiMomentum(alpha, beta, gamma),
        name=f"JFW momentum(α={alpha:g}, β={beta:g}, γ={gamma:.3g})",
        reference=references.JACOBI,
    )


def afw() -> FrankWolfe:
    r"""AFW, the momentum-guided Frank-Wolfe method the paper compares with.

    .. code-block:: text

        for k = 0, 1, ...                                delta_k = 2/(k+3)
            y_k         <- (1 - delta_k) x_k + delta_k v_k
            theta_{k+1} <- (1 - delta_k) theta_k + delta_k grad f(y_k)
            v_{k+1}     <- argmin over C of <theta_{k+1}, v>
            x_{k+1}     <- (1 - delta_k) x_k + delta_k v_{k+1}

    The gap is that of the averaged tangents, a true bound.

    References
    ----------
    B. Li, M. Coutino, G. B. Giannakis and G. Leus, *A Momentum-Guided Frank-Wolfe
    Algorithm*, IEEE Transactions on Signal Processing 69, 2021.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [1.0, 2.0, 3.0], reduction="sum")
    >>> fw.minimize(f, fw.L2Ball(1.0), method=fw.afw(), tol=1e-4).certified
    True
    """
    delta = OpenLoop(ell=2.0, delay=1.0)
    return FrankWolfe(
        model=GradientMomentum(delta), step=delta, name="AFW", reference=references.AFW
    )
