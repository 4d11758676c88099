"""Second-order conditional gradients with a BFGS matrix instead of the Hessian."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.memory import Memory
from frankwolfe.base.roots import Along, flat_enough
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import check_accepted, without_convexity
from frankwolfe.methods.second_order import ModelSteps
from frankwolfe.subproblems.quasi_newton import damped_update, tells

__all__ = ["Bfgs", "bfgs"]

MAX_VARIABLES = 500  # a matrix of n^2 numbers is kept, and a model costs up to n^3
PATIENCE = 8  # steps without progress, after which the matrix begins anew
GAP_PROGRESS = 0.9  # a step makes progress if it leaves less than this share of the gap
MODEL_ACCURACY = 0.1  # gap of the model over its fall, which may be little beside the gap of f


@dataclass(slots=True)
class Learned(Memory):
    """BFGS matrix, with the point and gradient of its last update."""

    matrix: Array
    point: Array
    slope: Array
    pairs: int = 0
    least: float = math.inf  # smallest gap so far
    stale: int = 0  # steps since f fell or the gap was smaller
    useful: bool = False  # True if a step has made progress since the matrix was made

    def forget(self, x: Array, g: Array, curvature: float) -> None:
        """Begin anew at x with `curvature` times the identity."""
        self.matrix = np.diag(np.full(x.size, curvature))
        self.point, self.slope, self.pairs = x, g, 0
        self.stale, self.useful = 0, False

    def see(self, gap: float, *, fell: bool) -> None:
        """Count the steps without progress: f did not fall, nor did the gap."""
        fell = fell or gap < GAP_PROGRESS * self.least
        self.least = min(gap, self.least)
        self.stale, self.useful = (0, True) if fell else (self.stale + 1, self.useful)

    def learn(self, x: Array, g: Array) -> Array:
        """Update the matrix by the step to x and the change of the gradient; return it."""
        step, change = x - self.point, g - self.slope
        if tells(step, change):
            if not self.pairs:  # the first pair gives the scale
                np.fill_diagonal(self.matrix, float(change @ change) / float(step @ change))
            self.matrix = damped_update(self.matrix, step, change)
            self.pairs += 1
        self.point, self.slope = x, g
        return self.matrix


@dataclass(frozen=True)
class Bfgs(ModelSteps):
    """Second-order steps by a BFGS matrix; made by :func:`~frankwolfe.methods.bfgs`."""

    inner_steps: int
    name: str = "BFGS FW"
    reference: str = references.QUASI_NEWTON

    def accepts(self, problem: Problem) -> str | None:
        """None for a convex f of few variables without second derivatives; else why not."""
        objective, refusal = problem.objective, without_convexity(self.name, problem)
        if refusal is not None:
            return refusal
        if objective.second_order is not None:
            return f"{objective!r} has second derivatives: use second_order() instead of bfgs()."
        if objective.n > MAX_VARIABLES:
            return (
                f"bfgs() keeps a matrix of {objective.n} x {objective.n}, and takes at most "
                f"{MAX_VARIABLES} variables: use blended_pairwise() or frank_wolfe(Backtracking())."
            )
        return None

    def init(self, problem: Problem, x0: Start = None) -> State[Learned]:
        check_accepted(self, problem)
        n = problem.n
        nothing = Learned(np.zeros((n, n)), np.zeros(n), np.zeros(n))
        state = self.begin(problem, problem.start(x0), nothing)
        state.memory.forget(*_here(state), _scale(state))
        return state

    def advance(self, state: State[Learned]) -> None:
        """Make a step on the model; without progress begin a new one, and in the end give up."""
        memory, before = state.memory, state.value
        super().advance(state)
        memory.see(state.model_gap, fell=state.value < before - state.rounding)
        if state.step == 0.0 or memory.stale == PATIENCE:
            state.spent = not memory.useful
            memory.forget(*_here(state), _scale(state))

    def enough(self, gap: float, fall: float) -> float:
        return min(super().enough(gap, fall), MODEL_ACCURACY * fall)

    def hessian(self, state: State[Learned]) -> Array:
        return state.memory.learn(*_here(state))

    def search(self, along: Along, upper: float) -> float:
        return flat_enough(along, upper)


def _here(state: State) -> tuple[Array, Array]:
    """Copies of the point and the gradient there, in double precision."""
    return np.array(state.x, dtype=np.float64), state.gradient.astype(np.float64)


def _scale(state: State) -> float:
    """Curvature with which f would be smallest at the oracle's atom: a start without pairs."""
    away = state.atom.dense(state.problem.n) - state.x
    return max(state.model_gap, state.rounding) / max(float(away @ away), 1e-300)


def bfgs(inner_steps: int = 200) -> Bfgs:
    r"""Second-order conditional gradients without second derivatives.

    .. code-block:: text

        for k = 0, 1, ...
            H <- BFGS matrix of all steps and changes of the gradient so far
            y <- argmin over C of <g, y> + (y - x_k)' H (y - x_k) / 2
            x_{k+1} <- x_k + gamma (y - x_k)               (line search)

    A step costs a few gradients, and the model is minimized as in `second_order`.

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
    >>> result = fw.minimize(f, fw.Simplex(), x0=np.full(20, 0.05), method="bfgs", tol=1e-6)
    >>> result.success
    True
    """
    return Bfgs(at_least_one("inner_steps", inner_steps))
