"""Engine for Dask collections: losses whose rows are spread over the workers of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

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

if TYPE_CHECKING:
    from frankwolfe.base.arrays import AnyArray
    from frankwolfe.engines.dask.layout import Collection, VectorLike

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
    "lazy",
    "moments",
    "of_parts",
    "pose",
    "r_squared",
    "rowwise",
    "running",
    "shards",
    "takes",
    "to_host",
    "training_score",
]


lazy = True  # blocks of a collection are computed when they are asked for


def takes(array: object) -> bool:
    """True for a Dask array, DataFrame or Series."""
    return hasattr(array, "__dask_graph__") and hasattr(array, "ndim")


def as_map(name: str, matrix: Collection) -> NoReturn:
    """Raise InvalidInput: a Dask collection is no linear map of one process."""
    raise InvalidInput(
        f"{name} is a Dask collection, which Logistic, SquaredError, Huber, Quantile, Multinomial, "
        "Poisson and LogPortfolio take: use one of these, or compute() it first."
    )


def to_host(array: Collection) -> AnyArray:
    """Dask array computed into this process's memory."""
    return np.asarray(array)


def pose(kind: type, data: Collection, *rest: VectorLike, **options: Any) -> Sharded:
    """Loss `kind` of a Dask array or DataFrame."""
    if issubclass(kind, Completion):
        from frankwolfe.engines.dask.completion import ShardedCompletion

        return object.__new__(ShardedCompletion)  # type: ignore[return-value]
    targets = rest[0] if rest else options.pop("b", options.pop("labels", None))
    weights = options.pop("sample_weight", None)
    _check_options(kind, targets, options)
    labels = bool(kind.takes_labels)  # type: ignore[attr-defined]
    return draft(data, targets, weights, labels=labels).loss(kind, **options)


def _check_options(kind: type, targets: VectorLike, options: dict[str, object]) -> None:
    """Make a loss of two rows, so that wrong options raise before any work is done."""
    data, example = np.ones((2, 1)), () if targets is None else (np.array([0.0, 1.0]),)
    kind(data, *example, **options)
