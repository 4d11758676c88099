"""Engine for Dask collections: losses whose rows are spread over the workers of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeVar, cast

import numpy as np

from frankwolfe.base.errors import InvalidInput
from frankwolfe.engines.dask.blockwise import of_parts, rowwise
from frankwolfe.engines.dask.cluster import Cluster, ClusterLost, connected
from frankwolfe.engines.dask.draft import Draft, draft, each, shards
from frankwolfe.engines.dask.kinds import sharded_kind
from frankwolfe.engines.dask.moments import Moments, moments
from frankwolfe.engines.dask.running import running
from frankwolfe.engines.dask.scores import accuracy, r_squared, training_score
from frankwolfe.engines.dask.sharded import Sharded
from frankwolfe.objectives import Completion
from frankwolfe.objectives.weighted import Weighted

if TYPE_CHECKING:
    from frankwolfe.base.arrays import AnyArray
    from frankwolfe.engines.dask.layout import Collection

__all__ = [
    "Cluster",
    "ClusterLost",
    "Draft",
    "Moments",
    "Sharded",
    "accuracy",
    "as_map",
    "class_for",
    "connected",
    "draft",
    "each",
    "lazy",
    "moments",
    "of_parts",
    "r_squared",
    "rowwise",
    "running",
    "shards",
    "takes",
    "to_host",
    "training_score",
]

T = TypeVar("T")

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


def class_for(kind: type[T]) -> type[T]:
    """Class below `kind` whose rows, or cells, are spread over the workers of a cluster."""
    if issubclass(kind, Completion):
        from frankwolfe.engines.dask.completion import ShardedCompletion

        return cast(type[T], ShardedCompletion)
    return cast(type[T], sharded_kind(cast(type[Weighted], kind)))
