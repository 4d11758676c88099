"""Fits as problems of the solver: one objective, and a region for each radius."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, validate_data

from frankwolfe.base.arrays import AnyArray, Array, Flags, Indices, Matrix, TableLike
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.structure import checked_structure
from frankwolfe.methods import Method
from frankwolfe.objectives import Objective
from frankwolfe.regions import REGION_NAMES, Region
from frankwolfe.solver.entry import minimize
from frankwolfe.solver.result import Result
from frankwolfe.solver.stopping import Gap

__all__ = [
    "Fit",
    "HoldOutTask",
    "Observations",
    "Settings",
    "Task",
    "into",
    "read_observations",
    "region_maker",
    "scaled",
    "size_of",
    "warn_unless_converged",
]

Maker = Callable[[float], Region]
"""Function from a radius to the region of that radius."""
ROUNDING_UNITS = 1e3  # eps; a gap below so many is rounding, and is not asked for


def region_maker(
    region: object, groups: ArrayLike | None, features: int, outputs: int
) -> Maker | Region:
    """Function from a radius to a region, by the region's name; a Region is returned as it is."""
    if isinstance(region, Region):
        return region
    if not isinstance(region, str) or region not in REGION_NAMES:
        raise InvalidInput(
            f"region must be one of {', '.join(REGION_NAMES)} or a region object such as "
            f"L1Ball(2.0), got {region!r}."
        )
    kind = REGION_NAMES[region]
    if groups is not None and not kind.grouped:
        raise InvalidInput(f'groups goes with region="group", not with region={region!r}.')
    labels = _labels(groups, features, outputs) if kind.grouped else None
    return lambda radius: kind.of_radius(number("radius", radius, above=0.0), labels)


def _labels(groups: ArrayLike | None, features: int, outputs: int) -> AnyArray:
    """Group label of each coefficient; the coefficients of one feature share its label."""
    labels = np.arange(features) if groups is None else np.asarray(groups)
    if labels.shape != (features,):
        raise InvalidInput(
            f"groups must hold one label for each of the {features} features, got an array of "
            f"shape {labels.shape}."
        )
    return np.repeat(labels, outputs)


def size_of(region: Region) -> float:
    """Radius or scale of a region; NaN where it has none."""
    return float(getattr(region, "radius", getattr(region, "scale", np.nan)))


def into(region: Region, x: Array | None) -> Array | None:
    """Point c x of the region with c = 1 if possible, or another multiple c; None if none is found.

    Tried besides x are its division by 1 + violation, which suits balls, and its scaling to the
    sum that a simplex asks for.
    """
    if x is None or (region.dimension is not None and region.dimension != x.size):
        return None
    total = abs(float(x.sum()))
    shrunk = x / (1.0 + region.violation(x))
    summed = x * (size_of(region) / total) if total > 0.0 else x
    for candidate in (x, shrunk, summed):
        if np.isfinite(candidate).all() and region.contains(candidate, 1e-10):
            return candidate
    return None


class Observations(NamedTuple):
    """Checked observations: features, targets and weights, one row each."""

    X: Matrix
    y: AnyArray
    weight: Array

    def rows(self, which: Indices | Flags | slice) -> Observations:
        """Observations of the selected rows."""
        return Observations(self.X[which], self.y[which], self.weight[which])


def read_observations(
    estimator: BaseEstimator, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None
) -> Observations:
    """Observations in memory, checked as scikit-learn checks them for an estimator."""
    X = checked_structure("X", X)  # scikit-learn converts it by code that trusts its indices
    X, y = validate_data(
        estimator, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
    )
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if weight.min() < 0.0 or weight.max() <= 0.0:
        raise InvalidInput("sample_weight must be >= 0, and not zero everywhere.")
    return Observations(X, np.asarray(y), weight)


class Settings(NamedTuple):
    """Settings of the solver: relative gap to stop at, most steps, and the method."""

    tol: float
    max_iter: int
    method: str | Method | None


class Fit(NamedTuple):
    """Solution of a task: the flat coefficients, the region and the run."""

    x: Array
    region: Region
    result: Result

    @property
    def radius(self) -> float:
        """Radius or scale of the region; NaN where it has none."""
        return size_of(self.region)


