"""An evaluation: the value of f, the model's atom and the gap, all at the current point."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, overload

from frankwolfe.base.memory import M, Memory
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State

__all__ = ["Memoryless", "Model", "Oracle", "Part", "evaluate"]

M_co = TypeVar("M_co", bound=Memory, covariant=True)
A = TypeVar("A", bound=Memory)
B = TypeVar("B", bound=Memory)
NOTHING = Memory()


class Part(Protocol[M_co]):
    """A frozen choice; what it remembers between steps is in the state, and handed to it."""

    def memory(self, problem: Problem) -> M_co:
        """Fresh memory for a run, after checking that the problem offers what is needed."""


class Memoryless(Part[Memory]):
    """A part that remembers nothing, on any problem."""

    def memory(self, problem: Problem) -> Memory:
        return Memory()


class Model(Part[M], Protocol[M]):
    """Which affine model of f do we minimize?"""

    tangent: bool
    """Whether the model is the tangent at x, so that its gap is the slope of f."""

    def update(self, state: State, memory: M) -> None:
        """Set `state.value`, `state.gradient` and `state.above` at the current point."""


class Oracle(Part[M], Protocol[M]):
    """How do we ask the region?"""

    needs_tangent: bool

    def ask(self, state: State, model: Model, memory: M) -> tuple[float, float]:
        """Set `state.atom`; return <g, s>, and how far above the minimum that may be.

        An infinite distance says that nothing new is known about the minimum.
        """


@overload
def evaluate(state: State, model: Model[Memory], oracle: Oracle[Memory]) -> None: ...
@overload
def evaluate(
    state: State, model: Model[A], oracle: Oracle[B], of_model: A, of_oracle: B
) -> None: ...
def evaluate(
    state: State,
    model: Model,
    oracle: Oracle,
    of_model: Any = NOTHING,
    of_oracle: Any = NOTHING,
) -> None:
    """Value, atom and gap at the current point, by a model and an oracle with their memories."""
    model.update(state, of_model)
    state.tangent = model.tangent
    support, error = oracle.ask(state, model, of_oracle)
    state.certify(support, error)
