"""Drafts: surveyed rows on workers, which losses are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one, is_sparse
from frankwolfe.engines.dask.build import (
    Recipe,
    Survey,
    beside,
    checked,
    combined,
    gathered,
    made,
    own_version,
    surveyed,
)
from frankwolfe.engines.dask.cluster import Cluster, connected
from frankwolfe.engines.dask.kinds import sharded_kind
from frankwolfe.engines.dask.layout import (
    RowBlock,
    RowBlocks,
    aligned,
    checked_length,
    grouped,
    joined,
    widened,
)
from frankwolfe.engines.dask.origins import Origin
from frankwolfe.engines.dask.tasks import once_more, over_groups
from frankwolfe.engines.dask.told import Guarded

if TYPE_CHECKING:
    from frankwolfe.engines.dask.build import Loaded
    from frankwolfe.engines.dask.layout import Block, Collection, VectorLike
    from frankwolfe.engines.dask.sharded import Sharded
    from frankwolfe.engines.dask.told import Refused
    from frankwolfe.engines.dask.waiting import Future
    from frankwolfe.objectives.weighted import Weighted

__all__ = ["Draft", "draft", "each", "shards", "wanted_shards"]

T = TypeVar("T")

LoadedFuture: TypeAlias = "Future[Loaded | Refused]"
"""Rows of a group on a worker, or why they were refused."""

_COUNT: ContextVar[int | None] = ContextVar("shards", default=None)


@contextmanager
def shards(count: int) -> Iterator[None]:
    """Context in which losses are made of `count` shards, if there are as many blocks of rows.

    By default there is one for each thread of the workers. A run has the same bits wherever
    its shards are, but not for another number of them.

    Examples
    --------
    >>> from frankwolfe.engines.dask import shards
    >>> with shards(4):
    ...     pass  # f = fw.Logistic(A, b), for a Dask array A
    """
    before = _COUNT.set(at_least_one("count", count))
    try:
        yield
    finally:
        _COUNT.reset(before)


def wanted_shards() -> int | None:
    """Number of shards that the context `shards` asks for; None outside of it."""
    return _COUNT.get()


class Draft:
    """Rows of a Dask collection in the memory of workers, in groups that become shards.

    Attributes
    ----------
    whole : Survey
        Facts on all rows: their number, the columns, the classes and their weights.
    """

    def __init__(
        self,
        cluster: Cluster,
        blocks: RowBlocks,
        groups: Sequence[Sequence[RowBlock]],
        labels: bool,
    ) -> None:
        self.cluster, self._groups = cluster, groups
        self._work = partial(gathered, blocks.columns)
        rows = over_groups(cluster.client, groups, self._work)
        self._beside: list[tuple[Block, ...]] = []  # parts of vectors that came whole
        later = blocks.whole.targets is not None
        self._rows, surveys = list(rows), _look(cluster, rows, labels and not later)
        heights = [sum(survey.heights) for survey in surveys]
        if blocks.whole.targets is not None or blocks.whole.weights is not None:
            self._rows = self._with(blocks.whole, heights)
            surveys = _look(cluster, self._rows, labels)
        self.whole: Survey = combined(surveys, blocks.columns)
        self._first = np.cumsum([0, *heights])
        self._there = [k for k, height in enumerate(heights) if height]

    def _with(self, whole: RowBlock, heights: Sequence[int]) -> list[LoadedFuture]:
        """Rows joined with vectors that could not be divided before."""
        pieces: list[list[Block]] = []
        for name, what in (("b", whole.targets), ("sample_weight", whole.weights)):
            if what is None:
                pieces.append([None] * len(heights))
                continue
            checked_length(name, what.shape[0], sum(heights))
            pieces.append(np.split(what, np.cumsum(heights)[:-1]))
        self._beside = list(zip(*pieces, strict=True))
        return list(self.cluster.client.map(Guarded(beside), self._rows, *pieces, pure=False))

    def _again(self, k: int) -> LoadedFuture:
        """Future of the rows of a group, loaded again after they were lost."""
        client = self.cluster.client
        rows = once_more(client, self._groups[k], self._work)
        if not self._beside:
            return rows
        return client.submit(Guarded(beside), rows, *self._beside[k], pure=False)

    def loss(self, kind: type[Weighted], **options: Any) -> Sharded:
        """Loss `kind` of all rows, with the options of `made`."""
        return sharded_kind(kind).of(self.cluster, self.made(kind, **options))

    def made(
        self,
        kind: type[Weighted],
        *,
        reduction: str = "mean",
        factors: Array | None = None,
        **options: object,
    ) -> list[Future[object]]:
        """Shards of a loss of all rows; `factors` multiply the weights of the classes."""
        whole, total = self.whole, self.whole.weight
        if whole.classes is not None:
            kind(np.ones((whole.classes.size, 1)), whole.classes)  # raises for too many classes
            if factors is not None:
                assert whole.totals is not None
                total = float(factors @ whole.totals)
        factor = 1.0 / total if reduction == "mean" else 1.0
        recipe = Recipe(kind, options, whole.width, whole.classes, factors, factor, own_version())
        shards = []
        for k in self._there:
            origin = Origin(partial(self._again, k), Guarded(made), (recipe, int(self._first[k])))
            shards.append(self.cluster.made(origin, self._rows[k]))
        return shards

    def targets(self) -> tuple[Array, Array]:
        """All targets and weights, in this process's memory."""
        return _joined(self.ask(_vectors))

    def every(self, step: int) -> RowBlock:
        """Every `step`-th row with its weight, in this process's memory."""
        first = [int(self._first[k]) for k in self._there]
        parts = self.ask(_thinned, first, [step] * len(first), [self.whole.width] * len(first))
        return joined([row for part in parts for row in part if row.data.shape[0]])

    def ask(self, function: Callable[..., T], *arguments: Sequence[object]) -> list[T]:
        """Values of a function on the rows of each group, computed on their workers."""
        rows = [self._rows[k] for k in self._there]
        return self.cluster.results(
            self.cluster.client.map(Guarded(function), rows, *arguments, pure=False)
        )


