"""Networks, times and trips as compiled loops take them: tuples of plain arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

from frankwolfe.base.arrays import Array, Indices

__all__ = ["Blocks", "Kept", "Labels", "Roads", "Times"]


class Roads(NamedTuple):
    """Links by their ends; those that leave node v are `order[first[v]:first[v + 1]]`.

    Nodes that are `closed` may be a beginning or an end, and not be passed.
    """

    tails: Indices
    heads: Indices
    first: Indices
    order: Indices
    entering_first: Indices
    entering: Indices
    closed: Any


class Times(NamedTuple):
    """What links take: see `apps.traffic.kernels.link_costs`; `fixed` has a row for each class."""

    kinds: Indices
    table: Array
    fixed: Array


class Blocks(NamedTuple):
    """Trips: those of a block, all from one origin and of one class, lie together.

    Block b has the trips numbered `starts[b]` to `starts[b + 1]`.
    """

    origins: Indices
    classes: Indices
    starts: Indices
    ends: Indices
    amounts: Array


class Labels(NamedTuple):
    """What a bush knows of each node: see `apps.traffic.kernels.bush_steps.label`."""

    low: Array  # the shortest time to it
    high: Array  # the longest, over the links that stay
    main: Array  # the longest, over those that bring a good part of its flow
    by_low: Indices  # the place in the bush of the link that ends the shortest way
    by_used: Indices  # of the one with flow that ends the longest
    by_main: Indices


class Kept(NamedTuple):
    """Bushes one after the other: bush b from `begin[b]` on, with a load for each link."""

    begin: Indices
    links: Indices
    loads: Array
