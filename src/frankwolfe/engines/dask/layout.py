"""Dask collections as blocks of rows, and these as shards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.numerics.checks import is_sparse
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["Blocks", "Rows", "aligned", "grouped"]

SMALL = 2**24  # bytes up to which neighbouring blocks of a shard are made one


class Rows(NamedTuple):
    """A block of rows: data, targets and weights, as tasks or arrays; None where there are none."""

    data: Any
    targets: Any
    weights: Any


class Blocks(NamedTuple):
    """All rows in blocks."""

    rows: list[Rows]
    columns: int


def aligned(data: Any, targets: Any, weights: Any) -> Blocks:
    """The blocks of dask arrays or DataFrames whose rows belong together."""
    data = _matrix(data)
    if data.ndim != 2:
        raise InvalidInput(
            f"A must be a matrix (rows are observations), got an array of {data.ndim} dimensions."
        )
    data = data.rechunk({1: -1}) if data.numblocks[1] > 1 else data
    heights = data.chunks[0]
    pieces = list(data.to_delayed().ravel())
    others = [_pieces(name, what, heights) for name, what in (("b", targets), ("w", weights))]
    if not pieces or not data.shape[1] or data.shape[0] == 0:
        raise InvalidInput(
            f"A must be a non-empty matrix (rows are observations), got shape {data.shape}."
        )
    return Blocks([Rows(*row) for row in zip(pieces, *others, strict=True)], data.shape[1])


def _matrix(data: Any) -> Any:
    """A DataFrame as an array of its columns, which must be numbers."""
    if not hasattr(data, "to_dask_array"):
        return data
    if hasattr(data, "dtypes") and hasattr(data, "columns"):
        words = [name for name, kind in data.dtypes.items() if not _is_number(kind)]
        if words:
            raise InvalidInput(
                f"the columns of A must be numbers, but {', '.join(map(str, words[:5]))} "
                "are not: drop or encode them."
            )
    return data.to_dask_array()


def _is_number(kind: Any) -> bool:
    return bool(getattr(kind, "kind", "O") in "fiub")


def _pieces(name: str, what: Any, heights: tuple[float, ...]) -> Sequence[Any]:
    """A vector in pieces that fit the blocks of rows."""
    if what is None:
        return [None] * len(heights)
    if hasattr(what, "to_dask_array"):
        what = what.to_dask_array()
    known = not np.isnan(heights).any()
    if hasattr(what, "to_delayed"):
        if what.ndim != 1:
            raise InvalidInput(f"{name} must be a vector, got {what.ndim} dimensions.")
        if known and not np.isnan(what.shape[0]):
            _check_length(name, int(what.shape[0]), int(sum(heights)))
            what = what.rechunk((heights,))
        if what.numblocks[0] != len(heights):
            raise InvalidInput(
                f"{name} must be in the same {len(heights)} blocks of rows as A, whose lengths are "
                f"not known, got {what.numblocks[0]}: compute_chunk_sizes() makes them known."
            )
        return list(what.to_delayed().ravel())
    if not known:
        raise InvalidInput(
            f"the lengths of A's blocks are not known, so that {name} must come in the same "
            "blocks: pass a Dask array or column, or call A.compute_chunk_sizes()."
        )
    array = np.asarray(what)
    _check_length(name, array.shape[0] if array.ndim else 0, int(sum(heights)))
    return np.split(array, np.cumsum(heights)[:-1].astype(int))


def _check_length(name: str, length: int, rows: int) -> None:
    if length != rows:
        raise InvalidInput(
            f"{name} must hold one number for each of the {rows} rows of A, got {length}."
        )


def grouped(rows: Sequence[Rows], count: int) -> list[list[Rows]]:
    """Neighbouring blocks in at most `count` groups, as even in number as can be."""
    count = min(max(count, 1), len(rows))
    ends = [round(k * len(rows) / count) for k in range(count + 1)]
    return [list(rows[low:high]) for low, high in pairwise(ends)]


def stacked(rows: Sequence[Rows]) -> list[Rows]:
    """Blocks of arrays, the small ones of them side by side made one."""
    out: list[Rows] = []
    waiting: list[Rows] = []
    for row in rows:
        if waiting and sum(map(_nbytes, [*waiting, row])) > SMALL:
            out.append(_joined(waiting))
            waiting = []
        waiting.append(row)
    return [*out, _joined(waiting)] if waiting else out


def _nbytes(row: Rows) -> int:
    data = row.data
    return int(data.data.nbytes) if is_sparse(data) else int(data.nbytes)


def _joined(rows: Sequence[Rows]) -> Rows:
    if len(rows) == 1:
        return rows[0]
    return Rows(*(_one(parts) for parts in zip(*rows, strict=True)))


def _one(parts: Sequence[Any]) -> Any:
    if parts[0] is None:
        return None
    if is_sparse(parts[0]):
        from scipy.sparse import vstack

        return vstack(parts, format="csr")
    return np.concatenate(parts)
