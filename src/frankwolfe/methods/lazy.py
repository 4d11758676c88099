"""Methods that save oracle calls (lazy, blended gradients) or passes over the data (screening)."""

from __future__ import annotations

from dataclasses import replace

from frankwolfe.base.errors import InvalidInput
from frankwolfe.methods import references
from frankwolfe.methods.assembled import FrankWolfe, with_line_search
from frankwolfe.methods.parts.base import Step
from frankwolfe.methods.parts.directions import (
    Away,
    BlendedGradient,
    BlendedPairwise,
    Pairwise,
    Toward,
)
from frankwolfe.methods.parts.models import Tangent
from frankwolfe.methods.parts.oracles import Exact, Lazy
from frankwolfe.methods.parts.screening import ScreenedTangent

__all__ = [
    "blended_conditional_gradients",
    "lazy",
    "screening",
]

SCREENED = (Toward, Away, Pairwise, BlendedPairwise)  # they use the gradient at x and s alone


def lazy(method: FrankWolfe, *, cache_size: int = 500, factor: float = 2.0) -> FrankWolfe:
    r"""Make a method lazy: past atoms are tried before the region is asked.

    .. code-block:: text

        Phi = the first gap
        at each point x with gradient g
            if a known atom s has <g, x - s> >= Phi / K      go on with it
            else s <- argmin over C of <g, s>                a true call: a lower bound
                if <g, x - s> < Phi / K                      Phi <- min(<g, x - s>, Phi / 2)

    A gain where the oracle is expensive (assignments, flows, linear programs) and atoms are sparse.
    A method with an active set needs no other atom while two atoms of its own are
    :math:`\Phi / K` apart: most steps of ``lazy(blended_pairwise())`` ask nobody (Tsuji, Tanaka
    and Pokutta, Algorithm 2). The paper halves Phi where the region has nothing better; here it
    falls to the gap found, if that is less. After a cached atom the lower bound stays: the
    certified gap is f(x) minus the bound of the last true call.

    Parameters
    ----------
    method : FrankWolfe
        Any method whose model is the tangent.
    cache_size : int
        Most atoms to keep, beside those of an active set.
    factor : float
        K >= 1: a larger one accepts worse atoms and asks less often.

    References
    ----------
    G. Braun, S. Pokutta and D. Zink, *Lazifying Conditional Gradient Algorithms*, ICML 2017;
    K. K. Tsuji, K. Tanaka and S. Pokutta, *Pairwise Conditional Gradients without Swap Steps and
    Sparser Kernel Herding*, ICML 2022.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> M = np.random.default_rng(0).random(64) / 8
    >>> f = fw.SquaredError(np.eye(64), M, reduction="sum")
    >>> eager, cheap = fw.blended_pairwise(), fw.methods.lazy(fw.blended_pairwise())
    >>> both = [fw.minimize(f, fw.Birkhoff(8), method=m, tol=1e-6) for m in (eager, cheap)]
    >>> bool(abs(both[0].fun - both[1].fun) < 1e-5), both[1].nlmo < both[0].nlmo / 2
    (True, True)
    """
    if not isinstance(method, FrankWolfe):
        raise InvalidInput(
            f"lazy() takes a method made of parts such as blended_pairwise(), got {method!r}."
        )
    oracle = Lazy(cache_size, factor)
    return replace(method, oracle=oracle, name=f"lazy {method.name}", reference=references.LAZY)


def screening(method: FrankWolfe) -> FrankWolfe:
    r"""Make a method screen columns: it reads only those of A that may decide the oracle.

    .. code-block:: text

        g, r <- A' phi'(Ax), phi'(Ax)                  once, as a whole
        at each point x
            J <- columns with |a_j| |phi'(Ax) - r| too small to keep j from being the answer
            g_J <- A_J' phi'(Ax)                       the others cannot be, and are not read
            where J is more than a third of A: a whole gradient again

    Over an l1 ball or a simplex the oracle wants the largest entry of the gradient alone. Atoms
    and certificate are those of the whole gradient, up to rounding. It pays in long runs on
    dense data, where phi' moves little from step to step: on 2000 x 5000 data 1000 steps with a
    line search took an eighth of the time, 1000 pairwise steps an eleventh, and what never paid
    took 6 % more (``benchmarks/studies/screening.py``). Data in columns (``order="F"``) gain most.

    Parameters
    ----------
    method : FrankWolfe
        Frank-Wolfe, JFW, away, pairwise or blended pairwise steps, with any step rule.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> A = np.asfortranarray(np.random.default_rng(0).standard_normal((100, 300)))
    >>> f, ball = fw.SquaredError(A, A[:, 0] - A[:, 1]), fw.L1Ball(1.0)
    >>> plain, thrifty = fw.pairwise(), fw.methods.screening(fw.pairwise())
    >>> both = [fw.minimize(f, ball, method=m, tol=1e-12) for m in (plain, thrifty)]
    >>> both[0].nit == both[1].nit, bool(np.allclose(both[0].x, both[1].x, atol=1e-12))
    (True, True)
    """
    whole = isinstance(method, FrankWolfe) and isinstance(method.model, Tangent)
    if not whole or not isinstance(method.oracle, Exact):
        raise InvalidInput(
            "screening() takes a method made of parts that uses the tangent and asks the region "
            f"each time, such as frank_wolfe() or pairwise(), got {method!r}."
        )
    if not isinstance(method.direction, SCREENED):
        raise InvalidInput(
            f"screening() goes with steps toward, away from or between vertices, not with "
            f"{type(method.direction).__name__}: use frank_wolfe(), away_step() or pairwise()."
        )
    return replace(method, model=ScreenedTangent(), name=f"screening {method.name}")


def blended_conditional_gradients(
    step: Step | None = None, *, cache_size: int = 500, factor: float = 2.0
) -> FrankWolfe:
    r"""Blended conditional gradients: gradient steps in the weights, a lazy oracle beside them.

    .. code-block:: text

        for k = 0, 1, ...                              x_k = sum of lambda_a a
            c <- products of the active atoms with g
            if max c - min c >= Phi / K
                lambda <- lambda - gamma (c - mean c),     gamma <= lambda_a / (c_a - mean c)
            else
                a known atom s, or the region's, as in `lazy`:
                x_{k+1} <- x_k + gamma (s - x_k)

    The steps in the weights know the active atoms all at once, where a pairwise step knows
    two. Where the paper takes the whole step to the boundary whenever f does not rise, this
    takes the step of the line search on it. Its Phi is half of this one, so that K = 2 here is
    K = 1 there.

    Parameters
    ----------
    step : Step, optional
        An exact line search by default.
    cache_size, factor
        As in :func:`~frankwolfe.methods.lazy`.

    References
    ----------
    G. Braun, S. Pokutta, D. Tu and S. Wright, *Blended Conditional Gradients: the
    unconditioning of conditional gradients*, ICML 2019.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [0.6, 0.3, -0.4], reduction="sum")
    >>> method = fw.methods.blended_conditional_gradients()
    >>> fw.minimize(f, fw.Simplex(), method=method, tol=1e-12).x.round(6)
    array([0.65, 0.35, 0.  ])
    """
    name, oracle = "blended conditional gradients", Lazy(cache_size, factor)
    return with_line_search(
        name, step, references.BLENDED, oracle=oracle, direction=BlendedGradient()
    )
