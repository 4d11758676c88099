"""One method's first steps, then another's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from frankwolfe.method import FrankWolfe, OwnSteps, check_accepted
from frankwolfe.problem import Problem
from frankwolfe.recipes import partan
from frankwolfe.second_order import SecondOrder, second_order
from frankwolfe.state import State

__all__ = ["Relay", "relay"]

LEAST = 10  # steps of the first method
SHARE = 10  # one more for each so many variables: a Hessian costs about n/2 gradients


@dataclass(frozen=True)
class Relay(OwnSteps):
    """See :func:`relay`."""

    first: FrankWolfe
    then: SecondOrder
    name: str = "PARTAN, then second-order FW"
    patience = 50

    @property
    def reference(self) -> str:  # type: ignore[override]
        """Both methods' references."""
        return f"{self.first.reference}\n\n{self.then.reference}"

    def accepts(self, problem: Problem) -> str | None:
        """None where both methods can run."""
        return self.then.accepts(problem) or self.first.accepts(problem)

    def init(self, problem: Problem, x0: Any = None) -> State:
        """The state at the start, looked at."""
        check_accepted(self, problem)
        return self.first.init(problem, x0)

    def advance(self, state: State) -> None:
        """One step of whoever's turn it is."""
        early = state.k < max(LEAST, state.problem.n // SHARE)
        (self.first if early else self.then).advance(state)


def relay() -> Relay:
    r"""PARTAN while that is quick, then second-order steps.

    .. code-block:: text

        for k = 0, 1, ..., max(10, n/10) - 1
            x_{k+1} <- a step of partan()
        for later k
            x_{k+1} <- a step of second_order()

    An easy problem ends in a few steps, each two passes over the data; a hard one, badly scaled
    or with its minimizer just on the boundary, would take first-order methods hundreds or
    thousands. The Hessian is formed only for those, when as much time has been spent as it
    costs.

    References
    ----------
    See :func:`partan` and :func:`second_order`.

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
    return Relay(partan(), second_order())
