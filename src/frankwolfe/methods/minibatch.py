"""Methods that take many steps on a few rows each, then look at all the data once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.frank_wolfe import FrankWolfe, OwnSteps, beyond
from frankwolfe.methods.parts.sampling import Estimator, Walk
from frankwolfe.methods.parts.schedules import Schedule
from frankwolfe.numerics.arrays import Array, Indices
from frankwolfe.numerics.atoms import Atom
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.kernels import rows as some
from frankwolfe.numerics.memory import Memory

__all__ = ["Minibatch"]

LOOK = FrankWolfe()


@dataclass(slots=True)
class _Sampled(Memory):
    estimate: Array
    steps: int = 0  # minibatch steps so far
    rows: int = 0  # gradients of one row so far, looks included


@dataclass(frozen=True)
class Minibatch(OwnSteps):
    """Frank-Wolfe on estimated gradients; one step of the loop is a block of small steps.

    A block ends with a look at all the data: value, gradient and certified gap of the same
    point, as for any other method. The image Ax is computed at looks only. `gradient_calls`
    counts passes over the data: gradients of one row, divided by m and rounded up.

    Parameters
    ----------
    estimator : Estimator
        How the gradient is estimated.
    schedule : Schedule
        Rows a batch, step, and where an epoch ends.
    look_every : float
        Passes over the data between looks, at most.
    seed : int
        Of the batches; block k of a run draws from the seed and k alone.
    """

    estimator: Estimator
    schedule: Schedule
    look_every: float
    seed: int
    name: str
    reference: str
    monotone = False

    def accepts(self, problem: Problem) -> str | None:
        """None where the objective is a sum over the rows of a matrix."""
        if not problem.objective.everywhere:
            return beyond(self.name)
        if problem.objective.by_rows:
            return None
        return (
            f"{self.name} draws rows of a data matrix, which {type(problem.objective).__name__} "
            "does not have: use it with Logistic, SquaredError or Huber, and frank_wolfe() or "
            "afw() here."
        )

    def init(self, problem: Problem, x0: Any = None) -> State:
        """The state at the start, looked at."""
        refusal = self.accepts(problem)
        if refusal is not None:
            raise InvalidInput(refusal)
        state = LOOK.init(problem, x0)
        estimate = np.zeros_like(state.gradient)
        state.memory["sampled"] = _Sampled(estimate, rows=problem.objective.m)
        return state

    def advance(self, state: State) -> None:
        """A block of minibatch steps, then a look."""
        f, sampled = state.problem.objective, state.memory["sampled"]
        assert isinstance(sampled, _Sampled)
        look = state.gradient, state.iterate.image
        walk = Walk(f, sampled.steps, state.x, sampled.estimate, look)
        sampled.rows += self._block(state, walk) + f.m
        sampled.steps = walk.k
        state.iterate.jump(walk.x)
        state.k += 1
        LOOK.look(state)
        state.gradient_calls = -(-sampled.rows // f.m)

    def _block(self, state: State, walk: Walk) -> int:
        """Steps until the next look is due; returns the gradients of one row they took."""
        m, region, estimator = walk.objective.m, state.problem.region, self.estimator
        batches = _Batches(m, (self.seed, state.k))
        room = np.empty_like(walk.x)
        used, moved = 0, estimator.exact
        if moved:  # the look's own atom starts the block
            walk.estimate[:] = walk.gradient
            self._move(state, walk, state.atom)
        while True:
            size = min(self.schedule.batch(walk.k, m), m)
            if moved and self._due(walk.k, used, estimator.cost * size, m):
                return used
            estimator.update(walk, batches.draw(size))
            used += estimator.cost * size
            state.oracle_calls += 1
            self._move(state, walk, region.lmo(walk.estimate, room))
            moved = True

    def _due(self, k: int, used: int, cost: int, m: int) -> bool:
        """Whether to look now rather than draw a batch of that cost."""
        if self.schedule.ends(k) or used + cost > self.look_every * m:
            return True
        return self.estimator.exact and cost >= m  # a look costs no more, and tells more

    def _move(self, state: State, walk: Walk, atom: Atom) -> None:
        state.step = self.schedule.step(walk.k)
        walk.before[:] = walk.x
        walk.x *= 1.0 - state.step
        atom.add_to(walk.x, state.step)
        walk.k += 1

    def __str__(self) -> str:
        return self.name


class _Batches:
    """Random subsets of m rows, each independent of the others."""

    def __init__(self, m: int, seed: tuple[int, ...]) -> None:
        self._order: Indices = np.arange(m)
        self._random = np.random.default_rng(seed)

    def draw(self, size: int) -> Indices:
        """`size` different rows, in a buffer that the next call overwrites."""
        some.draw(self._order, self._random.random(size))
        return self._order[:size]
