"""Matrix completion: a loss over the observed cells of a matrix."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.atoms import Atom
from frankwolfe.numerics.checks import all_finite, at_least_one, finite_vector, is_sparse, number
from frankwolfe.numerics.doubled import Doubled, DoubledCells, around, sum_above
from frankwolfe.numerics.entries import Cells
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.fingerprint import fingerprint
from frankwolfe.numerics.foreign import Engine, engine_of, here
from frankwolfe.numerics.gradients import MatrixGradient
from frankwolfe.numerics.kernels import doubled as loops
from frankwolfe.numerics.low_rank import FactoredMatrix
from frankwolfe.numerics.low_rank_point import FactoredPoint
from frankwolfe.numerics.place import HERE
from frankwolfe.numerics.structure import checked_structure
from frankwolfe.numerics.terms import TERMS
from frankwolfe.objectives.enclosed import Enclosed, enclosed_terms
from frankwolfe.objectives.separable import (
    Separable,
    two_classes,
)
from frankwolfe.objectives.weighted import Reduction, given_weights, term_weights

__all__ = ["Completion"]

RANK_CAP = 500


class Completion(Separable):
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
        Most terms that an iterate keeps; beyond it X is cut to its largest singular values.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> f = fw.Completion(([0, 0, 1], [0, 1, 1], [5.0, 3.0, 4.0]), loss="squared")
    >>> result = fw.minimize(f, fw.NuclearBall(9.0), tol=1e-6)
    >>> result.x.predict([0, 1], [1, 1]).round(1)
    array([3., 4.])
    """

    matrix = True
    least = 0.0

    def __init__(
        self,
        ratings: Any,
        *,
        shape: tuple[int, int] | None = None,
        loss: Literal["huber", "squared", "logistic"] = "huber",
        delta: float = 1.0,
        reduction: Reduction = "sum",
        sample_weight: Any = None,
        rank_cap: int = RANK_CAP,
    ) -> None:
        if not isinstance(loss, str) or loss not in TERMS:
            raise InvalidInput(f"loss must be one of {', '.join(TERMS)}, got {loss!r}.")
        self._delta = self.delta = number("delta", delta, above=0.0)
        self._code, self._curvature = TERMS[loss]
        self.quadratic = loss == "squared"
        self.loss, self.reduction = loss, reduction
        self.rank_cap = at_least_one("rank_cap", rank_cap)
        rows, columns, values, full = _triples(ratings, shape, weighted=sample_weight is not None)
        self.m, self.n = values.size, full[0] * full[1]
        if loss == "logistic":
            values, self.classes = _two_classes(values)
        values = _finite(values)
        weight = term_weights(reduction, sample_weight, self.m)
        given = given_weights(sample_weight, self.m)
        engine = engine_of(values)
        by_row = _by_row if engine is None else engine.as_cells
        found, order = by_row(rows, columns, full, values.dtype)
        self.cells: Cells = found  # or what an engine has in their place
        self.place, put = self.cells.place, self.cells.place.put
        self.b = values.copy() if order is None else values[order]
        self._sample_weight = given if order is None or given is None else given[here(order)]
        self.weight = put(weight) if order is None or weight.size == 1 else put(weight)[order]
        self.dtype = self.b.dtype

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of X."""
        return self.cells.shape

    @property
    def gradient_size(self) -> int:
        """One number for each observed cell."""
        return self.m

    @property
    def most_terms(self) -> int:
        """The rank cap, or the smaller side."""
        return min(self.rank_cap, *self.shape)

    def covector(self, gradient: Array) -> MatrixGradient:
        """The sparse matrix with these values on the cells."""
        return self.cells.matrix(gradient)

    def new_gradient(self) -> Array:
        return self.new_image()

    def returned(self, x: FactoredMatrix) -> FactoredMatrix:
        return x.here()

    def here(self) -> Self:
        if self.place.here:
            return self
        copied, get = self._changed(), self.place.get
        copied.cells = self.cells.here()
        copied.place, copied.b, copied.weight = HERE, get(self.b), get(self.weight)
        return copied

    def read_point(self, x: Any, name: str = "x0") -> FactoredMatrix:
        """A FactoredMatrix, or a dense matrix that is factored."""
        x = x.copy() if isinstance(x, FactoredMatrix) else FactoredMatrix.from_array(x)
        if not all(all_finite(part) for part in (x.left, x.weights, x.right) if part.size):
            raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
        if x.shape != self.shape:
            raise InvalidInput(f"{name} must have the shape {self.shape}, got {x.shape}.")
        put = self.place.put
        left, right = put(x.left.astype(self.dtype)), put(x.right.astype(self.dtype))
        return FactoredMatrix(left, x.weights, right)

    def new_point(self, x: FactoredMatrix, *, sparse: bool) -> FactoredPoint:
        """The moving form of X."""
        return FactoredPoint(x, self.most_terms)

    def image(self, x: FactoredMatrix, out: Array) -> None:
        self.cells.factored(*x.factors(), out)

    def enclosed(self, x: FactoredMatrix, region: Any) -> Enclosed:
        high, low, sizes = np.empty((3, self.m))
        cells, terms = self.cells, x.weights.size
        loops.factored(cells.indptr, cells.columns, x.left, x.weights, x.right, high, low, sizes)
        error = (terms + 4) * (loops.STEP * sizes * (1.0 + 1e-9) + loops.TINY)
        z = Doubled(high, low, error)
        value, slope = enclosed_terms(self.exact_terms, z)
        found = loops.dot(slope.high, slope.low, z.high, z.low)
        # the errors of both, and of the product of the two
        off = slope.error * (np.abs(high) + error) + (np.abs(slope.high) + slope.error) * error
        inner = around(found[0], found[1], found[2] + sum_above(1.000001 * off))
        return Enclosed(value, DoubledCells(cells, slope), inner=inner)

    def image_of(self, atom: Atom, out: Array) -> None:
        atom.image(self.cells, out)

    def gradient(self, slope: Array, out: Array) -> None:
        out[:] = slope

    def evaluate(self, z: Array, slope: Array, out: Array) -> tuple[float, float]:
        return self.cells.evaluate(self.terms, z, slope, out)

    def linearize_factors(
        self, tau: float, left: Array, right: Array, by_row: Array, by_column: Array
    ) -> tuple[float, float]:
        return self.cells.loss_gradient(self.terms, tau, left, right, by_row, by_column)

    @property
    def smoothness(self) -> float:
        """The largest curvature of one cell's loss, times how often a cell may occur."""
        return self._curvature * float(self.weight.max()) * self.cells.multiplicity

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


