"""A cluster of nobody: shards are asked in this process, as workers would be, without Dask."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np

from frankwolfe.engines.dask.build import Recipe, combined, gather_rows, made, surveyed
from frankwolfe.engines.dask.cluster import Cluster
from frankwolfe.engines.dask.named import Recent
from frankwolfe.engines.dask.shard import answer
from frankwolfe.engines.dask.sharded import Sharded


class Here(Cluster):
    """Questions and answers are pickled, as on their way to workers and back."""

    def __init__(self) -> None:
        self.client, self.own = self, False
        self.rounds = self.bytes = 0
        self._told = Recent()

    def map(self, function: Any, *lists: Any, key: Any = None, pure: bool = True) -> list[Any]:
        return [pickle.loads(pickle.dumps(function(*each))) for each in zip(*lists, strict=True)]

    def changed(self, shard: Any, change: str, *arguments: Any) -> Any:
        return getattr(shard, change)(*arguments)

    def _settle(self, shards: list[Any]) -> None:
        pass

    def _computed(self, shards: Any, question: str, arguments: tuple[Any, ...]) -> list[Any]:
        return self.map(answer, shards, [question] * len(shards), [arguments] * len(shards))

    def results(self, futures: Any) -> list[Any]:
        return list(futures)


def sharded(kind: Any, A: Any, *targets: Any, count: int = 3, **options: Any) -> Sharded:
    """The loss with its rows in `count` shards of two blocks each."""
    weights = options.pop("sample_weight", None)
    ends = np.linspace(0, A.shape[0], 2 * count + 1).astype(int)
    cuts = [slice(low, high) for low, high in pairwise(ends)]
    b = targets[0] if targets else None
    rows = [
        [row for cut in cuts[2 * k : 2 * k + 2] for row in gather_rows(*_cut(cut, A, b, weights))]
        for k in range(count)
    ]
    surveys = [surveyed(each, kind.takes_labels, weights is not None) for each in rows]
    whole = combined(surveys)
    factor = 1.0 if options.pop("reduction", "mean") == "sum" else 1.0 / whole.weight
    recipe = Recipe(kind, options, whole.classes, factor)
    return Sharded(Here(), [made(each, recipe, 0) for each in rows])


def _cut(rows: slice, *arrays: Any) -> list[Any]:
    return [None if array is None else array[rows] for array in arrays]
