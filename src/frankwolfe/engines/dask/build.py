"""From blocks of rows on workers to shards: one look at all rows, then a loss for each block."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.place import HERE
from frankwolfe.engines.dask.layout import Rows, stacked, widened
from frankwolfe.engines.dask.shard import Shard
from frankwolfe.engines.dask.values import as_matrix, as_vector, is_text
from frankwolfe.objectives import Objective
from frankwolfe.objectives.weighted import ClassCodes, given_weights

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

SLICE = 2**23  # bytes of rows that one loss of a shard has at most
MIXED = "b must hold labels of one kind, but it mixes kinds."


class Survey(NamedTuple):
    """What a loss must know of all rows before it can be made of some."""

    heights: list[int]
    width: int
    sparse: bool
    classes: Array | None  # of labels, sorted
    totals: Array | None  # the weight of each class
    weight: float  # in all


class Recipe(NamedTuple):
    """How the loss of a block is made."""

    kind: type
    options: dict[str, Any]
    width: int
    classes: Array | None
    factors: Array | None  # on the weights of each class
    factor: float  # on all weights: one over their sum, for a mean
    version: str = ""  # of this library, where the run is


class Description(NamedTuple):
    """What a shard says of itself."""

    objective: Any  # a loss without its data
    rows: int
    square: float  # of the Frobenius norm
    weight: float  # the largest
    nbytes: int


class Loaded(Sequence[Rows]):
    """Blocks of rows on their way into a shard.

    The shard shares their arrays, whose bytes are counted there and not here too: a worker that
    has both for a moment need not write one of them to disk.
    """

    def __init__(self, rows: Sequence[Rows]) -> None:
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, k: Any) -> Any:
        return self._rows[k]

    def __sizeof__(self) -> int:
        return 1024


def gathered(columns: int | None, rows: Iterable[Rows]) -> Loaded:
    """The blocks of a shard as arrays, in their order; those without rows are left out.

    Where the number of columns is not known, sparse blocks are as wide as the widest.
    """
    return Loaded(stacked(checked(columns, rows)))


def checked(columns: int | None, rows: Iterable[Rows]) -> Iterator[Rows]:
    """Blocks as arrays that fit together, one after the other."""
    texts = None
    for given in rows:
        row = Rows(
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
            raise InvalidInput(MIXED)
        texts = is_text(row.targets)
        yield row


def _uneven(widths: Sequence[int]) -> InvalidInput:
    return InvalidInput(f"the chunks of A must have the same width, got {widths}.")


def beside(rows: Sequence[Rows], targets: Any, weights: Any) -> Loaded:
    """Rows with their parts of vectors that came whole; None where they have theirs."""
    ends = np.cumsum([row.data.shape[0] for row in rows])[:-1]
    split = [
        [None] * len(rows) if what is None else np.split(as_vector(name, what), ends)
        for name, what in (("b", targets), ("sample_weight", weights))
    ]
    return Loaded(
        [
            Rows(row.data, row.targets if b is None else b, row.weights if w is None else w)
            for row, b, w in zip(rows, *split, strict=True)
        ]
    )


def surveyed(rows: Sequence[Rows], labels: bool, version: str = "") -> Survey:
    """A look at the rows of a shard."""
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
    """Of this library, in this process; the package itself stands above all rooms."""
    return str(sys.modules["frankwolfe"].__version__)


def check_version(version: str) -> None:
    """Raise where the process that asks has another version of this library."""
    if version and version != own_version():
        raise InvalidInput(
            f"a worker of the Dask cluster has frankwolfe {own_version()}, and the process that "
            f"asks has {version}: install the same version on each."
        )


def _classes(parts: Sequence[Any]) -> Array:
    """The labels that there are, sorted."""
    for part in parts:
        if np.issubdtype(part.dtype, np.floating) and not np.isfinite(part).all():
            raise InvalidInput("b must be finite, but it holds NaN or infinity.")
    try:
        return np.unique(np.concatenate([np.unique(part) for part in parts]))
    except TypeError:
        raise InvalidInput(MIXED) from None


def _weight(row: Rows) -> float:
    """The weights of a block together: its number of rows where there are none."""
    if row.weights is None:
        return float(row.data.shape[0])
    if row.weights.dtype.kind in "fiub" and not np.any(row.weights):
        return 0.0  # none here; there may be some elsewhere
    found = given_weights(row.weights, len(row.weights))
    assert found is not None
    return float(found.sum())


def combined(surveys: Sequence[Survey], columns: int | None) -> Survey:
    """All shards together."""
    there = [survey for survey in surveys if survey.heights]
    widths = sorted({survey.width for survey in there})
    if not widths:
        raise InvalidInput("A must be a non-empty matrix (rows are observations), got no rows.")
    if len(widths) > 1 and not (columns is None and all(survey.sparse for survey in there)):
        raise _uneven(widths)
    known = [survey.classes for survey in there if survey.classes is not None]
    if len({is_text(classes) for classes in known}) > 1:
        raise InvalidInput(MIXED)
    classes = np.unique(np.concatenate(known)) if known else None
    totals = None if classes is None else _totals(classes, there)
    weight = sum(survey.weight for survey in there)
    if not weight > 0.0:
        raise InvalidInput("sample_weight must be >= 0 with a positive sum.")
    heights = [height for survey in there for height in survey.heights]
    sparse = all(survey.sparse for survey in there)
    return Survey(heights, widths[-1], sparse, classes, totals, weight)


def _totals(classes: Array, surveys: Sequence[Survey]) -> Array:
    """The weight of each class."""
    totals = np.zeros(classes.size)
    for survey in surveys:
        assert survey.classes is not None
        assert survey.totals is not None
        totals[np.searchsorted(classes, survey.classes)] += survey.totals
    return totals


def made(rows: Iterable[Rows], recipe: Recipe, first: int) -> Shard:
    """The shard of these rows, of which the first is row `first` of all."""
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


def sliced(row: Rows) -> Iterator[Rows]:
    """A large block as slices of its rows, which share its memory.

    What a loss makes on the way, such as the images of a working set with their weights, is then
    small beside the data.
    """
    data = row.data
    large = not is_sparse(data) and getattr(data, "nbytes", 0) > SLICE
    if not large or not data.flags.c_contiguous:
        yield row
        return
    each = max(int(SLICE // max(data.nbytes // data.shape[0], 1)), 1)
    for low in range(0, data.shape[0], each):
        cut = slice(low, low + each)
        yield Rows(*(None if part is None else part[cut] for part in row))


def _loss(row: Rows, recipe: Recipe) -> Objective:
    data = widened(row.data, recipe.width) if is_sparse(row.data) else row.data
    targets = () if row.targets is None else (row.targets,)
    weights = None if row.weights is None else np.asarray(row.weights, dtype=np.float64)
    if recipe.classes is not None:
        codes = np.searchsorted(recipe.classes, row.targets)
        targets = (ClassCodes(codes.astype(np.int64), recipe.classes),)
        if recipe.factors is not None:
            weights = recipe.factors[codes] * (1.0 if weights is None else weights)
    loss = recipe.kind(data, *targets, reduction="sum", **recipe.options)
    if weights is not None:
        loss = loss.reweighted(weights)
    found: Objective = loss.times(recipe.factor)
    return found


def _nbytes(data: Any) -> int:
    if is_sparse(data):
        return int(data.data.nbytes + data.indices.nbytes + data.indptr.nbytes)
    return int(data.nbytes)


def described(shard: Shard) -> Description:
    """What a client must know of a shard."""
    losses: Sequence[Any] = shard.losses
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
