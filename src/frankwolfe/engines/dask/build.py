"""From blocks of rows on workers to shards: one look at all rows, then a loss for each block."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.engines.dask.layout import Rows, stacked
from frankwolfe.engines.dask.shard import Shard
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.checks import is_sparse, unmasked
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.objectives import Objective
from frankwolfe.objectives.weighted import Labels, given_weights

__all__ = [
    "Recipe",
    "Survey",
    "combined",
    "described",
    "gather_rows",
    "made",
    "own_version",
    "surveyed",
]


class Survey(NamedTuple):
    """What a loss must know of all rows before it can be made of some."""

    heights: list[int]
    width: int
    classes: Array | None  # of labels, sorted
    weight: float  # in all


class Recipe(NamedTuple):
    """How the loss of a block is made."""

    kind: type
    options: dict[str, Any]
    classes: Array | None
    factor: float  # on all weights: one over their sum, for a mean
    version: str = ""  # of this library, where the run is


class Description(NamedTuple):
    """What a shard says of itself."""

    objective: Any  # a loss without its data
    rows: int
    square: float  # of the Frobenius norm
    weight: float  # the largest
    nbytes: int


class Loaded:
    """Blocks of rows on their way into a shard.

    The shard shares their arrays, whose bytes are counted there and not here too: a worker that
    has both for a moment need not write one of them to disk.
    """

    def __init__(self, rows: Sequence[Rows]) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[Rows]:
        return iter(self._rows)

    def __sizeof__(self) -> int:
        return 1024


def gather_rows(*parts: Any) -> Loaded:
    """The blocks of a shard, given as data, targets and weights in turns."""
    rows = [Rows(_array(a), b, w) for a, b, w in zip(*[iter(parts)] * 3, strict=True)]
    rows = [row for row in rows if row.data.shape[0]]
    _check_widths({int(row.data.shape[1]) if row.data.ndim == 2 else -1 for row in rows})
    return Loaded(stacked(rows))


def _check_widths(widths: set[int]) -> None:
    if len(widths) > 1:
        raise InvalidInput(f"the chunks of A must have the same width, got {sorted(widths)}.")


def _array(data: Any) -> Any:
    if is_sparse(data):
        return data.tocsr()
    if hasattr(data, "todense"):  # a sparse block of another library
        return data.tocsr() if hasattr(data, "tocsr") else data.todense()
    if hasattr(data, "to_numpy"):
        return data.to_numpy()
    return data


def surveyed(rows: Iterable[Rows], labels: bool, weights: bool, version: str = "") -> Survey:
    """A look at the rows of a shard."""
    _check_version(version)
    widths = {int(row.data.shape[1]) if row.data.ndim == 2 else -1 for row in rows}
    heights = [int(row.data.shape[0]) for row in rows]
    for row, height in zip(rows, heights, strict=True):
        for name, what in (("b", row.targets), ("sample_weight", row.weights)):
            if what is not None and np.shape(what) != (height,):
                raise InvalidInput(
                    f"{name} must hold one number for each row of A, but a chunk with {height} "
                    f"rows has shape {np.shape(what)}."
                )
    classes = _classes([row.targets for row in rows]) if labels else None
    total = float(sum(heights))
    if weights:
        total = sum(_weight(row.weights) for row in rows)
    return Survey(heights, max(widths, default=0), classes, total)


def own_version() -> str:
    """Of this library, in this process; the package itself stands above all rooms."""
    return str(sys.modules["frankwolfe"].__version__)


def _check_version(version: str) -> None:
    if version and version != own_version():
        raise InvalidInput(
            f"a worker of the Dask cluster has frankwolfe {own_version()}, and the process that "
            f"asks has {version}: install the same version on each."
        )


def _classes(parts: Sequence[Any]) -> Array:
    """The labels that there are, sorted."""
    for part in parts:
        unmasked("b", part)
        if np.issubdtype(np.asarray(part).dtype, np.floating) and not np.isfinite(part).all():
            raise InvalidInput("b must be finite, but it holds NaN or infinity.")
    try:
        return np.unique(np.concatenate([np.unique(part) for part in parts]))
    except TypeError:
        raise InvalidInput("b must hold labels of one kind, but it mixes kinds.") from None


def _weight(weights: Any) -> float:
    if not np.any(weights):  # none here; there may be some elsewhere
        return 0.0
    found = given_weights(weights, len(weights))
    assert found is not None
    return float(found.sum())


def combined(surveys: Sequence[Survey]) -> Survey:
    """All shards together."""
    widths = {survey.width for survey in surveys if survey.heights}
    if not widths:
        raise InvalidInput("A must be a non-empty matrix (rows are observations), got no rows.")
    _check_widths(widths)
    heights = [height for survey in surveys for height in survey.heights]
    known = [survey.classes for survey in surveys if survey.classes is not None]
    classes = np.unique(np.concatenate(known)) if known else None
    total = sum(survey.weight for survey in surveys)
    if not total > 0.0:
        raise InvalidInput("sample_weight must be >= 0 with a positive sum.")
    return Survey(heights, widths.pop(), classes, total)


def made(rows: Iterable[Rows], recipe: Recipe, first: int) -> Shard:
    """The shard of these rows, of which the first is row `first` of all."""
    _check_version(recipe.version)
    losses, nbytes = [], 0
    for row in rows:
        last = first + int(row.data.shape[0])
        try:
            losses.append(_loss(row, recipe))
        except InvalidInput as error:
            raise InvalidInput(f"{error} (in rows {first} to {last - 1})") from None
        first = last
        nbytes += _nbytes(row.data)
    return Shard(losses, nbytes)


def _loss(row: Rows, recipe: Recipe) -> Objective:
    targets = () if row.targets is None else (row.targets,)
    if recipe.classes is not None:
        codes = np.searchsorted(recipe.classes, np.asarray(row.targets))
        targets = (Labels(codes.astype(np.int64), recipe.classes),)
    loss = recipe.kind(row.data, *targets, reduction="sum", **recipe.options)
    if row.weights is not None:
        loss = loss.reweighted(np.asarray(row.weights, dtype=np.float64))
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
    bare.weight = np.array([weight])
    return Description(bare, rows, square, weight, shard.nbytes)
