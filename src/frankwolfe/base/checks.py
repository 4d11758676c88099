"""Checks of what the caller passes, done before any work starts."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array
from frankwolfe.base.blas import one_thread
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.foreign import to_host
from frankwolfe.base.kernels import MIN_CHUNKED_LENGTH, for_length

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


REAL_KINDS = "fiubO"  # dtype.kind of arrays of numbers; O for fractions and the like
SMALLEST_NORMAL = {4: 2.0**-126, 8: 2.0**-1022}  # by bytes of a type: below, squares lose digits
MIN_THREADED_DOT = 10_000  # entries: from here on OpenBLAS wakes its threads for a dot product
TEXT_OR_TIME = (str, bytes, np.datetime64, np.timedelta64)


def is_sparse(value: object) -> bool:
    """True if `value` is a scipy sparse matrix or array; scipy is not imported."""
    return hasattr(type(value), "tocsr") and hasattr(
        type(value), "nnz"
    )  # of the type: a broken one raises


def as_float_array(name: str, value: object) -> Array:
    """Convert `value` to a float32 or float64 array; other numbers become float64."""
    unmasked(name, value)
    try:
        array = np.asarray(to_host(value))
        if array.dtype.kind not in REAL_KINDS or (array.dtype.kind == "O" and _not_numbers(array)):
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


def unmasked(name: str, value: object) -> None:
    """Raise an error if entries are masked: NumPy would compute with what is below the mask."""
    if np.ma.is_masked(value):
        raise InvalidInput(f"{name} must not have masked entries: fill or drop them first.")


def _not_numbers(array: AnyArray) -> bool:
    """True if an array of objects holds text or times, which NumPy would read as numbers."""
    return any(isinstance(entry, TEXT_OR_TIME) for entry in array.flat)


def quiet() -> AbstractContextManager[object]:
    """Context without NumPy's warnings of overflow: the callers look for what is not finite."""
    return np.errstate(all="ignore")


def all_finite(array: Array) -> bool:
    """True if every entry is finite; without a temporary array unless the plain sum overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(array.sum()) or bool(np.isfinite(array).all())


def frobenius(array: Array) -> float:
    """Frobenius norm in one pass; with a second, scaled one where squares over- or underflow."""
    flat = array.ravel(order="K")
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        square = _square(flat)
        if SMALLEST_NORMAL[array.itemsize] < square < math.inf or not flat.size:
            return math.sqrt(square)
        largest = float(np.abs(flat).max())
        if not 0.0 < largest < math.inf:
            return largest
        return largest * float(np.linalg.norm((flat / largest).astype(np.float64)))


def power(size: float) -> float:
    """Largest power of two not above `size`, by which numbers are divided without rounding.

    Examples
    --------
    >>> from frankwolfe.base.checks import power
    >>> power(5.0), power(0.0), power(1e-300) <= 1e-300 < 2.0 * power(1e-300)
    (4.0, 1.0, True)
    """
    return math.ldexp(1.0, math.frexp(size)[1] - 1) if 0.0 < size < math.inf else 1.0


def _square(flat: Array) -> float:
    """Sum of squares without BLAS's threads, which would go on spinning beside our loops."""
    if flat.size < MIN_THREADED_DOT:
        return float(flat.dot(flat))
    if flat.size >= MIN_CHUNKED_LENGTH:
        return float(for_length(flat.size).dot(flat, flat))
    with one_thread():
        return float(flat.dot(flat))


def finite_vector(name: str, value: object, length: int | None = None) -> Array:
    """Convert `value` to a finite float vector, of `length` entries if given."""
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
    """Convert `value` to a float with `above < value` and `low <= value <= high`.

    It must be finite unless `infinite`.
    """
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


def at_least_one(name: str, value: object) -> int:
    """Convert `value` to an int after checking that it is a whole number >= 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidInput(f"{name} must be a whole number >= 1, got {value!r}.")
    return int(value)
