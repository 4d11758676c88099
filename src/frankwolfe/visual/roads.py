"""Geometry of a drawn network: places, widths and congestion of its links."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import AnyArray, Array, Floats, Indices
from frankwolfe.base.checks import as_float_array
from frankwolfe.base.errors import InvalidInput
from frankwolfe.visual.layout import graph_layout

__all__ = ["COLORS", "LEVELS", "NetworkLike", "RoadMap", "level_names", "levels", "roads_of"]

LEVELS = (1.1, 1.25, 1.5, 2.0)
"""Times over free-flow time at which the colour changes."""
COLORS = ("#9db6c8", "#4d94c4", "#eaaa32", "#dd6426", "#a30f3f")
"""Colours from free to jammed, distinct in hue and in lightness, for colour-blind readers too."""


class NetworkLike(Protocol):
    """Network that can be drawn; :class:`frankwolfe.apps.traffic.Network` is one."""

    @property
    def tails(self) -> Indices:
        """Node that each link leads from, by its number."""

    @property
    def heads(self) -> Indices:
        """Node that each link leads to, by its number."""

    @property
    def nodes(self) -> AnyArray:
        """Names of the nodes."""

    @property
    def coordinates(self) -> Array | None:
        """Coordinates of the nodes, a row each; None where they are unknown."""

    @property
    def length(self) -> Array:
        """Length of each link, for a layout where coordinates are unknown."""

    def congestion(self, flows: Array) -> Array:
        """Time over free-flow time of each link at these flows."""


@dataclass(frozen=True)
class RoadMap:
    """Links to draw, with their places, flows and congestion.

    Parameters
    ----------
    tails, heads : arrays of m integers
        Which nodes each leads from and to.
    places : array of shape (nodes, 2)
        Where the nodes lie, upwards.
    flows : array of m numbers
        How many use each.
    congestion : array of m numbers
        How many times as long as an empty one each takes; infinite where that takes none.
    known : bool
        Whether `places` are where the nodes lie, and not a layout.
    """

    tails: Indices
    heads: Indices
    places: Floats
    flows: Floats
    congestion: Floats
    known: bool

    def seen(self) -> Indices:
        """Links whose ends lie apart, so that they can be drawn; the busiest last, on top."""
        apart = np.abs(self.places[self.tails] - self.places[self.heads]).max(axis=1) > 0.0
        order = np.argsort(self.flows, kind="stable")
        found: Indices = order[apart[order]]
        return found

    def widths(self, links: Indices, thinnest: float, widest: float) -> Floats:
        """Widths of links, proportional to their flows and at least `thinnest`."""
        most = float(self.flows.max(initial=0.0))
        share = self.flows[links] / most if most > 0.0 else np.zeros(len(links))
        return np.maximum(thinnest, widest * share)

    def normals(self, links: Indices) -> Floats:
        """Unit vectors to the right of each link, as one travels along it."""
        along = self.places[self.heads[links]] - self.places[self.tails[links]]
        along = along / np.hypot(*along.T)[:, None]
        return np.stack([along[:, 1], -along[:, 0]], axis=1)

    def shifts(self, links: Indices, widths: Floats) -> Floats:
        """Distance by which each link is drawn to its right, so that none covers another.

        Links between the same two nodes lie side by side, those of the two directions on either
        side of the middle; a single link lies in the middle.
        """
        tails, heads = self.tails[links], self.heads[links]
        count = len(self.places)
        low, high = np.minimum(tails, heads), np.maximum(tails, heads)
        way, pair = tails * count + heads, low * count + high
        order = np.argsort(way, kind="stable")
        edges = np.cumsum(widths[order])
        new = np.append(True, np.diff(way[order]) != 0)
        begin = np.maximum.accumulate(np.where(new, edges - widths[order], -np.inf))
        shifts = np.empty(len(links))
        shifts[order] = edges - begin - 0.5 * widths[order]
        members = np.unique(pair, return_inverse=True)[1]
        there = np.bincount(members, tails == low)
        both = (there > 0) & (there < np.bincount(members))
        whole = np.bincount(members, widths)  # of a pair with one direction: from edge to edge
        return np.where(both[members], shifts, shifts - 0.5 * whole[members])


def levels(congestion: Floats) -> Indices:
    """Index in COLORS of each link."""
    return np.searchsorted(LEVELS, congestion, side="right")


def level_names() -> list[str]:
    """Words of a legend for COLORS."""
    times = [f"{level:g}" for level in LEVELS]
    between = [f"{a} to {b} ×" for a, b in pairwise(times)]
    return [f"up to {times[0]} ×", *between, f"over {times[-1]} ×"]


def roads_of(
    network: NetworkLike, flows: ArrayLike | None = None, congestion: ArrayLike | None = None
) -> RoadMap:
    """Map of a network to draw; nodes without coordinates are laid out by the links.

    Parameters
    ----------
    network : Network
        Anything with ``tails``, ``heads``, ``nodes`` and ``coordinates``.
    flows : array of m numbers, optional
        All zero by default.
    congestion : array of m numbers, optional
        Time over the time of an empty link; what ``network.congestion(flows)`` says by default.
    """
    m = len(network.tails)
    used = np.zeros(m) if flows is None else _each("flows", flows, m)
    if not np.isfinite(used).all() or used.min() < 0.0:
        raise InvalidInput("flows must be finite numbers >= 0.")
    if congestion is None and flows is not None:
        congestion = network.congestion(used)
    slow = np.ones(m) if congestion is None else _each("congestion", congestion, m)
    if np.isnan(slow).any():
        raise InvalidInput("congestion must have a number for each link, but some are NaN.")
    known = network.coordinates is not None
    places = (
        _upright(np.asarray(network.coordinates, dtype=np.float64)) if known else _laid(network)
    )
    return RoadMap(network.tails, network.heads, places, used, slow, known)


def _each(name: str, given: ArrayLike, m: int) -> Floats:
    """Numbers given for each of m links, checked."""
    values = as_float_array(name, given).astype(np.float64)
    if values.shape != (m,):
        raise InvalidInput(f"{name} must have a number for each of {m} links, got {values.size}.")
    return values


def _laid(network: NetworkLike) -> Floats:
    """Coordinates of nodes by a layout of the graph."""
    # roots of lengths: outskirts come nearer, and the middle has room
    lengths = np.sqrt(np.maximum(network.length, 0.0))
    known = lengths if lengths.any() else None
    return graph_layout(network.tails, network.heads, len(network.nodes), known)


def _upright(places: Floats) -> Floats:
    """Longitude shrunk by cos(latitude), if places look like degrees; other places as they are."""
    middle, span = places.mean(axis=0), np.ptp(places, axis=0)
    on_earth = bool((np.abs(places) <= np.array([180.0, 90.0])).all())
    far_from_zero = bool((np.abs(middle) > 5.0 * span).all())  # a drawing of one's own begins at 0
    if not (on_earth and far_from_zero):
        return places
    shrunk: Floats = places * np.array([np.cos(np.radians(middle[1])), 1.0])
    return shrunk
