"""Methods with momentum: heavy ball, ExtraFW, PARTAN; and boosted Frank-Wolfe."""

from __future__ import annotations

from typing import Literal

from frankwolfe.base.errors import InvalidInput
from frankwolfe.methods import references
from frankwolfe.methods.assembled import FrankWolfe, with_line_search
from frankwolfe.methods.parts.base import Step
from frankwolfe.methods.parts.boosted import Boosted, Extra
from frankwolfe.methods.parts.models import AveragedTangents
from frankwolfe.methods.parts.partan import ParallelTangent
from frankwolfe.methods.parts.steps import ExactLineSearch, OpenLoop, describe

__all__ = ["boosted", "extra_fw", "heavy_ball", "partan"]

WEIGHTS = {"increasing": OpenLoop(2.0), "uniform": OpenLoop(1.0)}  # delta_k of heavy_ball


def heavy_ball(
    weighting: Literal["increasing", "uniform"] = "increasing", step: Step | None = None
) -> FrankWolfe:
    r"""Heavy-ball Frank-Wolfe: the oracle is asked for a weighted mean of past gradients.

    .. code-block:: text

        for k = 0, 1, ...           delta_k = 2/(k+2) ("increasing") or 1/(k+1) ("uniform")
            g_k     <- (1 - delta_k) g_{k-1} + delta_k grad f(x_k)
            v_k     <- argmin over C of <g_k, v>
            x_{k+1} <- x_k + delta_k (v_k - x_k)

    The gap is that of the averaged tangents, which is bounded at every step, not at the best of
    them only: by :math:`2LD^2/(k+1)` for the increasing weights, with :math:`\delta_k` or a line
    search as the step, and by :math:`LD^2 \ln(k+1)/(2k)` for the uniform ones.

    Parameters
    ----------
    weighting : {"increasing", "uniform"}
        Later gradients count more, or all count alike.
    step : Step, optional
        Another rule for the step, such as an exact line search; :math:`\delta_k` by default.

    References
    ----------
    B. Li, A. Sadeghi and G. B. Giannakis, *Heavy Ball Momentum for Conditional Gradient*,
    NeurIPS 2021, Theorems 1 and 3; Y. Zhang, B. Li and G. B. Giannakis, *Accelerating
    Frank-Wolfe with Weighted Average Gradients*, ICASSP 2021. The uniform weights are those of
    J. Abernethy and J.-K. Wang, *On Frank-Wolfe and Equilibrium Computation*, NIPS 2017.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [1.0, 2.0, 3.0], reduction="sum")
    >>> fw.minimize(f, fw.L2Ball(1.0), method=fw.methods.heavy_ball(), tol=1e-4).certified
    True
    """
    if weighting not in WEIGHTS:
        raise InvalidInput(f"weighting must be one of {', '.join(WEIGHTS)}, got {weighting!r}.")
    delta = WEIGHTS[weighting]
    name = f"heavy-ball FW ({weighting}{'' if step is None else ', ' + describe(step)})"
    return FrankWolfe(
        model=AveragedTangents(delta),
        step=delta if step is None else step,
        name=name,
        reference=references.HEAVY_BALL,
    )


def extra_fw() -> FrankWolfe:
    r"""ExtraFW: two gradients and two oracle calls a step, to predict and to correct.

    .. code-block:: text

        v_0 = x_0, g_0 = 0
        for k = 0, 1, ...                                delta_k = 2/(k+3)
            y_k     <- (1 - delta_k) x_k + delta_k v_k
            u_k     <- argmin over C of <(1 - delta_k) g_k + delta_k grad f(y_k), u>
            x_{k+1} <- (1 - delta_k) x_k + delta_k u_k
            g_{k+1} <- (1 - delta_k) g_k + delta_k grad f(x_{k+1})
            v_{k+1} <- argmin over C of <g_{k+1}, v>

    The gap is that of the averaged tangents g, a true bound. In the first step the gradient
    at y_0 = x_0 is known already. The authors' code has 2/(k+2) for the weight, so that its
    first step goes all the way to a vertex.

    References
    ----------
    B. Li, L. Wang, G. B. Giannakis and Z. Zhao, *Enhancing Parameter-Free Frank Wolfe with an
    Extra Subproblem*, AAAI 2021.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [1.0, 2.0, 3.0], reduction="sum")
    >>> fw.minimize(f, fw.L2Ball(1.0), method=fw.methods.extra_fw(), tol=1e-4).certified
    True
    """
    delta = OpenLoop(ell=2.0, delay=1.0)
    return FrankWolfe(
        model=AveragedTangents(OpenLoop(2.0), from_start=False),  # delta_{k-1} at x_k
        direction=Extra(delta),
        step=delta,
        name="ExtraFW",
        reference=references.EXTRA_FW,
    )


