"""Base class of the linear estimators: reading data, fitting, and fitted attributes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from frankwolfe.base.arrays import Array, Ints, TableLike
from frankwolfe.base.checks import number, quiet
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.structure import checked_structure
from frankwolfe.methods import Method
from frankwolfe.objectives import Objective, Profiled
from frankwolfe.regions import Region
from frankwolfe.sklearn.distributed import (
    Predictions,
    RowDraft,
    RowSample,
    column_names,
    distributed_predictions,
    lazy_engine,
    sampled,
    thinning,
)
from frankwolfe.sklearn.radii import part_numbers, read_radius
from frankwolfe.sklearn.task import (
    Fit,
    HoldOutTask,
    Observations,
    Settings,
    Task,
    read_observations,
    region_maker,
    scaled,
    warn_unless_converged,
)

__all__ = ["ConstrainedLinear", "PosedProblem"]


class ConstrainedLinear(BaseEstimator, ABC):  # type: ignore[misc]
    """Estimator with a linear prediction whose coefficients lie in a region.

    A subclass says how it reads targets (`_targets`), what it minimizes (`_loss`) and how many
    predictions it makes (`_outputs`).
    """

    region: str | Region
    groups: ArrayLike | None
    fit_intercept: bool
    tol: float
    max_iter: int
    method: str | Method | None

    @abstractmethod
    def _targets(self, data: Observations) -> Array:
        """Targets as numbers; sets the attributes that depend on the targets alone."""

    @abstractmethod
    def _drafted(self, draft: RowDraft) -> tuple[Objective, Callable[[RowSample], Observations]]:
        """Mean loss of rows on workers, and the function from a sample of them to observations."""

    @abstractmethod
    def _loss(self) -> Callable[..., Objective]:
        """Constructor of the loss, called with A, b, reduction and sample_weight."""

    @property
    @abstractmethod
    def _outputs(self) -> int:
        """Number of predictions made for one observation."""

    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to observations X, one a row, and targets y.

        Parameters
        ----------
        X : array, data frame or scipy sparse matrix of shape (n_samples, n_features)
            Also a Dask array or DataFrame, whose rows then stay on the workers.
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
            Weights >= 0; an observation of weight zero counts as absent.
        """
        warm = getattr(self, "warm_start", False) and hasattr(self, "coef_")
        before = np.asarray(self.coef_, dtype=np.float64).T.ravel() if warm else None
        with quiet():
            posed = PosedProblem.of(self, X, y, sample_weight)
            radius = read_radius(posed.task, posed.settings, getattr(self, "radius", "auto"))
            fit = posed.solve(radius, before)
        warn_unless_converged([fit], type(self).__name__)
        return self

    def _posed(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Task:
        """Optimization problem of data in memory or on workers."""
        engine = lazy_engine(X)
        if engine is None:
            return self._task(read_observations(self, X, y, sample_weight))
        if y is None:
            raise InvalidInput("y must hold a target for each row of X, got None.")
        radius = getattr(self, "radius", "auto")
        region_maker(self.region, None, 1, 1)  # before the rows are gathered, which is slow
        if not isinstance(radius, str):
            number("radius", radius, above=0.0)
        draft = engine.draft(X, y, sample_weight, labels=is_classifier(self))
        names, self.n_features_in_ = column_names(X), draft.whole.width
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        loss, observations = self._drafted(draft)
        task = self._task_of(loss, draft.whole.width)
        if not isinstance(radius, str):
            return task  # without a reference to the draft, workers may free its rows
        return task._replace(
            sample=lambda: self._pose(observations(sampled(draft))),
            parts=lambda: self._parts(observations(sampled(draft))),
        )

    def _task(self, data: Observations) -> Task:
        """Optimization problem of observations in memory."""
        if data.weight.min() == 0.0:  # weight zero is to count as absent, in classes and folds too
            data = data.rows(np.flatnonzero(data.weight))
        data = data._replace(y=self._targets(data))
        data = data._replace(weight=self._weights(data))
        return self._pose(data)._replace(
            sample=lambda: self._pose(self._thinned(data)),
            parts=lambda: self._parts(self._thinned(data)),
        )

    def _pose(self, data: Observations) -> Task:
        return self._task_of(self._mean_loss(data), data.X.shape[1])

    def _task_of(self, loss: Objective, features: int) -> Task:
        regions = region_maker(self.region, self.groups, features, self._outputs)
        objective, scale = scaled(Profiled(loss) if self.fit_intercept else loss)
        return Task(objective, scale, regions)

    def _mean_loss(self, data: Observations) -> Objective:
        mean = data.weight / data.weight.sum()
        return self._loss()(data.X, data.y, reduction="sum", sample_weight=mean)

    def _parts(self, data: Observations) -> list[HoldOutTask]:
        """Tasks that each leave out one fifth of the observations."""
        numbers, count = part_numbers(data.X, self._strata(data))
        return [self._part(data, numbers == k) for k in range(count) if (numbers == k).any()]

    def _part(self, data: Observations, held: Array) -> HoldOutTask:
        task = self._pose(data._replace(weight=np.where(held, 0.0, data.weight)))
        loss = self._mean_loss(data._replace(weight=np.where(held, data.weight, 0.0)))

        def judge(x: Array) -> float:
            z = np.empty(loss.m, dtype=loss.dtype)
            loss.image(x, z)
            b = self._intercept(task, x)
            return loss.value((z.reshape(-1, b.size) + b).ravel()) / task.scale

        return HoldOutTask(task, judge)

    def _strata(self, data: Observations) -> Ints:
        """Stratum of each observation; each part held out takes an equal share of every stratum."""
        return np.zeros(data.y.size, dtype=np.int64)

    def _thinned(self, data: Observations) -> Observations:
        """Every k-th observation, where there are more than a radius needs."""
        return data.rows(slice(None, None, thinning(*data.X.shape)))

    def _weights(self, data: Observations) -> Array:
        """Weights of the observations in the loss."""
        return data.weight

    def _keep(self, task: Task, fit: Fit) -> None:
        """Set the fitted attributes from a solution of the task."""
        outputs = self._outputs
        self.coef_ = np.ascontiguousarray(fit.x.reshape(-1, outputs).T)
        self.intercept_ = self._intercept(task, fit.x)
        self.radius_, self.region_ = fit.radius, fit.region
        result = fit.result
        self.dual_gap_, self.certified_ = result.gap * task.scale, result.certified
        self.n_iter_ = max(result.nit, 1)  # the first evaluation is one

    def _intercept(self, task: Task, x: Array) -> Array:
        if not self.fit_intercept:
            return np.zeros(self._outputs, dtype=x.dtype)
        assert isinstance(task.objective, Profiled)
        return task.objective.free_at(x)

    def _linear(self, X: TableLike) -> Predictions:
        """Linear predictions X coef' + intercept, one column an output."""
        check_is_fitted(self)
        engine = lazy_engine(X)
        if engine is not None:
            names = getattr(self, "feature_names_in_", None)
            return distributed_predictions(engine, X, self.coef_, self.intercept_, names)
        X = checked_structure("X", X)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        with quiet():
            return np.asarray(safe_sparse_dot(X, np.atleast_2d(self.coef_).T) + self.intercept_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class PosedProblem(NamedTuple):
    """Problem of fitting an estimator to observations; a solution becomes its attributes."""

    model: ConstrainedLinear
    task: Task

    @classmethod
    def of(
        cls,
        model: ConstrainedLinear,
        X: TableLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> PosedProblem:
        """Problem of data in memory, which are checked, or on workers."""
        return cls(model, model._posed(X, y, sample_weight))

    @classmethod
    def of_observations(cls, model: ConstrainedLinear, data: Observations) -> PosedProblem:
        """Problem of observations that were checked before."""
        return cls(model, model._task(data))

    @property
    def settings(self) -> Settings:
        """Settings of the solver, as the estimator has them."""
        return Settings(self.model.tol, self.model.max_iter, self.model.method)

    def solve(self, radius: float, start: Array | None = None) -> Fit:
        """Solution at a radius, kept by the estimator."""
        fit = self.task.solve(radius, self.settings, start)
        self.model._keep(self.task, fit)
        return fit

    def along(self, radii: Array) -> Iterator[Fit]:
        """Yield solutions along radii, each started from the last one and kept by the estimator."""
        for fit in self.task.along(radii, self.settings):
            self.model._keep(self.task, fit)
            yield fit
