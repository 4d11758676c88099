"""Scores of predictions: sums over blocks of rows, put together in their order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Flags
from frankwolfe.engines.dask.draft import draft
from frankwolfe.engines.dask.layout import RowBlock
from frankwolfe.engines.dask.moments import Moments
from frankwolfe.engines.dask.shard import Shard
from frankwolfe.engines.dask.sharded import Sharded
from frankwolfe.objectives import Objective, Profiled

if TYPE_CHECKING:
    from frankwolfe.engines.dask.build import Loss
    from frankwolfe.engines.dask.cluster import Answer
    from frankwolfe.engines.dask.layout import Collection, VectorLike

__all__ = ["accuracy", "r_squared", "training_score"]


class Hits(NamedTuple):
    """Weight of some rows, and of those among them whose class was predicted."""

    weight: float
    found: float


class Residuals(NamedTuple):
    """Weighted mean and spread of targets, and the weighted squares of residuals."""

    targets: Moments
    squares: float


def accuracy(
    decide: Callable[[Array], AnyArray],
    scores: Collection,
    targets: VectorLike,
    weights: VectorLike,
) -> float:
    """Weighted share of rows whose class is what `decide` makes of their scores."""
    return _share(chain(*draft(scores, targets, weights).ask(partial(_hits, decide))))


def _hits(decide: Callable[[Array], AnyArray], rows: Sequence[RowBlock]) -> list[Hits]:
    """Hits in each block."""
    return [_counted(decide(row.data) == row.targets, row.weights) for row in rows]


def _counted(right: Flags, weights: Array | None) -> Hits:
    """Hits of rows that are marked as predicted right."""
    w = np.broadcast_to(1.0 if weights is None else weights, right.shape)
    return Hits(float(w.sum()), float(w[right].sum()))


def _share(parts: Iterable[Hits]) -> float:
    """Weighted share of rows predicted right."""
    weight, found = map(math.fsum, zip(*parts, strict=True))
    return found / weight


def r_squared(scores: Collection, targets: VectorLike, weights: VectorLike) -> float:
    """Coefficient of determination R², 1 - (mean squared error) / (variance of the targets)."""
    return _explained(chain(*draft(scores, targets, weights).ask(_residuals)))


def _residuals(rows: Sequence[RowBlock]) -> list[Residuals]:
    """Residuals in each block."""
    return [_left(row.targets, row.data[:, 0], row.weights) for row in rows]


def _left(targets: Array, found: Array, weights: Array | None) -> Residuals:
    """Residuals of predictions in one block."""
    y = np.asarray(targets, dtype=np.float64)
    w = np.broadcast_to(1.0 if weights is None else weights, y.shape)
    return Residuals(Moments.of(y[:, None], w), float(w @ (y - found) ** 2))


def _explained(parts: Iterable[Residuals]) -> float:
    """Coefficient R² of all blocks."""
    targets, squares = zip(*parts, strict=True)
    spread = float(Moments.sum(targets).squares[0])
    left = math.fsum(squares)
    if spread > 0.0:
        return 1.0 - left / spread
    return 1.0 if left == 0.0 else 0.0  # as scikit-learn has it


def training_score(objective: Objective, x: Array, b: Array) -> float:
    """Accuracy, or R², of a sharded loss on its own rows, computed on their workers.

    `x` is the point and `b` the intercepts.
    """
    loss = objective.objective if isinstance(objective, Profiled) else objective
    assert isinstance(loss, Sharded)
    client = loss.cluster.client
    many = len(loss.shards)
    found = loss.cluster.results(client.map(_trained, loss.shards, [x] * many, [b] * many))
    parts: list[Answer] = list(chain(*found))  # all hits, or all residuals
    return _share(parts) if isinstance(parts[0], Hits) else _explained(parts)


def _trained(shard: Shard, x: Array, b: Array) -> list[Hits | Residuals]:
    """Fit of each loss of a shard."""
    return [_fitted(loss, x, b) for loss in shard.losses]


def _fitted(loss: Loss, x: Array, b: Array) -> Hits | Residuals:
    """Fit of a loss to its own rows at the point x with intercepts b."""
    z = loss.new_image()
    loss.image(x.astype(loss.dtype), z)
    scores = loss.stored(z).reshape(-1, b.size) + b
    weight = np.broadcast_to(loss.weight, scores.shape[0])
    if not loss.takes_labels:
        return _left(loss.b, scores[:, 0], weight)
    if b.size == 1:
        return _counted((scores[:, 0] > 0.0) == (loss.b > 0.0), weight)
    return _counted(scores.argmax(axis=1) == loss.labels, weight)
