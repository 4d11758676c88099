"""Base class of hulls of 0/1 vectors, such as sets of edges of a graph."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices
from frankwolfe.base.checks import all_finite
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.atoms import Atom, Sparse
from frankwolfe.core.feasibility import clip_rounding, spacing
from frankwolfe.core.region import Region
from frankwolfe.regions.graphs.min_cost import stretch
from frankwolfe.subproblems.membership import outside

__all__ = ["GraphEdges", "SubsetHull", "shown", "wide"]

GraphEdges: TypeAlias = Any
"""Edges as a user gives them: rows of pairs, two vectors, a sparse matrix or a networkx graph."""


def shown(g: Array) -> Atom | None:
    """Atom with a NaN that shows the loop a gradient that is not finite; None for a finite one."""
    if all_finite(g):
        return None
    place = np.flatnonzero(~np.isfinite(g))[:1]
    return Sparse(place, np.full(1, np.nan, dtype=g.dtype))


def wide(g: Array) -> Array:
    """Gradient in double precision, scaled down where sums would overflow."""
    g, scale = g.astype(np.float64, copy=False), stretch(g)
    return g if scale == 1.0 else g / scale


class SubsetHull(Region):
    """Hull of 0/1 vectors: each vertex is the indicator of a set of variables."""

    family = "graphs"
    polytope = many_vertices = True
    needs_room = False

    @abstractmethod
    def _best(self, g: Array) -> Indices:
        """Set with the least sum of a finite double-precision g, in increasing order."""

    @abstractmethod
    def _parts(self) -> list[object]:
        """Numbers, texts and arrays that define the region, for its fingerprint."""

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        return shown(g) or self._ones(self._best(wide(g)), g)

    def _ones(self, chosen: Indices, g: Array) -> Atom:
        """Indicator of a set of variables, as an atom of the type of g."""
        return Sparse(chosen, np.ones(chosen.size, dtype=g.dtype))

    def reach(self, weights: Array, n: int) -> float:
        """Largest Σ_j w_j v_j itself, by the oracle for -w."""
        each = np.array(np.broadcast_to(weights, (n,)), dtype=np.float64)
        return float(each[self._best(wide(-each))].sum())

    def resolution(self, n: int, dtype: Dtype) -> float:
        return spacing(dtype, 1.0, 1.0)

    def start(self, n: int) -> Array:
        x = np.zeros(n)
        x[self._best(np.zeros(n))] = 1.0
        return x

    def snap(self, x: Array) -> Array:
        return clip_rounding(x, 0.0, 1.0, 1.0)

    def _vertex(self, g: Array) -> Array:
        """Best vertex for g, as a dense vector."""
        x = np.zeros(g.size)
        x[self._best(g)] = 1.0
        return x

    def _outside(self, x: Array) -> float:
        """Distance of x from the hull; at once for a vertex, which is best in its own direction."""
        whole = np.rint(x)
        blur = float(np.abs(x - whole).max())
        if blur <= 1e-12 and np.array_equal(self._vertex(1.0 - 2.0 * whole), whole):
            return blur
        return outside(self._vertex, x, 1.0)

    def fingerprint(self) -> str:
        return fingerprint(repr(self), self._parts())
