"""Shards from blocks of rows on workers: a survey of all rows, then a loss for each block."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Matrix
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.place import HERE
from frankwolfe.engines.dask.layout import RowBlock, stacked, widened
from frankwolfe.engines.dask.shard import DataLoss, Shard
from frankwolfe.engines.dask.values import as_matrix, as_vector, is_text
from frankwolfe.objectives.weighted import ClassCodes, given_weights

if TYPE_CHECKING:
    from frankwolfe.engines.dask.layout import Block

__all__ = [
    "Loaded",
    "Recipe",
    "Survey",
    "beside",
    "check_version",
    "checked",
    "combined",
    "described",
    "gathered",
    "made",
    "own_version",
    "surveyed",
]

MAX_SLICE_BYTES = 2**23  # of the rows of one loss; bounds its temporaries
MIXED_LABELS = "b must hold labels of one kind, but it mixes kinds."

Loss: TypeAlias = Any
"""A loss of a data matrix: an `Objective` with `linear`, `weight` and its targets."""


class Survey(NamedTuple):
    """Facts on all rows that the loss of any block depends on."""

    heights: list[int]
    width: int
    sparse: bool
    classes: AnyArray | None  # of labels, sorted
    totals: Array | None  # the weight of each class
    weight: float  # in all


class Recipe(NamedTuple):
    """Recipe of the loss of a block."""

    kind: Callable[..., Loss]
    options: dict[str, object]
    width: int
    classes: AnyArray | None
    factors: Array | None  # on the weights of each class
    factor: float  # on all weights: one over their sum, for a mean
    version: str = ""  # of this library, where the run is


class Description(NamedTuple):
    """Facts on a shard that the client keeps."""

    objective: Loss  # without its data
    rows: int
    square: float  # of the Frobenius norm
    weight: float  # the largest
    nbytes: int


class Loaded(Sequence[RowBlock]):
    """Blocks of rows on their way into a shard.

    The shard shares their arrays, and counts their bytes: if both did, a worker that has both
    for a moment might write one of them to disk.
    """

    def __init__(self, rows: Sequence[RowBlock]) -> None:
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, k: int) -> RowBlock: ...
    @overload
    def __getitem__(self, k: slice) -> list[RowBlock]: ...
    def __getitem__(self, k: int | slice) -> RowBlock | list[RowBlock]:
        return self._rows[k]

    def __sizeof__(self) -> int:
        return 1024  # for Dask: next to nothing


def gathered(columns: int | None, rows: Iterable[RowBlock]) -> Loaded:
    """Blocks of a shard as arrays, in their order; blocks without rows are left out.

    If the number of columns is not known, sparse blocks become as wide as the widest.
    """
    return Loaded(stacked(checked(columns, rows)))


def checked(columns: int | None, rows: Iterable[RowBlock]) -> Iterator[RowBlock]:
    """Blocks as arrays, one after the other; InvalidInput unless they fit together."""
    texts = None
    for given in rows:
        row = RowBlock(
            as_matrix(given.data),
            as_vector("b", given.targets),
            as_vector("sample_weight", given.weights),
        )
        height, width = (int(size) for size in row.data.shape)
        if columns is None and not is_sparse(row.data):
            columns = width
        if width != (columns if columns is not None else width):
            raise _uneven(sorted({columns or 0, width}))
        for name, what in (("b", row.targets), ("sample_weight", row.weights)):
            if what is not None and what.shape != (height,):
                raise InvalidInput(
                    f"{name} must hold one number for each row of A, but a chunk with {height} "
                    f"rows has shape {what.shape}."
                )
        if not height:
            continue
        if texts not in (None, is_text(row.targets)):
            raise InvalidInput(MIXED_LABELS)
        texts = is_text(row.targets)
        yield row


def _uneven(widths: Sequence[int]) -> InvalidInput:
    """Error for blocks of these different widths."""
    return InvalidInput(f"the chunks of A must have the same width, got {widths}.")


def beside(rows: Sequence[RowBlock], targets: Block, weights: Block) -> Loaded:
    """Rows with their parts of vectors that could not be divided before; None if absent."""
    ends = np.cumsum([row.data.shape[0] for row in rows])[:-1]
    split = [
        [None] * len(rows) if what is None else np.split(_vector(name, what), ends)
        for name, what in (("b", targets), ("sample_weight", weights))
    ]
    return Loaded(
        [
            RowBlock(row.data, row.targets if b is None else b, row.weights if w is None else w)
            for row, b, w in zip(rows, *split, strict=True)
        ]
    )


def _vector(name: str, block: Block) -> AnyArray:
    """Vector of a block that is not absent."""
    found = as_vector(name, block)
    assert found is not None
    return found


def surveyed(rows: Sequence[RowBlock], labels: bool, version: str = "") -> Survey:
    """Survey of the rows of a shard, with their classes if targets are `labels`."""
    check_version(version)
    heights = [int(row.data.shape[0]) for row in rows]
    width = max((int(row.data.shape[1]) for row in rows), default=0)
    sparse = all(is_sparse(row.data) for row in rows)
    weight = sum(_weight(row) for row in rows)
    if not labels or not rows:
        return Survey(heights, width, sparse, None, None, weight)
    classes = _classes([row.targets for row in rows])
    totals = np.zeros(classes.size)
    for row in rows:
        weights = None if row.weights is None else np.asarray(row.weights, dtype=np.float64)
        totals += np.bincount(np.searchsorted(classes, row.targets), weights, classes.size)
    return Survey(heights, width, sparse, classes, totals, weight)


def own_version() -> str:
    """Version of this library in this process.

    Read from the loaded package, which layers below must not import.
    """
    return str(sys.modules["frankwolfe"].__version__)


def check_version(version: str) -> None:
    """Raise InvalidInput if the process that asks has another version of this library."""
    if version and version != own_version():
        raise InvalidInput(
            f"a worker of the Dask cluster has frankwolfe {own_version()}, and the process that "
            f"asks has {version}: install the same version on each."
        )


def _classes(parts: Sequence[AnyArray]) -> AnyArray:
    """Distinct labels, sorted; InvalidInput if they are not finite, or of several kinds."""
    for part in parts:
        if np.issubdtype(part.dtype, np.floating) and not np.isfinite(part).all():
            raise InvalidInput("b must be finite, but it holds NaN or infinity.")
    try:
        return np.unique(np.concatenate([np.unique(part) for part in parts]))
    except TypeError:
        raise InvalidInput(MIXED_LABELS) from None


def _weight(row: RowBlock) -> float:
    """Sum of the weights of a block; without weights, its number of rows."""
    if row.weights is None:
        return float(row.data.shape[0])
    if row.weights.dtype.kind in "fiub" and not np.any(row.weights):
        return 0.0  # all zero in this block, which other blocks may make up for
    found = given_weights(row.weights, len(row.weights))
    assert found is not None
    return float(found.sum())


def combined(surveys: Sequence[Survey], columns: int | None) -> Survey:
    """Survey of all rows, from those of the shards; InvalidInput unless they fit together."""
    there = [survey for survey in surveys if survey.heights]
    widths = sorted({survey.width for survey in there})
    if not widths:
        raise InvalidInput("A must be a non-empty matrix (rows are observations), got no rows.")
    if len(widths) > 1 and not (columns is None and all(survey.sparse for survey in there)):
        raise _uneven(widths)
    known = [survey.classes for survey in there if survey.classes is not None]
    if len({is_text(classes) for classes in known}) > 1:
        raise InvalidInput(MIXED_LABELS)
    classes = np.unique(np.concatenate(known)) if known else None
    totals = None if classes is None else _totals(classes, there)
    weight = sum(survey.weight for survey in there)
    if not weight > 0.0:
        raise InvalidInput("sample_weight must be >= 0 with a positive sum.")
    heights = [height for survey in there for height in survey.heights]
    sparse = all(survey.sparse for survey in there)
    return Survey(heights, widths[-1], sparse, classes, totals, weight)


def _totals(classes: AnyArray, surveys: Sequence[Survey]) -> Array:
    """Weight of each class over all shards."""
    totals = np.zeros(classes.size)
    for survey in surveys:
        assert survey.classes is not None
        assert survey.totals is not None
        totals[np.searchsorted(classes, survey.classes)] += survey.totals
    return totals


def made(rows: Iterable[RowBlock], recipe: Recipe, first: int) -> Shard:
    """Shard of some rows, of which the first is row number `first` of all."""
    check_version(recipe.version)
    losses, nbytes = [], 0
    for row in (part for whole in rows for part in sliced(whole)):
        last = first + int(row.data.shape[0])
        try:
            losses.append(_loss(row, recipe))
        except InvalidInput as error:
            raise InvalidInput(f"{error} (in rows {first} to {last - 1})") from None
        first = last
        nbytes += _nbytes(row.data)
    return Shard(losses, nbytes)


def sliced(row: RowBlock) -> Iterator[RowBlock]:
    """Slices of a large dense block, which share its memory.

    Temporaries of a loss, such as the weighted images of a working set, are then small beside
    the data.
    """
    data = row.data
    large = not is_sparse(data) and getattr(data, "nbytes", 0) > MAX_SLICE_BYTES
    if not large or not data.flags.c_contiguous:
        yield row
        return
    each = max(int(MAX_SLICE_BYTES // max(data.nbytes // data.shape[0], 1)), 1)
    for low in range(0, data.shape[0], each):
        cut = slice(low, low + each)
        yield RowBlock(*(None if part is None else part[cut] for part in row))


def _loss(row: RowBlock, recipe: Recipe) -> DataLoss:
    """Loss of a block, with weights that are parts of those of all rows."""
    data = widened(row.data, recipe.width) if is_sparse(row.data) else row.data
    targets = () if row.targets is None else (row.targets,)
    weights: Array | None = None
    if row.weights is not None:
        weights = np.asarray(row.weights, dtype=np.float64)
    if recipe.classes is not None:
        codes = np.searchsorted(recipe.classes, np.asarray(row.targets))
        targets = (ClassCodes(codes.astype(np.int64), recipe.classes),)
        if recipe.factors is not None:
            weights = recipe.factors[codes] * (1.0 if weights is None else weights)
    loss = recipe.kind(data, *targets, reduction="sum", **recipe.options)
    if weights is not None:
        loss = loss.reweighted(weights)
    found: DataLoss = loss.times(recipe.factor)
    return found


def _nbytes(data: Matrix) -> int:
    """Bytes of a dense or sparse matrix, indices included."""
    if is_sparse(data):
        return int(data.data.nbytes + data.indices.nbytes + data.indptr.nbytes)
    return int(data.nbytes)


def described(shard: Shard) -> Description:
    """Description of a shard, with its first loss stripped of its data."""
    losses: Sequence[Loss] = shard.losses
    bare = copy(losses[0])
    square = sum(float(loss.linear.norm) ** 2 for loss in losses)
    weight = max(float(loss.weight.max()) for loss in losses)
    rows = sum(int(loss.linear.shape[0]) for loss in losses)
    bare.is_sparse_data = bare.sparse
    for name in ("linear", "b", "labels", "_map", "_sample_weight"):
        if name in bare.__dict__:
            setattr(bare, name, None)
    bare.weight, bare.place = np.array([weight]), HERE
    return Description(bare, rows, square, weight, shard.nbytes)
