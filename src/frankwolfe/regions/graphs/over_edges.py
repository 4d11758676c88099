"""What sets over the edges of a graph have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import all_finite
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.atoms import Atom, Sparse
from frankwolfe.core.feasibility import clip_rounding, spacing
from frankwolfe.core.region import Region
from frankwolfe.regions.graphs.min_cost import stretch
from frankwolfe.subproblems.membership import outside

__all__ = ["Chosen", "shown", "wide"]


def shown(g: Array) -> Atom | None:
    """An atom that shows a gradient that is not finite, where it is not; else None."""
    if all_finite(g):
        return None
    place = np.flatnonzero(~np.isfinite(g))[:1]
    return Sparse(place, np.full(1, np.nan, dtype=g.dtype))


def wide(g: Array) -> Array:
    """In double precision, and scaled where sums would overflow."""
    g, scale = g.astype(np.float64, copy=False), stretch(g)
    return g if scale == 1.0 else g / scale


class Chosen(Region):
    """A hull of vectors of zeros and ones: a vertex is a set of variables."""

    family = "graphs"
    polytope = many_vertices = True
    needs_room = False

    @abstractmethod
    def _best(self, g: Array) -> Indices:
        """The set with the least sum of finite g in double precision, in increasing order."""

    @abstractmethod
    def _parts(self) -> list[Any]:
        """All that makes this set, as numbers, texts and arrays."""

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        g = self._gradient(g)
        return shown(g) or self._ones(self._best(wide(g)), g)

    def _ones(self, chosen: Indices, g: Array) -> Atom:
        return Sparse(chosen, np.ones(chosen.size, dtype=g.dtype))

    def reach(self, weights: Array, n: int) -> float:
        """The largest sum itself."""
        each = np.array(np.broadcast_to(weights, (n,)), dtype=np.float64)
        return float(each[self._best(wide(-each))].sum())

    def resolution(self, n: Any, dtype: Any) -> float:
        return spacing(dtype, 1.0, 1.0)

    def start(self, n: Any) -> Any:
        x = np.zeros(n)
        x[self._best(np.zeros(n))] = 1.0
        return x

    def snap(self, x: Any) -> Any:
        return clip_rounding(x, 0.0, 1.0, 1.0)

    def _vertex(self, g: Array) -> Array:
        """The best vertex as a vector."""
        x = np.zeros(g.size)
        x[self._best(g)] = 1.0
        return x

    def _outside(self, x: Array) -> float:
        """How far x is from the hull: at once for a vertex, which is best in its own direction."""
        whole = np.rint(x)
        blur = float(np.abs(x - whole).max())
        if blur <= 1e-12 and np.array_equal(self._vertex(1.0 - 2.0 * whole), whole):
            return blur
        return outside(self._vertex, x, 1.0)

    def fingerprint(self) -> str:
        return fingerprint(repr(self), self._parts())
