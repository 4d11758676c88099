"""Losses that are sums over the entries of the image."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, FloatType, Indices, Matrix
from frankwolfe.base.checks import unmasked
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.foreign import to_host
from frankwolfe.base.kernels import losses
from frankwolfe.base.kernels.terms import LOGISTIC
from frankwolfe.base.threads import LOG_TERM_COST, MIN_CHUNKED_LENGTH
from frankwolfe.core import double_double as doubled
from frankwolfe.core.atoms import Atom
from frankwolfe.core.conjugate_function import ConjugateFunction
from frankwolfe.core.double_double import Doubled, Interval
from frankwolfe.core.enclosure import (
    Enclosed,
    RegionFacts,
    Terms,
    enclosed_terms,
    exact_weights,
)
from frankwolfe.core.intercepts import Shiftable, largest_score
from frankwolfe.core.maps import DenseMap, as_map
from frankwolfe.core.objective import Loops
from frankwolfe.core.objective_abilities import Centred, Itself, ShiftedDerivatives
from frankwolfe.core.products import WeightedSupport, product_noise
from frankwolfe.core.sparse_map import IdentityMap
from frankwolfe.core.spectral import squared_norm_bound
from frankwolfe.objectives.weighted import (
    ClassCodes,
    Reduction,
    Weighted,
    given_weights,
    term_weights,
)

__all__ = [
    "LinearLoss",
    "Separable",
    "label_codes",
    "two_classes",
]


class Separable(Weighted):
    r"""A loss :math:`\varphi(z) = \sum_i w_i \ell(z_i, b_i)` of the image z.

    A subclass sets `b`, `weight` (one number, or one for each term), the kernel's code, the
    threshold delta (or two, below and above), and the largest second derivative of one term.
    """

    b: Array
    _code: int
    _curvature: float
    _delta: float | tuple[float, float] = 1.0

    @property
    def _loops(self) -> Loops:
        """Compiled loops over the terms, with threads where their work is worth it."""
        return self.place.losses(self.m * (LOG_TERM_COST if self._code == LOGISTIC else 1))

    @property
    def terms(self) -> tuple[int, float | tuple[float, float], Array, Array]:
        """The arguments of the kernels: code of the loss, threshold, targets and weights."""
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

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> ShiftedDerivatives:
        value, slope, curvature, *rest = self._loops.shifted(
            self._code, self._delta, z, dz, float(t), float(b[0]), self.b, self.weight
        )
        sums, sizes, gram, cross = np.array(rest)[:, None]
        return ShiftedDerivatives(value, slope, curvature, sums, sizes, cross, gram[:, None])

    def curvature(self, z: Array) -> Array:
        """The diagonal of phi''(z), a number for each term."""
        out = self.place.empty(z.size, np.float64)
        self._loops.curvature(self._code, self._delta, z, self.b, self.weight, out)
        return out

    def hessian_times(self, z: Array, columns: Array) -> Array:
        return cast(Array, self.curvature(z)[:, None] * columns)

    def slopes(self, terms: Indices, z: Array, factor: float = 1.0) -> Array:
        out = np.empty(terms.size, dtype=self.dtype)
        losses.slopes(self._code, self._delta, z, terms, self.b, self.weight, factor, out)
        return out

    def curvature_bound(self, dz: Array) -> float | None:
        return self._curvature * self.place.weighted_square(self.weight, dz)

    @property
    def _slope_bound(self) -> float:
        """Upper bound on |phi'|_2 / sqrt(phi).

        A term l >= 0 with second derivative at most L satisfies l'^2 <= 2 L l.
        """
        return math.sqrt(2.0 * self._curvature * float(self.weight.max()))

    @property
    def exact_terms(self) -> Terms:
        """The loss with unrounded parameters, for proofs; those of `terms` are rounded."""
        mean = self.reduction == "mean"
        factor = self._factor * self.scale
        weights = exact_weights(self._sample_weight, factor, self.m, mean=mean)
        return Terms(self._code, self._turns, self.b, weights)

    @property
    def _factor(self) -> Fraction:
        """The exact factor of each term of the kernels in this loss."""
        return Fraction(1)

    @property
    def _turns(self) -> tuple[float, float, float, float]:
        """The thresholds below and above, each as a pair of doubles."""
        delta = float(cast("float", self._delta))
        return delta, 0.0, delta, 0.0


class LinearLoss(Separable):
    r"""A separable loss of Ax: :math:`\sum_i w_i \ell((Ax)_i, b_i)`.

    A subclass says how it reads the targets (`_targets`).
    """

    intercepts = 1
    second_order = enclosure = rounding = scores = Itself()

    def __init__(
        self,
        A: Matrix,
        b: ArrayLike,
        *,
        reduction: Reduction = "mean",
        sample_weight: ArrayLike | None = None,
    ) -> None:
        self.linear = as_map("A", A)
        self.m, self.n = self.linear.shape
        self.dtype = self.linear.dtype
        self.place, put = self.linear.place, self.linear.place.put
        self.b = put(np.array(self._targets(b), dtype=self.dtype))  # a copy: the caller may go on
        self.reduction = reduction
        self.weight = put(term_weights(reduction, sample_weight, self.m))
        self._sample_weight = (
            None if sample_weight is None else given_weights(sample_weight, self.m)
        )

    @abstractmethod
    def _targets(self, b: ArrayLike) -> Array:
        """The checked targets as numbers."""

    @property
    def row_terms(self) -> Self | None:  # type: ignore[override]
        """The loss itself for data in memory; elsewhere each read of a row is a transfer."""
        return self if self.place.here else None

    @property
    def own_loops(self) -> bool:  # type: ignore[override]
        """True for data in this process's memory that are large enough for threads."""
        return self.place.here and self.m * max(self.n, LOG_TERM_COST) >= MIN_CHUNKED_LENGTH

    @property
    def sparse(self) -> bool:  # type: ignore[override]
        """True if A is a sparse matrix."""
        return self.linear.sparse

    def here(self) -> Self:
        if self.place.here:
            return self
        copied, get = self._changed(), self.place.get
        copied.linear = self.linear.here()
        copied.place = copied.linear.place
        copied.b, copied.weight = get(self.b), get(self.weight)
        return copied

    @property
    def identity(self) -> bool:  # type: ignore[override]
        """True if A is the identity, as in a projection."""
        return isinstance(self.linear, IdentityMap)

    @property
    def dense_data(self) -> DenseMap | None:  # type: ignore[override]
        """The matrix A if it is dense; otherwise None."""
        return self.linear if isinstance(self.linear, DenseMap) else None

    def image(self, x: Array, out: Array) -> None:
        self.linear.apply(x, out)

    def image_of(self, atom: Atom, out: Array) -> None:
        atom.image(self.linear, out)

    def gradient(self, slope: Array, out: Array) -> None:
        self.linear.adjoint(slope, out)

    def evaluate(self, z: Array, slope: Array, out: Array) -> tuple[float, float]:
        if self.place.here:
            pair = self.linearize(z, slope)
            self.linear.adjoint(slope, out)
            return pair
        later = self._loops.linearize_later(*self.terms[:2], z, *self.terms[2:], slope)
        self.gradient(slope, out)  # waits for the device: one wait for both answers
        return cast("tuple[float, float]", later())

    @property
    def single_pass(self) -> Self | None:  # type: ignore[override]
        """The loss itself where the map evaluates it after a step in one pass over A."""
        return self if self.everywhere and self.linear.leaps else None

    def leap(
        self, s: Array, z: Array, gamma: float, ahead: Array, slope: Array, out: Array
    ) -> tuple[float, float]:
        device: Any = self.linear  # only maps on devices have a `leap`
        pair: tuple[float, float] = device.leap(self.terms, s, z, gamma, ahead, slope, out)
        return pair

    def enclosed(self, x: Array, region: RegionFacts) -> Enclosed:
        z = doubled.image(self.linear, doubled.exact(x))
        value, slope = enclosed_terms(self.exact_terms, z)
        return Enclosed(value, doubled.transposed(self.linear, slope))

    def shiftable(self, x: Array, region: RegionFacts) -> Shiftable:
        terms = self.exact_terms
        z = doubled.image(self.linear, doubled.exact(x))

        def enclosed(z: Doubled) -> tuple[Interval, Doubled]:
            value, slope = enclosed_terms(terms, Doubled(*map(np.ravel, z)))
            return value, Doubled(*(part[:, None] for part in slope))

        def newton(z: Array, sums: Array) -> Array:
            total = float(self.curvature(z.ravel().astype(self.dtype)).sum())
            return sums / total if total > 0.0 else np.zeros(1)

        def pulled(slope: Doubled) -> Doubled:
            return doubled.transposed(self.linear, Doubled(*map(np.ravel, slope)))

        scores = Doubled(*(part[:, None] for part in z))
        reach = largest_score(self.linear, region, 1)
        return Shiftable(enclosed, newton, scores, reach, float, pulled)

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        return self.linear.images(atoms)

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        return self.place.gram(left, right, self.curvature(z))

    def only(self, terms: Indices) -> Self:
        part = copy(self)
        part.m, part.b = terms.size, self.b[terms]
        part.weight = self.weight if self.weight.size == 1 else self.weight[terms]
        return part

    def linearize_shifted(self, z: Array, b: Array, slope: Array) -> tuple[float, float]:
        moved = z + self.place.put(b)
        return self.linearize(moved.astype(np.float64, copy=False), slope)

    def fitting_levels(self) -> Array:
        return np.zeros(1)

    def centred(self) -> Centred | None:
        found, level = self.linear.centred(), self._level()
        if found is None and not level:
            return None
        moved = self._changed()
        moved.linear, shift = found or (self.linear, np.zeros(self.n, dtype=self.dtype))
        moved.b = self.b - level
        return Centred(moved, shift, float(level))

    def _level(self) -> FloatType:
        """The number that centring subtracts from targets far from zero; 0 for labels."""
        none: FloatType = self.dtype.type(0.0)
        return none

    def conjugate(self) -> tuple[ConjugateFunction, Array] | None:
        if not self.everywhere:
            return None
        weight = np.array(np.broadcast_to(self.weight, self.m), dtype=np.float64)
        terms = ConjugateFunction(self._code, self._delta, self.b.astype(np.float64), weight)
        return terms, np.empty((self.m, 0))

    def full_hessian(self, z: Array) -> Array:
        return self.linear.weighted_gram(self.curvature(z))

    def block_gradient(self, z: Array, block: slice, slope: Array, out: Array) -> None:
        self.linearize(z, slope)
        self.linear.adjoint_block(slope, block, out)

    def block_image(self, v: Array, block: slice, out: Array) -> None:
        self.linear.apply_block(v, block, out)

    def row_slopes(self, rows: Indices, x: Array, factor: float = 1.0) -> Array:
        z = np.empty(rows.size, dtype=self.dtype)
        self.linear.products(rows, x, z)
        return self.slopes(rows, z, factor)

    def add_gradient(self, rows: Indices, slopes: Array, out: Array) -> None:
        self.linear.add_rows(rows, slopes, out)

    @cached_property
    def smoothness(self) -> float | None:
        """Upper bound max l'' · max_i w_i · ||A||^2 on the Lipschitz constant of the gradient."""
        return self._curvature * float(self.weight.max()) * squared_norm_bound(self.linear)

    def gain(self, weighted_support: WeightedSupport, *, sharp: bool) -> float:
        return self._slope_bound * product_noise(self.linear, weighted_support, sharp=sharp)

    def size(self, slope: Array, value: float) -> float:
        return math.sqrt(abs(value))

    def steepening(self, slope: Array, off: float) -> float:
        return off * off  # the curvature of the terms is a factor of `gain`

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [*self.linear.parts(), self.b, self.weight, self._delta])

    def in_double(self) -> Self:
        wide = copy(self)
        wide.linear, wide.dtype = self.linear.in_double(), np.dtype(np.float64)
        wide.b = self.b.astype(np.float64)
        return wide

    def _details(self) -> str:
        """Parameters of the loss, for `repr`."""
        return ""

    def __repr__(self) -> str:
        kind = "sparse" if self.sparse else "dense"
        return (
            f"{type(self).__name__}({self._details()}{self.m} observations x {self.n} variables, "
            f"{kind} {self.dtype}, {self.reduction})"
        )


