"""Dask collections as blocks of rows, and groups of blocks that become shards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import engine_of

if TYPE_CHECKING:
    from frankwolfe.base.arrays import AnyArray, Matrix

__all__ = [
    "RowBlock",
    "RowBlocks",
    "aligned",
    "blocks_of",
    "checked_length",
    "grouped",
    "joined",
    "stacked",
    "widened",
]

JOINED_BYTES = 2**24  # of neighbouring blocks that are made one: fewer losses a shard
REAL_KINDS = "fiubO"  # of NumPy types that count as numbers; objects are looked at one by one
UNKNOWN_CATEGORIES = "__UNKNOWN_CATEGORIES__"  # Dask's name for categories that it has not seen

Collection: TypeAlias = Any
"""A Dask array, DataFrame or Series: Dask ships no types."""

Delayed: TypeAlias = Any
"""One block of a Dask collection as a task."""

Block: TypeAlias = Any
"""Some rows of data or of a vector: an array, sparse matrix or DataFrame, or their task."""

VectorLike: TypeAlias = Any
"""Targets or weights as given: a Dask array or Series, an array, or None."""


class RowBlock(NamedTuple):
    """Some rows of the data with their targets and weights, as tasks or arrays; None if absent."""

    data: Block
    targets: Block
    weights: Block


class RowBlocks(NamedTuple):
    """All rows of a collection, in blocks.

    Vectors that cannot be divided before the lengths of blocks are known are in `whole`.
    """

    rows: list[RowBlock]
    columns: int | None  # None where Dask does not know
    whole: RowBlock


def aligned(data: Collection, targets: VectorLike, weights: VectorLike) -> RowBlocks:
    """Blocks of rows with their targets and weights, from collections or arrays."""
    pieces, heights, columns = blocks_of("A", data)
    if not pieces or columns == 0 or sum(heights) == 0:
        raise InvalidInput(
            f"A must be a non-empty matrix (rows are observations), got shape {data.shape}."
        )
    b, all_b = _pieces("b", targets, heights)
    w, all_w = _pieces("sample_weight", weights, heights)
    rows = [RowBlock(*row) for row in zip(pieces, b, w, strict=True)]
    return RowBlocks(rows, columns, RowBlock(None, all_b, all_w))


def blocks_of(name: str, data: Collection) -> tuple[list[Delayed], tuple[float, ...], int | None]:
    """Blocks of rows, their lengths (NaN if not known), and the number of columns (or None)."""
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


def _as_written(collection: Collection) -> list[Delayed]:
    """Blocks of a collection as tasks, before Dask optimizes its graph.

    A task that makes both data and targets then runs once; and columns of one file keep its
    partitions, which the optimization might join, differently in each.
    """
    return list(np.ravel(np.asarray(collection.to_delayed(optimize_graph=False), dtype=object)))


def _check_columns(name: str, kinds: Mapping[object, object]) -> None:
    """Raise InvalidInput unless all columns of a DataFrame, given their types, are numbers."""
    words = [str(column) for column, kind in kinds.items() if not _is_number(kind)]
    if words:
        several = len(words) > 1
        listed = ", ".join(words[:5]) + (", ..." if len(words) > 5 else "")
        raise InvalidInput(
            f"the columns of {name} must be numbers, but {listed} {'are' if several else 'is'} "
            f"not: drop or encode {'them' if several else 'it'}."
        )


def _is_number(kind: object) -> bool:
    """True for a type of real numbers (pandas, NumPy), or of categories that may be numbers."""
    categories = getattr(kind, "categories", None)
    if categories is not None:
        return UNKNOWN_CATEGORIES in categories or _is_number(categories.dtype)
    return bool(getattr(kind, "kind", "O") in "fiub")


def _check_kind(name: str, array: Collection) -> None:
    """Raise InvalidInput if a Dask array says that it is masked, or not of real numbers."""
    if np.ma.isMaskedArray(array._meta):
        raise InvalidInput(f"{name} must not be a masked array: fill or drop its entries first.")
    if np.dtype(array.dtype).kind not in REAL_KINDS:
        what = "complex ones" if array.dtype.kind == "c" else f"an array of {array.dtype}"
        raise InvalidInput(f"{name} must hold real numbers, got {what}.")


def _pieces(
    name: str, what: VectorLike, heights: tuple[float, ...]
) -> tuple[Sequence[Block], AnyArray | None]:
    """Vector in pieces that fit the blocks of rows; whole if their lengths are not known."""
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
    name: str, what: Collection, heights: tuple[float, ...] | None, count: int
) -> Sequence[Delayed]:
    """Blocks of a Dask vector, rechunked to the lengths of the rows if both are known."""
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
    """Raise InvalidInput unless a vector has one entry for each row."""
    if length != rows:
        raise InvalidInput(
            f"{name} must hold one number for each of the {rows} rows of A, got {length}."
        )


def grouped(rows: Sequence[RowBlock], count: int) -> list[list[RowBlock]]:
    """Neighbouring blocks in at most `count` groups, with as even numbers as possible."""
    count = min(max(count, 1), len(rows))
    ends = [round(k * len(rows) / count) for k in range(count + 1)]
    return [list(rows[low:high]) for low, high in pairwise(ends)]


def stacked(rows: Iterable[RowBlock]) -> list[RowBlock]:
    """Blocks of arrays in their order, neighbours joined up to `JOINED_BYTES`."""
    out: list[RowBlock] = []
    waiting: list[RowBlock] = []
    size = 0  # bytes of those waiting
    for row in rows:
        size += _nbytes(row)
        foreign = engine_of(row.data) is not None  # on a device: left as it is
        if waiting and (foreign or size > JOINED_BYTES):
            out.append(joined(waiting))
            waiting, size = [], _nbytes(row)
        if foreign:
            out.append(row)
        else:
            waiting.append(row)
    return [*out, joined(waiting)] if waiting else out


def _nbytes(row: RowBlock) -> int:
    """Bytes of the entries of the data."""
    data = row.data
    return int(data.data.nbytes) if is_sparse(data) else int(data.nbytes)


def joined(rows: Sequence[RowBlock]) -> RowBlock:
    """One block of all rows, in their order."""
    if len(rows) == 1:
        return rows[0]
    return RowBlock(*(_one(parts) for parts in zip(*rows, strict=True)))


def _one(parts: Sequence[Block]) -> Block:
    """Parts one below the other: sparse if one of them is, None if the first is."""
    if parts[0] is None:
        return None
    if any(map(is_sparse, parts)):
        from scipy.sparse import csr_matrix, vstack

        width = max(part.shape[1] for part in parts)
        return vstack([widened(csr_matrix(part), width) for part in parts], format="csr")
    return np.concatenate(parts)


def widened(data: Matrix, width: int) -> Matrix:
    """CSR matrix with empty columns added on the right up to `width`, without a copy."""
    if data.shape[1] == width:
        return data
    return type(data)((data.data, data.indices, data.indptr), shape=(data.shape[0], width))
