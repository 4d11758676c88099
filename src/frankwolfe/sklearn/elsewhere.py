"""Estimators fitted to observations that stay on the workers of a cluster.

Statistics of all observations (classes, weights, a threshold) are computed by the workers, and a
radius is found from as many observations as on one machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.utils.extmath import safe_sparse_dot

from frankwolfe.base.arrays import AnyArray, Array, TableLike
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import engine_of
from frankwolfe.sklearn.task import Task

if TYPE_CHECKING:
    from frankwolfe.sklearn.linear import ConstrainedLinear, Observations

__all__ = [
    "Predictions",
    "RowDraft",
    "RowEngine",
    "RowSample",
    "applied",
    "lazy_engine",
    "posed_elsewhere",
    "refuse_elsewhere",
    "scores_elsewhere",
    "thinning",
]

RADIUS_OBSERVATIONS = 10_000  # rows that a radius is found from: more change it little, and cost
MAX_SAMPLE_BYTES = 2**31  # of such rows gathered on the client, which may be a small machine

Predictions: TypeAlias = Any
"""Predictions, one row an observation: an array, or a Dask collection that is not computed yet."""

RowEngine: TypeAlias = Any
"""An engine of collections made block by block: the module `frankwolfe.engines.dask`."""

RowDraft: TypeAlias = Any
"""Rows gathered on workers, before a loss is made of them (`frankwolfe.engines.dask.Draft`)."""

RowSample: TypeAlias = Any
"""Rows of a draft that were brought to the client, with `data`, `targets` and `weights`."""


def lazy_engine(X: object) -> RowEngine:
    """Engine of a collection that is made block by block; None for arrays."""
    engine = engine_of(X)
    return engine if engine is not None and engine.lazy else None


def refuse_elsewhere(X: TableLike, what: str, way: str) -> None:
    """Raise InvalidInput if X is a Dask collection; `what` names the caller, `way` a way out."""
    if lazy_engine(X) is not None:
        raise InvalidInput(f"{what} takes observations that are here, not a Dask collection: {way}")


def posed_elsewhere(
    model: ConstrainedLinear,
    engine: RowEngine,
    X: TableLike,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> Task:
    """Optimization problem of an estimator whose observations are on workers."""
    if y is None:
        raise InvalidInput("y must hold a target for each row of X, got None.")
    _check_region(model)
    draft = engine.draft(X, y, sample_weight, labels=is_classifier(model))
    _keep_features(model, X, draft.whole.width)
    loss, observations = model._drafted(draft)
    task = model._task_of(loss, draft.whole.width)
    if not isinstance(getattr(model, "radius", "auto"), str):
        return task  # without a reference to the draft, workers may free its rows

    def thinned() -> Observations:
        return observations(_some(draft))

    return task._replace(
        sample=lambda: model._pose(thinned()), parts=lambda: model._parts(thinned())
    )


def _check_region(model: ConstrainedLinear) -> None:
    """Raise InvalidInput for a bad region or radius before the rows are gathered, which is slow."""
    from frankwolfe.sklearn.regions import region_maker

    region_maker(model.region, None, 1, 1)
    radius = getattr(model, "radius", "auto")
    if not isinstance(radius, str):
        number("radius", radius, above=0.0)


def _keep_features(model: ConstrainedLinear, X: TableLike, width: int) -> None:
    """Set the attributes on features that scikit-learn's validate_data sets for arrays."""
    model.__dict__.pop("feature_names_in_", None)
    names = getattr(X, "columns", None)
    if names is not None and all(isinstance(name, str) for name in names):
        model.feature_names_in_ = np.asarray(names, dtype=object)
    model.n_features_in_ = width


def _some(draft: RowDraft) -> RowSample:
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


def scores_elsewhere(model: ConstrainedLinear, X: TableLike) -> Predictions:
    """Linear predictions, one column an output, as a collection that is not computed yet."""
    names = getattr(model, "feature_names_in_", None)
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
    coef = np.atleast_2d(model.coef_)
    function = partial(_scores, coef.T, np.atleast_1d(model.intercept_))
    return lazy_engine(X).rowwise(function, X, coef.shape[1])


def _scores(coef: Array, intercept: Array, X: TableLike) -> Array:
    return np.asarray(safe_sparse_dot(X, coef) + intercept)


def applied(function: Callable[..., AnyArray], z: Predictions, *arguments: object) -> Predictions:
    """Value of function(*arguments, z); computed lazily where z is a collection."""
    engine = lazy_engine(z)
    if engine is None:
        return function(*arguments, z)
    return engine.rowwise(partial(function, *arguments), z)
