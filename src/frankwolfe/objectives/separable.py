"""Losses that are sums over the entries of the image."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from frankwolfe.numerics.arrays import Array, Indices
from frankwolfe.numerics.checks import finite_vector
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.kernels import LONG, losses, parallel, vectors
from frankwolfe.objectives.base import Objective, Shifted

__all__ = ["Reduction", "Separable", "label_codes", "term_weights", "two_classes"]

Reduction = Literal["mean", "sum"]


class Separable(Objective):
    r"""A loss :math:`\varphi(z) = \sum_i w_i \ell(z_i, b_i)` of the image z.

    A subclass sets `b`, `weight` (one number, or one for each term), the kernel's code, the
    threshold delta (or two, below and above), and the largest second derivative of one term.
    """

    b: Array
    weight: Array
    _code: int
    _curvature: float
    _delta: float | tuple[float, float] = 1.0

    @property
    def _loops(self) -> Any:
        return losses if self.m < LONG else parallel

    @property
    def terms(self) -> tuple[int, float | tuple[float, float], Array, Array]:
        """The loss as the kernels take it: code, threshold, targets and weights."""
        return self._code, self._delta, self.b, self.weight

    def value(self, z: Array) -> float:
        return float(self._loops.value(self._code, self._delta, z, self.b, self.weight))

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        pair: tuple[float, float] = self._loops.linearize(
            self._code, self._delta, z, self.b, self.weight, slope
        )
        return pair

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        triple: tuple[float, float, float] = self._loops.along(
            self._code, self._delta, z, dz, float(t), self.b, self.weight
        )
        return triple

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> Shifted:
        value, slope, curvature, *rest = self._loops.shifted(
            self._code, self._delta, z, dz, float(t), float(b[0]), self.b, self.weight
        )
        sums, sizes, bend, cross = np.array(rest)[:, None]
        return Shifted(value, slope, curvature, sums, sizes, cross, bend[:, None])

    def curvature(self, z: Array) -> Array:
        """phi''(z): one number a term."""
        out = np.empty(z.size)
        self._loops.curvature(self._code, self._delta, z, self.b, self.weight, out)
        return out

    def slopes(self, terms: Indices, z: Array, factor: float = 1.0) -> Array:
        out = np.empty(terms.size, dtype=self.dtype)
        losses.slopes(self._code, self._delta, z, terms, self.b, self.weight, factor, out)
        return out

    def curvature_bound(self, dz: Array) -> float | None:
        return self._curvature * float(vectors.weighted_square(self.weight, dz))


def term_weights(reduction: str, sample_weight: Any, count: int) -> Array:
    """The weights of `count` terms: one number where they are all the same."""
    if reduction not in ("mean", "sum"):
        raise InvalidInput(f'reduction must be "mean" or "sum", got {reduction!r}.')
    if sample_weight is None:
        return np.array([1.0 / count if reduction == "mean" else 1.0])
    weight = finite_vector("sample_weight", sample_weight, count).astype(np.float64)
    if weight.min() < 0 or not weight.any():
        raise InvalidInput("sample_weight must be >= 0 with a positive sum.")
    return weight / weight.sum() if reduction == "mean" else weight


def label_codes(name: str, labels: Any, count: int) -> tuple[Indices, Array]:
    """The place of each label among the sorted classes, and the classes."""
    labels = np.asarray(labels)
    if labels.ndim != 1 or labels.size != count:
        raise InvalidInput(
            f"{name} must hold one label for each of the {count} rows of A, got shape "
            f"{labels.shape}."
        )
    if np.issubdtype(labels.dtype, np.floating) and not np.isfinite(labels).all():
        raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise InvalidInput(f"{name} must hold labels of one kind, but it mixes kinds.") from None
    return codes.astype(np.int64), classes


def two_classes(labels: Any, count: int) -> tuple[Array, Array]:
    """Labels of two classes as +1 and -1, and the classes."""
    codes, classes = label_codes("b", labels, count)
    if classes.size != 2:
        raise InvalidInput(
            f"b must hold exactly two classes for the logistic loss, got {classes.size}."
        )
    return np.where(codes == 1, 1.0, -1.0), classes
