"""Dask collections: losses whose rows are spread over the workers of a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np

from frankwolfe.base.errors import InvalidInput
from frankwolfe.engines.dask.blockwise import of_parts, rowwise
from frankwolfe.engines.dask.cluster import Cluster, ClusterLost, connected
from frankwolfe.engines.dask.draft import Draft, draft, each, shards
from frankwolfe.engines.dask.moments import Moments, moments
from frankwolfe.engines.dask.running import running
from frankwolfe.engines.dask.scores import accuracy, r_squared, training_score
from frankwolfe.engines.dask.sharded import Sharded
from frankwolfe.objectives import Completion

__all__ = [
    "Cluster",
    "ClusterLost",
    "Draft",
    "Moments",
    "Sharded",
    "accuracy",
    "as_map",
    "connected",
    "draft",
    "each",
    "here",
    "lazy",
    "moments",
    "of_parts",
    "pose",
    "r_squared",
    "rowwise",
    "running",
    "shards",
    "takes",
    "training_score",
]


lazy = True  # collections are made block by block, when they are asked for


def takes(array: Any) -> bool:
    """Whether it is a Dask array or DataFrame."""
    return hasattr(array, "__dask_graph__") and hasattr(array, "ndim")


def as_map(name: str, matrix: Any) -> Any:
    """Refused: a Dask array is no matrix of one process."""
    raise InvalidInput(
        f"{name} is a Dask collection, which Logistic, SquaredError, Huber, Quantile, Multinomial, "
        "Poisson and LogPortfolio take: use one of these, or compute() it first."
    )


def here(array: Any) -> Any:
    """The array in this process's memory."""
    return np.asarray(array)


def pose(kind: type, data: Any, *rest: Any, **options: Any) -> Sharded:
    """The loss `kind` of a Dask array or DataFrame."""
    if issubclass(kind, Completion):
        from frankwolfe.engines.dask.completion import ShardedCompletion

        return object.__new__(ShardedCompletion)  # type: ignore[return-value]
    targets = rest[0] if rest else options.pop("b", options.pop("labels", None))
    weights = options.pop("sample_weight", None)
    _check_options(kind, targets, options)
    labels = bool(kind.takes_labels)  # type: ignore[attr-defined]
    return draft(data, targets, weights, labels=labels).loss(kind, **options)


def _check_options(kind: type, targets: Any, options: dict[str, Any]) -> None:
    """Raise what the loss says of its options, before any work is done."""
    data, example = np.ones((2, 1)), () if targets is None else (np.array([0.0, 1.0]),)
    kind(data, *example, **options)
