"""The hull of all permutations of a vector."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices
from frankwolfe.base.checks import finite_vector, frobenius
from frankwolfe.core.atoms import Atom, Dense, Vertex
from frankwolfe.core.double_double import Doubled, exact
from frankwolfe.core.feasibility import rounding, spacing
from frankwolfe.core.region import OUTSIDE_TOL, Region
from frankwolfe.core.region_abilities import ExactBound, Faces, Formulation, Projection, Projector
from frankwolfe.core.standard_form.form import StandardForm, cells
from frankwolfe.regions.kernels import isotonic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Permutahedron"]

MAX_FRAME_VARIABLES = 40  # above, n² weights of permutations cost more than they save
MAX_BOUNDING_SETS = 100  # tried for the longest step; each sorts all entries


class Permutahedron(Region, Projector, Faces, Formulation, ExactBound):
    r"""The hull of all permutations of a vector v.

    These are the x that v majorizes: the same sum, and the k largest entries of x sum to no more
    than those of v, for every k. With v = (1, ..., n) its vertices are rankings; with k ones and
    zeros it is the hypersimplex, with one the simplex.

    Parameters
    ----------
    values : array of shape (n,)
        The vector v, in any order.

    References
    ----------
    C. H. Lim and S. J. Wright, *Efficient Bregman projections onto the permutahedron and related
    polytopes*, AISTATS 2016; M. Blondel, O. Teboul, Q. Berthet and J. Djolonga, *Fast
    differentiable sorting and ranking*, ICML 2020.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> ranks = fw.Permutahedron([1.0, 2.0, 3.0])
    >>> ranks.lmo(np.array([0.5, -2.0, 0.1])).dense(3)
    array([1., 3., 2.])
    >>> ranks.project(np.array([10.0, 0.0, 0.2])).x           # a soft ranking
    array([3. , 1.4, 1.6])
    """

    family = "shares and choices"
    formula = r"\mathrm{conv}\{(v_{\pi(1)}, \dots, v_{\pi(n)})\}"
    atom = "a permutation of v"
    cost = "n log n"

    polytope = many_vertices = True

    def __init__(self, values: ArrayLike) -> None:
        self.values = np.sort(finite_vector("values", values).astype(np.float64))[::-1].copy()
        self.dimension = self.values.size
        self._mean = float(self.values.mean())
        self._sums = np.cumsum(self.values - self._mean)  # of the k largest, from the mean
        flat = self.values[0] == self.values[-1]
        self._size = abs(self._mean) or 1.0 if flat else float(self._sums.max())

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        out = np.empty_like(g) if out is None else out
        out[np.argsort(g)] = self.values
        return Dense(out)

    def project(self, p: Array) -> Projection:
        x = self._nearest(p.astype(np.float64, copy=False))
        if self.violation(x) > OUTSIDE_TOL[8]:  # p was so far away that its digits were gone
            x = self._nearest(x)
        return Projection(x.astype(p.dtype, copy=False))

    def _nearest(self, p: Array) -> Array:
        """Projection of p: p minus the isotonic fit of p - v, both sorted, block by block."""
        # p - isotonic(p - v): Lim and Wright, and Blondel et al.
        order = np.argsort(p)
        ordered, values = p[order], self.values[::-1]
        fit = ordered - values
        isotonic.isotonic(fit, fit, np.empty(fit.size, dtype=np.int64))
        isotonic.about_means(fit, values, ordered)
        fit[order] = ordered
        return fit

    def standard_form(self, n: int) -> StandardForm | None:
        """Standard form by doubly stochastic matrices, for few variables."""
        if n == 1 or n > MAX_FRAME_VARIABLES or self.values[0] == self.values[-1]:
            return None
        atoms = [Vertex(i, value) for i in range(n) for value in self.values.tolist()]
        return replace(cells(np.ones(n), np.ones(n)), atoms=atoms)

    def diameter(self, n: int) -> float:
        return frobenius(self.values - self.values[::-1])

    def reach(self, weights: Array, n: int) -> float:
        sizes = np.abs(self.values)
        if weights.size == 1:
            return float(weights[0]) * float(sizes.sum())
        sizes.sort()
        return float(sizes @ np.sort(np.broadcast_to(weights, (n,))))

    def least(self, g: Doubled) -> Fraction:
        order = g.order()  # another one may be right, by what g is unsure of
        unsure = g.slack * exact(np.abs(self.values)).total().high
        return g.at(order).dot(self.values).low - unsure

    def resolution(self, n: int, dtype: Dtype) -> float:
        size = float(self.values[0] - self.values[-1])
        return spacing(dtype, float(np.abs(self.values).max()), size or self._size)

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64) - self._mean
        over = np.cumsum(np.sort(x)[::-1]) - self._sums
        return max(0.0, float(over.max()), abs(float(x.sum()))) / self._size

    def start(self, n: int) -> Array:
        return self.values.copy()

    def middle(self, n: int) -> Array:
        return np.full(n, self._mean)

    def _blocks(self, x: Array) -> tuple[Indices, Indices]:
        """Order of x, largest first, and where blocks begin: there a bound on a sum is tight."""
        order = np.argsort(-x, kind="stable")
        room = self._sums - np.cumsum(x[order].astype(np.float64) - self._mean)
        full = np.flatnonzero(room[:-1] <= 10.0 * rounding(x) * self._size) + 1
        return order, np.concatenate([[0], full, [x.size]])

    def face_atom(self, g: Array, x: Array) -> Atom:
        """Best vertex of the face: each tight block has its own values, the largest where g is."""
        order, ends = self._blocks(x)
        block = np.repeat(np.arange(ends.size - 1), np.diff(ends))
        s = np.empty_like(g)
        s[order[np.lexsort((-g[order], block))]] = self.values
        return Dense(s)

    def snap_to_face(self, x: Array) -> Array:
        """Copy of x in which each tight block has exactly its sum."""
        order, ends = self._blocks(x)
        ordered = x[order].astype(np.float64)
        sums = np.add.reduceat(self.values - ordered, ends[:-1])
        ordered += np.repeat(sums / np.diff(ends), np.diff(ends))
        snapped = np.empty_like(x)
        snapped[order] = ordered
        return snapped

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        """Largest step: the set of entries that a step violates most bounds the next one.

        Steps only become shorter, and a set that bounds one does not come again.
        """
        along = np.zeros(x.size)
        along[where] = d
        away = x.astype(np.float64) - self._mean
        step, ahead = math.inf, self._bound(away, along, np.argsort(-along, kind="stable"))
        for _ in range(MAX_BOUNDING_SETS):
            if not ahead < step:
                break
            step = ahead
            ahead = self._bound(away, along, np.argsort(-(away + step * along), kind="stable"))
        return step

    def _bound(self, away: Array, along: Array, order: Indices) -> float:
        """Longest step that the sums of the first 1, 2, ... entries of an order allow."""
        rises, room = np.cumsum(along[order]), self._sums - np.cumsum(away[order])
        most = float(np.abs(along).max())
        rising = np.flatnonzero(rises[:-1] > 1e-12 * most)
        return float((room[rising] / rises[rising]).min(initial=math.inf))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(np.arange(1.0, n + 1.0)), cls(rng.standard_normal(n))]

    def __repr__(self) -> str:
        return f"Permutahedron({self.dimension} values)"
