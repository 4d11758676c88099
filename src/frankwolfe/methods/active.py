"""Away-step and pairwise methods, which converge linearly over polytopes."""

from __future__ import annotations

from frankwolfe.methods import references
from frankwolfe.methods.assembled import FrankWolfe, with_line_search
from frankwolfe.methods.parts.base import Step
from frankwolfe.methods.parts.directions import Away, BlendedPairwise, Pairwise
from frankwolfe.methods.parts.faces import FacePairwise

__all__ = ["away_step", "blended_pairwise", "decomposition_invariant", "pairwise"]


def away_step(step: Step | None = None) -> FrankWolfe:
    r"""Frank-Wolfe with away steps: linear convergence over polytopes.

    .. code-block:: text

        for k = 0, 1, ...                              x_k = sum of lambda_a a
            s <- argmin over C of <g, s>,   a <- argmax over active atoms of <g, a>
            if <g, x_k - s> >= <g, a - x_k>
                d <- s - x_k,   gamma_max = 1
            else
                d <- x_k - a,   gamma_max = lambda_a / (1 - lambda_a)
            x_{k+1} <- x_k + gamma d

    Parameters
    ----------
    step : Step, optional
        An exact line search by default.

    References
    ----------
    J. Guelat and P. Marcotte, *Some comments on Wolfe's away step*, 1986; S. Lacoste-Julien
    and M. Jaggi, *On the Global Linear Convergence of Frank-Wolfe Optimization Variants*,
    NeurIPS 2015, Algorithm 1.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [0.6, 0.3, -0.4], reduction="sum")
    >>> result = fw.minimize(f, fw.Simplex(), method=fw.methods.away_step(), tol=1e-12)
    >>> result.x.round(6)
    array([0.65, 0.35, 0.  ])
    """
    return with_line_search("away-step FW", step, references.AWAY, direction=Away())


def pairwise(step: Step | None = None) -> FrankWolfe:
    r"""Pairwise Frank-Wolfe: weight goes from the worst active atom to the new one.

    .. code-block:: text

        for k = 0, 1, ...                              x_k = sum of lambda_a a
            s <- argmin over C of <g, s>,   a <- argmax over active atoms of <g, a>
            x_{k+1} <- x_k + gamma (s - a),            gamma <= lambda_a

    Algorithm 2 of Lacoste-Julien and Jaggi; parameters and references are those of
    :func:`~frankwolfe.methods.away_step`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [0.6, 0.3, -0.4], reduction="sum")
    >>> fw.minimize(f, fw.Simplex(), method=fw.pairwise(), tol=1e-12).x.round(6)
    array([0.65, 0.35, 0.  ])
    """
    return with_line_search("pairwise FW", step, references.AWAY, direction=Pairwise())


def blended_pairwise(step: Step | None = None) -> FrankWolfe:
    r"""Blended pairwise conditional gradients: pairwise steps among active atoms only.

    .. code-block:: text

        for k = 0, 1, ...                              x_k = sum of lambda_a a
            s <- argmin over C of <g, s>
            a, t <- argmax, argmin over active atoms of <g, .>
            if <g, a - t> >= <g, x_k - s>
                x_{k+1} <- x_k + gamma (t - a),        gamma <= lambda_a
            else
                x_{k+1} <- x_k + gamma (s - x_k)

    Parameters
    ----------
    step : Step, optional
        An exact line search by default.

    References
    ----------
    K. K. Tsuji, K. Tanaka and S. Pokutta, *Pairwise Conditional Gradients without Swap Steps
    and Sparser Kernel Herding*, ICML 2022, Algorithm 1.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [0.6, 0.3, -0.4], reduction="sum")
    >>> fw.minimize(f, fw.Simplex(), method=fw.blended_pairwise(), tol=1e-12).x.round(6)
    array([0.65, 0.35, 0.  ])
    """
    name, reference = "blended pairwise FW", references.BLENDED_PAIRWISE
    return with_line_search(name, step, reference, direction=BlendedPairwise())


def decomposition_invariant(step: Step | None = None) -> FrankWolfe:
    r"""Decomposition-invariant conditional gradients: pairwise steps without an active set.

    .. code-block:: text

        for k = 0, 1, ...
            s <- argmin over C of <g, s>
            a <- argmax of <g, a> over the vertices of the smallest face of C that holds x_k
            x_{k+1} <- x_k + gamma (s - a),            gamma as large as C allows, at most

    It stores x alone. The step is the line search that the paper offers beside steps of powers of
    two; its proof of a linear rate is for the latter. The region must know its faces: simplices,
    the l1 ball, boxes, hypersimplices, :class:`~frankwolfe.KSparse`,
    :class:`~frankwolfe.Birkhoff`, and products of them.

    Parameters
    ----------
    step : Step, optional
        An exact line search by default.

    References
    ----------
    D. Garber and O. Meshi, *Linear-Memory and Decomposition-Invariant Linearly Convergent
    Conditional Gradient Algorithm for Structured Polytopes*, NIPS 2016; M. A. Bashiri and
    X. Zhang, *Decomposition-Invariant Conditional Gradient for General Polytopes with Line
    Search*, NIPS 2017.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [0.6, 0.3, -0.4], reduction="sum")
    >>> fw.minimize(f, fw.Simplex(), method="decomposition_invariant", tol=1e-12).x.round(6)
    array([0.65, 0.35, 0.  ])
    """
    name, reference = "decomposition-invariant FW", references.DECOMPOSITION_INVARIANT
    return with_line_search(name, step, reference, direction=FacePairwise())
