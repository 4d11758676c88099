"""Demand functions: the number of trips between two zones as a function of their cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.traffic import roads
from frankwolfe.apps.traffic.link_cost import LinkCost
from frankwolfe.apps.traffic.skims import Skims
from frankwolfe.apps.traffic.trips import Trips
from frankwolfe.base import Array, Indices, InvalidInput, as_float_array

__all__ = ["ElasticDemand", "ExponentialDemand", "LinearDemand"]

_TANGENT_SHARE = 1.0 - 1e-9
"""Share of the trips at home from which -log(1 - r) goes on as its tangent: at 1 it is infinite."""

Parameter: TypeAlias = Any
"""Parameter of a demand function: a number, an array, or Skims; `on` makes an array of it."""


class ElasticDemand(ABC):
    """Demand function d(u): trips between two zones at cost u; see its subclasses."""

    @abstractmethod
    def on(self, trips: Trips, places: Indices) -> Self:
        """Demand of these pairs of the trips: parameters checked, and as arrays over the pairs."""

    @abstractmethod
    def at(self, places: Indices) -> Self:
        """Demand of some of the pairs alone, once parameters are arrays."""

    @abstractmethod
    def trips_at(self, trips: ArrayLike, costs: ArrayLike) -> Array:
        """Trips made at these costs, where `trips` are those at the reference cost."""

    @abstractmethod
    def staying(self, trips: Array, empty: Array) -> LinkCost:
        """Inverse demand as link times: the cost u at which d(empty) - d(u) trips are not made."""

    @abstractmethod
    def surplus(self, trips: Array, made: Array) -> Array:
        """Consumer surplus of each pair when `made` of its trips are made."""


class LinearDemand(ElasticDemand):
    r"""Linear demand, :math:`d(u) = d_0 \frac{h - u}{h - r}`, and 0 from the cost h on.

    Parameters
    ----------
    highest : float, array or Skims
        h, the cost at which nobody goes; for all, for each pair of the trips, or by zones.
    reference : float, array or Skims
        r < h, the cost at which the trips are as many as given; 0 by default.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> traffic.LinearDemand(40.0).trips_at(100.0, [0.0, 10.0, 50.0])
    array([100.,  75.,   0.])
    """

    def __init__(self, highest: Parameter, reference: Parameter = 0.0) -> None:
        self.highest, self.reference = highest, reference

    def on(self, trips: Trips, places: Indices) -> Self:
        highest = _by_pair("highest", self.highest, trips, places)
        reference = _by_pair("reference", self.reference, trips, places)
        if not (reference < highest).all():
            i = int(np.argmin(highest - reference))
            raise InvalidInput(
                f"highest must be above reference, got {highest[i]:g} and {reference[i]:g} from "
                f"{trips.origins[places[i]]} to {trips.destinations[places[i]]}."
            )
        return type(self)(highest, reference)

    def at(self, places: Indices) -> Self:
        return type(self)(self.highest[places], self.reference[places])

    def trips_at(self, trips: ArrayLike, costs: ArrayLike) -> Array:
        left = np.maximum(self.highest - np.asarray(costs, dtype=np.float64), 0.0)
        return np.asarray(trips * left / (self.highest - self.reference))

    def staying(self, trips: Array, empty: Array) -> LinkCost:
        """Affine link times from `empty`, where no more trips are lost, to h, where all are."""
        at_most = self.trips_at(trips, empty)
        rise = self.highest - empty
        return LinkCost()._fill(roads.BPR, empty, rise, at_most, np.ones_like(at_most))

    def surplus(self, trips: Array, made: Array) -> Array:
        return np.asarray(0.5 * made**2 * (self.highest - self.reference) / trips)

    def __repr__(self) -> str:
        return f"LinearDemand({_shown(self.highest)}, {_shown(self.reference)})"


class ExponentialDemand(ElasticDemand):
    r"""Exponential demand, :math:`d(u) = d_0 e^{-\theta (u - r)}`.

    Parameters
    ----------
    theta : float, array or Skims
        > 0, the share a unit of cost; for all, for each pair of the trips, or by zones.
    reference : float, array or Skims
        r, the cost at which the trips are as many as given; 0 by default.

    Notes
    -----
    Below a billionth of the trips on empty roads, the number of trips is wrong by as much.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> traffic.ExponentialDemand(0.1).trips_at(100.0, [0.0, 10.0]).round(3)
    array([100.   ,  36.788])
    """

    def __init__(self, theta: Parameter, reference: Parameter = 0.0) -> None:
        self.theta, self.reference = theta, reference

    def on(self, trips: Trips, places: Indices) -> Self:
        theta = _by_pair("theta", self.theta, trips, places)
        if not (theta > 0.0).all():
            raise InvalidInput(f"theta must be > 0, got {theta.min():g}.")
        return type(self)(theta, _by_pair("reference", self.reference, trips, places))

    def at(self, places: Indices) -> Self:
        return type(self)(self.theta[places], self.reference[places])

    def trips_at(self, trips: ArrayLike, costs: ArrayLike) -> Array:
        return np.asarray(trips * np.exp(-self.theta * (np.asarray(costs) - self.reference)))

    def staying(self, trips: Array, empty: Array) -> LinkCost:
        """Link times empty - log(1 - r) / theta, r the share of trips that are not made."""
        at_most = self.trips_at(trips, empty)
        ends = np.full_like(at_most, _TANGENT_SHARE)
        return LinkCost()._fill(roads.LOGARITHM, empty, 1.0 / self.theta, at_most, ends)

    def surplus(self, trips: Array, made: Array) -> Array:
        return np.asarray(made / self.theta)

    def __repr__(self) -> str:
        return f"ExponentialDemand({_shown(self.theta)}, {_shown(self.reference)})"


def _by_pair(name: str, given: Parameter, trips: Trips, places: Indices) -> Array:
    """A parameter as an array, one finite number for each of these pairs of the trips."""
    if isinstance(given, Skims):
        place = {label: i for i, label in enumerate(np.asarray(given.zones).tolist())}
        ends = trips.origins.tolist(), trips.destinations.tolist()
        strange = [label for labels in ends for label in labels if label not in place]
        if strange:
            raise InvalidInput(f"{name} must have all zones of the trips, but not {strange[0]}.")
        rows, columns = ([place[label] for label in labels] for labels in ends)
        values = given.matrix()[rows, columns]
    else:
        values = as_float_array(name, given).astype(np.float64)
    if values.shape not in ((), (trips.amounts.size,)):
        raise InvalidInput(
            f"{name} must be a number, or have one for each of {trips.amounts.size} pairs of the "
            f"trips, got shape {values.shape}."
        )
    each: Array = np.broadcast_to(values, trips.amounts.shape)[places]
    if not np.isfinite(each).all():
        raise InvalidInput(f"{name} must be finite.")
    return each


def _shown(value: Parameter) -> str:
    return f"{value:g}" if np.ndim(value) == 0 and not isinstance(value, Skims) else "..."
