"""Oracles: exact linear minimization over the region, and lazy minimization by past atoms."""

from __future__ import annotations

import math
from dataclasses import dataclass

from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import Memory
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.atoms import Atom
from frankwolfe.core.evaluate import Memoryless
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.parts.base import AffineModel, Oracle

__all__ = ["Exact", "Lazy"]

MAX_CACHED_ENTRIES = 10_000_000  # of all atoms of a cache together: 80 MB of doubles


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
    """Past atoms, and the estimate Phi of the gap.

    The "weight" of an atom here is the last step k that used it.
    """

    atoms: ActiveSet
    estimate: float = math.inf

    def keep(self, atom: Atom, step: int, most: int) -> None:
        """Add an atom; of more than `most`, the least recently used ones leave."""
        if most == 0:
            return
        place = self.atoms.place(atom)
        self.atoms.weights[place] = step
        excess = max(len(self.atoms) - most, 0)
        if self.atoms.stored > MAX_CACHED_ENTRIES:
            excess = max(excess, len(self.atoms) // 2)
        if excess:
            self.atoms.remove(sorted(self.atoms.weights.argsort(kind="stable")[:excess]))


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
        return Cache(ActiveSet(objective.shape, objective.dtype))

    def ask(self, state: State, model: AffineModel, memory: Cache) -> tuple[float, float]:
        known = self._known(state, memory)
        if known is not None:
            state.atom, support = known
            return support, math.inf
        support, error = state.ask(tangent=model.tangent, between=self.calls_between)
        gap = state.above - support
        if not gap * self.factor >= memory.estimate:  # also at first, where Phi is infinite
            memory.estimate = max(min(gap, 0.5 * memory.estimate), 0.0)
        memory.keep(state.atom, state.k, self.cache_size)
        return support, error

    def _known(self, state: State, cache: Cache) -> tuple[Atom, float] | None:
        """Find a known atom s with <g, x - s> >= Phi / K; return it and <g, s>."""
        # after a step of 0 the last atom led nowhere: the same one would be found for ever
        if not 0.0 < cache.estimate < math.inf or state.step == 0.0:
            return None
        active = state.active_set
        for atoms in (active, cache.atoms):
            if atoms is None or not len(atoms):
                continue
            dots = atoms.dots(state.gradient)
            best = int(dots.argmin())
            support = float(dots[best])
            top = float(dots.max()) if atoms is active else state.above  # <g, a> or <g, x>
            if self.factor * (top - support) >= cache.estimate:
                if atoms is cache.atoms:
                    atoms.weights[best] = state.k
                return atoms.atom(best), support
        return None
