"""Affine models c + <g, v> of f: the tangent, and weighted means of tangents."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels import for_length
from frankwolfe.base.memory import Memory
from frankwolfe.core.evaluate import Memoryless
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import AffineModel
from frankwolfe.methods.parts.steps import Constant, OpenLoop

__all__ = ["AveragedTangents", "GradientMomentum", "Mean", "Tangent"]


@dataclass(frozen=True)
class Tangent(Memoryless, AffineModel[Memory]):
    """The tangent of f at x: g = grad f(x), c = f(x) - <g, x>."""

    tangent = True

    def update(self, state: State, memory: Memory) -> None:
        # `above` is f(x) - c = <grad f(x), x>
        state.value, state.above = state.linearize(state.iterate.image, state.gradient)


@dataclass(slots=True)
class Mean(Memory):
    """Weighted mean of tangents; it lies below a convex f, as each of them does."""

    gradient: Array  # theta, normalized: a weighted mean of gradients
    base: float = 0.0  # the first f(y) - <grad f(y), y>
    constant: float = 0.0  # the mean of f(y) - <grad f(y), y> - base: small, so rounding is too
    weight: float = 0.0  # W_k: total weight before normalization
    fresh: Array = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def empty(cls, problem: Problem) -> Mean:
        """Mean of no tangents yet."""
        if not problem.objective.averages:
            raise InvalidInput(
                f"an average of gradients takes them here, and those of {problem.objective!r} stay "
                "on workers: use frank_wolfe(), jacobi() or hybrid()."
            )
        size, dtype = problem.objective.gradient_size, problem.objective.dtype
        return cls(np.zeros(size, dtype=dtype), fresh=np.zeros(size, dtype=dtype))

    def take(self, value: float, inner: float, delta: float) -> None:
        """Average in the tangent v -> value - inner + <fresh, v>, with weight `delta`.

        theta <- (1 - delta) theta + delta fresh, over the total weight of true tangents.
        """
        self.weight = (1.0 - delta) * self.weight + delta
        share = delta / self.weight
        loops = for_length(self.gradient.size)
        loops.combine(self.gradient, 1.0 - share, share, self.fresh)
        if share == 1.0:
            self.base, self.constant = value - inner, 0.0
        self.constant += share * ((value - self.base) - inner - self.constant)

    def show(self, state: State) -> None:
        """Make the mean the model at the current point, whose value is known."""
        state.gradient[:] = self.gradient
        state.above = (state.value - self.base) - self.constant


@dataclass(frozen=True)
class _Averaged(AffineModel[Mean]):
    """Base of models that are means of tangents."""

    tangent = False

    def memory(self, problem: Problem) -> Mean:
        return Mean.empty(problem)


@dataclass(frozen=True)
class GradientMomentum(_Averaged):
    r"""Weighted mean of tangents taken ahead of x, as in AFW.

    With :math:`y_k = (1-\delta_k) x_k + \delta_k v_k` and
    :math:`\theta_{k+1} = (1-\delta_k)\theta_k + \delta_k \nabla f(y_k)`. A mean of tangents
    of a convex f lies below f, so its minimum over the region is a certificate too. The
    paper starts with :math:`\theta_0 = 0`, which is no tangent; the mean here is divided by
    the weight of the true tangents, a positive factor that no oracle sees.
    """

    weight: OpenLoop

    def update(self, state: State, memory: Mean) -> None:
        delta = self.weight.at(state.k)
        ahead = state.blend_image(delta)  # image of y_k: v_k is the last atom, and A is linear
        value, inner = state.linearize(ahead, memory.fresh)
        memory.take(value, inner, delta)  # theta_{k+1}
        state.value = state.value_here()
        memory.show(state)


@dataclass(frozen=True)
class AveragedTangents(_Averaged):
    r"""Weighted mean of the tangents at the points visited, as in heavy-ball FW.

    :math:`\theta_k = (1-\delta_k)\theta_{k-1} + \delta_k \nabla f(x_k)`: with
    :math:`\delta_k = 1/(k+1)` all tangents count alike, with :math:`2/(k+2)` later ones more,
    and with 1 the model is the tangent. Unless `from_start`, the tangent at the start is the
    first model but has no part in the mean.
    """

    weight: OpenLoop | Constant
    from_start: bool = True

    def update(self, state: State, memory: Mean) -> None:
        state.value, inner = state.linearize(state.iterate.image, memory.fresh)
        if state.k == 0 and not self.from_start:
            state.gradient[:] = memory.fresh
            state.above = inner
            return
        memory.take(state.value, inner, self.weight.at(state.k))
        memory.show(state)
