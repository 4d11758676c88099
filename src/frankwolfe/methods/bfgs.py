"""Steps on a quadratic model whose Hessian is learned from the gradients seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import check_accepted
from frankwolfe.methods.second_order import ModelSteps
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.checks import at_least_one
from frankwolfe.numerics.memory import Memory
from frankwolfe.numerics.quadratics.limited import tells
from frankwolfe.numerics.scalar import Along, flat_enough

__all__ = ["Bfgs", "bfgs"]

WIDE = 500  # variables up to which a matrix is kept
DAMPED = 1e-3  # of the model's curvature along a step, the least that is learned


@dataclass(slots=True)
class Learned(Memory):
    """The BFGS matrix, and the point and gradient up to which it has learned."""

    matrix: Array
    point: Array
    slope: Array
    pairs: int = 0

    def learn(self, x: Array, g: Array) -> Array:
        """The matrix, after one more step and change of the gradient."""
        step, change = x - self.point, g - self.slope
        if tells(step, change):
            if not self.pairs:  # the first pair gives the scale
                np.fill_diagonal(self.matrix, float(change @ change) / float(step @ change))
            self._update(step, change)
            self.pairs += 1
        self.point, self.slope = x, g
        return self.matrix

    def _update(self, step: Array, change: Array) -> None:
        """BFGS; a curvature far below that of the model is taken as partly noise (Powell)."""
        known = self.matrix @ step
        form, seen = float(step @ known), float(step @ change)
        if seen < DAMPED * form:
            share = (1.0 - DAMPED) * form / (form - seen)
            change = share * change + (1.0 - share) * known
            seen = float(step @ change)
        self.matrix += np.outer(change / seen, change) - np.outer(known / form, known)
        self.matrix = 0.5 * (self.matrix + self.matrix.T)


@dataclass(frozen=True)
class Bfgs(ModelSteps):
    """See :func:`bfgs`."""

    inner_steps: int
    name: str = "BFGS FW"
    reference: str = references.QUASI_NEWTON

    def accepts(self, problem: Problem) -> str | None:
        """None for a convex f of a vector with few variables."""
        objective = problem.objective
        if not isinstance(objective.shape, int):
            return f"{self.name} works with vectors, not matrices: use hybrid() or in_face()."
        if not objective.convex:
            return f"{self.name} needs a convex objective: use frank_wolfe(ExactLineSearch())."
        if objective.n > WIDE:
            return (
                f"bfgs() keeps a matrix of {objective.n} x {objective.n}, and takes at most {WIDE} "
                "variables: use blended_pairwise() or frank_wolfe(Backtracking())."
            )
        return None

    def init(self, problem: Problem, x0: Any = None) -> State[Learned]:
        check_accepted(self, problem)
        n = problem.n
        state = self.begin(
            problem, problem.start(x0), Learned(np.eye(n), np.zeros(n), np.zeros(n))
        )
        memory = state.memory
        memory.point, memory.slope = _here(state)
        return state

    def advance(self, state: State[Learned]) -> None:
        """A step on the model; where it leads nowhere the next one would be the same."""
        super().advance(state)
        state.spent = state.step == 0.0

    def hessian(self, state: State[Learned]) -> Array:
        return state.memory.learn(*_here(state))

    def search(self, along: Along, upper: float) -> float:
        return flat_enough(along, upper)


def _here(state: State) -> tuple[Array, Array]:
    """The point and the gradient there, in double precision."""
    return np.array(state.x, dtype=np.float64), state.gradient.astype(np.float64)


def bfgs(inner_steps: int = 200) -> Bfgs:
    r"""Second-order conditional gradients without second derivatives.

    .. code-block:: text

        for k = 0, 1, ...
            H <- BFGS matrix of all steps and changes of the gradient so far
            y <- argmin over C of <g, y> + (y - x_k)' H (y - x_k) / 2
            x_{k+1} <- x_k + gamma (y - x_k)               (line search)

    A step costs a few gradients, and the model is minimized as in :func:`second_order`.

    Parameters
    ----------
    inner_steps : int
        Most steps on one model.

    References
    ----------
    M. Schmidt, E. van den Berg, M. Friedlander and K. Murphy, *Optimizing Costly Functions with
    Simple Constraints: A Limited-Memory Projected Quasi-Newton Algorithm*, AISTATS 2009;
    J. Nocedal and S. Wright, *Numerical Optimization*, 2006, chapter 18.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> w = np.geomspace(1e-3, 1e3, 20)
    >>> f = fw.Function(lambda x: -w @ np.log(x), lambda x: -w / x, domain=lambda x: x.min() > 0)
    >>> result = fw.minimize(f, fw.Simplex(), x0=np.full(20, 0.05), method=fw.bfgs(), tol=1e-6)
    >>> result.success
    True
    """
    return Bfgs(at_least_one("inner_steps", inner_steps))
