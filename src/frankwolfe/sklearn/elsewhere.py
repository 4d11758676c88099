"""Estimators whose observations are on the workers of a cluster.

The translation is the same; what it takes of all observations (classes, weights, a threshold) is
asked of the workers, and a radius is found from as many observations as on one machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.extmath import safe_sparse_dot

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import engine_of
from frankwolfe.sklearn.task import Task

if TYPE_CHECKING:
    from frankwolfe.sklearn.linear import ConstrainedLinear

__all__ = [
    "applied",
    "lazy_engine",
    "posed_elsewhere",
    "refuse_elsewhere",
    "scores_elsewhere",
    "thinning",
]

ENOUGH = 10_000  # observations from which a radius is found
MOST = 2**31  # bytes of observations that are brought here for that


def lazy_engine(X: Any) -> Any:
    """The engine of a collection that is made block by block; None for arrays."""
    engine = engine_of(X)
    return engine if engine is not None and engine.lazy else None


def refuse_elsewhere(X: Any, what: str, way: str) -> None:
    """Raise where observations are on workers, and it takes them here."""
    if lazy_engine(X) is not None:
        raise InvalidInput(f"{what} takes observations that are here, not a Dask collection: {way}")


def posed_elsewhere(
    model: ConstrainedLinear, engine: Any, X: Any, y: Any, sample_weight: Any
) -> Task:
    """The problem of the solver."""
    if y is None:
        raise InvalidInput("y must hold a target for each row of X, got None.")
    _check_region(model)
    draft = engine.draft(X, y, sample_weight, labels=is_classifier(model))
    _keep_features(model, X, draft.whole.width)
    loss, observations = model._drafted(draft)
    task = model._task_of(loss, draft.whole.width)
    if not isinstance(getattr(model, "radius", "auto"), str):
        return task  # and the rows are the loss's alone

    def thinned() -> Any:
        return observations(_some(draft))

    return task._replace(
        sample=lambda: model._pose(thinned()), parts=lambda: model._parts(thinned())
    )


def _check_region(model: ConstrainedLinear) -> None:
    """Raise for a region or radius that is none before the rows are gathered."""
    from frankwolfe.sklearn.regions import region_maker

    region_maker(model.region, None, 1, 1)
    radius = getattr(model, "radius", "auto")
    if not isinstance(radius, str):
        number("radius", radius, above=0.0)


def _keep_features(model: ConstrainedLinear, X: Any, width: int) -> None:
    """What scikit-learn's own check sets."""
    model.__dict__.pop("feature_names_in_", None)
    names = getattr(X, "columns", None)
    if names is not None and all(isinstance(name, str) for name in names):
        model.feature_names_in_ = np.asarray(names, dtype=object)
    model.n_features_in_ = width


def _some(draft: Any) -> Any:
    """Every so many rows, brought here."""
    rows, width = sum(draft.whole.heights), draft.whole.width
    step = thinning(rows, width)
    if 8 * width * (rows // step) > MOST and not draft.whole.sparse:
        raise InvalidInput(
            f'radius="auto" would bring {rows // step:,} rows of {width:,} features here to find '
            "one: give a radius."
        )
    return draft.every(step)


def thinning(rows: int, columns: int) -> int:
    """Every how many of so many observations a radius is found from."""
    return max(1, rows // max(ENOUGH, 10 * columns))


def scores_elsewhere(model: ConstrainedLinear, X: Any) -> Any:
    """The linear predictions as a collection that is not computed yet, one column each."""
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


def _scores(coef: Array, intercept: Array, X: Any) -> Array:
    return np.asarray(safe_sparse_dot(X, coef) + intercept)


def applied(function: Callable[..., Array], z: Any, *arguments: Any) -> Any:
    """A function of predictions, now; or later, where they are a collection."""
    engine = lazy_engine(z)
    if engine is None:
        return function(*arguments, z)
    return engine.rowwise(partial(function, *arguments), z)
