"""How well predictions fit: sums over blocks of rows, put together in their order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.engines.dask.draft import draft
from frankwolfe.engines.dask.layout import Rows
from frankwolfe.engines.dask.moments import Moments
from frankwolfe.engines.dask.shard import Shard
from frankwolfe.engines.dask.sharded import Sharded
from frankwolfe.objectives import Objective, Profiled

__all__ = ["accuracy", "r_squared", "training_score"]


class Hits(NamedTuple):
    """Rows, and those whose class was found, by weight."""

    weight: float
    found: float


class Residuals(NamedTuple):
    """Mean and spread of targets, and the squares of what is left of them, by weight."""

    targets: Moments
    squares: float


def accuracy(decide: Callable[[Array], Array], scores: Any, targets: Any, weights: Any) -> float:
    """The share of rows whose class is what `decide` makes of their scores."""
    return _share(chain(*draft(scores, targets, weights).ask(partial(_hits, decide))))


def _hits(decide: Callable[[Array], Array], rows: Sequence[Rows]) -> list[Hits]:
    return [_counted(decide(row.data) == row.targets, row.weights) for row in rows]


def _counted(right: Array, weights: Any) -> Hits:
    w = np.broadcast_to(1.0 if weights is None else weights, right.shape)
    return Hits(float(w.sum()), float(w[right].sum()))


def _share(parts: Iterable[Hits]) -> float:
    weight, found = map(math.fsum, zip(*parts, strict=True))
    return found / weight


def r_squared(scores: Any, targets: Any, weights: Any) -> float:
    """One minus the mean squared error over the variance of the targets."""
    return _explained(chain(*draft(scores, targets, weights).ask(_residuals)))


def _residuals(rows: Sequence[Rows]) -> list[Residuals]:
    return [_left(row.targets, row.data[:, 0], row.weights) for row in rows]


def _left(targets: Array, found: Array, weights: Any) -> Residuals:
    y = np.asarray(targets, dtype=np.float64)
    w = np.broadcast_to(1.0 if weights is None else weights, y.shape)
    return Residuals(Moments.of(y[:, None], w), float(w @ (y - found) ** 2))


def _explained(parts: Iterable[Residuals]) -> float:
    targets, squares = zip(*parts, strict=True)
    spread = float(Moments.sum(targets).squares[0])
    left = math.fsum(squares)
    if spread > 0.0:
        return 1.0 - left / spread
    return 1.0 if left == 0.0 else 0.0  # as scikit-learn has it


def training_score(objective: Objective, x: Array, b: Array) -> float:
    """The accuracy, or the explained share of the variance, of a loss's own rows.

    `x` is the point and `b` the intercepts; the rows are asked where they are.
    """
    loss = objective.objective if isinstance(objective, Profiled) else objective
    assert isinstance(loss, Sharded)
    client = loss.cluster.client
    many = len(loss.shards)
    found = loss.cluster.results(client.map(_trained, loss.shards, [x] * many, [b] * many))
    parts = list(chain(*found))
    return _share(parts) if isinstance(parts[0], Hits) else _explained(parts)


def _trained(shard: Shard, x: Array, b: Array) -> list[Hits | Residuals]:
    return [_fitted(loss, x, b) for loss in shard.losses]


def _fitted(loss: Any, x: Array, b: Array) -> Hits | Residuals:
    z = loss.new_image()
    loss.image(x.astype(loss.dtype), z)
    scores = loss.stored(z).reshape(-1, b.size) + b
    weight = np.broadcast_to(loss.weight, scores.shape[0])
    if not loss.takes_labels:
        return _left(loss.b, scores[:, 0], weight)
    if b.size == 1:
        return _counted((scores[:, 0] > 0.0) == (loss.b > 0.0), weight)
    return _counted(scores.argmax(axis=1) == loss.labels, weight)
