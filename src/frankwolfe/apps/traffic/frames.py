"""Networks and trips from tables with named columns, such as DataFrames of pandas or polars."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.traffic.costs import BPR
from frankwolfe.apps.traffic.link_cost import InvalidLink
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.tables import (
    DataFrame,
    column_names,
    columns_of,
    find_columns,
    length_of,
    listed,
    values_of,
)
from frankwolfe.apps.traffic.tntp_net import ALIASES
from frankwolfe.apps.traffic.trips import Trips
from frankwolfe.base import AnyArray, Array, InvalidInput
from frankwolfe.base.files import NamedColumns, is_label, number_of

__all__ = ["network_from_frame", "trips_from_frame"]

REQUIRED_COLUMNS = ("init_node", "term_node", "capacity", "free_flow_time")
TRIP_ALIASES = {
    **dict.fromkeys(("o", "orig", "from", "fromzone", "initnode", "originzone"), "origin"),
    **dict.fromkeys(("d", "dest", "to", "tozone", "termnode", "destinationzone"), "destination"),
    **dict.fromkeys(("trips", "demand", "flow", "volume", "vehicles", "ton"), "amount"),
}


def network_from_frame(
    links: DataFrame,
    *,
    columns: Mapping[str, object] | None = None,
    nodes: DataFrame = None,
    zones: ArrayLike | None = None,
    closed: ArrayLike | None = None,
    toll_factor: float = 0.0,
    distance_factor: float = 0.0,
) -> Network:
    """Network from a table with a row for each link.

    Parameters
    ----------
    links : DataFrame of pandas or polars, pyarrow Table, or dict of columns
        With columns init_node, term_node, capacity and free_flow_time; b (0.15 where there is
        none), power (4), length (0) and toll (0). Capitals and underscores do not count, and
        other usual names, such as from, to, a_node, b_node, fftt, alpha and beta, are known.
    columns : dict, optional
        Names of columns that have other names: ``{"capacity": "cap_ab"}``.
    nodes : table, optional
        All nodes and their coordinates, in columns node, x and y.
    zones, closed, toll_factor, distance_factor
        See :class:`Network`.

    Examples
    --------
    >>> import pandas
    >>> from frankwolfe import traffic
    >>> links = pandas.DataFrame(
    ...     {"from": ["a", "a"], "to": ["b", "c"], "capacity": [100, 200], "t0": [2.0, 3.0]}
    ... )
    >>> traffic.network_from_frame(links, columns={"free_flow_time": "t0"}, zones=["a", "b"])
    Network(3 nodes, 2 links, 2 zones)
    """
    wanted = (*REQUIRED_COLUMNS, "b", "power", "length", "toll")
    names = find_columns(links, wanted, ALIASES, columns)
    frame = columns_of("links", links, names, REQUIRED_COLUMNS)
    tails, heads = frame.labels("init_node"), frame.labels("term_node")
    try:
        return Network(
            tails,
            heads,
            BPR(
                frame.numbers("free_flow_time"),
                frame.numbers("capacity"),
                frame.numbers("b", 0.15),
                frame.numbers("power", 4.0),
            ),
            zones=zones,
            closed=closed,
            length=frame.numbers("length", 0.0),
            toll=frame.numbers("toll", 0.0),
            toll_factor=toll_factor,
            distance_factor=distance_factor,
            **({} if nodes is None else _nodes(nodes, tails, heads)),
        )
    except InvalidLink as error:
        frame.wrong(error.link, error.reason)


def _nodes(table: DataFrame, *ends: AnyArray) -> dict[str, AnyArray]:
    """Arguments `nodes` (sorted labels) and `coordinates` of a Network with these ends of links."""
    wanted = ("node", "x", "y")
    frame = columns_of("nodes", table, find_columns(table, wanted, ALIASES, None), wanted)
    labels, order = np.unique(frame.labels("node"), return_index=True)
    places = np.stack([frame.numbers("x"), frame.numbers("y")], axis=1)
    for row in np.flatnonzero(~np.isfinite(places).all(axis=1)):
        frame.wrong(int(row), "x and y must be finite")
    strange = np.setdiff1d(np.concatenate(ends), labels)
    if strange.size:
        raise InvalidInput(f"nodes must have all ends of links, but {strange[0]} is not there.")
    return {"nodes": labels, "coordinates": places[order]}


def trips_from_frame(trips: DataFrame, *, columns: Mapping[str, object] | None = None) -> Trips:
    """Trips from a table with a row for each pair of zones, or from a square one.

    Parameters
    ----------
    trips : DataFrame of pandas or polars, pyarrow Table, or dict of columns
        With columns origin, destination and amount, or other usual names of theirs: from, to,
        o, d, trips, demand, flow. Or a square table: the names of its columns are destinations,
        and its index, or its first column, has the origins.
    columns : dict, optional
        Names of columns that have other names: ``{"amount": "AM peak"}``.

    Examples
    --------
    >>> import pandas
    >>> from frankwolfe import traffic
    >>> pairs = pandas.DataFrame({"origin": [1, 1], "destination": [2, 3], "trips": [10.0, 5.0]})
    >>> traffic.trips_from_frame(pairs)
    Trips(15 from 1 origins, 2 pairs)
    >>> square = pandas.DataFrame([[0, 10], [4, 0]], index=[1, 2], columns=[1, 2])
    >>> traffic.trips_from_frame(square)
    Trips(14 from 2 origins, 2 pairs)
    """
    wanted = ("origin", "destination", "amount")
    names = find_columns(trips, wanted, TRIP_ALIASES, columns)
    square = _square(trips) if not columns and set(names) <= {"origin"} else None
    if square is not None:
        return Trips(*square)
    frame = columns_of("trips", trips, names, wanted)
    amounts = frame.numbers("amount")
    for row in np.flatnonzero(~((amounts >= 0.0) & np.isfinite(amounts))):
        frame.wrong(int(row), f"amount must be a finite number >= 0, got {amounts[row]:g}")
    return Trips(frame.labels("origin"), frame.labels("destination"), amounts)


def _square(table: DataFrame) -> tuple[AnyArray, AnyArray, Array] | None:
    """Origins, destinations and amounts of a square table; None where it is not square."""
    there, rows = column_names(table), length_of(table)
    origins: AnyArray | None = None
    if len(there) == rows + 1:
        origins, there = values_of(table, there[0]), there[1:]
    elif len(there) != rows or not rows:
        return None
    elif hasattr(table, "index") and not isinstance(table, Mapping):
        origins = np.asarray(table.index)
    frame = columns_of("trips", table, {str(name): name for name in there})
    amounts = np.stack([frame.numbers(str(name)) for name in there], axis=1)
    labels = [number_of(str(name)) for name in there]
    numbered = all(map(is_label, labels))
    destinations = np.array(labels, dtype=np.int64) if numbered else np.array(there, dtype=np.str_)
    if origins is None:
        origins = destinations
    origins = NamedColumns({"origin": origins}, frame.where).labels("origin")
    if not np.array_equal(np.sort(origins), np.sort(destinations)):
        raise InvalidInput(
            "a square table of trips must have the same zones as rows and as columns, got rows "
            f"{listed(list(origins))} and columns {listed(list(destinations))}."
        )
    row, column = np.nonzero(amounts)
    return origins[row], destinations[column], amounts[row, column]
