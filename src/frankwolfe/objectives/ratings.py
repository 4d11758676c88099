"""Reading and checking the ratings that a caller passes, wherever they live."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from frankwolfe.base.arrays import AnyArray
from frankwolfe.base.budget import check_room
from frankwolfe.base.checks import all_finite, finite_vector, is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import Engine, engine_of
from frankwolfe.core.entries import Cells
from frankwolfe.core.structure import BYTES_PER_LINE, checked_structure
from frankwolfe.objectives.separable import two_classes

__all__ = ["Ratings", "finite_values", "known_classes", "sorted_cells", "triples"]


Ratings: TypeAlias = Any
"""A sparse matrix, three arrays, or a DataFrame, of this process or of an engine."""


def triples(
    ratings: Ratings, shape: tuple[int, int] | None, *, weighted: bool
) -> tuple[AnyArray, AnyArray, AnyArray, tuple[int, int]]:
    """Read rows, columns and values of the cells, and the shape of the matrix."""
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


def _shape(rows: AnyArray, columns: AnyArray, shape: tuple[int, int] | None) -> tuple[int, int]:
    """The caller's shape, checked against the cells, or the smallest that holds them."""
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
    check_room(
        BYTES_PER_LINE * sum(full),
        f"ratings in a matrix of {full[0]:,} x {full[1]:,}",
        "number rows and columns without gaps, by numpy.unique(rows, return_inverse=True)[1]",
    )
    return full


def _engine(ratings: Ratings) -> Engine | None:
    """The engine of the ratings or of one of their parts; None for arrays of this process."""
    parts = ratings if isinstance(ratings, tuple | list) else (ratings,)
    found = (engine_of(part) for part in parts)
    return next((engine for engine in found if engine is not None), None)


def _elsewhere(
    engine: Engine, ratings: Ratings, shape: tuple[int, int] | None
) -> tuple[AnyArray, AnyArray, AnyArray, tuple[int, int] | None]:
    """Rows, columns and values in the engine's memory, and the shape where it is given."""
    if getattr(engine, "triples", None) is None:  # one that spreads data over machines has none
        raise InvalidInput(
            "matrix completion takes ratings in memory or on one GPU: load them, or a part of them."
        )
    if not isinstance(ratings, tuple | list):
        return *engine.triples(ratings), ratings.shape if shape is None else shape
    if len(ratings) != 3:
        raise InvalidInput(f"ratings must be (rows, columns, values), got {len(ratings)} arrays.")
    return *engine.triples(ratings), shape


def finite_values(values: AnyArray) -> AnyArray:
    """The values as finite numbers of single or double precision, in their own memory."""
    if engine_of(values) is None:
        return finite_vector("the observed values", values)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if not all_finite(values):
        raise InvalidInput("the observed values must be finite, but they hold NaN or infinity.")
    return values


def known_classes(values: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Labels of two classes as +1 and -1, in their own memory, and the classes."""
    if engine_of(values) is None:
        return two_classes(values, values.size)
    low, high = values.min(), values.max()
    if bool(((values != low) & (values != high)).any()) or bool(low == high):
        return two_classes(values, values.size)  # which says how many there are
    kind = values.dtype if values.dtype == np.float32 else np.float64
    return 2.0 * (values == high).astype(kind) - 1.0, np.array([float(low), float(high)])


def sorted_cells(
    rows: AnyArray, columns: AnyArray, values: AnyArray, shape: tuple[int, int]
) -> tuple[Cells, AnyArray | None]:
    """The cells in row order, and the permutation that sorts them (None if they are sorted).

    An engine that holds the values makes its own kind of cells.
    """
    engine = engine_of(values)
    if engine is not None:
        return engine.as_cells(rows, columns, shape, values.dtype)  # type: ignore[no-any-return]
    order = None
    if (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows, kind="stable")
        columns = columns[order]
    counts = np.bincount(rows, minlength=shape[0])
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Cells(shape, indptr, np.array(columns, dtype=np.int32)), order
