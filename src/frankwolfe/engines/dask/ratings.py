"""What a worker holds of a matrix to be completed: some of its cells, as an ordinary loss."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels.terms import TERMS
from frankwolfe.engines.dask.build import check_version
from frankwolfe.engines.dask.layout import Rows
from frankwolfe.engines.dask.mixture import Sent
from frankwolfe.engines.dask.named import Recent
from frankwolfe.engines.dask.shard import Unheard
from frankwolfe.objectives import Completion

__all__ = [
    "CellRecipe",
    "CellShard",
    "CellSurvey",
    "described_cells",
    "gathered_cells",
    "made_cells",
    "surveyed_cells",
]

TERMS_KEPT = 1200  # more than an iterate has
IMAGES = 4


class Triples(NamedTuple):
    """Rows, columns, values and weights of cells."""

    rows: Indices
    columns: Indices
    values: Array
    weights: Array | None


class CellSurvey(NamedTuple):
    """What a shard must know of all cells."""

    cells: int
    last: tuple[int, int]  # the largest row and column
    classes: Array | None
    weight: float


class CellRecipe(NamedTuple):
    """How the loss of some cells is made."""

    shape: tuple[int, int]
    options: dict[str, Any]
    classes: Array | None
    factor: Any


def gathered_cells(parts: Iterable[Rows]) -> Triples:
    """The cells of a shard: data are (row, column, value)."""
    blocks = [(_three(part.data), part.weights) for part in parts]
    rows, columns, values = (np.concatenate([one[k] for one, _ in blocks]) for k in range(3))
    weights = [np.asarray(weight, dtype=np.float64) for _, weight in blocks if weight is not None]
    found = (_whole("rows", rows), _whole("columns", columns))
    return Triples(*found, values, np.concatenate(weights) if weights else None)


def _three(data: Any) -> tuple[Array, Array, Array]:
    if hasattr(data, "iloc"):
        rows, columns, values = (data.iloc[:, k].to_numpy() for k in range(3))
    else:
        rows, columns, values = np.asarray(data).T[:3]
    return rows, columns, values


def _whole(name: str, index: Array) -> Indices:
    found = np.asarray(index).astype(np.int64)
    if (found != index).any() or (found.size and found.min() < 0):
        raise InvalidInput(f"{name} must be whole numbers >= 0.")
    return found


def surveyed_cells(cells: Triples, labels: bool, version: str = "") -> CellSurvey:
    """A look at the cells of a shard."""
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
    """The shard of these cells; rows are numbered anew, those that there are."""
    rows, local = np.unique(cells.rows, return_inverse=True)
    dtype = cells.values.dtype if cells.values.dtype == np.float32 else np.float64
    values = cells.values.astype(dtype)
    options, classes = dict(recipe.options), recipe.classes
    if classes is not None:  # one class alone may be here
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


def described_cells(shard: CellShard) -> tuple[Indices, int, int, float, Any, int]:
    """Rows, how many cells, how often one occurs, the largest weight, type and bytes."""
    loss, weight = shard.loss, float(shard.loss.weight.max())
    return shard.rows, loss.m, loss.cells.multiplicity, weight, loss.dtype, shard.nbytes


class CellShard:
    """Some cells, and the terms and images that were asked for."""

    def __init__(self, loss: Completion, rows: Indices) -> None:
        self.loss, self.rows = loss, rows
        self._forget()

    def _forget(self) -> None:
        self._terms, self._images, self._slopes = Recent(TERMS_KEPT), Recent(IMAGES), Recent(2)
        self._busy = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {"loss": self.loss, "rows": self.rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def nbytes(self) -> int:
        """Of the cells."""
        return int(12 * self.loss.m + self.rows.nbytes)

    def __sizeof__(self) -> int:
        return self.nbytes

    def value(self, x: Sent) -> float:
        """phi at the point."""
        return self.loss.value(self._at(x))

    def evaluate(self, x: Sent) -> tuple[float, float, float]:
        """phi, <phi', z> and |phi'|^2; the slope is kept for products."""
        slope = self.loss.new_image()
        value, inner = self.loss.linearize(self._at(x), slope)
        self._slopes.keep(x.name, slope)
        return value, inner, self.loss.squared_length(slope)

    def along(self, x: Sent, d: Sent, t: float) -> tuple[float, float, float]:
        """Value, slope and curvature of t -> phi(z + t dz)."""
        value, slope, bend = self.loss.along(self._at(x), self._at(d), t)
        return value, slope, float(bend or 0.0)

    def squared_length(self, d: Sent) -> float:
        """|A d|^2."""
        return self.loss.squared_length(self._at(d))

    def curvature_bound(self, d: Sent) -> float:
        """An upper bound on the curvature along d."""
        return float(self.loss.curvature_bound(self._at(d)) or 0.0)

    def inner(self, x: Sent, d: Sent) -> float:
        """<phi'(z), dz>."""
        return float(self._slope(x).dot(self._at(d)))

    def product(self, x: Sent, block: Array) -> Array:
        """G B in the shard's rows, for a matrix B."""
        out = np.empty((self.loss.shape[0], block.shape[1]), dtype=block.dtype)
        self._gradient(x).apply_block(block, out)
        return out[: self.rows.size]

    def adjoint(self, x: Sent, block: Array) -> Array:
        """G' B, for a matrix B with the shard's rows."""
        out = np.empty((self.loss.shape[1], block.shape[1]), dtype=block.dtype)
        self._gradient(x).adjoint_block(np.ascontiguousarray(block), out)
        return out

    def factors(self, tau: float, left: Array, right: Array) -> tuple[float, float, Array, Array]:
        """`linearize_factors`, with the shard's rows of the left factor."""
        by_row, by_column = np.empty_like(left), np.empty_like(right)
        pair = self.loss.linearize_factors(tau, left, right, by_row, by_column)
        return *pair, by_row, by_column

    def _gradient(self, x: Sent) -> Any:
        return self.loss.covector(self._slope(x))

    def _slope(self, x: Sent) -> Array:
        known = self._slopes.find(x.name)
        if known is None:
            self.evaluate(x)
        return self._slopes.find(x.name) if known is None else known  # type: ignore[no-any-return]

    def _at(self, x: Sent) -> Array:
        """The image: of the terms side by side, in their order."""
        known = self._images.find(x.name)
        if known is not None:
            return known  # type: ignore[no-any-return]
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
        return self._images.keep(x.name, z)  # type: ignore[no-any-return]

    def _term(self, name: bytes, share: float) -> tuple[Array, Array]:
        sides = self._terms.find(name)
        if sides is None:
            raise Unheard(name)
        return share * sides[0], sides[1]
