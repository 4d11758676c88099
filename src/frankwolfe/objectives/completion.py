"""Matrix completion: a loss over the observed cells of a matrix."""

from __future__ import annotations

import math
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.foreign import to_host
from frankwolfe.base.kernels import double_double as loops
from frankwolfe.base.kernels.terms import TERMS
from frankwolfe.core.double_double import Doubled, DoubledCells, around, sum_above
from frankwolfe.core.enclosure import Enclosed, RegionFacts, enclosed_terms
from frankwolfe.core.factor_curvature import CellCurvature
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.objective_abilities import Itself
from frankwolfe.core.place import HERE
from frankwolfe.core.products import WeightedSupport
from frankwolfe.objectives.over_cells import RANK_CAP, OverCells
from frankwolfe.objectives.ratings import (
    Ratings,
    finite_values,
    known_classes,
    sorted_cells,
    triples,
)
from frankwolfe.objectives.separable import Separable
from frankwolfe.objectives.weighted import Reduction, given_weights, term_weights

__all__ = ["Completion"]


class Completion(OverCells, Separable):
    r"""A loss over the observed cells: :math:`\sum_{(i,j) \in \Omega} \ell(X_{ij}, A_{ij})`.

    Experiment (c) of the paper, with the Huber loss. The variable X is a matrix in factored
    form (:class:`~frankwolfe.FactoredMatrix`); nothing of size rows x columns is formed. The
    map A of :math:`\varphi(Ax)` picks the observed cells, so the gradient is a sparse matrix
    whose entries are :math:`\varphi'`.

    Parameters
    ----------
    ratings : scipy sparse matrix, (rows, columns, values), or DataFrame
        The observed cells. Of a sparse matrix the stored entries count, zeros too; of a
        DataFrame the first three columns. A cell listed twice counts twice. float32 values
        and int32 indices are kept.
        Arrays and sparse matrices on a GPU are used there; so are factors, during a run.
    shape : tuple of int, optional
        Rows and columns; by default the smallest shape that holds all cells.
    loss : {"huber", "squared", "logistic"}
        Huber in the paper's scaling; the squared loss is :math:`\frac12 c^2`; "logistic" is
        one-bit completion, with values of two classes.
    delta : float
        The Huber loss's threshold.
    reduction : {"sum", "mean"}
        Sum, as in the paper, or mean over the cells.
    sample_weight : array, optional
        A weight for each cell, in the order given.
    rank_cap : int
        Largest number of terms of an iterate; beyond, only its largest singular values stay.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> f = fw.Completion(([0, 0, 1], [0, 1, 1], [5.0, 3.0, 4.0]), loss="squared")
    >>> result = fw.minimize(f, fw.NuclearBall(9.0), tol=1e-6)
    >>> result.x.predict([0, 1], [1, 1]).round(1)
    array([3., 4.])
    """

    least = 0.0
    enclosure = rounding = Itself()

    def __init__(
        self,
        ratings: Ratings,
        *,
        shape: tuple[int, int] | None = None,
        loss: Literal["huber", "squared", "logistic"] = "huber",
        delta: float = 1.0,
        reduction: Reduction = "sum",
        sample_weight: ArrayLike | None = None,
        rank_cap: int = RANK_CAP,
    ) -> None:
        if not isinstance(loss, str) or loss not in TERMS:
            raise InvalidInput(f"loss must be one of {', '.join(TERMS)}, got {loss!r}.")
        self._delta = self.delta = number("delta", delta, above=0.0)
        self._code, self._curvature = TERMS[loss]
        self.quadratic = loss == "squared"
        self.loss, self.reduction = loss, reduction
        self.rank_cap = at_least_one("rank_cap", rank_cap)
        rows, columns, values, full = triples(ratings, shape, weighted=sample_weight is not None)
        self.m, self.n = values.size, full[0] * full[1]
        if loss == "logistic":
            values, self.classes = known_classes(values)
        values = finite_values(values)
        weight = term_weights(reduction, sample_weight, self.m)
        given = given_weights(sample_weight, self.m)
        self.cells, order = sorted_cells(rows, columns, values, full)
        self.place, put = self.cells.place, self.cells.place.put
        self.b = values.copy() if order is None else values[order]
        # weights follow the cells, which are sorted by row from here on
        self._sample_weight = given if order is None or given is None else given[to_host(order)]
        self.weight = put(weight) if order is None or weight.size == 1 else put(weight)[order]
        self.dtype = self.b.dtype

    def here(self) -> Self:
        if self.place.here:
            return self
        copied, get = self._changed(), self.place.get
        copied.cells = self.cells.here()
        copied.place, copied.b, copied.weight = HERE, get(self.b), get(self.weight)
        return copied

    def enclosed(self, x: FactoredMatrix, region: RegionFacts) -> Enclosed:
        high, low, sizes = np.empty((3, self.m))
        cells, terms = self.cells, x.weights.size
        loops.factored(cells.indptr, cells.columns, x.left, x.weights, x.right, high, low, sizes)
        # each cell sums `terms` products: one rounding each, and a few at the end
        error = (terms + 4) * (loops.STEP * sizes * (1.0 + 1e-9) + loops.UNDERFLOW)
        z = Doubled(high, low, error)
        value, slope = enclosed_terms(self.exact_terms, z)
        found = loops.dot(slope.high, slope.low, z.high, z.low)
        # the errors of both, and of the product of the two
        off = slope.error * (np.abs(high) + error) + (np.abs(slope.high) + slope.error) * error
        inner = around(found[0], found[1], found[2] + sum_above(1.000001 * off))
        return Enclosed(value, DoubledCells(cells, slope), inner=inner)

    def evaluate(self, z: Array, slope: Array, out: Array) -> tuple[float, float]:
        return self.cells.evaluate(self.terms, z, slope, out)

    def linearize_factors(
        self, tau: float, left: Array, right: Array, by_row: Array, by_column: Array
    ) -> tuple[float, float]:
        return self.cells.loss_gradient(self.terms, tau, left, right, by_row, by_column)

    def cell_curvature(self, z: Array) -> CellCurvature:
        return CellCurvature(self.curvature(z).astype(self.dtype, copy=False))

    @property
    def smoothness(self) -> float:
        """Lipschitz constant: the largest curvature of a cell's loss times the multiplicity."""
        return float(self._curvature * float(self.weight.max()) * self.multiplicity)

    @property
    def multiplicity(self) -> int:
        """The largest number of times that one cell is listed."""
        return self.cells.multiplicity

    def gain(self, weighted_support: WeightedSupport, *, sharp: bool) -> float:
        # X is a sum of atoms, whose norms on the cells add up to at most the norm of X
        return self._slope_bound * math.sqrt(self.multiplicity) * weighted_support(np.ones(1))

    def size(self, slope: Array, value: float) -> float:
        """Zero: what a cell loses by rounding counts by its second-order term alone."""
        return 0.0

    def steepening(self, slope: Array, off: float) -> float:
        return off * off

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        rows, columns = np.nonzero(rng.random((n, n + 2)) < 0.6)
        return cls((rows, columns, rng.standard_normal(rows.size)), shape=(n, n + 2), delta=0.7)

    def fingerprint(self) -> str:
        cells = self.cells
        return fingerprint(repr(self), [*cells.parts(), self.b, self.weight, self._delta])

    def __repr__(self) -> str:
        rows, columns = self.shape
        threshold = f", delta={self.delta:g}" if self.loss == "huber" else ""
        return (
            f"Completion({self.loss}{threshold}, {rows} x {columns}, {self.m} cells, "
            f"{self.dtype}, {self.reduction})"
        )
