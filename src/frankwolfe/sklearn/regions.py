"""Regions by name: what the estimators' `region` and `radius` mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import AnyArray, Array
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.regions import REGION_NAMES, Region

__all__ = ["into", "region_maker", "size_of"]

Maker = Callable[[float], Region]
"""Function from a radius to the region of that radius."""


def region_maker(
    region: object, groups: ArrayLike | None, features: int, outputs: int
) -> Maker | Region:
    """Function from a radius to a region, by the region's name; a Region is returned as it is."""
    if isinstance(region, Region):
        return region
    if not isinstance(region, str) or region not in REGION_NAMES:
        raise InvalidInput(
            f"region must be one of {', '.join(REGION_NAMES)} or a region object such as "
            f"L1Ball(2.0), got {region!r}."
        )
    kind = REGION_NAMES[region]
    if groups is not None and not kind.grouped:
        raise InvalidInput(f'groups goes with region="group", not with region={region!r}.')
    labels = _labels(groups, features, outputs) if kind.grouped else None
    return lambda radius: kind.of_radius(number("radius", radius, above=0.0), labels)


def _labels(groups: ArrayLike | None, features: int, outputs: int) -> AnyArray:
    """Group label of each coefficient; the coefficients of one feature share its label."""
    labels = np.arange(features) if groups is None else np.asarray(groups)
    if labels.shape != (features,):
        raise InvalidInput(
            f"groups must hold one label for each of the {features} features, got an array of "
            f"shape {labels.shape}."
        )
    return np.repeat(labels, outputs)


def size_of(region: Region) -> float:
    """Radius or scale of a region; NaN where it has none."""
    return float(getattr(region, "radius", getattr(region, "scale", np.nan)))


def into(region: Region, x: Array | None) -> Array | None:
    """Point c x of the region with c = 1 if possible, or another multiple c; None if none is found.

    Tried besides x are its division by 1 + violation, which suits balls, and its scaling to the
    sum that a simplex asks for.
    """
    if x is None or (region.dimension is not None and region.dimension != x.size):
        return None
    total = abs(float(x.sum()))
    shrunk = x / (1.0 + region.violation(x))
    summed = x * (size_of(region) / total) if total > 0.0 else x
    for candidate in (x, shrunk, summed):
        if np.isfinite(candidate).all() and region.contains(candidate, 1e-10):
            return candidate
    return None
