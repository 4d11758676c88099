"""Lazy Dask arrays, made of others or of files by functions of blocks of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Matrix
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.engines.dask.layout import blocks_of, widened
from frankwolfe.engines.dask.values import as_matrix

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from frankwolfe.engines.dask.layout import Block, Collection, Delayed

__all__ = ["of_parts", "rowwise"]

P = TypeVar("P")  # a part of the data, such as a file


def rowwise(
    function: Callable[[Matrix], Array], data: Collection, columns: int | None = None
) -> Collection:
    """Dask array of a function's values on each block of rows.

    `function` takes a matrix and returns an array with as many rows. `columns` is the number of
    columns that it expects; sparse blocks may have fewer if Dask does not know their number.
    """
    pieces, heights, known = blocks_of("X", data)
    columns = known if columns is None else columns
    if known not in (None, columns):
        raise InvalidInput(f"X has {known} features, but {columns} were expected.")
    like = function(np.zeros((1, columns or 1)))
    return _joined(
        [_block(function, piece, columns) for piece in pieces], heights, like.shape[1:], like.dtype
    )


def _block(function: Callable[[Matrix], Array], piece: Delayed, columns: int | None) -> Delayed:
    """Task of a function's value on one block."""
    from dask import delayed

    return delayed(_applied, pure=True)(function, piece, columns)


def _applied(function: Callable[[Matrix], Array], block: Block, columns: int | None) -> Array:
    """Value of a function on a block as a matrix; InvalidInput unless its width is `columns`."""
    data = as_matrix(block)
    width = data.shape[1] if columns is None else columns
    if is_sparse(data) and data.shape[1] < width:
        data = widened(data, width)
    if data.shape[1] != width:
        raise InvalidInput(f"X has {data.shape[1]} features, but {width} were expected.")
    return function(data)


def of_parts(
    read: Callable[[P], tuple[Matrix, AnyArray]],
    parts: Sequence[P],
    columns: int | None,
    like: AnyArray,
) -> tuple[Collection, Collection]:
    """Dask arrays of data and targets, one block of each read from every part.

    `columns` is None if blocks differ in width; `like` is an example of targets.
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


def _joined(
    blocks: Sequence[Delayed],
    heights: Sequence[float],
    rest: tuple[float, ...],
    dtype: DTypeLike,
) -> Collection:
    """Dask array of blocks one below the other; NaN for lengths that are not known."""
    import dask.array as da

    arrays = [
        da.from_delayed(block, (height, *rest), dtype=dtype)
        for block, height in zip(blocks, heights, strict=True)
    ]
    return da.concatenate(arrays, axis=0, allow_unknown_chunksizes=True)
