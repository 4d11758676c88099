"""Region whose oracle tries the atoms it remembers first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Shape
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom
from frankwolfe.core.recent_atoms import RecentAtoms
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Accuracy, InexactAtom
from frankwolfe.regions.around.wrapped import Wrapped, a_region
from frankwolfe.regions.balls.l2_ball import L2Ball
from frankwolfe.regions.simplices.simplex import Simplex

__all__ = ["Cached"]

PLAIN_SHARE = 1.0  # `Accuracy.share` of methods whose model is no average


@dataclass(slots=True)
class CachedAtoms(Memory):
    """Memory of the inner oracle, and past atoms by the call that last used them."""

    inner: Memory
    atoms: RecentAtoms
    calls: int = 0
    since: int = 0  # calls since the inner oracle was last asked
    above: float = math.nan  # what was wanted when an atom was last remembered, and found
    value: float = math.nan


class Cached(Wrapped):
    r"""Region whose oracle answers with an atom it remembers where that is good enough.

    For oracles that cost much more than a product with some past atoms: flows, integer programs,
    solvers of others. With :math:`\delta` the certified gap so far, an atom s is good enough
    where :math:`\langle g, x - s \rangle \ge \delta / 2`. It says nothing new about the minimum,
    and the region says so: the bound stays as it was, so that certificates hold. The oracle
    itself is asked where no atom is good enough, and after as many calls as the method allows.
    Any method can be run over it; :func:`frankwolfe.methods.lazy` is the same idea as a part of a
    method.

    Parameters
    ----------
    region : Region
        A region of vectors.
    size : int
        Most atoms to remember in a run; those leave first that were of no use for longest.

    References
    ----------
    G. Braun, S. Pokutta and D. Zink, *Lazifying Conditional Gradient Algorithms*, ICML 2017.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> M = np.random.default_rng(0).random(64) / 8
    >>> f = fw.SquaredError(np.eye(64), M, reduction="sum")
    >>> inner = fw.regions.Counted(fw.Birkhoff(8))
    >>> result = fw.minimize(f, fw.regions.Cached(inner), method="blended_pairwise", tol=1e-6)
    >>> result.success, inner.calls < result.nlmo / 2
    (True, True)
    """

    family = "combined"
    formula = r"\{x : x \in C\},\ \text{past atoms first}"
    atom = "the region's"
    cost = "a product with each atom remembered, or the region's"

    def __init__(self, region: Region, size: int = 200) -> None:
        super().__init__(a_region("region", region, vectors=True))
        self.size = at_least_one("size", size)

    @property
    def exact_oracle(self) -> bool:
        """False, since remembered atoms leave the minimum unknown."""
        return False

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> CachedAtoms:
        assert isinstance(shape, int)
        return CachedAtoms(self.region.oracle_memory(shape, dtype), RecentAtoms(shape, dtype))

    def inexact_lmo(self, g: Array, memory: CachedAtoms, wanted: Accuracy) -> InexactAtom:
        # averaged models, and runs that want a bound in each call, need the oracle itself
        if wanted.share < PLAIN_SHARE or wanted.between == 0:
            return self.region.inexact_lmo(g, memory.inner, wanted)
        memory.calls += 1
        known = self._known(g, memory, wanted)
        if known is not None:
            memory.since += 1
            return *known, math.inf
        memory.since, memory.above, memory.value = 0, math.nan, math.nan
        atom, value, error = self.region.inexact_lmo(g, memory.inner, wanted)
        if math.isfinite(value):
            memory.atoms.keep(atom, memory.calls, self.size)
        return atom, value, error

    def _known(self, g: Array, memory: CachedAtoms, wanted: Accuracy) -> tuple[Atom, float] | None:
        """Remembered atom that is good enough, and its product with g; else None."""
        if memory.since >= wanted.between or not len(memory.atoms):
            return None
        if not 0.0 < wanted.slack < math.inf:
            return None
        best, value = memory.atoms.best(g)
        again = value == memory.value and wanted.above == memory.above  # it has led nowhere
        if again or not wanted.above - value >= 0.5 * wanted.slack:
            return None
        memory.above, memory.value = wanted.above, value
        return memory.atoms.use(best, memory.calls), value

    def failure_probability(self, memory: CachedAtoms) -> float:
        return self.region.failure_probability(memory.inner)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(Simplex(1.5)), cls(L2Ball(0.7), 10)]

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [self.size, self.region.fingerprint()])

    def __repr__(self) -> str:
        return f"Cached({self.region!r}, size={self.size})"
