"""Engine for data on a GPU: CuPy arrays and sparse matrices, and tensors by way of DLPack.

The only room that names CuPy, which is loaded when data on a device are first met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from frankwolfe.base.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from numpy.typing import DTypeLike

    from frankwolfe.base.arrays import AnyArray, Matrix
    from frankwolfe.engines.cuda.cells import DeviceCells
    from frankwolfe.engines.maps import DeviceArray, DeviceMap, DeviceMatrix

__all__ = ["as_cells", "as_map", "class_for", "lazy", "like", "takes", "to_host", "triples"]

T = TypeVar("T")

lazy = False  # arrays exist, unlike the blocks of a Dask collection


def takes(array: object) -> bool:
    """True if the array is on a device; tensors of other libraries may be on the CPU."""
    package = type(array).__module__.partition(".")[0]
    if package == "torch":
        return bool(getattr(array, "is_cuda", False))
    if package in ("jax", "jaxlib"):
        devices = getattr(array, "devices", None)
        return devices is not None and any(each.platform in ("gpu", "cuda") for each in devices())
    return True


def class_for(kind: type[T]) -> type[T]:
    """Class `kind` itself: that for NumPy's data serves, its map says where they are."""
    return kind


def as_map(name: str, matrix: DeviceArray | DeviceMatrix) -> DeviceMap:
    """Checked matrix as a linear map on its device."""
    found: DeviceMap = _intake().as_map(name, matrix)
    return found


def triples(
    ratings: DeviceMatrix | Sequence[DeviceArray],
) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
    """Rows, columns and values of ratings, on the device."""
    rows, columns, values = _intake().triples(ratings)
    return rows, columns, values


def as_cells(
    rows: DeviceArray, columns: DeviceArray, shape: tuple[int, int], dtype: DTypeLike
) -> tuple[DeviceCells, DeviceArray | None]:
    """Observed cells on the device, and the permutation that sorts them by row, if needed."""
    from frankwolfe.engines.cuda.cells import as_cells

    return as_cells(rows, columns, shape, dtype)


def to_host(array: DeviceArray | DeviceMatrix) -> AnyArray | Matrix:
    """Copy of an array or sparse matrix in this process's memory."""
    return _intake().to_host(array)


def like(sample: object, array: AnyArray) -> DeviceArray:
    """New copy of a NumPy array on the device."""
    return _intake().like(array)


def _intake() -> ModuleType:
    """Module that takes data in, and with it CuPy; MissingExtra if that is not installed."""
    try:
        from frankwolfe.engines.cuda import intake
    except ImportError:
        raise MissingExtra("Data on a GPU", "cupy", "gpu") from None
    return intake
