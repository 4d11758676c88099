"""Base class of results with attributes that are also items, as scipy's are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base import Array, InvalidInput, all_finite, as_float_array

__all__ = ["ResultRecord", "as_matrix", "finite_matrix"]


class ResultRecord:
    """Base class of frozen dataclasses of results; `result["x"]` is `result.x`."""

    def keys(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return tuple(field.name for field in fields(self))  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __getitem__(self, name: str) -> Any:
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def __repr__(self) -> str:
        shown = [field.name for field in fields(self) if field.repr]  # type: ignore[arg-type]
        width = max(map(len, shown))
        lines = (f"  {name:>{width}}: {_short(getattr(self, name))}" for name in shown)
        return "\n".join([type(self).__name__, *lines])


def _short(value: object) -> str:
    """A value in a line, of an array its first entries."""
    if isinstance(value, float):
        return f"{value:.9g}"
    if not isinstance(value, np.ndarray):
        return str(value)
    start = ", ".join(f"{entry:.4g}" for entry in value.ravel()[:4])
    more = ", ..." if value.size > 4 else ""
    return f"[{start}{more}] (shape {value.shape}, {value.dtype})"


def as_matrix(name: str, value: ArrayLike, row: str) -> Array:
    """`value` as a float matrix with a row for each `row`; it may hold NaN or infinity."""
    array = as_float_array(name, value)
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInput(
            f"{name} must be a matrix with a row for each {row}, "
            f"got an array of shape {array.shape}."
        )
    return array


def finite_matrix(name: str, value: ArrayLike, row: str) -> Array:
    """`value` as a finite float matrix with a row for each `row`."""
    array = as_matrix(name, value, row)
    if not all_finite(array):
        raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
    return array
