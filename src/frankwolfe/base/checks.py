"""Checks of what the caller passes, done before any work starts."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.blas import one_thread
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import here
from frankwolfe.base.kernels import LONG, for_length

__all__ = [
    "all_finite",
    "as_float_array",
    "at_least_one",
    "finite_vector",
    "frobenius",
    "is_sparse",
    "number",
    "power",
    "quiet",
    "unmasked",
]


REAL = "fiubO"  # kinds of arrays that are taken for numbers
TINY = {4: 2.0**-126, 8: 2.0**-1022}  # the least normal number, by the size of a type
WOKEN = 10_000  # entries of a product from which on OpenBLAS uses threads
TEXT_OR_TIME = (str, bytes, np.datetime64, np.timedelta64)


def is_sparse(value: Any) -> bool:
    """Whether `value` is a scipy sparse matrix or array, without importing scipy."""
    return hasattr(type(value), "tocsr") and hasattr(type(value), "nnz")  # a broken one counts


def as_float_array(name: str, value: Any) -> Array:
    """`value` as a float32 or float64 array; other numbers become float64."""
    unmasked(name, value)
    try:
        array = np.asarray(here(value))
        if array.dtype.kind not in REAL or (array.dtype.kind == "O" and _not_numbers(array)):
            raise TypeError
        if array.dtype not in (np.float32, np.float64):
            with quiet():  # of a longer type: what becomes infinite is told elsewhere
                array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(
            f"{name} must be an array of real numbers, got {type(value).__name__} "
            "that does not convert to one."
        ) from None
    return array


def unmasked(name: str, value: Any) -> None:
    """Raise where entries are masked, which would count as if they were not."""
    if np.ma.is_masked(value):
        raise InvalidInput(f"{name} must not have masked entries: fill or drop them first.")


def _not_numbers(array: Any) -> bool:
    """Whether an array of objects holds text or times, which would be read as numbers."""
    return any(isinstance(entry, TEXT_OR_TIME) for entry in array.flat)


def quiet() -> AbstractContextManager[Any]:
    """Within it NumPy says nothing of overflow: what is not finite is looked for and told."""
    return np.errstate(all="ignore")


def all_finite(array: Array) -> bool:
    """Whether every entry is finite, without a temporary unless the plain sum overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(array.sum()) or bool(np.isfinite(array).all())


def frobenius(array: Array) -> float:
    """The root of the sum of squares: one pass, and a second where that over- or underflows."""
    flat = array.ravel(order="K")
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        square = _square(flat)
        if TINY[array.itemsize] < square < math.inf or not flat.size:
            return math.sqrt(square)
        largest = float(np.abs(flat).max())
        if not 0.0 < largest < math.inf:
            return largest
        return largest * float(np.linalg.norm((flat / largest).astype(np.float64)))


def power(size: float) -> float:
    """The power of two next below a size, by which numbers are divided without rounding.

    Examples
    --------
    >>> from frankwolfe.base.checks import power
    >>> power(5.0), power(0.0), power(1e-300) <= 1e-300 < 2.0 * power(1e-300)
    (4.0, 1.0, True)
    """
    return math.ldexp(1.0, math.frexp(size)[1] - 1) if 0.0 < size < math.inf else 1.0


def _square(flat: Array) -> float:
    """The sum of squares, without BLAS's threads: they would go on spinning beside our loops."""
    if flat.size < WOKEN:
        return float(flat.dot(flat))
    if flat.size >= LONG:
        return float(for_length(flat.size).dot(flat, flat))
    with one_thread():
        return float(flat.dot(flat))


def finite_vector(name: str, value: Any, length: int | None = None) -> Array:
    """`value` as a finite float vector, of `length` entries where that is known."""
    array = as_float_array(name, value)
    if array.ndim != 1 or array.size == 0:
        raise InvalidInput(
            f"{name} must be a non-empty vector, got an array of shape {array.shape}."
        )
    if length is not None and array.size != length:
        raise InvalidInput(f"{name} must have {length} entries, got {array.size}.")
    if not all_finite(array):
        raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
    return array


def number(
    name: str,
    value: Any,
    *,
    above: float = -math.inf,
    low: float = -math.inf,
    high: float = math.inf,
    infinite: bool = False,
) -> float:
    """`value` as a float with `above < value`, `low <= value <= high`, finite by default."""
    bounds = []
    if above > -math.inf:
        bounds.append(f"> {above:g}")
    if low > -math.inf:
        bounds.append(f">= {low:g}")
    if high < math.inf:
        bounds.append(f"<= {high:g}")
    wanted = "a number" if infinite else "a finite number"
    wanted += " " + " and ".join(bounds) if bounds else ""
    try:
        if isinstance(value, TEXT_OR_TIME) or value is np.ma.masked or np.ndim(value):
            raise TypeError
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{name} must be {wanted}, got {str(value)[:40]!r}.") from None
    fine = result > above or above == -math.inf
    fine = fine and low <= result <= high and (infinite or math.isfinite(result))
    if not fine or math.isnan(result):
        raise InvalidInput(f"{name} must be {wanted}, got {result:g}.")
    return result


def at_least_one(name: str, value: Any) -> int:
    """`value` as a positive integer."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidInput(f"{name} must be a whole number >= 1, got {value!r}.")
    return int(value)
