"""Models: affine functions c + <g, v> that lie below f."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from frankwolfe.arrays import Array
from frankwolfe.kernels import for_length
from frankwolfe.memory import Memory
from frankwolfe.parts.steps import OpenLoop
from frankwolfe.problem import Problem
from frankwolfe.state import State

__all__ = ["GradientMomentum", "Tangent"]


@dataclass(frozen=True)
class Tangent:
    """The tangent of f at x."""

    tangent = True

    def memory(self, problem: Problem) -> Memory:
        return Memory()

    def update(self, state: State) -> None:
        # c = f(x) - <grad f(x), x>
        state.value, state.above = state.linearize(state.iterate.image, state.gradient)


@dataclass(slots=True)
class _Average(Memory):
    gradient: Array  # theta, normalized: a weighted mean of gradients
    base: float = 0.0  # the first f(y) - <grad f(y), y>
    constant: float = 0.0  # the mean of f(y) - <grad f(y), y> - base: small, so rounding is too
    weight: float = 0.0  # W_k: total weight before normalization
    fresh: Array = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class GradientMomentum:
    r"""A weighted mean of tangents taken ahead of x, as in AFW.

    With :math:`y_k = (1-\delta_k) x_k + \delta_k v_k` and
    :math:`\theta_{k+1} = (1-\delta_k)\theta_k + \delta_k \nabla f(y_k)`. A mean of tangents
    of a convex f lies below f, so its minimum over the region is a certificate too. The
    paper starts with :math:`\theta_0 = 0`, which is no tangent; the mean here is divided by
    the weight of the true tangents, a positive factor that no oracle sees.
    """

    weight: OpenLoop
    tangent = False

    def memory(self, problem: Problem) -> Memory:
        size, dtype = problem.objective.gradient_size, problem.objective.dtype
        return _Average(np.zeros(size, dtype=dtype), fresh=np.zeros(size, dtype=dtype))

    def update(self, state: State) -> None:
        mean = state.memory["model"]
        assert isinstance(mean, _Average)
        delta = self.weight.at(state.k)
        ahead = state.blend_image(delta)  # image of y_k; v_k is the last atom
        value, inner = state.linearize(ahead, mean.fresh)
        mean.weight = (1.0 - delta) * mean.weight + delta
        share = delta / mean.weight
        loops = for_length(mean.gradient.size)
        loops.combine(mean.gradient, 1.0 - share, share, mean.fresh)  # theta_{k+1}
        if share == 1.0:
            mean.base = value - inner
        mean.constant += share * ((value - mean.base) - inner - mean.constant)
        state.gradient[:] = mean.gradient
        state.value = state.evaluate()
        state.above = (state.value - mean.base) - mean.constant
