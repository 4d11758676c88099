"""Conjugate and biconjugate Frank-Wolfe, by second derivatives in the image."""

from __future__ import annotations

from frankwolfe.methods import references
from frankwolfe.methods.assembled import FrankWolfe, with_line_search
from frankwolfe.methods.parts.base import Step
from frankwolfe.methods.parts.conjugate import Biconjugate, Conjugate

__all__ = ["biconjugate_fw", "conjugate_fw"]


def conjugate_fw(step: Step | None = None, least: float = 0.01) -> FrankWolfe:
    r"""Conjugate Frank-Wolfe: each direction is conjugate to the one before.

    .. code-block:: text

        for k = 0, 1, ...                       H_k = the second derivatives of f at x_k
            y_k     <- argmin over C of <grad f(x_k), y>
            e, d    <- y_k - x_k,  s_{k-1} - x_k                                     (1)
            alpha   <- <d, H_k e> / <d, H_k (e - d)>,  cut to [0, 1 - delta]         (2)
            s_k     <- alpha s_{k-1} + (1 - alpha) y_k                               (3)
            x_{k+1} <- x_k + gamma_k (s_k - x_k)        gamma_k <= 1 by a line search

    The target :math:`s_k` lies in the region, as all targets do. Where nothing is cut,
    :math:`\langle s_k - x_k, H_k (s_{k-1} - x_k) \rangle = 0`: with the quadratic model at
    :math:`x_k`, a step does not spoil what the last one has gained, where steps of Frank-Wolfe
    near a face go to and fro. The first step, one after a step of 1, and one where f does not
    bend along d are those of Frank-Wolfe. A step costs what one of Frank-Wolfe does, and one more
    pass over the image; of the past it keeps one point.

    The gap is that of :math:`y_k`, as in Frank-Wolfe, and certified.

    Parameters
    ----------
    step : Step, optional
        An exact line search by default.
    least : float
        :math:`\delta`, the smallest weight of :math:`y_k`; with 1 it is Frank-Wolfe.

    References
    ----------
    M. Mitradjieva and P. O. Lindberg, *The Stiff Is Moving: Conjugate Direction Frank-Wolfe
    Methods with Applications to Traffic Assignment*, Transportation Science 47, 2013;
    M. Daneva and P. O. Lindberg, *A Conjugate Direction Frank-Wolfe Method with Applications to
    the Traffic Assignment Problem*, Operations Research Proceedings 2002.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.diag([1.0, 2.0, 9.0]), [0.5, 0.5, 3.0], reduction="sum")
    >>> fw.minimize(f, fw.Simplex(), method=fw.methods.conjugate_fw(), tol=1e-5).x.round(3)
    array([0.434, 0.233, 0.333])
    """
    return with_line_search("conjugate FW", step, references.CONJUGATE, direction=Conjugate(least))


def biconjugate_fw(step: Step | None = None, least: float = 0.01) -> FrankWolfe:
    r"""Biconjugate Frank-Wolfe: each direction is conjugate to the two before.

    .. code-block:: text

        for k = 0, 1, ...                       H_k = the second derivatives of f at x_k
            y_k     <- argmin over C of <grad f(x_k), y>
            e, d    <- y_k - x_k,  s_{k-1} - x_k
            c       <- gamma_{k-1} s_{k-1} + (1 - gamma_{k-1}) s_{k-2} - x_k         (4)
            mu      <- -<c, H_k e> / <c, H_k (s_{k-2} - s_{k-1})>,  or 0 if less     (5)
            nu      <- mu gamma_{k-1} / (1 - gamma_{k-1}) - <d, H_k e> / <d, H_k d>,
                       or 0 if less                                                  (6)
            s_k     <- (y_k + nu s_{k-1} + mu s_{k-2}) / (1 + nu + mu)               (7)
            x_{k+1} <- x_k + gamma_k (s_k - x_k)        gamma_k <= 1 by a line search

    d and c have the directions of the last two steps. The first step, and one after a step of 1,
    is that of Frank-Wolfe, the next that of `conjugate_fw`. As there, the weight of
    :math:`y_k` in (7) is at least :math:`\delta`; a ratio whose divisor is not positive counts
    as 0, and where the mixture is no way down the step is that of Frank-Wolfe.

    Parameters and references are those of `conjugate_fw`; of the past it keeps two points.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.diag([1.0, 2.0, 9.0]), [0.5, 0.5, 3.0], reduction="sum")
    >>> fw.minimize(f, fw.Simplex(), method=fw.methods.biconjugate_fw(), tol=1e-5).x.round(3)
    array([0.434, 0.233, 0.333])
    """
    return with_line_search(
        "biconjugate FW", step, references.CONJUGATE, direction=Biconjugate(least)
    )
