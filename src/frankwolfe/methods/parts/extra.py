"""A direction with an oracle call of its own: look ahead before the step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.directions import ToAtom
from frankwolfe.methods.parts.steps import OpenLoop
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.kernels import for_length
from frankwolfe.numerics.memory import Memory

__all__ = ["Extra"]

NEVER = 1 << 62  # quick calls before this oracle bounds its error: the model's call does that


@dataclass(slots=True)
class _Ahead(Memory):
    fresh: Array  # the gradient at y_k
    weight: float = 0.0  # of the tangents in the model's mean, before normalization


@dataclass(frozen=True)
class Extra(ToAtom[_Ahead]):
    r"""Toward the atom of the model corrected by a tangent ahead, as in ExtraFW.

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
