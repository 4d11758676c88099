"""The convex hull of given points."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Matrix
from frankwolfe.base.checks import frobenius, power, quiet
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.atoms import Atom, Dense, Sparse
from frankwolfe.core.double_double import Doubled, image
from frankwolfe.core.feasibility import spacing
from frankwolfe.core.maps import DenseMap, as_map
from frankwolfe.core.region import OUTSIDE_TOL, Region
from frankwolfe.core.region_abilities import (
    Accuracy,
    ExactBound,
    Formulation,
    InexactAtom,
    OracleMemory,
)
from frankwolfe.core.standard_form.form import StandardForm

__all__ = ["ConvexHull"]

MAX_EXACT_DIAMETER = 2000  # points; above, the distances of all pairs are too many
MAX_NNLS_ENTRIES = 20_000  # of all points; above, least squares in each step cost too much
BLOCK_ENTRIES = 2**16  # of a block of points: a temporary of this size stays in the cache


class ConvexHull(Region, Formulation, ExactBound):
    """The convex hull of given points, one a row.

    An oracle call is a product with the matrix of points. Whether an x0 lies in the hull is
    found by non-negative least squares (`scipy.optimize.nnls`) with all points in a dense array.

    Parameters
    ----------
    points : array or scipy sparse matrix of shape (p, n)
        The points. float32 and float64 are kept, not copied; rows of a sparse matrix are
        sparse atoms.

    Notes
    -----
    The diameter is exact for at most 2000 points. For more it is an upper bound, at most twice
    as large: the sum of the two largest distances from their mean.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> triangle = fw.ConvexHull([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])
    >>> triangle.lmo(np.array([1.0, -1.0])).dense(2), triangle.diameter(2)
    (array([0., 4.]), 5.0)
    >>> triangle.contains([1.0, 2.0]), triangle.contains([2.0, 2.0])
    (True, False)
    """

    family = "polytopes"
    formula = r"\mathrm{conv}\{p_1, \dots, p_m\}"
    atom = "one of the points"
    cost = "mn"

    polytope = True

    def __init__(self, points: Matrix) -> None:
        self._points = as_map("points", points, rows="points")
        self.count, self.dimension = self._points.shape

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        products = np.empty(self.count, dtype=np.result_type(self._points.dtype, g.dtype))
        self._points.apply(g, products)
        atom = self._points.row(int(products.argmin()))
        if isinstance(atom, Sparse):
            return Sparse(atom.indices.astype(np.intp), atom.values.astype(g.dtype))
        assert isinstance(atom, Dense)
        out = np.empty_like(g) if out is None else out
        out[:] = atom.array
        return Dense(out)

    def standard_form(self, n: int) -> StandardForm | None:
        """Standard form in the weights of the points."""
        if self.count == 1:
            return None
        atoms = [self._points.row(i) for i in range(self.count)]
        high, share = np.full(self.count, np.inf), np.full(self.count, 1.0 / self.count)
        sums, totals = np.ones((1, self.count)), np.ones(1)
        return StandardForm(atoms, np.zeros(self.count), high, share, sums, totals)

    def diameter(self, n: int) -> float:
        if self.count > MAX_EXACT_DIAMETER:
            two = np.partition(self._from_mean(), self.count - 2)[-2:]
            return float(two.sum())
        if isinstance(self._points, DenseMap):  # moved to zero: squares then lose no digits
            moved = self._points.matrix - self._mean()
            gram = DenseMap(moved / power(float(np.abs(moved).max()))).gram("rows")
        else:
            gram = self._points.gram("rows").astype(np.float64)
        squares = gram.diagonal()
        apart = squares[:, None] + squares[None] - 2.0 * gram
        i, j = np.unravel_index(int(apart.argmax()), apart.shape)
        return frobenius(self.point(int(i)) - self.point(int(j)))

    def reach(self, weights: Array, n: int) -> float:
        each = np.broadcast_to(weights, (n,))
        if not isinstance(self._points, DenseMap):
            starts, places, entries = self._points.parts()
            rows = np.repeat(np.arange(self.count), np.diff(starts))
            return float(np.bincount(rows, np.abs(entries) * each[places]).max(initial=0.0))
        matrix, size = self._points.matrix, max(1, BLOCK_ENTRIES // n)
        blocks = (matrix[i : i + size] for i in range(0, self.count, size))
        return max(float((np.abs(block) @ each).max()) for block in blocks)

    def inexact_lmo(self, g: Array, memory: OracleMemory, wanted: Accuracy) -> InexactAtom:
        """Oracle whose error bounds the rounding of the products with the points."""
        atom, support, _ = super().inexact_lmo(g, memory, wanted)
        eps = 2.0**-23 if g.itemsize == 4 else 2.0**-52
        return atom, support, 8.0 * eps * self._longest * frobenius(g)

    @cached_property
    def _longest(self) -> float:
        """Largest 2-norm of a point."""
        if isinstance(self._points, DenseMap):
            return float(_lengths(self._points.matrix).max())
        starts, _, entries = self._points.parts()
        rows = np.repeat(np.arange(self.count), np.diff(starts))
        return math.sqrt(np.bincount(rows, np.square(entries, dtype=np.float64)).max(initial=0.0))

    def least(self, g: Doubled) -> Fraction:
        return image(self._points, g).least()

    def violation(self, x: Array) -> float:
        return self._combined(x)[1]

    def inside(self, x: Array) -> Array:
        if self.count * x.size > MAX_NNLS_ENTRIES:
            return x
        weights, out = self._combined(x)
        if out <= OUTSIDE_TOL[x.itemsize]:
            return x
        points = np.array([self.point(i) for i in range(self.count)])
        return np.asarray((weights / weights.sum()) @ points, dtype=x.dtype)

    def _combined(self, x: Array) -> tuple[Array, float]:
        """Weights whose combination of the points is nearest to x, and its relative distance."""
        from scipy.optimize import nnls

        mean = self._mean()
        # moved to the mean and scaled: the row of ones then weighs as much as the others
        away = np.array([self.point(i) for i in range(self.count)]) - mean
        x = np.asarray(x, dtype=np.float64) - mean
        size = float(_lengths(away).max())
        if size == 0.0:  # one point
            return np.eye(1, self.count)[0], frobenius(x) / (frobenius(mean) or 1.0)
        # weights >= 0 of the points that give x, and sum to one
        weights = np.vstack([away.T / size, np.ones(self.count)])
        found, out = nnls(weights, np.append(x / size, 1.0))
        return found, float(out)

    @cached_property
    def _extent(self) -> tuple[float, float]:
        """Largest distance of a point from the mean, and the distance of the mean from zero."""
        with quiet():
            return float(self._from_mean().max()), frobenius(self._mean())

    def resolution(self, n: int, dtype: Dtype) -> float:
        size, away = self._extent
        dense = self._points.matrix if isinstance(self._points, DenseMap) else None
        if size == 0.0 and dense is not None and np.ptp(dense, axis=0).any():
            return math.inf  # distances so short that their squares vanish
        return spacing(dtype, size + away, size or away or 1.0)

    def start(self, n: int) -> Array:
        return self.point(0)

    def middle(self, n: int) -> Array:
        return self._mean()

    def point(self, index: int) -> Array:
        """Point number `index`, as a new vector in double precision."""
        return self._points.row(index).dense(self._points.shape[1]).astype(np.float64)

    def _mean(self) -> Array:
        """Mean of all points."""
        mean = np.empty(self._points.shape[1])
        self._points.adjoint(np.full(self.count, 1.0 / self.count), mean)
        return mean

    def _from_mean(self) -> Array:
        """Distance of each point from the mean."""
        mean = self._mean()
        if isinstance(self._points, DenseMap):
            return _lengths(self._points.matrix - mean)
        starts, _, entries = self._points.parts()
        rows = np.repeat(np.arange(self.count), np.diff(starts))
        squares = np.bincount(rows, entries.astype(np.float64) ** 2, minlength=self.count)
        products = np.empty(self.count)
        self._points.apply(mean, products)
        return np.sqrt(np.maximum(squares - 2.0 * products + mean @ mean, 0.0))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        from scipy.sparse import csr_array

        points = rng.standard_normal((2 * n, n)) + 1.0
        sparse = points * (rng.random(points.shape) < 0.5)
        return [cls(points), cls(csr_array(sparse))]

    def fingerprint(self) -> str:
        return fingerprint(repr(self), self._points.parts())

    def __repr__(self) -> str:
        kind = "dense" if isinstance(self._points, DenseMap) else "sparse"
        return f"ConvexHull({self.count} {kind} points in {self.dimension} variables)"


def _lengths(rows: Array) -> Array:
    """The 2-norm of each row; no square over- or underflows."""
    unit = power(float(np.abs(rows).max()))
    return np.asarray(unit * np.linalg.norm(rows / unit, axis=1))
