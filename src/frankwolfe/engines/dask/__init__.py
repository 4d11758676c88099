"""Dask collections: losses whose rows are spread over the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from frankwolfe.engines.dask.build import Recipe, combined, own_version, surveyed
from frankwolfe.engines.dask.cluster import Cluster, ClusterLost, connected
from frankwolfe.engines.dask.layout import aligned, grouped
from frankwolfe.engines.dask.origins import Origin, load
from frankwolfe.engines.dask.sharded import Sharded
from frankwolfe.numerics.checks import at_least_one
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["Cluster", "ClusterLost", "Sharded", "as_map", "connected", "pose", "shards", "takes"]

_COUNT: ContextVar[int | None] = ContextVar("shards", default=None)


@contextmanager
def shards(count: int) -> Iterator[None]:
    """Within it losses are made of so many shards, where there are as many blocks of rows.

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


def takes(array: Any) -> bool:
    """Whether it is a Dask array or DataFrame."""
    return hasattr(array, "__dask_graph__") and hasattr(array, "ndim")


def as_map(name: str, matrix: Any) -> Any:
    """Refused: a Dask array is no matrix of one process."""
    raise InvalidInput(
        f"{name} is a Dask collection, which Logistic, SquaredError, Huber, Quantile, Multinomial, "
        "Poisson and LogPortfolio take: use one of these, or compute() it first."
    )


def pose(kind: type, data: Any, *rest: Any, **options: Any) -> Sharded:
    """The loss `kind` of a Dask array or DataFrame."""
    targets = rest[0] if rest else options.pop("b", options.pop("labels", None))
    weights = options.pop("sample_weight", None)
    reduction = options.pop("reduction", "mean")
    _check_options(kind, targets, reduction, options)
    blocks = aligned(data, targets, weights)
    cluster = connected()
    labels = bool(kind.takes_labels)  # type: ignore[attr-defined]
    client = cluster.client
    groups = grouped(blocks.rows, _COUNT.get() or cluster.threads)
    rows = [load(client, group) for group in groups]
    asked = {"labels": labels, "weights": weights is not None, "version": own_version()}
    looked = client.map(surveyed, rows, **asked, pure=False)
    surveys = cluster.results(looked)
    whole = combined(surveys)
    factor = 1.0 / whole.weight if reduction == "mean" else 1.0
    recipe = Recipe(kind, options, whole.classes, factor, own_version())
    _check_classes(kind, whole.classes)
    ends = np.cumsum([0, *(sum(survey.heights) for survey in surveys)])
    there = [k for k, survey in enumerate(surveys) if survey.heights]
    origins = {k: Origin(groups[k], recipe, int(ends[k])) for k in there}
    return Sharded(cluster, [cluster.made(origin, rows[k]) for k, origin in origins.items()])


def _check_options(kind: type, targets: Any, reduction: str, options: dict[str, Any]) -> None:
    """Raise what the loss says of its options, before any work is done."""
    data, example = np.ones((2, 1)), () if targets is None else (np.array([0.0, 1.0]),)
    kind(data, *example, reduction=reduction, **options)


def _check_classes(kind: type, classes: Any) -> None:
    if classes is not None:
        kind(np.ones((classes.size, 1)), classes)
