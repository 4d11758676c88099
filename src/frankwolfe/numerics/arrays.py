"""Names for the array types used in signatures."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Indices", "Matrix", "Shape"]

Array: TypeAlias = NDArray[np.floating[Any]]
"""A float32 or float64 array."""

Indices: TypeAlias = NDArray[np.integer[Any]]
"""Places in a vector."""

Matrix: TypeAlias = Any
"""A dense array or a scipy sparse matrix."""

Shape: TypeAlias = int | tuple[int, int]
"""Shape of a variable: a vector's length, or a matrix's rows and columns."""
