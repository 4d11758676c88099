"""The softmax loss of several classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, Indices, Matrix
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.kernels.terms import ENTROPY
from frankwolfe.core import double_double as doubled
from frankwolfe.core.atoms import Atom
from frankwolfe.core.conjugate_function import ConjugateFunction
from frankwolfe.core.double_double import Doubled, Interval
from frankwolfe.core.enclosure import Enclosed, RegionFacts, exact_weights
from frankwolfe.core.intercepts import Shiftable, largest_score, scores_of
from frankwolfe.core.kernels import exact_losses
from frankwolfe.core.maps import DenseMap, as_map
from frankwolfe.core.objective_abilities import Centred, Itself, ShiftedDerivatives, Thinned
from frankwolfe.core.products import WeightedSupport, product_noise
from frankwolfe.core.spectral import squared_norm_bound
from frankwolfe.objectives import softmax_curvature as curvature
from frankwolfe.objectives.per_class import PerClass
from frankwolfe.objectives.separable import label_codes
from frankwolfe.objectives.weighted import Reduction, Weighted, given_weights, term_weights

__all__ = ["Multinomial"]

MAX_FREE_ENTRIES = 1_500_000  # of the dense columns of free variables in `conjugate`: 12 MB


class Multinomial(Weighted):
    r"""Softmax loss :math:`\frac1m \sum_i \log \sum_k e^{(AX)_{ik}} - (AX)_{i y_i}`.

    Multinomial logistic regression with K classes. The variable is the matrix X of coefficients
    with a row for each of the columns of A and a column for each class, flattened row after
    row: ``x.reshape(-1, K)`` is X, and the K coefficients of a column of A stand side by side
    (a group of a `GroupBall`, say). The image is AX in the same order, one matrix
    product. Nothing is taken away for a reference class; with two classes
    :math:`f(X) = \mathrm{Logistic}(X_{:2} - X_{:1})`.

    :class:`~frankwolfe.Profiled` adds an intercept for each class.

    Parameters
    ----------
    A : array or scipy sparse matrix of shape (m, p)
        One row an observation. float32 and float64 are kept, not copied.
    labels : array of shape (m,)
        A class for each row, of any kind; the sorted classes are in `classes`.
    reduction, sample_weight
        As in :class:`~frankwolfe.Logistic`.

    References
    ----------
    D. Böhning, *Multinomial logistic regression algorithm*, Annals of the Institute of
    Statistical Mathematics 44, 1992, for the bound 1/2 on the curvature.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.Multinomial(np.eye(3), ["a", "b", "c"])
    >>> result = fw.minimize(f, fw.L1Ball(6.0), tol=1e-8)
    >>> result.x.reshape(3, 3).round(4)
    array([[2., 0., 0.],
           [0., 2., 0.],
           [0., 0., 2.]])
    """

    short = "multinomial"
    takes_labels = True
    least = 0.0
    second_order = enclosure = rounding = scores = Itself()

    def __init__(
        self,
        A: Matrix,
        labels: ArrayLike,
        *,
        reduction: Reduction = "mean",
        sample_weight: ArrayLike | None = None,
    ) -> None:
        self.linear = as_map("A", A)
        rows, variables = self.linear.shape
        codes, self.classes = label_codes("labels", labels, rows)
        if self.classes.size < 2:
            raise InvalidInput("labels must hold at least two classes, got 1.")
        self.place, put = self.linear.place, self.linear.place.put
        self.labels = put(codes)
        self.reduction = reduction
        self.weight = put(term_weights(reduction, sample_weight, rows))
        self._sample_weight = given_weights(sample_weight, rows)
        self.m, self.n = rows * self.classes.size, variables * self.classes.size
        self.dtype = self.linear.dtype
        self.intercepts = self.classes.size
        self._map = PerClass(self.linear, self.classes.size)

    def in_double(self) -> Self:
        wide = copy(self)
        wide.linear, wide.dtype = self.linear.in_double(), np.dtype(np.float64)
        wide._map = PerClass(wide.linear, self.classes.size)
        return wide

    def here(self) -> Self:
        if self.place.here:
            return self
        copied, get = self._changed(), self.place.get
        copied.linear = self.linear.here()
        copied.place = copied.linear.place
        copied.labels, copied.weight = get(self.labels), get(self.weight)
        copied._map = PerClass(copied.linear, self.classes.size)
        return copied

    @property
    def _terms(self) -> tuple[int, Indices, Array]:
        """The loss as the kernels take it: number of classes, labels and weights."""
        return self.classes.size, self.labels, self.weight

    def image(self, x: Array, out: Array) -> None:
        self._map.apply(x, out)

    def image_of(self, atom: Atom, out: Array) -> None:
        atom.image(self._map, out)

    def enclosed(self, x: Array, region: RegionFacts) -> Enclosed:
        value, slope = self.enclosed_scores(self._scores(x))
        return Enclosed(value, self._pulled(slope))

    def shiftable(self, x: Array, region: RegionFacts) -> Shiftable:
        weights = np.broadcast_to(self.weight, self.labels.size)
        best = np.zeros(self.classes.size)
        np.maximum.at(best, self.labels, weights)  # the heaviest observation of each class

        def newton(z: Array, sums: Array) -> Array:
            gram = self.shifted(z.ravel(), np.empty(0), 0.0, np.zeros(sums.size)).gram
            return np.asarray(np.linalg.pinv(gram, 1e-10, hermitian=True) @ sums)

        def spread(largest: float) -> float:
            # at the best b the loss is at most that of b = 0, and so is one observation's share
            loss = float(weights.sum()) * (math.log(self.classes.size) + 2.0 * largest)
            return loss / float(best.min()) + 2.0 * largest if best.min() > 0.0 else math.inf

        reach = largest_score(self.linear, region, self.classes.size)
        scores, pulled = self._scores(x), self._pulled
        return Shiftable(self.enclosed_scores, newton, scores, reach, spread, pulled)

    def _scores(self, x: Array) -> Doubled:
        """Enclosure of the scores AX, a row for each observation."""
        by_class = np.asarray(x, dtype=np.float64).reshape(-1, self.classes.size)
        return scores_of(
            [doubled.image(self.linear, doubled.exact(column)) for column in by_class.T]
        )

    def _pulled(self, slope: Doubled) -> Doubled:
        each = [slope.at((slice(None), k)).contiguous() for k in range(self.classes.size)]
        parts = scores_of([doubled.transposed(self.linear, one) for one in each])
        return Doubled(*map(np.ravel, parts))

    def enclosed_scores(self, z: Doubled) -> tuple[Interval, Doubled]:
        """Enclosures of the loss and its derivative at scores z, a row for each observation."""
        mean = self.reduction == "mean"
        weights = exact_weights(self._sample_weight, self.scale, self.labels.size, mean=mean)
        slope = Doubled(*np.empty((3, *z.high.shape)))
        found = exact_losses.softmax(*z, self.labels, *weights, *slope)
        return doubled.around(*found), slope

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        return self._map.images(atoms)

    def gradient(self, slope: Array, out: Array) -> None:
        self._map.adjoint(slope, out)

    def value(self, z: Array) -> float:
        return float(self.place.multinomial.value(z, *self._terms))

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        return self.linearize_shifted(z, np.zeros(self.classes.size), slope)

    def linearize_shifted(self, z: Array, b: Array, slope: Array) -> tuple[float, float]:
        loops = self.place.multinomial
        pair: tuple[float, float] = loops.linearize(z, b, self.labels, self.weight, slope)
        return pair

    def fitting_levels(self) -> Array:
        get = self.place.get
        shares = np.bincount(get(self.labels), get(self._weights()), self.classes.size)
        if not shares.min() > 0.0:  # the best intercept of an absent class is -inf
            return np.zeros(shares.size)
        logs = np.log(shares / shares.sum())
        return np.asarray(logs - logs.mean())  # one number added to all changes nothing

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        loops = self.place.multinomial
        triple: tuple[float, float, float] = loops.along(z, dz, float(t), *self._terms)
        return triple

    def probabilities(self, z: Array) -> Array:
        """Class probabilities (softmax) at the image z, a row for each observation."""
        out = self.place.empty(z.size, np.float64)
        self.place.multinomial.probabilities(z, self.classes.size, out)
        return out.reshape(-1, self.classes.size)

    def _weights(self) -> Array:
        """The weight of each observation."""
        return np.broadcast_to(self.weight, self.labels.size)

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        between = curvature.between
        return between(self.probabilities(z), self._weights(), left, right, self.place)

    def hessian_times(self, z: Array, columns: Array) -> Array:
        return curvature.times(self.probabilities(z), self._weights(), columns)

    def full_hessian(self, z: Array) -> Array:
        return curvature.whole(self.probabilities(z), self._weights(), self.linear)

    def thinned(self, step: int, z: Array) -> Thinned | None:
        if not isinstance(self.linear, DenseMap):
            return None
        rows, count = np.arange(0, self.labels.size, step), self.classes.size
        weight = self._weights()[rows]
        if not weight.any():  # the sample has no loss to scale up
            return None
        thin = self._changed()
        thin.linear, thin.labels = DenseMap(self.linear.matrix[rows]), self.labels[rows]
        thin.weight = weight * (float(self._weights().sum()) / float(weight.sum()))
        thin.m, thin._map = rows.size * count, PerClass(thin.linear, count)
        return Thinned(thin, (rows[:, None] * count + np.arange(count)).ravel())

    def conjugate(self) -> tuple[ConjugateFunction, Array] | None:
        """Entropy terms, for log p = z - c_i with a free number c_i for each observation i."""
        rows, count = self.labels.size, self.classes.size
        if rows * rows * count > MAX_FREE_ENTRIES:
            return None
        weight = np.repeat(self._weights(), count).astype(np.float64)
        own = (self.labels[:, None] == np.arange(count)).ravel()
        terms = ConjugateFunction(ENTROPY, 1.0, np.where(own, -weight, 0.0), weight)
        return terms, np.repeat(np.eye(rows), count, axis=0)

    def centred(self) -> Centred | None:
        found = self.linear.centred()
        if found is None:
            return None
        moved = self._changed()
        moved.linear, shift = found
        moved._map = PerClass(moved.linear, self.classes.size)
        return Centred(moved, shift, 0.0)

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> ShiftedDerivatives:
        sums, sizes, cross = np.empty((3, b.size))
        gram = np.empty((b.size, b.size))
        value, slope, curvature = self.place.multinomial.shifted(
            z, dz, float(t), b, self.labels, self.weight, sums, sizes, cross, gram
        )
        return ShiftedDerivatives(value, slope, curvature, sums, sizes, cross, gram)

    def curvature_bound(self, dz: Array) -> float:
        # the variance of numbers is at most a quarter of their squared range
        change = dz.reshape(-1, self.classes.size).astype(np.float64)
        spread = change.max(axis=1) - change.min(axis=1)
        return 0.25 * float((self.weight * spread * spread).sum())

    @cached_property
    def smoothness(self) -> float | None:
        """Upper bound max_i w_i ||A||^2 / 2 on the Lipschitz constant (Böhning 1992)."""
        return 0.5 * float(self.weight.max()) * squared_norm_bound(self.linear)

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        count = next((k for k in (3, 2, 5, 7) if n % k == 0), n)
        A = rng.standard_normal((4 * n, n // count))
        scores = A @ rng.standard_normal((n // count, count)) + rng.gumbel(size=(4 * n, count))
        labels = scores.argmax(axis=1)
        labels[:count] = np.arange(count)  # every class occurs
        return cls(A, labels)

    def gain(self, weighted_support: WeightedSupport, *, sharp: bool) -> float:
        def by_class(norms: Array) -> float:
            weights = norms if norms.size == 1 else np.repeat(norms, self.classes.size)
            return weighted_support(weights)

        # as for a separable loss: the curvature of one observation is at most 1/2
        return math.sqrt(float(self.weight.max())) * product_noise(
            self.linear, by_class, sharp=sharp
        )

    def size(self, slope: Array, value: float) -> float:
        return math.sqrt(abs(value))

    def steepening(self, slope: Array, off: float) -> float:
        return off * off

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [*self.linear.parts(), self.labels, self.weight])

    def __repr__(self) -> str:
        rows, variables = self.linear.shape
        return (
            f"Multinomial({rows} observations x {variables} variables x {self.classes.size} "
            f"classes, {self.dtype}, {self.reduction})"
        )
