"""Conversion of blocks, as Dask, pandas and others bring them, to NumPy's and SciPy's arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Matrix
from frankwolfe.base.checks import as_float_array, is_sparse, unmasked
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import engine_of
from frankwolfe.core.products import canonical

if TYPE_CHECKING:
    from frankwolfe.engines.dask.layout import Block

__all__ = ["as_matrix", "as_vector", "is_text"]

Table: TypeAlias = Any
"""A DataFrame of pandas or like it, or a column of one."""


def as_matrix(block: Block) -> Matrix:
    """Block of data as a float array or CSR matrix; float32 and float64 are kept.

    Arrays on a device stay there.
    """
    if engine_of(block) is not None:
        return block
    if is_sparse(block):
        return _compressed(block)
    if hasattr(block, "todense"):  # a sparse block of another library
        return _of_other_library(block)
    if hasattr(block, "dtypes") and hasattr(block, "columns"):
        return _table(block)
    array = as_float_array("A", block)
    if array.ndim != 2:
        raise InvalidInput(
            f"A must be a matrix (rows are observations), but a chunk has shape {array.shape}."
        )
    return array


def _of_other_library(block: Block) -> Matrix:
    """Matrix of a sparse block from the package `sparse`, or one with its methods."""
    if hasattr(block, "to_scipy_sparse"):
        return _compressed(block.to_scipy_sparse())
    return as_float_array("A", block.todense())


def _compressed(block: Matrix) -> Matrix:
    """CSR matrix of floats, without duplicate entries."""
    rows = block.tocsr()
    if np.issubdtype(rows.dtype, np.complexfloating):
        raise InvalidInput("A must be a matrix of real numbers, got complex ones.")
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    return canonical(rows)


def _table(frame: Table) -> Array:
    """Matrix of the columns of a DataFrame; missing values are NaN."""
    kinds = set(frame.dtypes)
    if len(kinds) == 1 and kinds <= {np.dtype(np.float32), np.dtype(np.float64)}:
        return np.asarray(frame.to_numpy())
    out = np.empty(frame.shape)
    for j, name in enumerate(frame.columns):
        column = frame.iloc[:, j]
        try:
            out[:, j] = _numbers(column)
        except (TypeError, ValueError):
            raise InvalidInput(
                f"the columns of A must be numbers, but {name} is not: drop or encode it."
            ) from None
    return out


def _numbers(column: Table) -> Array:
    """Column as float64, missing values as NaN; TypeError if it holds no numbers."""
    if hasattr(column, "cat"):
        column = column.astype(column.cat.categories.dtype)
    if getattr(column.dtype, "kind", "O") not in "fiub":
        raise TypeError
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


def as_vector(name: str, block: Block) -> AnyArray | None:
    """Block of targets or weights as a vector of numbers or texts; None stays None."""
    if block is None:
        return None
    unmasked(name, block)
    if engine_of(block) is not None:  # losses put targets on the device again
        block = block.get()
    if hasattr(block, "to_numpy"):
        block = _values(name, block)
    array = np.asarray(block.todense() if hasattr(block, "todense") else block)
    if array.ndim == 2 and array.shape[1] == 1:  # a frame, or matrix, of one column
        array = array[:, 0]
    if array.dtype.kind == "O" and all(isinstance(entry, str) for entry in array):
        array = array.astype(str)
    return array


def _values(name: str, series: Table) -> AnyArray:
    """Values of a pandas Series; InvalidInput if one is missing."""
    if bool(series.isna().to_numpy().any()):
        raise InvalidInput(f"{name} must be finite, but values of it are missing: drop their rows.")
    if hasattr(series, "cat"):
        return np.asarray(series)
    kind = getattr(series.dtype, "kind", "O")
    if kind in "fiub" and not isinstance(
        series.dtype, np.dtype
    ):  # a nullable type of pandas, which would become object
        return np.asarray(series.to_numpy(dtype={"b": bool, "f": float}.get(kind, np.int64)))
    return np.asarray(series.to_numpy())


def is_text(vector: AnyArray | None) -> bool:
    """True if a vector holds texts, not numbers."""
    return vector is not None and vector.dtype.kind in "USO"
