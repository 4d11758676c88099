"""One method's first steps, then another's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from frankwolfe.base.memory import Memory
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods import boosted, partan
from frankwolfe.methods.base import OwnSteps, check_accepted
from frankwolfe.methods.frank_wolfe import FrankWolfe
from frankwolfe.methods.parts.base import Memories
from frankwolfe.methods.second_order import SecondOrder, second_order

__all__ = ["Relay", "relay"]

LEAST = 10  # steps of the first method
SHARE = 10  # a Hessian is worth its cost after one step for so many variables
NEAR = 0.5  # of the way to the boundary, as the gradient sees it


@dataclass(slots=True)
class _Legs(Memory):
    """What the first methods remember, and who goes on; nobody has been chosen before."""

    first: Memories
    around: Memories
    made: bool = False
    boundary: bool = False


@dataclass(frozen=True)
class Relay(OwnSteps):
    """See :func:`relay`."""

    first: FrankWolfe
    around: FrankWolfe
    last: SecondOrder
    name: str = "PARTAN relay"
    patience = 50

    @property
    def reference(self) -> str:  # type: ignore[override]
        """The references of all three."""
        return "\n\n".join(one.reference for one in (self.first, self.around, self.last))

    def accepts(self, problem: Problem) -> str | None:
        """None where the first methods can run; the last one need not."""
        return self.first.accepts(problem) or self.around.accepts(problem)

    def init(self, problem: Problem, x0: Any = None) -> State[_Legs]:
        check_accepted(self, problem)
        memory = _Legs(self.first.memory(problem), self.around.memory(problem))
        return self.first.begin(problem, x0, memory.first, memory)

    def advance(self, state: State[_Legs]) -> None:
        """One step of whoever's turn it is."""
        memory = state.memory
        if state.k >= LEAST and not memory.made:
            memory.made, memory.boundary = True, _at_boundary(state)
        late = state.k >= max(LEAST, state.problem.n // SHARE)
        if late and self.last.accepts(state.problem) is None:
            self.last.advance(state)
        elif memory.boundary:
            self.around.advance(state, memory.around)
        else:
            self.first.advance(state, memory.first)


def _at_boundary(state: State) -> bool:
    """Whether x reaches about as far against the gradient as the region does."""
    lowest = state.above - state.model_gap  # <g, s> for the oracle's s, above for x
    return lowest < 0.0 and state.above <= NEAR * lowest


def relay() -> Relay:
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
    See :func:`partan`, :func:`boosted` and :func:`second_order`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> A = rng.standard_normal((200, 60)) * np.geomspace(1, 1e-3, 60)
    >>> f = fw.SquaredError(A, A @ np.ones(60))
    >>> result = fw.minimize(f, fw.L2Ball(7.0), method=fw.relay(), tol=1e-10)
    >>> result.success, result.nit < 15
    (True, True)
    """
    return Relay(partan(), boosted(), second_order())
