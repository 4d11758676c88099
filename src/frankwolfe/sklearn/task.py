"""A fit as a problem of the solver: one objective, and a region for each radius."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import number
from frankwolfe.objectives import Objective
from frankwolfe.regions import Region
from frankwolfe.sklearn.regions import Maker, into, size_of
from frankwolfe.solver.minimize import minimize
from frankwolfe.solver.result import Result
from frankwolfe.solver.stopping import Gap

__all__ = ["Fit", "Part", "Settings", "Task", "scaled", "warn_unless_converged"]

ROUNDING = 1e3  # units of rounding below which no gap is asked for


class Settings(NamedTuple):
    """How to solve."""

    tol: float
    max_iter: int
    method: Any


class Fit(NamedTuple):
    """A solution: the flat coefficients, the region and the run."""

    x: Array
    region: Region
    result: Result

    @property
    def radius(self) -> float:
        """The region's radius or scale."""
        return size_of(self.region)


class Part(NamedTuple):
    """A task without some of the observations, and the loss of its solutions on those."""

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
        Makes the same task of fewer observations, by which radii are found.
    parts : function, optional
        Makes tasks of parts of these, by which one radius is chosen; none where they are few.
    """

    objective: Objective
    scale: float
    regions: Maker | Region
    sample: Callable[[], Task] | None = None
    parts: Callable[[], list[Part]] | None = None

    @property
    def fixed(self) -> bool:
        """Whether the region was given, and has no other radius."""
        return isinstance(self.regions, Region)

    def region(self, radius: float) -> Region:
        """The region of that radius."""
        return self.regions if isinstance(self.regions, Region) else self.regions(radius)

    def solve(self, radius: float, settings: Settings, start: Array | None = None) -> Fit:
        """The best coefficients at a radius, from `start` where that can be used."""
        region = self.region(radius)
        tol, max_iter, method = settings
        least = ROUNDING * float(np.finfo(self.objective.dtype).eps)
        tol = max(number("tol", tol, low=0.0), least)
        fits = start is not None and start.size == self.objective.n
        start = into(region, start) if fits else None
        result = minimize(
            self.objective, region, x0=start, method=method, tol=Gap(tol), max_iter=max_iter
        )
        return Fit(result.x, region, result)

    def along(self, radii: Iterable[float], settings: Settings) -> Iterator[Fit]:
        """Solutions along radii, each from the one before."""
        x = None
        for radius in radii:
            fit = self.solve(float(radius), settings, x)
            x = fit.x
            yield fit

    def rounding(self) -> float:
        """What rounding may make of a price of zero where all coefficients are zero.

        A share of the price that the same slopes have with random signs. Infinite where the
        loss is zero there already.
        """
        objective = self.objective
        slope, gradient = objective.new_image(), np.zeros(objective.n, objective.dtype)
        value, _ = objective.linearize(objective.zero_image(), slope)
        if not value > 0.5:  # it is 1, unless it was too small to be scaled
            return np.inf
        slope *= np.random.default_rng(0).choice([-1.0, 1.0], slope.size).astype(slope.dtype)
        objective.gradient(slope, gradient)
        typical = -self.region(1.0).lmo(gradient).dot(gradient)
        return ROUNDING * float(np.finfo(objective.dtype).eps) * typical

    def price(self, x: Array) -> float:
        """By how much a unit of radius lowers the loss at a solution x, in units of `scale`."""
        gradient = self.objective.grad(x)
        return -self.region(1.0).lmo(gradient).dot(gradient)


def scaled(objective: Objective) -> tuple[Objective, float]:
    """The objective divided by its value at zero, and that value.

    Tolerances are then relative to it, whatever the units of the target.
    """
    scale = objective(np.zeros(objective.n, dtype=objective.dtype))
    if not np.isfinite(scale) or scale <= np.finfo(np.float64).tiny:
        return objective, 1.0
    return objective.times(1.0 / scale), float(scale)


def warn_unless_converged(fits: list[Fit], name: str) -> None:
    """One warning for what did not reach the tolerance."""
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
