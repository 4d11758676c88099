"""Where a function ends, and how near to it a step may go."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["bisected", "stopped_short"]

SHARE = 0.99  # of the way to the end, for steps that would reach it
HALVINGS = 100


def stopped_short(end: float, t: float, eps: float) -> float:
    """t, or most of the way where the function ends at `end`, before t or just behind it."""
    return t if t <= (1.0 - math.sqrt(eps)) * end else SHARE * end


def bisected(inside: Callable[[float], bool], t: float) -> float:
    """t where it is inside, else a step that is, and at least 0.98 of the way to the end.

    The inner steps must be an interval from 0; where none is found the answer is 0.
    """
    if inside(t):
        return t
    low, high = 0.0, t
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if inside(middle):
            low = middle
        else:
            high = middle
        if low >= 0.98 * high:
            break
    return low
