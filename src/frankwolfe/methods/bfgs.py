"""Steps on a quadratic model whose Hessian is learned from the gradients seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.memory import Memory
from frankwolfe.base.roots import Along, flat_enough
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import check_accepted, without_convexity
from frankwolfe.methods.second_order import ModelSteps
from frankwolfe.subproblems.quadratics.limited import tells

__all__ = ["Bfgs", "bfgs"]

WIDE = 500  # variables up to which a matrix is kept
PATIENCE = 8  # steps that lead nowhere
LESS = 0.9  # of the gap, what a step leaves that leads somewhere
FALL = 0.1  # of what a model falls, to which it is minimized: that may be little of the gap
DAMPED = 1e-3  # of the model's curvature along a step, the least that is learned


@dataclass(slots=True)
class Learned(Memory):
    """The BFGS matrix, and the point and gradient up to which it has learned."""

    matrix: Array
    point: Array
    slope: Array
    pairs: int = 0
    least: float = math.inf  # gap
    stale: int = 0  # steps since f fell or the gap was smaller
    useful: bool = False  # whether there was one that did, since the matrix was made

    def forget(self, x: Array, g: Array, curvature: float) -> None:
        """Begin at x with the same curvature in all directions."""
        self.matrix = np.diag(np.full(x.size, curvature))
        self.point, self.slope, self.pairs = x, g, 0
        self.stale, self.useful = 0, False

    def see(self, gap: float, *, fell: bool) -> None:
        """Whether a step has led anywhere."""
        fell = fell or gap < LESS * self.least
        self.least = min(gap, self.least)
        self.stale, self.useful = (0, True) if fell else (self.stale + 1, self.useful)

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
        """None for a convex f of a vector with few variables and no second derivatives."""
        objective, refusal = problem.objective, without_convexity(self.name, problem)
        if refusal is not None:
            return refusal
        if objective.twice_differentiable:
            return f"{objective!r} has second derivatives: use second_order() instead of bfgs()."
        if objective.n > WIDE:
            return (
                f"bfgs() keeps a matrix of {objective.n} x {objective.n}, and takes at most {WIDE} "
                "variables: use blended_pairwise() or frank_wolfe(Backtracking())."
            )
        return None

    def init(self, problem: Problem, x0: Any = None) -> State[Learned]:
        check_accepted(self, problem)
        n = problem.n
        nothing = Learned(np.zeros((n, n)), np.zeros(n), np.zeros(n))
        state = self.begin(problem, problem.start(x0), nothing)
        state.memory.forget(*_here(state), _scale(state))
        return state

    def advance(self, state: State[Learned]) -> None:
        """A step on the model; where these lead nowhere a new model, and in the end none."""
        memory, before = state.memory, state.value
        super().advance(state)
        memory.see(state.model_gap, fell=state.value < before - state.rounding)
        if state.step == 0.0 or memory.stale == PATIENCE:
            state.spent = not memory.useful
            memory.forget(*_here(state), _scale(state))

    def enough(self, gap: float, fall: float) -> float:
        return min(super().enough(gap, fall), FALL * fall)

    def hessian(self, state: State[Learned]) -> Array:
        return state.memory.learn(*_here(state))

    def search(self, along: Along, upper: float) -> float:
        return flat_enough(along, upper)


def _here(state: State) -> tuple[Array, Array]:
    """The point and the gradient there, in double precision."""
    return np.array(state.x, dtype=np.float64), state.gradient.astype(np.float64)


def _scale(state: State) -> float:
    """The curvature with which f would be smallest at the oracle's atom, for want of pairs."""
    away = state.atom.dense(state.problem.n) - state.x
    return max(state.model_gap, state.rounding) / max(float(away @ away), 1e-300)


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
