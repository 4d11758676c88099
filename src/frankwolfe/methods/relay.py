"""PARTAN's first steps, then boosted ones at the boundary, then second-order steps."""

from __future__ import annotations

from dataclasses import dataclass

from frankwolfe.core.state import State
from frankwolfe.methods import boosted, partan
from frankwolfe.methods.chain import Chain, Planned, Stage
from frankwolfe.methods.second_order import second_order

__all__ = ["relay"]

FIRST_STEPS = 10  # steps of PARTAN before the boundary is looked at
VARIABLES_A_STEP = 10  # a Hessian is worth its cost after one step for so many variables
AT_BOUNDARY = 0.5  # of the way to the boundary, as the gradient sees it


@dataclass(frozen=True)
class _FirstStepsDone:
    """True after PARTAN's first steps."""

    def __call__(self, state: State) -> bool:
        return state.k >= FIRST_STEPS


@dataclass(frozen=True)
class _HessianPays:
    """True once as much time has been spent, about, as forming a Hessian takes."""

    def __call__(self, state: State) -> bool:
        return state.k >= max(FIRST_STEPS, state.problem.n // VARIABLES_A_STEP)


@dataclass(frozen=True)
class _AtBoundary:
    """True if x reaches about as far against the gradient as the region does."""

    def __call__(self, state: State) -> bool:
        lowest = state.above - state.model_gap  # <g, s> for the oracle's s, above for x
        return lowest < 0.0 and state.above <= AT_BOUNDARY * lowest


def relay() -> Chain:
    r"""PARTAN first; boosted steps where x is at the boundary; second-order steps in the end.

    .. code-block:: text

        for k = 0, 1, ..., 9
            x_{k+1} <- a step of partan()
        for k = 10, 11, ..., n/10 - 1
            x_{k+1} <- a step of boosted() where <g, x> was below 0.5 <g, s> at k = 10,
                       of partan() elsewhere
        for later k
            x_{k+1} <- a step of second_order(), where it takes the problem

    An easy problem ends in a few steps, each two passes over the data. Where the minimizer lies
    on a curved boundary, boosted steps need several times fewer gradients than PARTAN; inside,
    PARTAN is as good as conjugate gradients. A hard problem, badly scaled or with its minimizer
    just on the boundary, would take either hundreds or thousands: for those the Hessian is
    formed, when about as much time has been spent as it costs.

    References
    ----------
    See `partan`, `boosted` and `second_order`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> A = rng.standard_normal((200, 60)) * np.geomspace(1, 1e-3, 60)
    >>> f = fw.SquaredError(A, A @ np.ones(60))
    >>> result = fw.minimize(f, fw.L2Ball(7.0), method=fw.methods.relay(), tol=1e-10)
    >>> result.success, result.nit < 15
    (True, True)
    """
    at_boundary = Stage(
        boosted(), Planned(_HessianPays()), when=_AtBoundary(), once=True, in_place=True
    )
    stages = (
        Stage(partan(), Planned(_FirstStepsDone())),
        at_boundary,
        Stage(second_order(), when=_HessianPays(), in_place=True),
    )
    return Chain(stages, title="PARTAN relay", patience=50)