def _triples(ratings: Any, shape: Any, *, weighted: bool) -> tuple[Any, Any, Any, tuple[int, int]]:
    """Rows, columns and values of the cells, and the matrix's shape."""
    engine = _engine(ratings)
    if engine is not None:
        rows, columns, values, shape = _elsewhere(engine, ratings, shape)
    elif is_sparse(ratings):
        coo = checked_structure("ratings", ratings).tocoo()
        if not getattr(coo, "has_canonical_format", True):
            summed = coo.copy()
            summed.sum_duplicates()
            if weighted and summed.nnz < coo.nnz:
                raise InvalidInput(
                    "a sparse matrix with sample_weight must not store a cell twice: pass "
                    "(rows, columns, values)."
                )
            coo = coo if weighted else summed  # weights follow the order of the stored entries
        rows, columns, values = coo.row, coo.col, coo.data
        shape = ratings.shape if shape is None else shape
    elif hasattr(ratings, "columns") and hasattr(ratings, "iloc"):
        if ratings.shape[1] < 3:
            raise InvalidInput("a DataFrame of ratings needs three columns: row, column, value.")
        rows, columns, values = (ratings.iloc[:, k].to_numpy() for k in range(3))
    else:
        try:
            rows, columns, values = (np.asarray(part) for part in ratings)
        except (TypeError, ValueError):
            raise InvalidInput(
                "ratings must be a scipy sparse matrix, a DataFrame, or (rows, columns, values), "
                f"got {type(ratings).__name__}."
            ) from None
    if not rows.shape == columns.shape == values.shape or values.ndim != 1 or not values.size:
        raise InvalidInput(
            "rows, columns and values must be as long, and not empty, got shapes "
            f"{rows.shape}, {columns.shape} and {values.shape}."
        )
    for name, index in (("rows", rows), ("columns", columns)):
        if not np.issubdtype(index.dtype, np.integer):
            raise InvalidInput(f"{name} must be whole numbers, got {index.dtype}.")
    return rows, columns, values, _shape(rows, columns, shape)


