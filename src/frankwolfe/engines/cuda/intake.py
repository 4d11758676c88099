"""Intake of data on a GPU: checks, and conversion to CuPy without a copy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import cupy
import numpy as np
from cupyx.scipy import sparse

from frankwolfe.base.arrays import AnyArray, Matrix
from frankwolfe.base.errors import InvalidInput
from frankwolfe.engines.cuda.device import Device
from frankwolfe.engines.maps import DeviceDense, DeviceMap
from frankwolfe.engines.sparse import DeviceSparse

if TYPE_CHECKING:
    from frankwolfe.engines.maps import DeviceArray, DeviceMatrix


__all__ = ["as_map", "like", "to_host", "triples"]

REAL = "fiub"  # kinds of NumPy's types that count as real numbers


def to_host(array: DeviceArray | DeviceMatrix) -> AnyArray | Matrix:
    """Copy of an array or sparse matrix in this process's memory."""
    if sparse.issparse(array):
        return array.get()
    return np.asarray(cupy.asnumpy(_as_cupy(array)))


def like(array: AnyArray) -> DeviceArray:
    """New copy of a NumPy array on the device."""
    return cupy.array(array)


def _as_cupy(array: DeviceArray) -> DeviceArray:
    """CuPy array that shares the memory of a tensor of another library."""
    if isinstance(array, cupy.ndarray):
        return array
    if type(array).__module__.partition(".")[0] == "torch":
        array = array.detach()  # DLPack refuses tensors with a gradient
    try:
        return cupy.from_dlpack(array)
    except (TypeError, ValueError, RuntimeError, BufferError):
        raise InvalidInput(
            f"{type(array).__name__} on a device must hold real numbers that CuPy knows: convert "
            "it to single or double precision."
        ) from None


def triples(
    ratings: DeviceMatrix | DeviceArray,
) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
    """Rows, columns and values of ratings, which are a sparse matrix or three arrays.

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
    return _on_device(rows), _on_device(columns), _on_device(values)


def _on_device(part: AnyArray | list[object] | DeviceArray) -> DeviceArray:
    """Array on the current device, from a NumPy array, a list or a tensor."""
    if isinstance(part, np.ndarray | list):
        return cupy.asarray(part)
    part = _as_cupy(part)
    _check_device("ratings", part)
    return part


def as_map(name: str, matrix: DeviceArray | DeviceMatrix) -> DeviceMap:
    """Matrix as a linear map on its device; InvalidInput unless its entries are finite."""
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


def _sparse(name: str, matrix: DeviceMatrix) -> DeviceSparse:
    """Sparse matrix as a linear map, with duplicate entries added up."""
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


def _check_shape(name: str, matrix: DeviceArray | DeviceMatrix) -> None:
    """Raise InvalidInput unless the array is a non-empty matrix."""
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InvalidInput(
            f"{name} must be a non-empty matrix (rows are observations), "
            f"got an array of shape {tuple(matrix.shape)}."
        )


def _check_device(name: str, matrix: DeviceArray) -> None:
    """Raise InvalidInput unless the array is on the current device, where kernels start."""
    current = cupy.cuda.Device().id
    if matrix.device.id != current:
        raise InvalidInput(
            f"{name} is on device {matrix.device.id}, but the current one is {current}: move it, "
            f"or work under `with cupy.cuda.Device({matrix.device.id})`."
        )


def _check_finite(name: str, found: DeviceMap, entries: DeviceArray) -> None:
    """Raise InvalidInput unless all entries are finite, as they are if their norm is."""
    if not (math.isfinite(found.norm) or bool(cupy.isfinite(entries).all())):
        raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
