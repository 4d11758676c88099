"""Shards of matrix completion, which workers hold: some cells, as an ordinary loss."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels.terms import TERMS
from frankwolfe.engines.dask.build import check_version
from frankwolfe.engines.dask.layout import RowBlock
from frankwolfe.engines.dask.mixture import Sent
from frankwolfe.engines.dask.named import Recent
from frankwolfe.engines.dask.shard import Unheard
from frankwolfe.objectives import Completion

if TYPE_CHECKING:
    from fractions import Fraction

    from frankwolfe.core.gradients import MatrixGradient
    from frankwolfe.engines.dask.layout import Block

__all__ = [
    "CellOptions",
    "CellRecipe",
    "CellShard",
    "CellSurvey",
    "described_cells",
    "gathered_cells",
    "made_cells",
    "surveyed_cells",
]

MAX_TERMS = 1200  # kept by a shard: more than an iterate has, so that none is sent twice
MAX_IMAGES = 4  # kept by a shard: X, a direction, a trial, the iterate before


class Triples(NamedTuple):
    """Cells of a matrix: their rows, columns, values and weights."""

    rows: Indices
    columns: Indices
    values: Array
    weights: Array | None


class CellOptions(TypedDict):
    """Options of `Completion` that do not depend on the cells."""

    loss: Literal["huber", "squared", "logistic"]
    delta: float
    rank_cap: int


class CellSurvey(NamedTuple):
    """Facts on the cells of a shard that the loss of any shard depends on."""

    cells: int
    last: tuple[int, int]  # the largest row and column
    classes: Array | None
    weight: float


class CellRecipe(NamedTuple):
    """Recipe of the loss of some cells."""

    shape: tuple[int, int]
    options: CellOptions
    classes: Array | None
    factor: Fraction  # on all weights


def gathered_cells(parts: Iterable[RowBlock]) -> Triples:
    """Cells of a shard, from blocks whose columns are (row, column, value)."""
    blocks = [(_three(part.data), part.weights) for part in parts]
    rows, columns, values = (np.concatenate([one[k] for one, _ in blocks]) for k in range(3))
    weights = [np.asarray(weight, dtype=np.float64) for _, weight in blocks if weight is not None]
    found = (_whole("rows", rows), _whole("columns", columns))
    return Triples(*found, values, np.concatenate(weights) if weights else None)


def _three(data: Block) -> tuple[Array, Array, Array]:
    """First three columns of a block."""
    if hasattr(data, "iloc"):
        rows, columns, values = (data.iloc[:, k].to_numpy() for k in range(3))
    else:
        rows, columns, values = np.asarray(data).T[:3]
    return rows, columns, values


def _whole(name: str, index: Array) -> Indices:
    """Numbers as int64; InvalidInput unless they are whole and >= 0."""
    found = np.asarray(index).astype(np.int64)
    if (found != index).any() or (found.size and found.min() < 0):
        raise InvalidInput(f"{name} must be whole numbers >= 0.")
    return found


def surveyed_cells(cells: Triples, labels: bool, version: str = "") -> CellSurvey:
    """Survey of the cells of a shard, with their classes if values are `labels`."""
    check_version(version)
    if not np.isfinite(cells.values.astype(np.float64)).all():
        raise InvalidInput("the observed values must be finite, but they hold NaN or infinity.")
    weight = cells.values.size if cells.weights is None else float(cells.weights.sum())
    if cells.weights is not None and not (cells.weights >= 0.0).all():
        raise InvalidInput("sample_weight must be >= 0 with a positive sum.")
    last = tuple(int(index.max(initial=-1)) for index in (cells.rows, cells.columns))
    classes = np.unique(cells.values) if labels else None
    return CellSurvey(cells.values.size, (last[0], last[1]), classes, float(weight))


def made_cells(cells: Triples, recipe: CellRecipe) -> CellShard:
    """Shard of some cells, with its non-empty rows numbered from 0."""
    rows, local = np.unique(cells.rows, return_inverse=True)
    dtype = cells.values.dtype if cells.values.dtype == np.float32 else np.float64
    values = cells.values.astype(dtype)
    options, classes = recipe.options.copy(), recipe.classes
    if classes is not None:  # as labels they would need both classes, and one may be missing
        values, options["loss"] = np.where(values == classes[1], 1, -1).astype(dtype), "squared"
    shape = (max(rows.size, 1), recipe.shape[1])
    order = np.argsort(local, kind="stable")
    parts = local[order].astype(np.int32), cells.columns[order].astype(np.int32), values[order]
    loss = Completion(parts, shape=shape, reduction="sum", **options)
    if classes is not None:
        loss.loss, loss.quadratic, (loss._code, loss._curvature) = (
            "logistic",
            False,
            TERMS["logistic"],
        )
    if cells.weights is not None:
        loss = loss.reweighted(cells.weights[order])
    return CellShard(loss.times(recipe.factor), rows)


def described_cells(shard: CellShard) -> tuple[Indices, int, int, float, Dtype, int]:
    """Rows, number of cells, multiplicity, largest weight, type and bytes of a shard."""
    loss, weight = shard.loss, float(shard.loss.weight.max())
    return shard.rows, loss.m, loss.cells.multiplicity, weight, loss.dtype, shard.nbytes


class CellShard:
    """Loss of some cells, with the terms and images of matrices that it knows by name."""

    def __init__(self, loss: Completion, rows: Indices) -> None:
        self.loss, self.rows = loss, rows
        self._forget()

    def _forget(self) -> None:
        self._terms: Recent[bytes, tuple[Array, Array]] = Recent(MAX_TERMS)
        self._images: Recent[bytes, Array] = Recent(MAX_IMAGES)
        self._slopes: Recent[bytes, Array] = Recent(2)
        self._busy = threading.Lock()

    def __getstate__(self) -> dict[str, object]:
        return {"loss": self.loss, "rows": self.rows}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def nbytes(self) -> int:
        """Bytes of the cells: value, row and column, 12 a cell, and the row numbers."""
        return int(12 * self.loss.m + self.rows.nbytes)

    def __sizeof__(self) -> int:
        return self.nbytes

    def value(self, x: Sent) -> float:
        """phi(z) at the point."""
        return self.loss.value(self._at(x))

    def evaluate(self, x: Sent) -> tuple[float, float, float]:
        """phi(z), <phi'(z), z> and |phi'(z)|^2; phi'(z) is kept for products with the gradient."""
        slope = self.loss.new_image()
        value, inner = self.loss.linearize(self._at(x), slope)
        self._slopes.keep(x.name, slope)
        return value, inner, self.loss.squared_length(slope)

    def along(self, x: Sent, d: Sent, t: float) -> tuple[float, float, float]:
        """Value, slope and curvature of t -> phi(z + t dz) at t."""
        value, slope, curvature = self.loss.along(self._at(x), self._at(d), t)
        return value, slope, float(curvature or 0.0)

    def squared_length(self, d: Sent) -> float:
        """Squared length |A d|^2 of an image."""
        return self.loss.squared_length(self._at(d))

    def curvature_bound(self, d: Sent) -> float:
        """Upper bound on the second derivative of phi along A d, anywhere."""
        return float(self.loss.curvature_bound(self._at(d)) or 0.0)

    def inner(self, x: Sent, d: Sent) -> float:
        """Inner product <phi'(z), dz>."""
        return float(self._slope(x).dot(self._at(d)))

    def product(self, x: Sent, block: Array) -> Array:
        """Rows of G B that are the shard's, for a matrix B and the gradient G."""
        out = np.empty((self.loss.shape[0], block.shape[1]), dtype=block.dtype)
        self._gradient(x).apply_block(block, out)
        return out[: self.rows.size]

    def adjoint(self, x: Sent, block: Array) -> Array:
        """Product G'B, for a matrix B of the shard's rows."""
        out = np.empty((self.loss.shape[1], block.shape[1]), dtype=block.dtype)
        self._gradient(x).adjoint_block(np.ascontiguousarray(block), out)
        return out

    def factors(self, tau: float, left: Array, right: Array) -> tuple[float, float, Array, Array]:
        """Loss of τLR', <G, τLR'>, G R and G'L, for the shard's rows of L."""
        by_row, by_column = np.empty_like(left), np.empty_like(right)
        pair = self.loss.linearize_factors(tau, left, right, by_row, by_column)
        return *pair, by_row, by_column

    def _gradient(self, x: Sent) -> MatrixGradient:
        """Gradient at the point, on the shard's cells."""
        found: MatrixGradient = self.loss.covector(self._slope(x))
        return found

    def _slope(self, x: Sent) -> Array:
        """Slope phi'(z) at the point, as `evaluate` keeps it."""
        known = self._slopes.find(x.name)
        if known is None:
            self.evaluate(x)
            return self._slopes[x.name]
        return known

    def _at(self, x: Sent) -> Array:
        """Image of a mixture, computed from its terms side by side; Unheard if one is missing."""
        known = self._images.find(x.name)
        if known is not None:
            return known
        for name, sides in x.terms.items():
            self._terms.keep(name, sides)
        z = self.loss.new_image()
        found = [self._term(name, share) for name, share in x.shares]
        if found:
            left, right = (np.hstack(side) for side in zip(*found, strict=True))
            dtype = self.loss.dtype
            self.loss.cells.factored(left.astype(dtype), right.astype(dtype), z)
        else:
            z[:] = 0.0
        return self._images.keep(x.name, z)

    def _term(self, name: bytes, share: float) -> tuple[Array, Array]:
        """Factors of a term times its share."""
        sides = self._terms.find(name)
        if sides is None:
            raise Unheard(name)
        return share * sides[0], sides[1]