class HoldOutTask(NamedTuple):
    """Task on the observations kept, and `judge`, the loss of coefficients on those held out."""

    task: Task
    judge: Callable[[Array], float]


class Task(NamedTuple):
    """Minimize `objective`, which is 1 where all coefficients are zero, over a region.

    Attributes
    ----------
    objective : Objective
        The loss, divided by `scale`.
    scale : float
        The loss of the best constant prediction (of zero without an intercept).
    regions : function from a radius to a region, or one region
    sample : function, optional
        Makes this task with fewer observations, by which a grid of radii is found.
    parts : function, optional
        Makes tasks that each hold some observations out, by which one radius is chosen; an empty
        list where observations are few.
    """

    objective: Objective
    scale: float
    regions: Maker | Region
    sample: Callable[[], Task] | None = None
    parts: Callable[[], list[HoldOutTask]] | None = None

    @property
    def fixed(self) -> bool:
        """True if the region was given as an object, which has one radius only."""
        return isinstance(self.regions, Region)

    def region(self, radius: float) -> Region:
        """Region of a given radius."""
        return self.regions if isinstance(self.regions, Region) else self.regions(radius)

    def solve(self, radius: float, settings: Settings, start: Array | None = None) -> Fit:
        """Optimal coefficients at a radius, from `start` where a multiple of it is feasible."""
        region = self.region(radius)
        tol, max_iter, method = settings
        least = ROUNDING_UNITS * float(np.finfo(self.objective.dtype).eps)
        tol = max(number("tol", tol, low=0.0), least)
        fits = start is not None and start.size == self.objective.n
        start = into(region, start) if fits else None
        result = minimize(
            self.objective, region, x0=start, method=method, tol=Gap(tol), max_iter=max_iter
        )
        return Fit(result.x, region, result)

    def along(self, radii: Iterable[float], settings: Settings) -> Iterator[Fit]:
        """Yield solutions along radii, each started from the solution before."""
        x = None
        for radius in radii:
            fit = self.solve(float(radius), settings, x)
            x = fit.x
            yield fit

    def rounding(self) -> float:
        """Size that rounding may give to a price at x = 0 that is zero in exact arithmetic.

        It is 1000 eps times the price that the slopes would have with random signs; infinite where
        the loss at x = 0 is zero already.
        """
        objective = self.objective
        slope, gradient = objective.new_image(), np.zeros(objective.n, objective.dtype)
        value, _ = objective.linearize(objective.zero_image(), slope)
        if not value > 0.5:  # it is 1, unless it was too small to be scaled
            return np.inf
        slope *= np.random.default_rng(0).choice([-1.0, 1.0], slope.size).astype(slope.dtype)
        objective.gradient(slope, gradient)
        typical = -self.region(1.0).lmo(gradient).dot(gradient)
        return ROUNDING_UNITS * float(np.finfo(objective.dtype).eps) * typical

    def price(self, x: Array) -> float:
        """Price of the constraint -v'(R): max <-g, s> over the unit region, in units of `scale`."""
        gradient = self.objective.grad(x)
        return -self.region(1.0).lmo(gradient).dot(gradient)


def scaled(objective: Objective) -> tuple[Objective, float]:
    """Objective divided by its value at zero, and that value.

    Tolerances are then relative to it, whatever the units of the target.
    """
    scale = objective(np.zeros(objective.n, dtype=objective.dtype))
    if not np.isfinite(scale) or scale <= np.finfo(np.float64).tiny:
        return objective, 1.0
    divided = objective.times(1.0 / scale)
    return (objective, 1.0) if divided is None else (divided, float(scale))


def warn_unless_converged(fits: list[Fit], name: str) -> None:
    """Issue one ConvergenceWarning for all fits that did not reach the tolerance."""
    failed = [fit.result for fit in fits if not fit.result.success]
    if not failed:
        return
    worst = max(failed, key=lambda result: result.gap)
    why = worst.status.message.rstrip(".")
    which = "" if len(fits) == 1 else f" at {len(failed)} of {len(fits)} radii"
    warnings.warn(
        f"{name} stopped{which} at a gap of {worst.gap:.2g} of the loss of a constant "
        f"prediction, above tol, after {worst.nit} iterations ({why}): "
        "scale the features, raise max_iter or tol, or try another method.",
        ConvergenceWarning,
        stacklevel=3,
    )
