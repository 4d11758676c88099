"""What the caller passes: checked, and taken in as it is."""

from __future__ import annotations

import math
from typing import Any

import cupy
import numpy as np
from cupyx.scipy import sparse

from frankwolfe.base.arrays import Array
from frankwolfe.base.errors import InvalidInput
from frankwolfe.engines.cuda.device import Device
from frankwolfe.engines.maps import DeviceDense, DeviceMap
from frankwolfe.engines.sparse import DeviceSparse

__all__ = ["as_map", "here", "like", "triples"]

REAL = "fiub"  # kinds of arrays that are taken for numbers


def here(array: Any) -> Array:
    """The array as NumPy's."""
    if sparse.issparse(array):
        return array.get()  # type: ignore[no-any-return]
    return np.asarray(cupy.asnumpy(_as_cupy(array)))


def like(array: Array) -> Any:
    """A NumPy array on the device, as a new one."""
    return cupy.array(array)


def _as_cupy(array: Any) -> Any:
    """A tensor of another library as CuPy's, without a copy."""
    if isinstance(array, cupy.ndarray):
        return array
    if type(array).__module__.partition(".")[0] == "torch":
        array = array.detach()
    try:
        return cupy.from_dlpack(array)
    except (TypeError, ValueError, RuntimeError, BufferError):
        raise InvalidInput(
            f"{type(array).__name__} on a device must hold real numbers that CuPy knows: convert "
            "it to single or double precision."
        ) from None


def triples(ratings: Any) -> tuple[Any, Any, Any]:
    """Rows, columns and values of ratings: of a sparse matrix, or of three arrays.

    Entries that a sparse matrix stores twice are added up.
    """
    if sparse.issparse(ratings):
        found = ratings.tocoo()
        if not found.has_canonical_format:
            found = found.copy()
            found.sum_duplicates()
        return found.row, found.col, found.data
    if isinstance(ratings, cupy.ndarray):
        raise InvalidInput(
            "ratings must be a sparse matrix or (rows, columns, values), got one array."
        )
    rows, columns, values = ratings
    return _there(rows), _there(columns), _there(values)


def _there(part: Any) -> Any:
    """One of several arrays, of which some may be on the device and some here."""
    if isinstance(part, np.ndarray | list):
        return cupy.asarray(part)
    part = _as_cupy(part)
    _check_device("ratings", part)
    return part


def as_map(name: str, matrix: Any) -> DeviceMap:
    """The matrix as a linear map on its device, after checking that it is finite."""
    if sparse.issparse(matrix):
        return _sparse(name, matrix)
    matrix = _as_cupy(matrix)
    if matrix.dtype.kind not in REAL:
        raise InvalidInput(
            f"{name} must be an array of real numbers, got {type(matrix).__name__} "
            "that does not convert to one."
        )
    _check_shape(name, matrix)
    _check_device(name, matrix)
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    found = DeviceDense(Device(), matrix)
    _check_finite(name, found, found.matrix)
    return found


def _sparse(name: str, matrix: Any) -> DeviceSparse:
    if matrix.dtype.kind == "c":
        raise InvalidInput(f"{name} must be a matrix of real numbers, got complex ones.")
    _check_shape(name, matrix)
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    rows = matrix.tocsr()
    _check_device(name, rows.data)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    found = DeviceSparse(Device(), rows, rows.tocsc())
    if rows.nnz:
        _check_finite(name, found, rows.data)
    return found


def _check_shape(name: str, matrix: Any) -> None:
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InvalidInput(
            f"{name} must be a non-empty matrix (rows are observations), "
            f"got an array of shape {tuple(matrix.shape)}."
        )


def _check_device(name: str, matrix: Any) -> None:
    """Kernels start on the current device."""
    current = cupy.cuda.Device().id
    if matrix.device.id != current:
        raise InvalidInput(
            f"{name} is on device {matrix.device.id}, but the current one is {current}: move it, "
            f"or work under `with cupy.cuda.Device({matrix.device.id})`."
        )


def _check_finite(name: str, found: DeviceMap, entries: Any) -> None:
    """Raise unless all entries are finite, which they are where their norm is."""
    if not (math.isfinite(found.norm) or bool(cupy.isfinite(entries).all())):
        raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
