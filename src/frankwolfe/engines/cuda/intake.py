"""What the caller passes: checked, and taken in as it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from frankwolfe.numerics.arrays import Array

__all__ = ["as_map", "here", "takes"]


def takes(array: Any) -> bool:
    """Whether the array is on a device; CPU tensors of other libraries are not."""
    package = type(array).__module__.partition(".")[0]
    if package == "torch":
        return bool(getattr(array, "is_cuda", False))
    if package in ("jax", "jaxlib"):
        devices = getattr(array, "devices", None)
        return devices is not None and any(d.platform in ("gpu", "cuda") for d in devices())
    return True


def here(array: Any) -> Array:
    """The array as NumPy's."""
    import cupy

    return np.asarray(cupy.asnumpy(_as_cupy(array)))


def _as_cupy(array: Any) -> Any:
    """A tensor of another library as CuPy's, without a copy."""
    import cupy

    if isinstance(array, cupy.ndarray):
        return array
    package = type(array).__module__.partition(".")[0]
    if package == "torch":
        array = array.detach()
    return cupy.from_dlpack(array)


def as_map(name: str, matrix: Any) -> Any:
    """The matrix as a linear map on its device, checked."""
    raise NotImplementedError
