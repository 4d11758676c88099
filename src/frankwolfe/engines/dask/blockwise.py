"""Dask arrays made of others, or of files, by functions of blocks of rows; nothing is done yet."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.engines.dask.layout import blocks_of, widened
from frankwolfe.engines.dask.values import as_matrix

__all__ = ["of_parts", "rowwise"]


def rowwise(function: Callable[[Any], Array], data: Any, columns: int | None = None) -> Any:
    """A dask array of what a function makes of each block of rows.

    `function` takes a matrix and returns an array with as many rows. `columns` says how many the
    matrix must have; those of sparse blocks may be fewer, where Dask does not know.
    """
    pieces, heights, known = blocks_of("X", data)
    columns = known if columns is None else columns
    if known not in (None, columns):
        raise InvalidInput(f"X has {known} features, but {columns} were expected.")
    like = function(np.zeros((1, columns or 1)))
    return _joined(
        [_block(function, piece, columns) for piece in pieces], heights, like.shape[1:], like.dtype
    )


def _block(function: Callable[[Any], Array], piece: Any, columns: int | None) -> Any:
    from dask import delayed

    return delayed(_applied, pure=True)(function, piece, columns)


def _applied(function: Callable[[Any], Array], block: Any, columns: int | None) -> Array:
    data = as_matrix(block)
    width = data.shape[1] if columns is None else columns
    if is_sparse(data) and data.shape[1] < width:
        data = widened(data, width)
    if data.shape[1] != width:
        raise InvalidInput(f"X has {data.shape[1]} features, but {width} were expected.")
    return function(data)


def of_parts(
    read: Callable[[Any], tuple[Any, Any]], parts: Sequence[Any], columns: int | None, like: Any
) -> tuple[Any, Any]:
    """Dask arrays of data and targets, of which `read` makes a block each from a part.

    `columns` is None where blocks differ in width; `like` is an example of targets.
    """
    try:
        from dask import delayed
    except ImportError:
        raise MissingExtra("reading many files", "dask", "dask") from None
    blocks = [delayed(read, nout=2, pure=True)(part) for part in parts]
    unknown = [math.nan] * len(blocks)
    width = (math.nan if columns is None else columns,)
    return (
        _joined([block[0] for block in blocks], unknown, width, np.dtype(np.float64)),
        _joined([block[1] for block in blocks], unknown, (), like.dtype),
    )


def _joined(blocks: Sequence[Any], heights: Any, rest: tuple[float, ...], dtype: Any) -> Any:
    """Blocks one below the other."""
    import dask.array as da

    arrays = [
        da.from_delayed(block, (height, *rest), dtype=dtype)
        for block, height in zip(blocks, heights, strict=True)
    ]
    return da.concatenate(arrays, axis=0, allow_unknown_chunksizes=True)