def partan(step: Step | None = None) -> FrankWolfe:
    r"""PARTAN: after each Frank-Wolfe step, a line search along the parallel tangent.

    .. code-block:: text

        for k = 0, 1, ...
            s_k     <- argmin over C of <grad f(x_k), s>
            y_{k+1} <- x_k + gamma_k (s_k - x_k)              by a line search
            x_{k+1} <- y_{k+1} + mu_k (y_{k+1} - x_{k-1})     by a line search, for k > 0

    The limit of the second line search is ours: the largest :math:`\mu_k` that keeps every weight
    over the start and the atoms seen >= 0, so that nothing needs to be projected. f never rises.
    It gains most where the optimum is inside the region; on its boundary, and on polytopes, it is
    little ahead of the line search alone.

    Parameters
    ----------
    step : Step, optional
        An exact line search by default.

    References
    ----------
    L. J. LeBlanc, R. V. Helgason and D. E. Boyce, *Improved Efficiency of the Frank-Wolfe
    Algorithm for Convex Network Programs*, Transportation Science 19, 1985; E. Frandi,
    R. Nanculef and J. Suykens, *A PARTAN-Accelerated Frank-Wolfe Algorithm for Large-Scale SVM
    Classification*, IJCNN 2015.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.diag([1.0, 2.0, 9.0]), [1.0, 1.0, 1.0], reduction="sum")
    >>> fw.minimize(f, fw.L2Ball(3.0), method=fw.methods.partan(), tol=1e-8).success
    True
    """
    return with_line_search("PARTAN", step, references.PARTAN, combination=ParallelTangent())


def boosted(rounds: int = 5, step: Step | None = None) -> FrankWolfe:
    r"""Boosted Frank-Wolfe: several oracle calls for a direction close to the gradient's.

    .. code-block:: text

        for k = 0, 1, ...
            d <- 0
            repeat up to `rounds` times
                r <- -grad f(x_k) - d
                v <- argmax over C of <r, v>
                d <- d + c (v - x_k),   c = <r, v - x_k> / |v - x_k|^2
                until the angle between d and -grad f(x_k) no longer improves
            x_{k+1} <- x_k + gamma d / (sum of c)

    :math:`x_k + d/\sum c` is a mixture of atoms, so a step up to 1 stays in the region. With
    one round it is Frank-Wolfe. The rounds need no further gradient: for oracles that are
    cheap beside it. The cosine of the angle must rise by 1e-3 a round, as in the authors' code,
    which allows 500 rounds; five are ours.

    Parameters
    ----------
    rounds : int
        Most oracle calls a step, the one for the gap included.
    step : Step, optional
        An exact line search by default.

    References
    ----------
    C. W. Combettes and S. Pokutta, *Boosting Frank-Wolfe by Chasing Gradients*, ICML 2020,
    Algorithm 2.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [0.6, 0.3, -0.4], reduction="sum")
    >>> fw.minimize(f, fw.Simplex(), method=fw.methods.boosted(), tol=1e-5).x.round(3) + 0.0
    array([0.65, 0.35, 0.  ])
    """
    step = ExactLineSearch() if step is None else step
    more = "" if isinstance(step, ExactLineSearch) else f", {describe(step)}"
    return FrankWolfe(
        direction=Boosted(rounds),
        step=step,
        name=f"boosted FW ({rounds} rounds{more})",
        reference=references.BOOSTED,
    )
