"""Observed cells of a matrix, and matrices that are zero elsewhere."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.threads import (
    GATHER_COST,
    MIN_CHUNKED_LENGTH,
    PARTS,
    PIECES,
    balanced,
    many,
)
from frankwolfe.core.gradients import MatrixGradient
from frankwolfe.core.kernels import cells, factor_curvature, low_rank
from frankwolfe.core.place import HERE, Loops, Place

__all__ = ["CellMatrix", "Cells", "cells_at"]

CellLoss: TypeAlias = tuple[int, float | tuple[float, float], Array, Array]
"""Code, threshold, targets and weights of a loss on the cells, as the kernels take them."""

LOOKUP_COST = 8  # numbers of a factor whose reading costs as much as finding where they are


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

    def __init__(self, shape: tuple[int, int], indptr: Indices, columns: Indices) -> None:
        self.shape = shape
        self.indptr, self.columns = indptr, columns
        self.splits = balanced(indptr, PIECES)
        # by kind of values: those by row, and the same by column; `_by_columns` fills it
        self._turned: dict[str, tuple[tuple[Array, ...], tuple[Array, ...]]] = {}

    def __len__(self) -> int:
        return int(self.columns.size)

    def matrix(self, values: Array) -> CellMatrix:
        """Matrix with these values on the cells, zero elsewhere."""
        return CellMatrix(self, values)

    def here(self) -> Cells:
        """These cells with their arrays in this process's memory."""
        return self

    def parts(self) -> list[Indices]:
        """Arrays that determine the cells, for fingerprints."""
        return [self.indptr, self.columns]

    def rows(self) -> Indices:
        """Row of every cell, as a new array."""
        counts = np.diff(self.indptr)
        return np.repeat(np.arange(self.shape[0], dtype=self.columns.dtype), counts)

    @cached_property
    def multiplicity(self) -> int:
        """Number of times that the most frequent cell occurs."""
        by_columns, _ = self.flipped  # rows do not fall along a column
        return int(cells.most_alike(by_columns.indptr, by_columns.columns))

    @cached_property
    def flipped(self) -> tuple[Cells, Indices]:
        """Transposed cells, sorted by column, and the place of each of them in the order by row."""
        counts = np.bincount(self.columns, minlength=self.shape[1])
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        rows = np.empty_like(self.columns)
        narrow: DTypeLike = np.uint32 if len(self) < 2**32 else np.int64  # half as much to read
        order: Indices = np.empty(len(self), dtype=narrow)
        cells.turned(self.indptr, self.columns, indptr[:-1].copy(), rows, order)
        return Cells((self.shape[1], self.shape[0]), indptr, rows), order

    def weighted_rows(self, slope: Array, right: Array, out: Array) -> None:
        """out_i = Σ_j slope_ij right_j over the cells of row i."""
        loop = self._loop(low_rank, "weighted_rows", LOOKUP_COST + right.shape[1])
        loop(self.indptr, self.columns, slope, right, out, self.splits)

    def rank_one(self, scale: float, u: Array, v: Array, out: Array) -> None:
        """out_ij = scale u_i v_j on the cells: the image of a rank-one matrix."""
        loop = self._loop(cells, "rank_one", GATHER_COST)
        loop(self.indptr, self.columns, scale, u, v, out, self.splits)

    def factored(self, left: Array, right: Array, out: Array) -> None:
        """out_ij = <left_i, right_j> on the cells, for factors with one row a row or column."""
        if left.shape[1] == 0:
            out[:] = 0.0
            return
        loop = self._loop(cells, "factored", LOOKUP_COST + left.shape[1])
        loop(self.indptr, self.columns, left, right, out, self.splits)

    def evaluate(self, loss: CellLoss, z: Array, slope: Array, out: Array) -> tuple[float, float]:
        """Write phi'(z) into `slope` and `out`; return phi(z) and <phi'(z), z>."""
        code, delta, b, w = loss
        pair: tuple[float, float]
        pair = self.place.losses(len(self)).linearize(code, delta, z, b, w, slope)
        out[:] = slope
        return pair

    def loss_gradient(
        self, loss: CellLoss, tau: float, left: Array, right: Array, out: Array, other: Array
    ) -> tuple[float, float]:
        """Return phi and <G, tau L R'> at tau L R'; out = G R, other = G' L, G the gradient.

        `loss` is the code, threshold, targets and weights of the loss's kernel.
        """
        code, delta, *terms = loss
        by_columns, turned = self.flipped[0], (code, delta, *self._by_columns("loss", *terms))
        loop = self._loop(low_rank, "loss_rows", LOOKUP_COST + 2 * left.shape[1])
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

        `given` are first and second derivatives of the loss on the cells.
        """
        by_columns, turned = self.flipped[0], self._by_columns("bend", *given)
        loop = self._loop(factor_curvature, "bent_rows", LOOKUP_COST + 4 * out.shape[1])
        loop((self.indptr, self.columns), given, factors, moves, out, self.splits)
        where, sides = (by_columns.indptr, by_columns.columns), (factors[::-1], moves[::-1])
        loop(where, turned, *sides, other, by_columns.splits)

    def _by_columns(self, kind: str, *values: Array) -> tuple[Array, ...]:
        """Values of the cells in the order of `flipped`; the last of each kind are kept.

        A single number for all cells is returned as it is.
        """
        known, turned = self._turned.get(kind, ((), ()))
        if not known or any(a is not b for a, b in zip(known, values, strict=True)):
            order = self.flipped[1]
            turned = tuple(x if x.size == 1 else self.taken(x, order) for x in values)
            self._turned[kind] = values, turned
        return turned

    def taken(self, values: Array, order: Indices) -> Array:
        """values[order], on threads where they are many."""
        out = np.empty_like(values)
        self._loop(cells, "take", GATHER_COST)(values, order, out)
        return out

    def product(self, values: Array, v: Array, out: Array) -> None:
        """out = G v, for G with these values on the cells."""
        loop = self._loop(cells, "product", GATHER_COST)
        loop(self.indptr, self.columns, values, v, out, self.splits)

    def transposed_product(self, values: Array, u: Array, out: Array) -> None:
        """out = G' u, for G with these values on the cells."""
        where = self.indptr, self.columns
        if GATHER_COST * len(self) < MIN_CHUNKED_LENGTH:
            cells.transposed_product(*where, values, u, out, 0, self.shape[0])
        else:
            # several sums at once: rows of different threads meet in the same columns
            loop = self._loop(cells, "transposed_in_parts", GATHER_COST)
            loop(*where, values, u, self._parts, out, self.splits[:: PIECES // PARTS])

    @cached_property
    def _parts(self) -> Array:
        """Workspace for the partial sums of a transposed product."""
        return np.empty((PARTS, self.shape[1]))

    def _loop(self, module: Loops, name: str, each: int) -> Loops:
        """Loop `name`, on all threads if that pays at a cost of `each` for a cell."""
        return getattr(module, f"parallel_{name}" if many(each * len(self)) else name)


def cells_at(keys: Indices, shape: tuple[int, int]) -> Cells:
    """Cells (i, j) from their ascending numbers i * columns + j."""
    rows, columns = np.divmod(keys, shape[1])
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return Cells(shape, indptr.astype(np.int64), columns.astype(np.int32))


class CellMatrix(MatrixGradient):
    """A gradient matrix with values on the observed cells and zero elsewhere."""

    def __init__(self, where: Cells, values: Array) -> None:
        self.cells, self.values = where, values
        self.shape, self.dtype = where.shape, values.dtype

    @cached_property
    def _flipped(self) -> tuple[Cells, Array]:
        """Transposed cells, and the values in their order."""
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
        """left G right', for matrices whose rows are vectors: one product with G for each row."""
        image = np.empty((self.shape[0], right.shape[0]))
        self.cells.weighted_rows(self.values, np.ascontiguousarray(right.T), image)
        return np.asarray(left @ image)

    def frobenius(self) -> float:
        """Upper bound on the Frobenius norm, and so on every singular value.

        Values of a cell that occurs m times add up, to at most √m times the root of their sum of
        squares (Cauchy-Schwarz); the bound counts that in.
        """
        return math.sqrt(cells.square(self.values) * self.cells.multiplicity)

    def dense(self) -> Array:
        full = np.zeros(self.shape)
        np.add.at(full, (self.cells.rows(), self.cells.columns), self.values)
        return full
