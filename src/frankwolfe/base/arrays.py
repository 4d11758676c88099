"""Names for the array types used in signatures."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "AnyArray",
    "Array",
    "Dtype",
    "Flags",
    "FloatType",
    "Floats",
    "Gradient",
    "Image",
    "Indices",
    "Ints",
    "Matrix",
    "Point",
    "Shape",
    "TableLike",
    "Variable",
]

FloatType: TypeAlias = np.floating[Any]
"""The type of one number: float32 or float64."""

Array: TypeAlias = NDArray[FloatType]
"""A float32 or float64 array."""

Floats: TypeAlias = NDArray[np.float64]
"""A float64 array."""

Ints: TypeAlias = NDArray[np.int64]
"""An int64 array."""

Indices: TypeAlias = NDArray[np.integer[Any]]
"""Places in a vector."""

Flags: TypeAlias = NDArray[np.bool_]
"""An array of truth values."""

AnyArray: TypeAlias = NDArray[Any]
"""A NumPy array of any element type."""

Dtype: TypeAlias = np.dtype[Any]
"""The type of an array's elements."""

Matrix: TypeAlias = Any
"""A dense array or a scipy sparse matrix: SciPy ships no types."""

Shape: TypeAlias = int | tuple[int, int]
"""Shape of a variable: a vector's length, or a matrix's rows and columns."""

Variable: TypeAlias = Any
"""The n of a problem where a vector's length and a matrix's shape are both allowed (`Shape`)."""

Point: TypeAlias = Any
"""A point x: a vector (`Array`), or a matrix kept as its factors (`FactoredMatrix`)."""

Gradient: TypeAlias = Any
"""A gradient in x: a vector (`Array`), or a matrix known by its products (`MatrixGradient`)."""

Image: TypeAlias = Any
"""An image z = Ax, wherever the objective keeps it: NumPy's array, a GPU's, or a cluster's name."""

TableLike: TypeAlias = Any
"""Observations as scikit-learn takes them: array, data frame, sparse matrix, Dask collection."""
