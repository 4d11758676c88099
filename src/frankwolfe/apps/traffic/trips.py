"""Travel demand: trips between zones, of one class of users or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.traffic.network import Network, _labels
from frankwolfe.apps.traffic.roads import TripBlocks
from frankwolfe.base import Array, Indices, InvalidInput, Matrix, as_float_array, is_sparse, number

__all__ = ["Demand", "Trips", "TripsLike", "UserClass"]


class Trips:
    """Origin-destination table: numbers of trips from one zone to another.

    Parameters
    ----------
    origins, destinations : arrays of labels
        Zones; amounts of a pair that occurs more than once add up.
    amounts : array of numbers
        >= 0, in vehicles in the unit of time of the capacities.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> trips = traffic.Trips([1, 1, 2], [2, 3, 3], [10.0, 5.0, 4.0])
    >>> trips
    Trips(19 from 2 origins, 3 pairs)
    >>> traffic.Trips.of_matrix([[0, 10, 5], [0, 0, 4], [0, 0, 0]], zones=[1, 2, 3]).total
    19.0
    """

    def __init__(self, origins: ArrayLike, destinations: ArrayLike, amounts: ArrayLike) -> None:
        self.origins, self.destinations = (
            _labels("origins", origins),
            _labels("destinations", destinations),
        )
        self.amounts = np.atleast_1d(as_float_array("amounts", amounts).astype(np.float64))
        sizes = {self.origins.size, self.destinations.size, self.amounts.size}
        if self.amounts.ndim != 1:
            raise InvalidInput(f"amounts must be a vector, got shape {self.amounts.shape}.")
        if len(sizes) > 1:
            raise InvalidInput(
                "trips must have an origin, a destination and an amount each, got "
                f"{self.origins.size}, {self.destinations.size} and {self.amounts.size}."
            )
        wrong = np.flatnonzero(~((self.amounts >= 0.0) & np.isfinite(self.amounts)))
        if wrong.size:
            i = wrong[0]
            raise InvalidInput(
                f"trips must be finite numbers >= 0, got {self.amounts[i]:g} from "
                f"{self.origins[i]} to {self.destinations[i]}."
            )

    @classmethod
    def of_matrix(cls, matrix: Matrix, zones: ArrayLike | None = None) -> Trips:
        """Trips from a square matrix, dense or sparse, whose rows are origins.

        Parameters
        ----------
        matrix : array or scipy sparse matrix of shape (zones, zones)
            Trips from the zone of a row to that of a column.
        zones : array of labels, optional
            Labels of the rows and columns; 1, 2, ... by default.
        """
        if is_sparse(matrix):
            table = matrix.tocoo()
            rows, columns, amounts = table.row, table.col, table.data
        else:
            table = as_float_array("matrix", matrix)
        if len(table.shape) != 2 or table.shape[0] != table.shape[1]:
            raise InvalidInput(f"matrix must be square, one row a zone, got shape {table.shape}.")
        if not is_sparse(matrix):
            rows, columns = np.nonzero(table)
            amounts = table[rows, columns]
        labels = np.arange(1, table.shape[0] + 1) if zones is None else _labels("zones", zones)
        if labels.size != table.shape[0]:
            raise InvalidInput(
                f"zones must have {table.shape[0]} labels, as matrix has rows, got {labels.size}."
            )
        return cls(labels[rows], labels[columns], amounts)

    @property
    def total(self) -> float:
        """Sum of all amounts."""
        return float(self.amounts.sum())

    def times(self, factor: float) -> Trips:
        """Trips with all amounts multiplied by a factor >= 0."""
        return Trips(
            self.origins, self.destinations, number("factor", factor, low=0.0) * self.amounts
        )

    def matrix(self, zones: ArrayLike) -> Array:
        """Trips as a matrix, with a row and a column for each of the zones given."""
        labels = _labels("zones", zones)
        place = {label: i for i, label in enumerate(labels.tolist())}
        out = np.zeros((labels.size, labels.size))
        pairs = zip(self.origins.tolist(), self.destinations.tolist(), self.amounts, strict=True)
        for origin, destination, amount in pairs:
            if origin not in place or destination not in place:
                raise InvalidInput(
                    f"zones must have all origins and destinations, but there are trips from "
                    f"{origin} to {destination}."
                )
            out[place[origin], place[destination]] += amount
        return out

    def __repr__(self) -> str:
        some = self.amounts > 0.0
        origins = np.unique(self.origins[some]).size
        return f"Trips({self.total:,.6g} from {origins:,} origins, {int(some.sum()):,} pairs)"


@dataclass(frozen=True)
class UserClass:
    """Trips of users who value tolls and lengths in their own way.

    All classes share the links and their times; the rest of a link's cost is their own.

    Parameters
    ----------
    trips : Trips
        Trips of the class, in vehicles.
    toll_factor, distance_factor : float, optional
        Cost of a unit of toll, and of length, in units of time; the network's by default.
    fixed : array of m numbers, optional
        Cost of each link besides its time, in units of time, instead of the factors.
    weight : float
        Passenger-car units of one of its vehicles: 2 for a lorry, say.
    name : str
        Name of the class in tables.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> trips = traffic.Trips([1], [2], [10.0])
    >>> traffic.UserClass(trips, toll_factor=0.1, name="lorries", weight=2)
    UserClass('lorries', 10 trips)
    """

    trips: Trips
    toll_factor: float | None = None
    distance_factor: float | None = None
    fixed: ArrayLike | None = None
    weight: float = 1.0
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.trips, Trips):
            raise InvalidInput(f"trips must be Trips, got {type(self.trips).__name__}.")
        number("weight", self.weight, above=0.0)

    def costs_on(self, network: Network) -> Array:
        """Cost of each link for this class besides its time."""
        if self.fixed is None:
            toll = network.toll_factor if self.toll_factor is None else self.toll_factor
            distance = (
                network.distance_factor if self.distance_factor is None else self.distance_factor
            )
            return network.fixed_cost(
                number("toll_factor", toll), number("distance_factor", distance)
            )
        fixed = as_float_array("fixed", self.fixed).astype(np.float64)
        if fixed.shape != (network.size,) or not np.isfinite(fixed).all() or fixed.min() < 0.0:
            raise InvalidInput(
                f"fixed must have a finite number >= 0 for each of {network.size} links."
            )
        return fixed

    def __repr__(self) -> str:
        return f"UserClass({self.name!r}, {self.trips.total:,.6g} trips)"


class Demand(NamedTuple):
    """Trips as compiled loops take them: a block for each class and origin.

    Amounts are weighted; trips within a zone, and pairs without trips, are left out.
    """

    classes: tuple[UserClass, ...]
    fixed: Array  # cost of links besides their time, a row for each class
    origins: Indices  # origin (node) of each block
    of: Indices  # class of each block
    starts: Indices  # block b has the trips starts[b] to starts[b + 1] of `ends` and `amounts`
    ends: Indices
    amounts: Array

    @property
    def blocks(self) -> TripBlocks:
        """Trips in the form that compiled loops take."""
        return TripBlocks(self.origins, self.of, self.starts, self.ends, self.amounts)

    @classmethod
    def on(cls, network: Network, given: TripsLike) -> Demand:
        """Demand of Trips, of a UserClass, or of several classes on a network."""
        classes = _classes(given)
        fixed = np.ascontiguousarray([each.costs_on(network) for each in classes])
        zone = np.zeros(network.nodes.size, dtype=np.bool_)
        zone[network.zones] = True
        blocks: list[tuple[Indices, Indices, Indices, Array]] = []
        for k, each in enumerate(classes):
            trips = each.trips
            pairs = []
            for name, labels in (("origins", trips.origins), ("destinations", trips.destinations)):
                places = network.places(name, labels)
                if places.size and not zone[places].all():
                    strange = labels[np.flatnonzero(~zone[places])[0]]
                    raise InvalidInput(
                        f"{name} must be zones of the network, but {strange} is none."
                    )
                pairs.append(places)
            some = (trips.amounts > 0.0) & (pairs[0] != pairs[1])
            origins, ends = pairs[0][some], pairs[1][some]
            by = np.lexsort((ends, origins))
            amounts = each.weight * trips.amounts[some][by]
            blocks.append((np.full(by.size, k), origins[by], ends[by], amounts))
        of, origins, ends, amounts = (
            np.concatenate(column) for column in zip(*blocks, strict=True)
        )
        new = np.flatnonzero(np.append(True, (np.diff(of) != 0) | (np.diff(origins) != 0)))
        new = new if amounts.size else new[:0]
        starts = np.append(new, amounts.size)
        return cls(classes, fixed, origins[new], of[new], starts, ends, amounts)


TripsLike: TypeAlias = Trips | UserClass | Sequence[Trips | UserClass]
"""Demand as users give it: trips, a class of users, or several of these."""


def _classes(given: object) -> tuple[UserClass, ...]:
    """User classes of what was given, checked."""
    several = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    known = (UserClass(each) if isinstance(each, Trips) else each for each in several)
    classes = tuple(each for each in known if isinstance(each, UserClass))
    if not classes or len(classes) < len(several):
        raise InvalidInput(
            "trips must be Trips, or user classes such as [UserClass(trips, toll_factor=0.1)], got "
            f"{type(given).__name__}."
        )
    return classes
