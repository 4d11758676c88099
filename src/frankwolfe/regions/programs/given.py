"""Constraints as callers give them: linprog's arguments, or scipy's objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Flags, Matrix
from frankwolfe.base.checks import as_float_array, is_sparse, unmasked
from frankwolfe.base.errors import InvalidInput
from frankwolfe.regions.programs.extent import largest
from frankwolfe.regions.programs.highs import Constraints

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["VariableBounds", "from_linprog", "from_scipy", "integers"]

Rows: TypeAlias = tuple[Matrix, Array, Array]
"""A matrix, and the least and the largest value of its product with x, row by row."""

VariableBounds: TypeAlias = Sequence[object] | AnyArray | None
"""A pair (low, high) for all variables or one pair for each; None in a pair is no bound."""


def from_linprog(
    A_ub: Matrix | None,
    b_ub: ArrayLike | None,
    A_eq: Matrix | None,
    b_eq: ArrayLike | None,
    bounds: VariableBounds,
) -> Constraints:
    """Constraints from the arguments of `scipy.optimize.linprog`, checked."""
    blocks = []
    for a, b, equal in (("A_ub", "b_ub", False), ("A_eq", "b_eq", True)):
        matrix, side = (A_eq, b_eq) if equal else (A_ub, b_ub)
        if (matrix is None) != (side is None):
            raise InvalidInput(f"{a} and {b} must be given together, or neither of them.")
        if matrix is not None:
            rows = _matrix(a, matrix)
            high = _side(b, side, rows.shape[0], a)
            blocks.append((rows, high if equal else np.full(high.size, -np.inf), high))
    widths = sorted({rows.shape[1] for rows, _, _ in blocks})
    if len(widths) > 1:
        raise InvalidInput(
            "A_ub and A_eq must have one column for each variable, got "
            f"{blocks[0][0].shape[1]} and {blocks[1][0].shape[1]} columns."
        )
    lower, upper = _bounds(bounds, widths[0] if widths else None)
    return _joined(blocks, lower, upper)


def from_scipy(given: tuple[object, ...]) -> Constraints:
    """Constraints from `LinearConstraint` and `Bounds` objects; without bounds x is free."""
    from scipy.optimize import Bounds, LinearConstraint

    blocks, boxes = [], []
    for one in given:
        if isinstance(one, LinearConstraint):
            rows = _matrix(
                "the matrix of a LinearConstraint",
                np.atleast_2d(one.A) if not is_sparse(one.A) else one.A,
            )
            m = rows.shape[0]
            low, high = (
                _limits(f"{end} of a LinearConstraint", getattr(one, end), m)
                for end in ("lb", "ub")
            )
            blocks.append((rows, low, high))
        elif isinstance(one, Bounds):
            boxes.append((np.asarray(one.lb, dtype=float), np.asarray(one.ub, dtype=float)))
        else:
            raise InvalidInput(
                "constraints must be scipy.optimize.LinearConstraint and Bounds objects, got "
                f"{type(one).__name__}."
            )
    sizes = {rows.shape[1] for rows, _, _ in blocks}
    sizes |= {side.size for box in boxes for side in box if side.size > 1}
    if len(sizes) != 1:
        raise InvalidInput(
            "constraints must have one number of variables between them, got "
            f"{', '.join(map(str, sorted(sizes))) or 'none'}."
        )
    n = sizes.pop()
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    for low, high in boxes:
        lower = np.maximum(lower, _limits("lb of Bounds", low, n))
        upper = np.minimum(upper, _limits("ub of Bounds", high, n))
    return _joined(blocks, lower, upper)


def _matrix(name: str, value: Matrix) -> Matrix:
    """Validate a finite matrix of doubles, dense or in CSC form."""
    if is_sparse(value):
        from scipy.sparse import csc_array

        unmasked(name, value)
        matrix = csc_array(value, dtype=np.float64)
        matrix.sum_duplicates()
        entries = matrix.data
    else:
        matrix = entries = as_float_array(name, value).astype(np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise InvalidInput(
            f"{name} must be a matrix with a column for each variable, got shape {matrix.shape}."
        )
    if not np.isfinite(entries).all():
        raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
    return matrix


def _side(name: str, value: ArrayLike | None, rows: int, matrix: str) -> Array:
    """Validate a finite right-hand side with one entry for each row."""
    side = np.atleast_1d(as_float_array(name, value).astype(np.float64))
    if side.shape != (rows,):
        raise InvalidInput(
            f"{name} must have an entry for each of the {rows} rows of {matrix}, "
            f"got shape {side.shape}."
        )
    if not np.isfinite(side).all():
        raise InvalidInput(f"{name} must be finite: leave out rows that hold nothing.")
    return side


def _limits(name: str, value: ArrayLike, count: int) -> Array:
    """Validate bounds that may be infinite, one for each or one for all."""
    side = as_float_array(name, value).astype(np.float64)
    if side.shape not in {(), (1,), (count,)} or np.isnan(side).any():
        raise InvalidInput(
            f"{name} must hold one number or {count} of them, none of them NaN, "
            f"got shape {side.shape}."
        )
    return side * np.ones(count)


def _bounds(bounds: VariableBounds, n: int | None) -> tuple[Array, Array]:
    """Validate one pair (low, high) for all variables, or one for each; None is no bound."""
    if bounds is None:
        bounds = (0.0, None)
    try:
        table = np.array(bounds, dtype=object)
        pairs = table.reshape(1, 2) if table.shape == (2,) else table
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError
    except ValueError:
        raise InvalidInput(
            "bounds must be a pair (low, high), or one pair for each variable."
        ) from None
    if n is None and len(pairs) == 1 and table.ndim == 1:
        raise InvalidInput(
            "bounds must be one pair for each variable where there are no rows: use Box for a pair."
        )
    n = len(pairs) if n is None else n
    if len(pairs) not in {1, n}:
        raise InvalidInput(f"bounds must be one pair, or {n} of them, got {len(pairs)}.")
    ends = [(-np.inf, "low"), (np.inf, "high")]
    columns = ([none if v is None else v for v in pairs[:, k]] for k, (none, _) in enumerate(ends))
    low, high = (_limits(f"the {word} ends of bounds", c, len(pairs))
                 for c, (_, word) in zip(columns, ends, strict=True))  # fmt: skip
    return low * np.ones(n), high * np.ones(n)


def _joined(blocks: list[Rows], lower: Array, upper: Array) -> Constraints:
    """Join all rows in one matrix; those without entries are checked and left out."""
    if (
        (lower > upper).any()
        or np.isinf(lower[lower > 0]).any()
        or np.isinf(upper[upper < 0]).any()
    ):
        j = int(np.argmax((lower > upper) | (lower == np.inf) | (upper == -np.inf)))
        raise InvalidInput(
            f"the polytope is empty: variable {j} would lie between {lower[j]:g} and {upper[j]:g}."
        )
    n = lower.size
    if not blocks:
        return Constraints(np.zeros((0, n)), np.zeros(0), np.zeros(0), lower, upper)
    parts = [rows for rows, _, _ in blocks]
    if any(map(is_sparse, parts)):
        from scipy.sparse import vstack

        A: Matrix = vstack(parts, format="csc")
    else:
        A = np.vstack(parts)
    low, high = (np.concatenate([block[k] for block in blocks]) for k in (1, 2))
    there = largest(A, 1) > 0.0
    _possible(low, high, there)
    there &= np.isfinite(low) | np.isfinite(high)
    A = A[there] if not is_sparse(A) else A.tocsr()[there].tocsc()
    return Constraints(A, low[there], high[there], lower, upper)


def _possible(low: Array, high: Array, there: Flags) -> None:
    """Raise where a row holds for no x: low > high, or an empty row that excludes 0."""
    wrong = (low > high) | (~there & ((low > 0.0) | (high < 0.0)))
    if wrong.any():
        i = int(wrong.argmax())
        raise InvalidInput(
            f"the polytope is empty: row {i} asks for a sum between {low[i]:g} and {high[i]:g}"
            f"{'' if there[i] else ' of nothing'}."
        )


def integers(integrality: ArrayLike, n: int) -> Flags:
    """Flags of the integers among n variables."""
    given = as_float_array("integrality", integrality)
    if given.shape not in {(), (n,)} or not np.isin(given, [0.0, 1.0]).all():
        raise InvalidInput(f"integrality must be 0 or 1, or one of them for each of {n} variables.")
    return np.broadcast_to(given == 1.0, (n,)).copy()
