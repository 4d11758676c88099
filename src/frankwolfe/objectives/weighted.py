"""Losses whose terms have weights."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import finite_vector, quiet
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import engine_of
from frankwolfe.core.objective import Objective

__all__ = ["ClassCodes", "Reduction", "Weighted", "given_weights", "term_weights"]

Reduction = Literal["mean", "sum"]


class ClassCodes(NamedTuple):
    """Labels of some rows, as indices into the sorted classes of all rows."""

    codes: Indices
    classes: Array


class Weighted(Objective):
    """Base class of weighted sums of terms.

    A subclass sets `weight` (one number, or one for each term), and `takes_labels` to True if its
    targets are classes.
    """

    takes_labels = False

    def __new__(cls, data: object = None, *rest: object, **options: object) -> Self:
        """A bare instance of this class, or of the engine's class below it for data elsewhere."""
        engine = engine_of(data)  # the instance's own `__init__` is called next
        return super().__new__(cls if engine is None else engine.class_for(cls))

    weight: Array
    reduction: Reduction
    _sample_weight: Array | None  # the caller's, unscaled

    def times(self, factor: float | Fraction) -> Self:
        changed = self._changed()
        changed.weight = float(factor) * self.weight
        changed.scale = Fraction(factor) * self.scale
        return changed

    def reweighted(self, weight: Array) -> Self:
        """A copy with each term multiplied by a weight of its own."""
        changed = self._changed()
        changed.weight = self.weight * self.place.put(weight)
        changed._sample_weight = weight
        return changed


def term_weights(reduction: str, sample_weight: ArrayLike | None, count: int) -> Array:
    """The weights of `count` terms: a single number if all are equal."""
    if reduction not in ("mean", "sum"):
        raise InvalidInput(f'reduction must be "mean" or "sum", got {reduction!r}.')
    if sample_weight is None:
        return np.array([1.0 / count if reduction == "mean" else 1.0])
    weight = given_weights(sample_weight, count)
    assert weight is not None
    if reduction == "sum":
        return weight
    with quiet():
        total = float(weight.sum())
    if math.isfinite(total):
        return np.asarray(weight / total)
    weight = weight / weight.max()  # the sum of weights has overflowed
    return np.asarray(weight / weight.sum())


def given_weights(sample_weight: ArrayLike | None, count: int) -> Array | None:
    """The caller's weights of `count` terms, checked; None if none were given."""
    if sample_weight is None:
        return None
    weight = finite_vector("sample_weight", sample_weight, count).astype(np.float64)
    if weight.min() < 0 or not weight.any():
        raise InvalidInput("sample_weight must be >= 0 with a positive sum.")
    return weight
