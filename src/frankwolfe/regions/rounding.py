"""Entries that rounding has led past a bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from frankwolfe.numerics.arrays import Array

__all__ = ["NEAR", "clip_rounding"]

NEAR = {8: 1e-9, 4: 1e-5}  # what counts as rounding, relative to the region's size


def clip_rounding(x: Array, low: Any, high: Any, size: Any) -> Array:
    """Move entries that are just outside [low, high] onto the bound, in place.

    What is farther away stays: it is not rounding. NaN stays too.
    """
    tiny = size * NEAR[x.itemsize]
    np.copyto(x, low, where=(x < low) & (x >= low - tiny), casting="same_kind")
    if high is not None:
        np.copyto(x, high, where=(x > high) & (x <= high + tiny), casting="same_kind")
    return x
