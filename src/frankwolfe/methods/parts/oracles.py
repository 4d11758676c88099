"""Oracles: exact linear minimization over the region, and lazy minimization by past atoms."""

from __future__ import annotations

import math
from dataclasses import dataclass

from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom
from frankwolfe.core.evaluate import Memoryless
from frankwolfe.core.problem import Problem
from frankwolfe.core.recent_atoms import RecentAtoms
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import AffineModel, Oracle

__all__ = ["Exact", "Lazy"]


@dataclass(frozen=True)
class Exact(Memoryless, Oracle[Memory]):
    """One call of the region's linear minimization oracle, as exact as the region makes it.

    Where the region bounds its error at a cost (singular values), it does so tightly with
    `calls_between` quick calls in between; there the gap rests on the last tight bound.
    """

    calls_between: int = 20
    needs_tangent = False

    def ask(self, state: State, model: AffineModel, memory: Memory) -> tuple[float, float]:
        return state.ask(tangent=model.tangent, between=self.calls_between)


@dataclass(slots=True)
class Cache(Memory):
    """Past atoms by the step k that last used them, and the estimate Phi of the gap."""

    atoms: RecentAtoms
    estimate: float = math.inf


@dataclass(frozen=True)
class Lazy(Oracle[Cache]):
    r"""Lazy oracle: past atoms first; the region is asked where none of them is good enough.

    With an estimate :math:`\Phi` of the gap, an atom s is good enough where
    :math:`\langle g, x - s \rangle \ge \Phi / K`. Where the region's own atom is not, the
    gap is below :math:`\Phi / K` and the estimate shrinks, at least by half. A direction that
    keeps an active set needs no atom at all while its own atoms a and t have
    :math:`\langle g, a - t \rangle \ge \Phi / K`.

    A cached atom says nothing about min f: after it the lower bound stays as it was. The
    oracle calls of a state are those of the region alone.

    Parameters
    ----------
    cache_size : int
        Most atoms to keep, beside those of an active set; the least recently used ones leave
        first. All together they have at most about ten million entries.
    factor : float
        K >= 1; with 0 the region is asked at every step.

    References
    ----------
    G. Braun, S. Pokutta and D. Zink, *Lazifying Conditional Gradient Algorithms*, ICML 2017.
    """

    cache_size: int = 500
    factor: float = 2.0
    calls_between: int = 20
    needs_tangent = True

    def __post_init__(self) -> None:
        size = self.cache_size
        if isinstance(size, bool) or not isinstance(size, int) or size < 0:
            raise InvalidInput(f"cache_size must be a whole number >= 0, got {size!r}.")
        number("factor", self.factor, low=0.0)

    def memory(self, problem: Problem) -> Cache:
        objective = problem.objective
        if not isinstance(objective.shape, int):
            raise InvalidInput(
                "Lazy keeps past vertices, which takes vectors, not matrices: use Exact()."
            )
        return Cache(RecentAtoms(objective.shape, objective.dtype))

    def ask(self, state: State, model: AffineModel, memory: Cache) -> tuple[float, float]:
        known = self._known(state, memory)
        if known is not None:
            state.atom, support = known
            return support, math.inf
        support, error = state.ask(tangent=model.tangent, between=self.calls_between)
        gap = state.above - support
        if not gap * self.factor >= memory.estimate:  # also at first, where Phi is infinite
            memory.estimate = max(min(gap, 0.5 * memory.estimate), 0.0)
        memory.atoms.keep(state.atom, state.k, self.cache_size)
        return support, error

    def _known(self, state: State, cache: Cache) -> tuple[Atom, float] | None:
        """Find a known atom s with <g, x - s> >= Phi / K; return it and <g, s>."""
        # after a step of 0 the last atom led nowhere: the same one would be found for ever
        if not 0.0 < cache.estimate < math.inf or state.step == 0.0:
            return None
        active, g = state.active_set, state.gradient
        if active is not None and len(active):
            dots = active.dots(g)
            best = int(dots.argmin())
            support = float(dots[best])
            if self.factor * (float(dots.max()) - support) >= cache.estimate:
                return active.atom(best), support
        if len(cache.atoms):
            best, support = cache.atoms.best(g)
            if self.factor * (state.above - support) >= cache.estimate:
                return cache.atoms.use(best, state.k), support
        return None
