"""The observed cells of a matrix, and a matrix that is zero elsewhere."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array
from frankwolfe.base.threads import GATHERED, LONG, PARTS, PIECES, balanced, many
from frankwolfe.core.gradients import MatrixGradient
from frankwolfe.core.kernels import cells, factor_curvature, low_rank
from frankwolfe.core.place import HERE, Place

__all__ = ["CellMatrix", "Cells", "cells_at"]

FOUND = 8  # factors of a cell that cost as much as finding them


class Cells:
    """A list of cells (i, j), sorted by row; a cell may occur more than once.

    Attributes
    ----------
    shape : tuple of int
    indptr, columns : array of int
        Compressed rows: row i has the columns ``columns[indptr[i]:indptr[i + 1]]``.
    place : Place
        Where values on the cells live.
    """

    place: Place = HERE

    def __init__(self, shape: tuple[int, int], indptr: NDArray[Any], columns: NDArray[Any]) -> None:
        self.shape = shape
        self.indptr, self.columns = indptr, columns
        self.splits = balanced(indptr, PIECES)
        self._turned: dict[str, tuple[tuple[Array, ...], tuple[Array, ...]]] = {}

    def __len__(self) -> int:
        return int(self.columns.size)

    def matrix(self, values: Array) -> CellMatrix:
        """The matrix with these values on the cells."""
        return CellMatrix(self, values)

    def here(self) -> Cells:
        """The same cells in this process's memory."""
        return self

    def parts(self) -> list[NDArray[Any]]:
        """The arrays that say which cells these are (fingerprints)."""
        return [self.indptr, self.columns]

    def rows(self) -> NDArray[Any]:
        """The row of every cell, as a new array."""
        counts = np.diff(self.indptr)
        return np.repeat(np.arange(self.shape[0], dtype=self.columns.dtype), counts)

    @cached_property
    def multiplicity(self) -> int:
        """How often the most frequent cell occurs."""
        by_columns, _ = self.flipped  # rows do not fall along a column
        return int(cells.most_alike(by_columns.indptr, by_columns.columns))

    @cached_property
    def flipped(self) -> tuple[Cells, NDArray[Any]]:
        """The same cells by column, and where each of them stands by row."""
        counts = np.bincount(self.columns, minlength=self.shape[1])
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        rows = np.empty_like(self.columns)
        order = np.empty(len(self), dtype=np.uint32 if len(self) < 2**32 else np.int64)
        cells.turned(self.indptr, self.columns, indptr[:-1].copy(), rows, order)
        return Cells((self.shape[1], self.shape[0]), indptr, rows), order

    def weighted_rows(self, slope: Array, right: Array, out: Array) -> None:
        """out_i = sum of slope_ij right_j over the cells of row i."""
        loop = self._loop(low_rank, "weighted_rows", FOUND + right.shape[1])
        loop(self.indptr, self.columns, slope, right, out, self.splits)

    def rank_one(self, scale: float, u: Array, v: Array, out: Array) -> None:
        """out = scale u_i v_j."""
        loop = self._loop(cells, "rank_one", GATHERED)
        loop(self.indptr, self.columns, scale, u, v, out, self.splits)

    def factored(self, left: Array, right: Array, out: Array) -> None:
        """out = <left_i, right_j>, for factors with one row a row or column."""
        if left.shape[1] == 0:
            out[:] = 0.0
            return
        loop = self._loop(cells, "factored", FOUND + left.shape[1])
        loop(self.indptr, self.columns, left, right, out, self.splits)

    def evaluate(self, loss: Any, z: Array, slope: Array, out: Array) -> tuple[float, float]:
        """Write phi'(z), the gradient, into both; return phi(z) and <phi'(z), z>."""
        code, delta, b, w = loss
        pair: tuple[float, float]
        pair = self.place.losses(len(self)).linearize(code, delta, z, b, w, slope)
        out[:] = slope
        return pair

    def loss_gradient(
        self, loss: Any, tau: float, left: Array, right: Array, out: Array, other: Array
    ) -> tuple[float, float]:
        """Loss of tau L R' and <G, tau L R'>; out = G R, other = G' L, with G its gradient.

        `loss` is the code, threshold, targets and weights of the loss's kernel.
        """
        code, delta, *terms = loss
        by_columns, turned = self.flipped[0], (code, delta, *self._by_columns("loss", *terms))
        loop = self._loop(low_rank, "loss_rows", FOUND + 2 * left.shape[1])
        pair: tuple[float, float] = loop(
            loss, self.indptr, self.columns, tau, left, right, out, self.splits
        )
        where = by_columns.indptr, by_columns.columns
        loop(turned, *where, tau, right, left, other, by_columns.splits)
        return pair

    def bend(
        self,
        given: tuple[Array, Array],
        factors: tuple[Array, Array],
        moves: tuple[Array, Array],
        out: Array,
        other: Array,
    ) -> None:
        """The derivative of (G R, G' L) along a move of L and R, into `out` and `other`.

        `given` are the slopes and curvatures of the cells.
        """
        by_columns, turned = self.flipped[0], self._by_columns("bend", *given)
        loop = self._loop(factor_curvature, "bent_rows", FOUND + 4 * out.shape[1])
        loop((self.indptr, self.columns), given, factors, moves, out, self.splits)
        where, sides = (by_columns.indptr, by_columns.columns), (factors[::-1], moves[::-1])
        loop(where, turned, *sides, other, by_columns.splits)

    def _by_columns(self, kind: str, *values: Array) -> tuple[Array, ...]:
        """Values of the cells in the order of the flipped ones; the last of a kind are kept.

        One number for all stays what it is.
        """
        known, turned = self._turned.get(kind, ((), ()))
        if not known or any(a is not b for a, b in zip(known, values, strict=True)):
            order = self.flipped[1]
            turned = tuple(x if x.size == 1 else self.taken(x, order) for x in values)
            self._turned[kind] = values, turned
        return turned

    def taken(self, values: Array, order: NDArray[Any]) -> Array:
        """The values in another order."""
        out = np.empty_like(values)
        self._loop(cells, "take", GATHERED)(values, order, out)
        return out

    def product(self, values: Array, v: Array, out: Array) -> None:
        """out = G v."""
        loop = self._loop(cells, "product", GATHERED)
        loop(self.indptr, self.columns, values, v, out, self.splits)

    def transposed_product(self, values: Array, u: Array, out: Array) -> None:
        """out = G' u."""
        where = self.indptr, self.columns
        if GATHERED * len(self) < LONG:
            cells.transposed_product(*where, values, u, out, 0, self.shape[0])
        else:
            loop = self._loop(cells, "transposed_in_parts", GATHERED)
            loop(*where, values, u, self._parts, out, self.splits[:: PIECES // PARTS])

    @cached_property
    def _parts(self) -> Array:
        """Room for the sums of a transposed product."""
        return np.empty((PARTS, self.shape[1]))

    def _loop(self, module: Any, name: str, each: int) -> Any:
        """The loop of that name for all threads where `each` cell costs so much, or for one."""
        return getattr(module, f"parallel_{name}" if many(each * len(self)) else name)


def cells_at(keys: Any, shape: tuple[int, int]) -> Cells:
    """The cells whose numbers, row by row, are these, in ascending order."""
    rows, columns = np.divmod(keys, shape[1])
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return Cells(shape, indptr.astype(np.int64), columns.astype(np.int32))


class CellMatrix(MatrixGradient):
    """A matrix with values on the observed cells and zero elsewhere: a gradient."""

    def __init__(self, where: Cells, values: Array) -> None:
        self.cells, self.values = where, values
        self.shape, self.dtype = where.shape, values.dtype

    @cached_property
    def _flipped(self) -> tuple[Cells, Array]:
        """The cells by column, and the values in that order."""
        flipped, order = self.cells.flipped
        return flipped, self.cells.taken(self.values, order)

    def apply(self, v: Array, out: Array) -> None:
        self.cells.product(self.values, v, out)

    def adjoint(self, u: Array, out: Array) -> None:
        self.cells.transposed_product(self.values, u, out)

    def apply_block(self, block: Array, out: Array) -> None:
        self.cells.weighted_rows(self.values, block, out)

    def adjoint_block(self, block: Array, out: Array) -> None:
        where, values = self._flipped
        where.weighted_rows(values, block, out)

    def between(self, left: Array, right: Array) -> Array:
        """left G right', for vectors that are rows: as many products as there are rows."""
        image = np.empty((self.shape[0], right.shape[0]))
        self.cells.weighted_rows(self.values, np.ascontiguousarray(right.T), image)
        return np.asarray(left @ image)

    def frobenius(self) -> float:
        """The root of the sum of squares; an upper bound on every singular value.

        Where a cell occurs more than once its values add up, to at most the root of the
        number of times longer; the bound counts that in.
        """
        return math.sqrt(cells.square(self.values) * self.cells.multiplicity)

    def dense(self) -> Array:
        full = np.zeros(self.shape)
        np.add.at(full, (self.cells.rows(), self.cells.columns), self.values)
        return full
