"""Checks of the arrays of a scipy sparse matrix, before compiled code trusts them."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Indices, Matrix
from frankwolfe.base.budget import check_room
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput

__all__ = ["checked_structure"]

BYTES_PER_LINE = 32  # for each row or column: where it begins, and a few vectors of that length


def checked_structure(name: str, matrix: Matrix) -> Matrix:
    """Return the matrix after checking, if it is sparse, that all its indices are in range.

    scipy takes arrays as they come, and its compiled code, like ours, reads and writes where the
    indices say: one that is outside ends the process, or changes memory that is not the matrix's.

    Raises
    ------
    InvalidInput
        If vectors as long as its rows and columns do not fit into memory, an index is out of
        range, or the arrays' lengths do not fit.
    """
    if not is_sparse(matrix) or len(matrix.shape) != 2:  # a vector is refused for its shape
        return matrix
    rows, columns = matrix.shape
    check_room(
        BYTES_PER_LINE * (rows + columns),
        f"{name}, of shape {rows:,} x {columns:,},",
        "leave out empty rows and columns, or number them without gaps",
    )
    if matrix.format in ("csr", "csc", "bsr"):
        _check_compressed(name, matrix)
    elif matrix.format == "coo":
        _check_coordinates(name, matrix)
    elif matrix.format == "lil":  # lists, of which scipy believes every number
        _check_compressed(name, matrix.tocsr())
    return matrix


def _check_compressed(name: str, matrix: Matrix) -> None:
    """Check compressed rows or columns, or blocks of them."""
    along, across = (int(size) for size in matrix.shape)
    if matrix.format == "csc":
        along, across = across, along
    entries = matrix.data.size
    if matrix.format == "bsr":
        rows, columns = matrix.data.shape[1:]
        along, across, entries = along // rows, across // columns, matrix.data.shape[0]
    ends, places = matrix.indptr, matrix.indices
    _check_whole(name, "indptr", ends)
    _check_whole(name, "indices", places)
    if ends.size != along + 1 or ends[0] != 0:
        raise _wrong(name, f"indptr must have {along + 1:,} entries, the first of them 0")
    if ends.size > 1 and (ends[1:] < ends[:-1]).any():
        raise _wrong(name, "indptr must not decrease")
    if int(ends[-1]) > min(places.size, entries):
        raise _wrong(
            name,
            f"indptr ends at {int(ends[-1]):,}, but there are {places.size:,} indices and "
            f"{entries:,} values",
        )
    _check_range(name, "indices", places[: int(ends[-1])], across)


def _check_coordinates(name: str, matrix: Matrix) -> None:
    """Check a matrix in coordinates: a row and a column for each value."""
    places_of = {"rows": matrix.row, "columns": matrix.col}
    for (what, places), size in zip(places_of.items(), matrix.shape, strict=True):
        _check_whole(name, what, places)
        if places.size != matrix.data.size:
            raise _wrong(name, f"there are {places.size:,} {what}, but {matrix.data.size:,} values")
        _check_range(name, what, places, int(size))


def _check_whole(name: str, what: str, places: object) -> None:
    """Check that places are a vector of integers."""
    if not isinstance(places, np.ndarray) or places.ndim != 1 or places.dtype.kind not in "iu":
        raise _wrong(name, f"{what} must be a vector of whole numbers")


def _check_range(name: str, what: str, places: Indices, size: int) -> None:
    """Check that places lie between 0 and size - 1."""
    if places.size and (int(places.min()) < 0 or int(places.max()) >= size):
        raise _wrong(
            name,
            f"{what} must lie between 0 and {size - 1:,}, got {int(places.min()):,} to "
            f"{int(places.max()):,}",
        )


def _wrong(name: str, what: str) -> InvalidInput:
    return InvalidInput(f"{name} is not a whole sparse matrix: {what}.")
