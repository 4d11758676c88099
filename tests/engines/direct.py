"""A cluster of nobody: shards are asked in this process, as workers would be, without Dask."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np

from frankwolfe.engines.dask import Cluster, Draft, Sharded
from frankwolfe.engines.dask.layout import RowBlock, RowBlocks
from frankwolfe.engines.dask.named import Recent
from frankwolfe.engines.dask.shard import answer
from frankwolfe.engines.dask.told import raise_refusal


class Here(Cluster):
    """Questions and answers are pickled, as on their way to workers and back."""

    def __init__(self) -> None:
        self.client, self.own = self, False
        self.rounds = self.bytes = 0
        self._sent_names = Recent()

    def map(self, function: Any, *lists: Any, key: Any = None, pure: bool = True) -> list[Any]:
        return [pickle.loads(pickle.dumps(function(*each))) for each in zip(*lists, strict=True)]

    def submit(self, function: Any, *arguments: Any, **_: Any) -> Any:
        return function(*arguments)

    def made(self, origin: Any, rows: Any = None) -> Any:
        return origin.made(self, rows)

    def changed(self, shard: Any, change: str, *arguments: Any) -> Any:
        return getattr(shard, change)(*arguments)

    def _settle(self, shards: list[Any]) -> None:
        pass

    def _computed(self, shards: Any, question: str, arguments: Any) -> list[Any]:
        return self.map(answer, shards, [question] * len(shards), arguments)

    def results(self, futures: Any) -> list[Any]:
        return raise_refusal(futures)


def sharded(kind: Any, A: Any, *targets: Any, count: int = 3, **options: Any) -> Sharded:
    """The loss with its rows in `count` shards of two blocks each."""
    weights = options.pop("sample_weight", None)
    ends = np.linspace(0, A.shape[0], 2 * count + 1).astype(int)
    cuts = [slice(low, high) for low, high in pairwise(ends)]
    b = targets[0] if targets else None
    blocks = [_cut(cut, A, b, weights) for cut in cuts]
    groups = [blocks[2 * k : 2 * k + 2] for k in range(count)]
    whole = RowBlocks([], A.shape[1], RowBlock(None, None, None))
    return Draft(Here(), whole, groups, kind.takes_labels).loss(kind, **options)


def _cut(rows: slice, *arrays: Any) -> RowBlock:
    return RowBlock(*(None if array is None else array[rows] for array in arrays))
