"""One evaluation of f, its affine model and the oracle, all at the current point."""

from __future__ import annotations

from typing import Protocol, TypeVar, overload

from frankwolfe.base.memory import M, Memory
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State

__all__ = ["AffineModel", "Memoryless", "MethodPart", "Oracle", "evaluate"]

M_co = TypeVar("M_co", bound=Memory, covariant=True)
A = TypeVar("A", bound=Memory)
B = TypeVar("B", bound=Memory)
NOTHING = Memory()


class MethodPart(Protocol[M_co]):
    """One of the five choices that make a method.

    A part is frozen: what it remembers between steps is in the state, and handed to it, so that
    one method may serve many runs at a time.
    """

    def memory(self, problem: Problem) -> M_co:
        """Fresh memory for a run; raises InvalidInput if the problem lacks what is needed."""


class Memoryless(MethodPart[Memory]):
    """A part of a method that remembers nothing, and works on any problem."""

    def memory(self, problem: Problem) -> Memory:
        return Memory()


class AffineModel(MethodPart[M], Protocol[M]):
    r"""The affine model :math:`\ell(v) = c + \langle g, v \rangle` of f that the oracle minimizes.

    It lies below a convex f, whatever g is made of: f(x) - min of the model is a certificate.
    """

    tangent: bool
    """True if the model is the tangent at x: then <g, d> is the slope of f along d."""

    def update(self, state: State, memory: M) -> None:
        """Set f(x), g and f(x) - c in `state.value`, `state.gradient` and `state.above`."""


class Oracle(MethodPart[M], Protocol[M]):
    """Linear minimization over the region: exact, lazy, or from a cache."""

    needs_tangent: bool
    """True if it works with the tangent at x only."""

    def ask(self, state: State, model: AffineModel, memory: M) -> tuple[float, float]:
        """Set `state.atom` to s; return <g, s> and a bound on <g, s> - min over C of <g, v>.

        An infinite bound says that nothing new is known about the minimum (a cached atom).
        """


@overload
def evaluate(state: State, model: AffineModel[Memory], oracle: Oracle[Memory]) -> None: ...
@overload
def evaluate(
    state: State, model: AffineModel[A], oracle: Oracle[B], of_model: A, of_oracle: B
) -> None: ...
def evaluate(
    state: State,
    model: AffineModel,
    oracle: Oracle,
    of_model: Memory = NOTHING,
    of_oracle: Memory = NOTHING,
) -> None:
    """Set value, atom and gap at the current point, by a model and an oracle with their memories.

    The gap is that of the very point whose value is shown: "look, then move".
    """
    model.update(state, of_model)
    state.tangent = model.tangent
    support, error = oracle.ask(state, model, of_oracle)
    state.certify(support, error)
