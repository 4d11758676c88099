"""Checks of the weights of norms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import finite_vector, quiet
from frankwolfe.base.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["falling", "positive", "quotients"]


def positive(name: str, value: ArrayLike | None) -> Array:
    """`value` as a new vector of finite numbers > 0, in double precision."""
    weights = finite_vector(name, value).astype(np.float64)
    if not (weights > 0.0).all():
        raise InvalidInput(
            f"{name} must be > 0 in every entry, but entry {int((weights <= 0.0).argmax())} is not."
        )
    return weights


def quotients(radius: float, weights: Array) -> Array:
    """radius / weights, which must be finite and > 0."""
    with quiet():
        sizes = radius / weights
    if not (np.isfinite(sizes).all() and (sizes > 0.0).all()):
        raise InvalidInput("radius / weights must be finite and > 0: scale the weights.")
    return np.asarray(sizes)


def falling(name: str, value: ArrayLike) -> Array:
    """`value` as a new vector that does not rise, >= 0 and not all zero."""
    weights = finite_vector(name, value).astype(np.float64)
    if not weights[0] > 0.0 or weights[-1] < 0.0 or (np.diff(weights) > 0.0).any():
        raise InvalidInput(
            f"{name} must not rise, and be >= 0 with the first > 0: sort them, the largest first."
        )
    return weights
