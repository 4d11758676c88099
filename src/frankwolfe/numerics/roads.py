"""Networks, times and trips as compiled loops take them: tuples of plain arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

from frankwolfe.numerics.arrays import Array, Indices

__all__ = ["Blocks", "Roads", "Times"]


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
    """What links take: see `numerics.kernels.link_costs`; `fixed` has a row for each class."""

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