def label_codes(name: str, labels: ArrayLike, count: int) -> tuple[Indices, Array]:
    """The index of each label among the sorted classes, and the classes."""
    if isinstance(labels, ClassCodes):
        return labels
    unmasked(name, labels)
    labels = np.asarray(to_host(labels))
    if labels.ndim != 1 or labels.size != count:
        raise InvalidInput(
            f"{name} must hold one label for each of the {count} rows of A, got shape "
            f"{labels.shape}."
        )
    if np.issubdtype(labels.dtype, np.floating) and not np.isfinite(labels).all():
        raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
    try:
        if labels.dtype.kind in "fiub":  # few classes are found faster by a search than by a sort
            classes = np.unique(labels)
            return np.searchsorted(classes, labels).astype(np.int64), classes
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise InvalidInput(f"{name} must hold labels of one kind, but it mixes kinds.") from None
    return codes.astype(np.int64), classes


def two_classes(labels: ArrayLike, count: int) -> tuple[Array, Array]:
    """Labels of two classes as +1 and -1, and the classes."""
    codes, classes = label_codes("b", labels, count)
    if classes.size != 2:
        raise InvalidInput(
            f"b must hold exactly two classes for the logistic loss, got {classes.size}."
        )
    return np.where(codes == 1, 1.0, -1.0), classes
