r"""Linear constraints :math:`l \le Ax \le u` beside a region."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.maps import DataMap, as_map
from frankwolfe.core.operators import rows_of

__all__ = ["Affine", "RowUnits"]


class RowUnits(NamedTuple):
    """Factors by which rows were multiplied: numbers near one, times powers of two.

    The powers are kept apart, since 2^1000 times 2^100 is no number, and bring no rounding.
    """

    factors: Array
    powers: Array

    def multipliers(self, y: Array) -> Array:
        """The multipliers of the rows as given, from those of the rows multiplied."""
        found: Array = np.ldexp(self.factors * y, self.powers)
        return found

    def given(self, off: Array) -> Array:
        """Values of the rows as given, from those of the rows multiplied."""
        found: Array = np.ldexp(off / self.factors, -self.powers)
        return found


class Affine:
    r"""Linear constraints :math:`Ax = b`, or :math:`l \le Ax \le u`.

    Parameters
    ----------
    A : array, scipy sparse matrix or LinearOperator of shape (rows, n)
        One constraint a row. Of a matrix variable n is the number of its entries, row by row;
        :func:`diagonal` picks those of its diagonal. Of an operator each row is asked for once,
        by its adjoint (`rmatvec`), after that was tested against `matvec`.
    lower : array of shape (rows,) or float
        The right-hand sides b where `upper` is not given, else lower bounds; -inf for none.
    upper : array of shape (rows,) or float, optional
        Upper bounds; inf for none.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.Affine([[1.0, 2.0]], 3.0)
    Affine(1 equality, 2 variables)
    >>> rows = fw.Affine(np.eye(2), [-np.inf, 0.0], [0.5, 1.0])
    >>> rows.excess(np.array([1.0, -0.25]))
    array([ 0.5 , -0.25])
    """

    def __init__(self, A: Matrix, lower: Any, upper: Any = None) -> None:
        if hasattr(A, "rmatvec"):
            A = rows_of(A)
        given: Matrix = A.tocsr() if is_sparse(A) else np.atleast_2d(np.asarray(A))
        self.linear: DataMap = as_map("A", given).in_double()
        self.matrix: Matrix = given.astype(np.float64)
        rows = self.linear.shape[0]
        self.lower = _bounds("b" if upper is None else "lower", lower, rows, -np.inf, upper is None)
        self.upper = self.lower if upper is None else _bounds("upper", upper, rows, np.inf, False)
        crossed = np.flatnonzero(self.lower > self.upper)
        if crossed.size:
            row = int(crossed[0])
            raise InvalidInput(
                f"lower must not be above upper, but row {row} has {self.lower[row]:g} and "
                f"{self.upper[row]:g}."
            )

    @classmethod
    def of(cls, given: Any, n: int) -> Affine:
        """One of these of what a caller may pass: this, scipy's LinearConstraint, or several."""
        found = cls._one(given) if not isinstance(given, (list, tuple)) else cls._several(given)
        width = found.linear.shape[1]
        if width != n:
            raise InvalidInput(
                f"the constraints must have {n} columns, one for each variable, got {width}."
            )
        return found

    @classmethod
    def _one(cls, given: Any) -> Affine:
        if isinstance(given, Affine):
            return given
        if all(hasattr(given, name) for name in ("A", "lb", "ub")):  # scipy's
            return cls(given.A, given.lb, given.ub)
        raise InvalidInput(
            "subject_to must be Affine(A, b), Affine(A, lower, upper), scipy's LinearConstraint, "
            f"or a list of these, got {type(given).__name__}."
        )

    @classmethod
    def _several(cls, given: Iterable[Any]) -> Affine:
        parts = [cls._one(each) for each in given]
        if not parts:
            raise InvalidInput("subject_to must hold at least one constraint, got an empty list.")
        widths = sorted({part.linear.shape[1] for part in parts})
        if len(widths) > 1:
            raise InvalidInput(f"the constraints must have as many columns each, got {widths}.")
        import scipy.sparse as sp

        matrices = [part.matrix for part in parts]
        stack = (
            sp.vstack(matrices).tocsr() if any(map(is_sparse, matrices)) else np.vstack(matrices)
        )
        lower, upper = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("lower", "upper")
        )
        return cls(stack, lower, upper)

    def on(self, shape: Any) -> Affine:
        """The same constraints on points of that shape: vectors, or factored matrices."""
        if not isinstance(shape, tuple):
            return self
        from frankwolfe.apps.constraints.affine_cells import CellAffine

        return CellAffine(self, shape)

    @property
    def rows(self) -> int:
        """How many constraints there are."""
        return self.linear.shape[0]

    @property
    def vacuous(self) -> bool:
        """Whether no row has a bound."""
        return not (np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @property
    def equalities(self) -> bool:
        """Whether all are equations."""
        return bool((self.lower == self.upper).all())

    @property
    def impossible(self) -> Array:
        """Which rows are zero, with bounds that leave out zero."""
        void: Array = (self._largest() == 0.0) & ((self.lower > 0.0) | (self.upper < 0.0))
        return void

    @property
    def size(self) -> float:
        """The largest bound, without its sign; 0 where none is but zero."""
        both = np.abs(np.concatenate([self.lower, self.upper]))
        return float(both[np.isfinite(both)].max(initial=0.0))

    def in_units(self) -> tuple[Affine, RowUnits]:
        """The same constraints with rows of the norm one, and how these were made.

        By powers of two first, so that no square over- or underflows: rows of any size, with
        bounds of that size, give the same numbers.

        Examples
        --------
        >>> import frankwolfe as fw
        >>> rows, units = fw.Affine([[3e-200, 4e-200]], 1e-199).in_units()
        >>> rows.matrix.round(3), rows.lower.round(3), units.factors.round(3)
        (array([[0.6, 0.8]]), array([2.]), array([1.045]))
        """
        powers = -np.frexp(self._largest())[1]
        near = self._powered(powers)
        norms = _norms(near)
        factors = 1.0 / np.where(norms > 0.0, norms, 1.0)
        lower, upper = (factors * np.ldexp(bound, powers) for bound in (self.lower, self.upper))
        beyond = np.flatnonzero((lower == np.inf) | (upper == -np.inf))
        if beyond.size:
            row = int(beyond[0])
            raise InvalidInput(
                f"row {row} of the constraints has entries of {self._largest()[row]:.1e} at most, "
                "so that no x in double precision reaches its bounds: scale the row."
            )
        return self._like(_times(near, factors), lower, upper), RowUnits(factors, powers)

    def bounded(self, lower: Array, upper: Array) -> Affine:
        """The same rows with other bounds."""
        return self._like(self.matrix, lower, upper)

    def _like(self, matrix: Matrix, lower: Array, upper: Array) -> Affine:
        """Other rows on the same points."""
        return Affine(matrix, lower, upper)

    def row_norms(self) -> Array:
        """The 2-norm of each row."""
        powers = -np.frexp(self._largest())[1]
        found: Array = np.ldexp(_norms(self._powered(powers)), -powers)
        return found

    def _largest(self) -> Array:
        """The largest entry of each row, without its sign."""
        largest = abs(self.matrix).max(axis=1)
        return largest.toarray().ravel() if is_sparse(largest) else np.asarray(largest)

    def _powered(self, powers: Array) -> Matrix:
        """The rows times powers of two."""
        if not is_sparse(self.matrix):
            return np.ldexp(self.matrix, powers[:, None])
        found = self.matrix.copy()
        found.data = np.ldexp(found.data, np.repeat(powers, np.diff(found.indptr)))
        return found

    def apply(self, x: Any) -> Array:
        """A x."""
        out = np.empty(self.rows)
        self.linear.apply(np.asarray(x, dtype=np.float64), out)
        return out

    def covector(self, y: Array) -> Any:
        """A' y, as the oracle of a region takes it."""
        out = np.empty(self.linear.shape[1])
        self.linear.adjoint(y, out)
        return out

    def excess(self, x: Any) -> Array:
        """How far Ax is above its upper bounds, or below its lower ones (negative), by row."""
        return self.beyond(self.apply(x))

    def beyond(self, w: Array) -> Array:
        """The same for w = Ax: w minus the nearest point of the bounds."""
        return w - np.clip(w, self.lower, self.upper)

    def support(self, y: Array) -> float:
        """The largest <y, w> over lower <= w <= upper."""
        bound = np.where(y > 0.0, self.upper, self.lower)
        return float(np.where(y == 0.0, 0.0, y * bound).sum())

    def __repr__(self) -> str:
        equal = int((self.lower == self.upper).sum())
        kinds = ((equal, "equalit", "y", "ies"), (self.rows - equal, "inequalit", "y", "ies"))
        said = [f"{k} {stem}{one if k == 1 else more}" for k, stem, one, more in kinds if k]
        return f"Affine({', '.join(said)}, {self.linear.shape[1]} variables)"


def _norms(matrix: Matrix) -> Array:
    squares = matrix.multiply(matrix) if is_sparse(matrix) else np.square(matrix)
    return np.sqrt(np.asarray(squares.sum(axis=1), dtype=np.float64).ravel())


def _times(matrix: Matrix, factors: Array) -> Matrix:
    column = factors[:, None]
    return matrix.multiply(column).tocsr() if is_sparse(matrix) else column * matrix


def _bounds(name: str, given: Any, rows: int, none: float, equal: bool) -> Array:
    try:
        found = np.array(np.broadcast_to(np.asarray(given, dtype=np.float64), rows))
    except (TypeError, ValueError):
        raise InvalidInput(
            f"{name} must be a number, or one for each of the {rows} rows of A, got shape "
            f"{np.shape(given)}."
        ) from None
    wrong = ~np.isfinite(found) if equal else np.isnan(found) | (found == -none)
    if wrong.any():
        raise InvalidInput(
            f"{name} must be finite{'' if equal else f' or {none:g}'}, but row "
            f"{int(np.flatnonzero(wrong)[0])} has {found[wrong][0]:g}."
        )
    return found
