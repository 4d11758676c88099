"""Regions made of others, by what the others are."""

from __future__ import annotations

import numpy as np

import frankwolfe as fw
from frankwolfe.core.atoms import Dense
from minima import least


@least.register(fw.regions.Cached)
@least.register(fw.regions.Counted)
def same(region: fw.regions.Cached | fw.regions.Counted, g: np.ndarray) -> float:
    return least(region.region, g)


@least.register
def scaled(region: fw.regions.Scaled, g: np.ndarray) -> float:
    return least(region.region, region.factor * g)


@least.register
def moved(region: fw.regions.Shifted, g: np.ndarray) -> float:
    return least(region.region, g) + float(region.offset @ g)


@least.register
def added(region: fw.MinkowskiSum, g: np.ndarray) -> float:
    return sum(least(term, g) for term in region.terms)


@least.register
def mapped(region: fw.regions.LinearImage, g: np.ndarray) -> float:
    columns = [region._point(Dense(unit)) for unit in np.eye(region.inner)]
    return least(region.region, np.array(columns) @ g)