def _shape(rows: Any, columns: Any, shape: Any) -> tuple[int, int]:
    lowest = min(int(rows.min()), int(columns.min()))
    needed = max(int(rows.max()) + 1, 1), max(int(columns.max()) + 1, 1)
    if shape is None:
        shape = needed
    try:
        full = int(shape[0]), int(shape[1])
        if len(shape) != 2 or min(full) < 1:
            raise ValueError
    except (TypeError, ValueError, IndexError):
        raise InvalidInput(f"shape must be two whole numbers >= 1, got {shape!r}.") from None
    if max(full) >= 2**31:
        raise InvalidInput(f"a side of the matrix must be shorter than 2^31, got shape {full}.")
    if lowest < 0 or needed[0] > full[0] or needed[1] > full[1]:
        raise InvalidInput(
            f"the cells must lie in a matrix of shape {full}, but rows go up to {needed[0] - 1}, "
            f"columns up to {needed[1] - 1}, and the smallest index is {lowest}."
        )
    return full


def _engine(ratings: Any) -> Engine | None:
    """The engine of the ratings, or of one of their parts."""
    parts = ratings if isinstance(ratings, tuple | list) else (ratings,)
    found = (engine_of(part) for part in parts)
    return next((engine for engine in found if engine is not None), None)


def _elsewhere(engine: Engine, ratings: Any, shape: Any) -> tuple[Any, Any, Any, Any]:
    """Rows, columns and values where the engine keeps them, and the shape where it is said."""
    if getattr(engine, "triples", None) is None:  # one that spreads data over machines has none
        raise InvalidInput(
            "matrix completion takes ratings in memory or on one GPU: load them, or a part of them."
        )
    if not isinstance(ratings, tuple | list):
        return *engine.triples(ratings), ratings.shape if shape is None else shape
    if len(ratings) != 3:
        raise InvalidInput(f"ratings must be (rows, columns, values), got {len(ratings)} arrays.")
    return *engine.triples(ratings), shape


def _finite(values: Any) -> Any:
    """The values, checked: finite numbers of single or double precision, wherever they are."""
    if engine_of(values) is None:
        return finite_vector("the observed values", values)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if not all_finite(values):
        raise InvalidInput("the observed values must be finite, but they hold NaN or infinity.")
    return values


def _two_classes(values: Any) -> tuple[Any, Any]:
    """Values of two classes as +1 and -1 where they are, and the classes."""
    if engine_of(values) is None:
        return two_classes(values, values.size)
    low, high = values.min(), values.max()
    if bool(((values != low) & (values != high)).any()) or bool(low == high):
        return two_classes(values, values.size)  # which says how many there are
    kind = values.dtype if values.dtype == np.float32 else np.float64
    return 2.0 * (values == high).astype(kind) - 1.0, np.array([float(low), float(high)])


def _by_row(
    rows: Any, columns: Any, shape: tuple[int, int], dtype: Any
) -> tuple[Any, NDArray[Any] | None]:
    """The cells in row order, and the permutation that sorts them (None where sorted)."""
    order = None
    if (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows, kind="stable")
        columns = columns[order]
    counts = np.bincount(rows, minlength=shape[0])
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Cells(shape, indptr, np.array(columns, dtype=np.int32)), order
