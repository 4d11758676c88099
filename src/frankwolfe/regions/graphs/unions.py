"""Matroid union: the largest union of two independent sets."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

__all__ = ["Independent", "most_in_two"]

Independent = Callable[[Sequence[int]], bool]
"""True for a set of elements that is independent."""


def most_in_two(n: int, independent: Independent) -> int:
    """Size of the largest union of two independent sets of elements 0, ..., n - 1.

    Each element enters one of the sets, where others may have to change sides for it: a shortest
    chain of exchanges is looked for. At most about n^2 r questions for sets of r elements.

    References
    ----------
    J. Edmonds, Matroid partition, Mathematics of the Decision Sciences (1968).

    Examples
    --------
    >>> from frankwolfe.regions.graphs.unions import most_in_two
    >>> most_in_two(5, lambda chosen: len(chosen) <= 2)
    4
    """
    side: dict[int, int] = {}
    for element in range(n):
        _enter(element, side, independent)
    return len(side)


def _enter(element: int, side: dict[int, int], independent: Independent) -> None:
    """Add the element to one of the sets, if an augmenting chain of exchanges allows it."""
    before: dict[int, int | None] = {element: None}
    queue = deque([element])
    while queue:
        moved = queue.popleft()
        for to in (0, 1):
            if side.get(moved) == to:
                continue
            members = [e for e in side if side[e] == to]
            if independent([*members, moved]):
                _exchange(moved, to, before, side)
                return
            for out in members:
                rest = [e for e in members if e != out]
                if out not in before and independent([*rest, moved]):
                    before[out] = moved
                    queue.append(out)


def _exchange(last: int, to: int, before: dict[int, int | None], side: dict[int, int]) -> None:
    """Exchange sides along the chain, where each takes the side of the one that it pushes out."""
    element: int | None = last
    while element is not None:
        left = side.get(element, -1)
        side[element], to = to, left
        element = before[element]
