"""Region that counts and times the calls of its oracle."""

from __future__ import annotations

import time
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.atoms import Atom
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Accuracy, Gradient, InexactAtom, OracleMemory
from frankwolfe.regions.around.wrapped import Wrapped
from frankwolfe.regions.balls.l1_ball import L1Ball
from frankwolfe.regions.balls.l2_ball import L2Ball

__all__ = ["Counted"]


class Counted(Wrapped):
    """Region whose oracle calls are counted and timed.

    To see what share of a run the oracle takes, and whether a lazy method is worth it. Compiled
    loops are not used over it, so that every call is seen.

    Parameters
    ----------
    region : Region
        Any region, of vectors or of matrices.

    Attributes
    ----------
    calls : int
        Calls of the oracle since the region was made, or since `reset`.
    seconds : float
        Time that these calls took.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> region = fw.regions.Counted(fw.Birkhoff(5))
    >>> f = fw.SquaredError(np.eye(25), np.arange(25.0) / 60)
    >>> result = fw.minimize(f, region, method="frank_wolfe", max_iter=10)
    >>> region.calls == result.nlmo, region.seconds > 0.0
    (True, True)
    """

    family = "combined"
    formula = r"\{x : x \in C\}"
    atom = "the region's"
    cost = "the region's, counted"

    def __init__(self, region: Region) -> None:
        super().__init__(region)
        self.reset()

    def reset(self) -> None:
        """Set calls and seconds to zero."""
        self.calls, self.seconds = 0, 0.0

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        began = time.perf_counter()
        atom = self.region.ask(g, out)
        self._count(began)
        return atom

    def inexact_lmo(self, g: Gradient, memory: OracleMemory, wanted: Accuracy) -> InexactAtom:
        began = time.perf_counter()
        found = self.region.inexact_lmo(g, memory, wanted)
        self._count(began)
        return found

    def several(self, g: Array, count: int) -> list[Atom]:
        began = time.perf_counter()
        atoms = self.region.several(g, count)
        self._count(began)
        return atoms

    def _count(self, began: float) -> None:
        """Add one call that began at a time of `perf_counter`."""
        self.calls += 1
        self.seconds += time.perf_counter() - began

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(L1Ball(1.5)), cls(L2Ball(0.7))]

    def __repr__(self) -> str:
        return f"Counted({self.region!r})"
