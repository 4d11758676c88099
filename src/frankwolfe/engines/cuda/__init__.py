"""Data on a GPU: CuPy arrays and sparse matrices, and tensors that are handed over by DLPack.

The only room that names CuPy, which is loaded when data on a device are first met.
"""

from __future__ import annotations

from typing import Any

from frankwolfe.base.errors import MissingExtra

__all__ = ["as_cells", "as_map", "here", "lazy", "like", "pose", "takes", "triples"]

lazy = False  # arrays are there


def takes(array: Any) -> bool:
    """Whether the array is on a device; CPU tensors of other libraries are not."""
    package = type(array).__module__.partition(".")[0]
    if package == "torch":
        return bool(getattr(array, "is_cuda", False))
    if package in ("jax", "jaxlib"):
        devices = getattr(array, "devices", None)
        return devices is not None and any(each.platform in ("gpu", "cuda") for each in devices())
    return True


def pose(kind: type, data: Any, *rest: Any, **options: Any) -> Any:
    """A bare instance: the class is the one for NumPy's data, and its map says where they are."""
    return object.__new__(kind)


def as_map(name: str, matrix: Any) -> Any:
    """The matrix as a linear map on its device, checked."""
    return _intake().as_map(name, matrix)


def triples(ratings: Any) -> tuple[Any, Any, Any]:
    """Rows, columns and values of ratings, on the device."""
    return _intake().triples(ratings)  # type: ignore[no-any-return]


def as_cells(rows: Any, columns: Any, shape: tuple[int, int], dtype: Any) -> tuple[Any, Any]:
    """The cells on the device, and the permutation that sorts them by row (None where sorted)."""
    from frankwolfe.engines.cuda.cells import as_cells

    return as_cells(rows, columns, shape, dtype)


def here(array: Any) -> Any:
    """The array as NumPy's."""
    return _intake().here(array)


def like(sample: Any, array: Any) -> Any:
    """A NumPy array on the device, as a new one."""
    return _intake().like(array)


def _intake() -> Any:
    try:
        from frankwolfe.engines.cuda import intake
    except ImportError:
        raise MissingExtra("Data on a GPU", "cupy", "gpu") from None
    return intake
