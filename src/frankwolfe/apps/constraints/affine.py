r"""Linear constraints :math:`l \le Ax \le u` beside a region."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.constraints.row_units import RowUnits, norms_of_rows, rows_times
from frankwolfe.base import Array, Gradient, Indices, InvalidInput, Matrix, Point, Shape, is_sparse
from frankwolfe.core import DataMap, as_map, rows_of

__all__ = ["Affine"]

Constraint: TypeAlias = Any
"""An `Affine`, scipy's LinearConstraint, or anything else a caller passes for one."""


class Affine:
    r"""Linear constraints :math:`Ax = b`, or :math:`l \le Ax \le u`.

    Parameters
    ----------
    A : array, scipy sparse matrix or LinearOperator of shape (rows, n)
        One constraint a row. Of a matrix variable n is the number of its entries, row by row;
        `diagonal` picks those of its diagonal. Of an operator each row is asked for once,
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

    def __init__(self, A: Matrix, lower: ArrayLike, upper: ArrayLike | None = None) -> None:
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
    def of(cls, given: Constraint, n: int) -> Affine:
        """Constraints on n variables from an `Affine`, a LinearConstraint of scipy, or a list."""
        found = cls._one(given) if not isinstance(given, (list, tuple)) else cls._several(given)
        width = found.linear.shape[1]
        if width != n:
            raise InvalidInput(
                f"the constraints must have {n} columns, one for each variable, got {width}."
            )
        return found

    @classmethod
    def _one(cls, given: Constraint) -> Affine:
        if isinstance(given, Affine):
            return given
        if all(hasattr(given, name) for name in ("A", "lb", "ub")):  # scipy's
            return cls(given.A, given.lb, given.ub)
        raise InvalidInput(
            "subject_to must be Affine(A, b), Affine(A, lower, upper), scipy's LinearConstraint, "
            f"or a list of these, got {type(given).__name__}."
        )

    @classmethod
    def _several(cls, given: Iterable[Constraint]) -> Affine:
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

    def on(self, shape: Shape) -> Affine:
        """These constraints for points of that shape: vectors, or factored matrices."""
        if not isinstance(shape, tuple):
            return self
        from frankwolfe.apps.constraints.affine_cells import CellAffine

        return CellAffine(self, shape)

    @property
    def rows(self) -> int:
        """Number of rows, one constraint each."""
        return self.linear.shape[0]

    @property
    def vacuous(self) -> bool:
        """True if no row has a finite bound."""
        return not (np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @property
    def equalities(self) -> bool:
        """True if all rows are equations: lower == upper."""
        return bool((self.lower == self.upper).all())

    @property
    def impossible(self) -> Array:
        """Flags of the rows that no x satisfies, zero rows whose bounds leave out zero."""
        void: Array = (self._largest() == 0.0) & ((self.lower > 0.0) | (self.upper < 0.0))
        return void

    @property
    def size(self) -> float:
        """Largest finite absolute value of a bound; 0 if there is none."""
        both = np.abs(np.concatenate([self.lower, self.upper]))
        return float(both[np.isfinite(both)].max(initial=0.0))

    def in_units(self) -> tuple[Affine, RowUnits]:
        """Equivalent constraints with rows of 2-norm one, and the scaling that made them.

        Rows are first scaled by powers of two, so that no square over- or underflows: rows of any
        size, with bounds of that size, give the same numbers.

        Examples
        --------
        >>> import frankwolfe as fw
        >>> rows, units = fw.Affine([[3e-200, 4e-200]], 1e-199).in_units()
        >>> rows.matrix.round(3), rows.lower.round(3), units.factors.round(3)
        (array([[0.6, 0.8]]), array([2.]), array([1.045]))
        """
        powers = -np.frexp(self._largest())[1]
        near = self._powered(powers)
        norms = norms_of_rows(near)
        factors = 1.0 / np.where(norms > 0.0, norms, 1.0)
        lower, upper = (factors * np.ldexp(bound, powers) for bound in (self.lower, self.upper))
        beyond = np.flatnonzero((lower == np.inf) | (upper == -np.inf))
        if beyond.size:
            row = int(beyond[0])
            raise InvalidInput(
                f"row {row} of the constraints has entries of {self._largest()[row]:.1e} at most, "
                "so that no x in double precision reaches its bounds: scale the row."
            )
        return self._like(rows_times(near, factors), lower, upper), RowUnits(factors, powers)

    def bounded(self, lower: Array, upper: Array) -> Affine:
        """Constraints with these rows and other bounds."""
        return self._like(self.matrix, lower, upper)

    def _like(self, matrix: Matrix, lower: Array, upper: Array) -> Affine:
        """Constraints of this class with other rows and bounds."""
        return Affine(matrix, lower, upper)

    def row_norms(self) -> Array:
        """2-norm of each row, without over- or underflow of squares."""
        powers = -np.frexp(self._largest())[1]
        found: Array = np.ldexp(norms_of_rows(self._powered(powers)), -powers)
        return found

    def _largest(self) -> Array:
        """Largest absolute value in each row."""
        largest = abs(self.matrix).max(axis=1)
        return largest.toarray().ravel() if is_sparse(largest) else np.asarray(largest)

    def _powered(self, powers: Indices) -> Matrix:
        """Matrix with row i multiplied by 2^powers_i, which is exact."""
        if not is_sparse(self.matrix):
            return np.ldexp(self.matrix, powers[:, None])
        found = self.matrix.copy()
        found.data = np.ldexp(found.data, np.repeat(powers, np.diff(found.indptr)))
        return found

    def apply(self, x: Point) -> Array:
        """Values A x of the rows, in double precision."""
        out = np.empty(self.rows)
        self.linear.apply(np.asarray(x, dtype=np.float64), out)
        return out

    def covector(self, y: Array) -> Gradient:
        """A' y in the form that the oracle of a region takes."""
        out = np.empty(self.linear.shape[1])
        self.linear.adjoint(y, out)
        return out

    def excess(self, x: Point) -> Array:
        """Violation of each row: Ax - upper where positive, Ax - lower where negative, else 0."""
        return self.beyond(self.apply(x))

    def beyond(self, w: Array) -> Array:
        """w - proj(w), the violation of each row at w = Ax; proj clips to the bounds."""
        return w - np.clip(w, self.lower, self.upper)

    def support(self, y: Array) -> float:
        """Support function of the bounds, max <y, w> over lower <= w <= upper; may be infinite."""
        bound = np.where(y > 0.0, self.upper, self.lower)
        return float(np.where(y == 0.0, 0.0, y * bound).sum())  # 0 * inf is 0 here, not NaN

    def __repr__(self) -> str:
        equal = int((self.lower == self.upper).sum())
        kinds = ((equal, "equalit", "y", "ies"), (self.rows - equal, "inequalit", "y", "ies"))
        said = [f"{k} {stem}{one if k == 1 else more}" for k, stem, one, more in kinds if k]
        return f"Affine({', '.join(said)}, {self.linear.shape[1]} variables)"


def _bounds(name: str, given: ArrayLike, rows: int, none: float, equal: bool) -> Array:
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