def draft(
    data: Collection,
    targets: VectorLike = None,
    weights: VectorLike = None,
    *,
    labels: bool = False,
) -> Draft:
    """Draft of a Dask array or DataFrame: its rows gathered on workers and surveyed."""
    blocks = aligned(data, targets, weights)
    cluster = connected()
    groups = grouped(blocks.rows, _COUNT.get() or cluster.threads)
    return Draft(cluster, blocks, groups, labels)


def each(function: Callable[[RowBlock], T], data: Collection) -> list[T]:
    """Values of a function on every block that has rows.

    Workers make blocks one after the other, and keep none.
    """
    blocks = aligned(data, None, None)
    cluster = connected()
    work = partial(_every, function, blocks.columns)
    groups = grouped(blocks.rows, cluster.threads)
    found = cluster.results(over_groups(cluster.client, groups, work))
    return [answer for part in found for answer in part]


def _every(
    function: Callable[[RowBlock], T], columns: int | None, rows: Iterator[RowBlock]
) -> list[T]:
    """Values of a function on the blocks of a group."""
    return [function(row) for row in checked(columns, rows)]


def _look(cluster: Cluster, rows: Sequence[LoadedFuture], labels: bool) -> list[Survey]:
    """Surveys of the rows of each group."""
    asked = [labels] * len(rows), [own_version()] * len(rows)
    return cluster.results(cluster.client.map(Guarded(surveyed), rows, *asked, pure=False))


def _vectors(rows: Sequence[RowBlock]) -> tuple[Array, Array]:
    """Targets and weights of some blocks."""
    return _joined([(row.targets, _weights(row)) for row in rows])


def _weights(row: RowBlock) -> Array:
    """Weights of the rows of a block; ones if it has none."""
    if row.weights is None:
        return np.ones(row.data.shape[0])
    return np.asarray(row.weights, dtype=np.float64)


def _joined(pairs: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Targets and weights of several parts as one vector each."""
    targets, weights = zip(*pairs, strict=True)
    return np.concatenate(targets), np.concatenate(weights)


def _thinned(rows: Sequence[RowBlock], first: int, step: int, width: int) -> list[RowBlock]:
    """Rows whose numbers among all rows, the first being `first`, are multiples of `step`."""
    out = []
    for row in rows:
        some = slice(-first % step, None, step)
        data = widened(row.data, width) if is_sparse(row.data) else row.data
        out.append(RowBlock(data[some], row.targets[some], _weights(row)[some]))
        first += row.data.shape[0]
    return out
