"""Observations that stay on the workers of a cluster, as the estimators see them.

Statistics of all observations (classes, weights, a threshold) are computed by the workers, and a
radius is found from as many observations as on one machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from frankwolfe.base.arrays import AnyArray, Array, Matrix, TableLike
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import engine_of
from frankwolfe.objectives import Objective

__all__ = [
    "Predictions",
    "RowDraft",
    "RowEngine",
    "RowSample",
    "applied",
    "column_names",
    "distributed_predictions",
    "lazy_engine",
    "refuse_distributed",
    "sampled",
    "thinning",
]

RADIUS_OBSERVATIONS = 10_000  # rows that a radius is found from: more change it little, and cost
MAX_SAMPLE_BYTES = 2**31  # of such rows gathered on the client, which may be a small machine

Predictions: TypeAlias = Any
"""Predictions, one row an observation: an array, or a Dask collection that is not computed yet."""


class RowSurvey(Protocol):
    """Facts on all rows of a draft."""

    heights: list[int]  # of the blocks
    width: int
    sparse: bool
    classes: AnyArray | None  # of labels, sorted; None where targets are numbers
    totals: Array | None  # the weight of each class


class RowSample(Protocol):
    """Rows of a draft that were brought to the client, with their targets and weights."""

    data: Matrix
    targets: AnyArray
    weights: Array


class RowDraft(Protocol):
    """Rows gathered on workers, before a loss is made of them."""

    whole: RowSurvey

    def loss(
        self, kind: Callable[..., object], *, factors: Array | None = None, **options: object
    ) -> Objective:
        """Mean loss of all rows; `factors` multiply the weights of the classes."""

    def targets(self) -> tuple[Array, Array]:
        """All targets and weights, brought to the client."""

    def every(self, step: int) -> RowSample:
        """Every `step`-th row, brought to the client."""


class RowEngine(Protocol):
    """Engine of collections made block by block; `frankwolfe.engines.dask` is one."""

    def draft(self, data: TableLike, targets: object, weights: object, *, labels: bool) -> RowDraft:
        """Rows gathered on workers; `labels` tells that targets are classes."""

    def rowwise(
        self, function: Callable[[Matrix], Array], data: TableLike, columns: int | None = None
    ) -> Predictions:
        """Values of a function on each block of rows, computed when they are asked for."""

    def r_squared(self, scores: Predictions, targets: object, weights: object) -> float:
        """Coefficient of determination R² of predictions."""

    def accuracy(
        self,
        decide: Callable[[Array], AnyArray],
        scores: Predictions,
        targets: object,
        weights: object,
    ) -> float:
        """Weighted share of rows whose class is what `decide` makes of their scores."""


def lazy_engine(X: object) -> RowEngine | None:
    """Engine of a collection that is made block by block; None for arrays."""
    engine = engine_of(X)
    return cast(RowEngine, engine) if engine is not None and engine.lazy else None


def refuse_distributed(X: TableLike, what: str, way: str) -> None:
    """Raise InvalidInput if X is a Dask collection; `what` names the caller, `way` a way out."""
    if lazy_engine(X) is not None:
        raise InvalidInput(f"{what} takes observations that are here, not a Dask collection: {way}")


def column_names(X: TableLike) -> AnyArray | None:
    """Names of a data frame's columns, as scikit-learn keeps them; None unless all are words."""
    names = getattr(X, "columns", None)
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return np.asarray(names, dtype=object)


def sampled(draft: RowDraft) -> RowSample:
    """Every k-th row of a draft, gathered on the client; k is given by `thinning`."""
    rows, width = sum(draft.whole.heights), draft.whole.width
    step = thinning(rows, width)
    if 8 * width * (rows // step) > MAX_SAMPLE_BYTES and not draft.whole.sparse:
        raise InvalidInput(
            f'radius="auto" would bring {rows // step:,} rows of {width:,} features here to find '
            "one: give a radius."
        )
    return draft.every(step)


def thinning(rows: int, columns: int) -> int:
    """Stride k >= 1 such that every k-th observation suffices to find a radius."""
    # ten rows a column at least: fewer hardly determine the coefficients
    return max(1, rows // max(RADIUS_OBSERVATIONS, 10 * columns))


def distributed_predictions(
    engine: RowEngine, X: TableLike, coef: Array, intercept: Array, names: AnyArray | None
) -> Predictions:
    """Linear predictions X coef' + intercept, one column an output, not computed yet.

    `names` are those of the columns that the coefficients were fitted to; None for no names.
    """
    mine = getattr(X, "columns", None)
    if names is not None and mine is not None and list(names) != list(mine):
        gone = [name for name in names if name not in mine]
        new = [name for name in mine if name not in names]
        wrong = f"{gone[0]} is not there" if gone else "their order is another"
        wrong = f"{new[0]} is not one of them" if new else wrong
        raise InvalidInput(
            f"the columns of X must be those of the fit, in their order, but {wrong}: pass "
            "X[list(model.feature_names_in_)]."
        )
    coef = np.atleast_2d(coef)
    function = partial(_scores, coef.T, np.atleast_1d(intercept))
    return engine.rowwise(function, X, coef.shape[1])


def _scores(coef: Array, intercept: Array, X: TableLike) -> Array:
    return np.asarray(safe_sparse_dot(X, coef) + intercept)


def applied(function: Callable[..., AnyArray], z: Predictions, *arguments: object) -> Predictions:
    """Value of function(*arguments, z); computed lazily where z is a collection."""
    engine = lazy_engine(z)
    if engine is None:
        return function(*arguments, z)
    return engine.rowwise(partial(function, *arguments), z)
