"""Dask collections as blocks of rows, and these as shards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import engine_of

__all__ = [
    "Blocks",
    "Rows",
    "aligned",
    "blocks_of",
    "checked_length",
    "grouped",
    "joined",
    "stacked",
    "widened",
]

SMALL = 2**24  # bytes up to which neighbouring blocks of a shard are made one
REAL = "fiubO"  # kinds of arrays that are taken for numbers; objects are looked at one by one
UNKNOWN = "__UNKNOWN_CATEGORIES__"  # Dask's name for categories that it has not seen


class Rows(NamedTuple):
    """A block of rows: data, targets and weights, as tasks or arrays; None where there are none."""

    data: Any
    targets: Any
    weights: Any


class Blocks(NamedTuple):
    """All rows in blocks.

    Vectors that cannot be divided before the lengths of the blocks are known are in `whole`.
    """

    rows: list[Rows]
    columns: int | None  # None where Dask does not know
    whole: Rows


def aligned(data: Any, targets: Any, weights: Any) -> Blocks:
    """The blocks of dask arrays or DataFrames whose rows belong together."""
    pieces, heights, columns = blocks_of("A", data)
    if not pieces or columns == 0 or sum(heights) == 0:
        raise InvalidInput(
            f"A must be a non-empty matrix (rows are observations), got shape {data.shape}."
        )
    b, all_b = _pieces("b", targets, heights)
    w, all_w = _pieces("sample_weight", weights, heights)
    rows = [Rows(*row) for row in zip(pieces, b, w, strict=True)]
    return Blocks(rows, columns, Rows(None, all_b, all_w))


def blocks_of(name: str, data: Any) -> tuple[list[Any], tuple[float, ...], int | None]:
    """The blocks of rows, their lengths, NaN where these are not known, and how many columns."""
    if data.ndim != 2:
        raise InvalidInput(
            f"{name} must be a matrix (rows are observations), got {data.ndim} dimension"
            f"{'' if data.ndim == 1 else 's'}."
        )
    if hasattr(data, "dtypes"):
        _check_columns(name, data.dtypes)
        pieces = _as_written(data)
        return pieces, (math.nan,) * len(pieces), len(data.columns)
    _check_kind(name, data)
    if data.numblocks[1] > 1:
        if math.isnan(data.shape[1]):
            raise InvalidInput(
                f"{name} must have blocks of whole rows where the number of its columns is not "
                "known: call compute_chunk_sizes(), then rechunk({1: -1})."
            )
        data = data.rechunk({1: -1})
    columns = None if math.isnan(data.shape[1]) else int(data.shape[1])
    return _as_written(data), data.chunks[0], columns


def _as_written(collection: Any) -> list[Any]:
    """The blocks of a collection as tasks, before Dask has its way with them.

    Data and targets of one task are then made by it once, not each for itself; and columns of
    one file keep its partitions, which Dask would put together in each as it likes.
    """
    return list(np.ravel(np.asarray(collection.to_delayed(optimize_graph=False), dtype=object)))


def _check_columns(name: str, kinds: Any) -> None:
    """Raise unless all columns of a DataFrame are numbers."""
    words = [str(column) for column, kind in kinds.items() if not _is_number(kind)]
    if words:
        several = len(words) > 1
        listed = ", ".join(words[:5]) + (", ..." if len(words) > 5 else "")
        raise InvalidInput(
            f"the columns of {name} must be numbers, but {listed} {'are' if several else 'is'} "
            f"not: drop or encode {'them' if several else 'it'}."
        )


def _is_number(kind: Any) -> bool:
    """Whether a type of pandas or NumPy is one of real numbers, or of categories that may be."""
    categories = getattr(kind, "categories", None)
    if categories is not None:
        return UNKNOWN in categories or _is_number(categories.dtype)
    return bool(getattr(kind, "kind", "O") in "fiub")


def _check_kind(name: str, array: Any) -> None:
    """Raise where it is known before any work that a dask array holds no plain real numbers."""
    if np.ma.isMaskedArray(array._meta):
        raise InvalidInput(f"{name} must not be a masked array: fill or drop its entries first.")
    if np.dtype(array.dtype).kind not in REAL:
        what = "complex ones" if array.dtype.kind == "c" else f"an array of {array.dtype}"
        raise InvalidInput(f"{name} must hold real numbers, got {what}.")


def _pieces(name: str, what: Any, heights: tuple[float, ...]) -> tuple[Sequence[Any], Any]:
    """A vector in pieces that fit the blocks of rows, or whole where lengths are not known."""
    nothing = [None] * len(heights)
    if what is None:
        return nothing, None
    known = not np.isnan(heights).any()
    if hasattr(what, "to_delayed"):
        return _lazy_pieces(name, what, heights if known else None, len(heights)), None
    array = np.ma.asanyarray(what) if np.ma.isMaskedArray(what) else np.asarray(what)
    if array.ndim != 1:
        raise InvalidInput(f"{name} must be a vector, got an array of shape {array.shape}.")
    if not known:
        return nothing, array
    checked_length(name, array.shape[0], int(sum(heights)))
    return np.split(array, np.cumsum(heights)[:-1].astype(int)), None


def _lazy_pieces(
    name: str, what: Any, heights: tuple[float, ...] | None, count: int
) -> Sequence[Any]:
    """The blocks of a dask vector, whose lengths become those of the rows where both are known."""
    if what.ndim == 2 and what.shape[1] == 1:  # a frame, or matrix, of one column
        what = what[what.columns[0]] if hasattr(what, "columns") else what[:, 0]
    if what.ndim != 1:
        raise InvalidInput(f"{name} must be a vector, got {what.ndim} dimensions.")
    if hasattr(what, "chunks"):  # not a Series, whose lengths Dask does not keep
        if name == "sample_weight":
            _check_kind(name, what)
        if heights is not None and not math.isnan(what.shape[0]):
            checked_length(name, int(what.shape[0]), int(sum(heights)))
            what = what.rechunk((heights,))
    found = _as_written(what)
    if len(found) != count:
        raise InvalidInput(
            f"{name} is in {len(found)} blocks and A in {count}, and their lengths are not all "
            "known: put both in the same blocks, or call compute_chunk_sizes() on both."
        )
    return found


def checked_length(name: str, length: int, rows: int) -> None:
    """Raise unless a vector has one number for each row."""
    if length != rows:
        raise InvalidInput(
            f"{name} must hold one number for each of the {rows} rows of A, got {length}."
        )


def grouped(rows: Sequence[Rows], count: int) -> list[list[Rows]]:
    """Neighbouring blocks in at most `count` groups, as even in number as can be."""
    count = min(max(count, 1), len(rows))
    ends = [round(k * len(rows) / count) for k in range(count + 1)]
    return [list(rows[low:high]) for low, high in pairwise(ends)]


def stacked(rows: Any) -> list[Rows]:
    """Blocks of arrays, taken one after the other; small ones side by side are made one."""
    out: list[Rows] = []
    waiting: list[Rows] = []
    size = 0  # of these
    for row in rows:
        size += _nbytes(row)
        elsewhere = engine_of(row.data) is not None  # on a device: left as it is
        if waiting and (elsewhere or size > SMALL):
            out.append(joined(waiting))
            waiting, size = [], _nbytes(row)
        if elsewhere:
            out.append(row)
        else:
            waiting.append(row)
    return [*out, joined(waiting)] if waiting else out


def _nbytes(row: Rows) -> int:
    data = row.data
    return int(data.data.nbytes) if is_sparse(data) else int(data.nbytes)


def joined(rows: Sequence[Rows]) -> Rows:
    """Blocks of arrays as one."""
    if len(rows) == 1:
        return rows[0]
    return Rows(*(_one(parts) for parts in zip(*rows, strict=True)))


def _one(parts: Sequence[Any]) -> Any:
    if parts[0] is None:
        return None
    if any(map(is_sparse, parts)):
        from scipy.sparse import csr_matrix, vstack

        width = max(part.shape[1] for part in parts)
        return vstack([widened(csr_matrix(part), width) for part in parts], format="csr")
    return np.concatenate(parts)


def widened(data: Any, width: int) -> Any:
    """Compressed rows with empty columns on the right, where they are narrower; no copy."""
    if data.shape[1] == width:
        return data
    return type(data)((data.data, data.indices, data.indptr), shape=(data.shape[0], width))
