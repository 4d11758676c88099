"""Directions that make oracle calls of their own: boosted Frank-Wolfe and ExtraFW."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels import for_length
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import SearchDirection, State
from frankwolfe.methods.parts.base import Direction
from frankwolfe.methods.parts.directions import ToAtom
from frankwolfe.methods.parts.steps import OpenLoop

__all__ = ["Boosted", "Extra"]

NEVER = 1 << 62  # quick oracle calls before one bounds its error: the model's own call does that


class _Pursuit:
    """Non-negative matching pursuit of -g by d = sum_j c_j (v_j - x), c_j >= 0."""

    def __init__(self, g: Array, x: Array) -> None:
        self.g, self.x = g.astype(np.float64), x.astype(np.float64)
        self.size = math.sqrt(_square(self.g))
        self.d = np.zeros_like(self.g)
        self.weights: list[float] = []  # c_j
        self.atoms: list[Atom] = []
        self.alignment = -1.0  # the cosine of the angle between d and -g

    def improve(self, atom: Atom, least: float) -> bool:
        """Add the atom to d; False, and d unchanged, if that improves the angle by too little."""
        r = -(self.g + self.d)  # the residual of the pursuit
        toward = -self.x
        atom.add_to(toward, 1.0)
        slope, length = float(r.dot(toward)), math.sqrt(_square(self.d))
        distance = _square(toward)  # |v - x|^2
        # back along d would do better: that leaves the angle as it is. The authors compare with a
        # d of length one and an atom of any; both of length one, it is the same in all units
        if slope <= 0.0 or slope * length < -float(r.dot(self.d)) * math.sqrt(distance):
            return False
        share = slope / distance if distance > 0.0 else 0.0  # c_j
        ahead = self.d + share * toward
        # zero where the atom lies straight behind d, or where squares are too small for a number
        size = self.size * math.sqrt(_square(ahead))
        alignment = -float(self.g.dot(ahead)) / size if size > 0.0 else -1.0
        if not alignment - self.alignment >= least:
            return False
        self.d, self.alignment = ahead, alignment
        self.weights.append(share)
        self.atoms.append(atom)
        return True


def _square(x: Array) -> float:
    """Squared 2-norm of x."""
    return float(x.dot(x))


@dataclass(frozen=True)
class Boosted(Direction[Memory]):
    r"""Toward a mixture of atoms whose direction from x is close to :math:`-\nabla f(x)`.

    Up to `rounds` oracle calls, that of the evaluation included, are spent on a non-negative
    matching pursuit; it ends when a round brings the cosine of the angle up by less than
    `least`. The mixture is a point of the region, so the largest step is 1. Whether a round would
    rather go back along d is told by angles, where Algorithm 2 compares a unit vector with an atom
    of any length: that would depend on the unit of x.
    """

    rounds: int = 5
    least: float = 1e-3
    needs_tangent = True

    def __post_init__(self) -> None:
        at_least_one("rounds", self.rounds)
        number("least", self.least, above=0.0, high=2.0)

    def memory(self, problem: Problem) -> Memory:
        if not isinstance(problem.objective.shape, int):
            raise InvalidInput(
                "Boosted measures angles between vectors, not matrices: use frank_wolfe() or "
                "hybrid()."
            )
        return Memory()

    def aim(self, state: State, memory: Memory) -> None:
        pursuit = self._pursue(state) if self.rounds > 1 else None
        if pursuit is None or len(pursuit.atoms) < 2:
            state.aim_at_atom()
        else:
            self._aim_at_mixture(state, pursuit)

    def _pursue(self, state: State) -> _Pursuit:
        """Pursue -grad f(x): ask for atoms until the angle no longer improves."""
        region, dtype = state.problem.region, state.gradient.dtype
        pursuit = _Pursuit(state.gradient, state.x)
        atom = state.atom
        while pursuit.improve(atom, self.least) and len(pursuit.atoms) < self.rounds:
            atom = region.ask((pursuit.g + pursuit.d).astype(dtype, copy=False))
            state.oracle_calls += 1
        return pursuit

    def _aim_at_mixture(self, state: State, pursuit: _Pursuit) -> None:
        """Set the direction d / sum_j c_j, which ends at a mixture of the atoms."""
        total = sum(pursuit.weights)
        terms = tuple((c / total, v) for c, v in zip(pursuit.weights, pursuit.atoms, strict=True))
        direction, image = -state.iterate.image, np.empty_like(state.iterate.image)
        for share, atom in terms:
            state.problem.objective.image_of(atom, image)
            direction += share * image
        slope = float(pursuit.g.dot(pursuit.d)) / total
        state.set_direction(SearchDirection(-1.0, terms, slope, 1.0), direction)


@dataclass(slots=True)
class _Ahead(Memory):
    """Gradient at the predicted point, and the weight by which the mean is normalized."""

    fresh: Array  # the gradient at y_k
    weight: float = 0.0  # total weight of the tangents in the model's mean, before normalization


@dataclass(frozen=True)
class Extra(ToAtom[_Ahead]):
    r"""Toward the atom of the model corrected by the gradient at a predicted point (ExtraFW).

    The model's atom :math:`v_k` predicts :math:`y_k = (1-\delta_k) x_k + \delta_k v_k`; the
    direction is to the atom of :math:`(1-\delta_k) g_k + \delta_k \nabla f(y_k)`, with
    :math:`g_k` the model's gradient. The first step has no prediction.
    """

    weight: OpenLoop

    def memory(self, problem: Problem) -> _Ahead:
        objective = problem.objective
        return _Ahead(np.zeros(objective.gradient_size, dtype=objective.dtype))

    def aim(self, state: State, memory: _Ahead) -> None:
        if memory.weight:
            delta = self.weight.at(state.k)
            state.problem.objective.image_of(state.atom, state.atom_image)
            state.linearize(state.blend_image(delta), memory.fresh)  # at y_k
            share = delta / ((1.0 - delta) * memory.weight + delta)  # g_k is normalized
            for_length(memory.fresh.size).combine(state.gradient, 1.0 - share, share, memory.fresh)
            state.ask(tangent=False, between=NEVER)
        state.aim_at_atom()

    def moved(self, state: State, gamma: float, memory: _Ahead) -> None:
        delta = self.weight.at(state.k)
        memory.weight = (1.0 - delta) * memory.weight + delta
