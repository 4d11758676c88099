"""The products of `sparse` on all threads, for many entries.

The blocks do not depend on the number of threads, and their sums are added in order: the
result is the same bits on one thread and on many.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from frankwolfe.numerics.kernels import sparse

__all__ = ["product", "transposed_product"]

BLOCKS = 64
PARTS = 4  # of the rows, each with a sum of its own in A' y

_product, _transposed = sparse.product, sparse.transposed_product


@njit(cache=True, parallel=True, error_model="numpy")
def product(indptr, indices, data, x, out):  # type: ignore[no-untyped-def]
    """out = A x, A in compressed rows."""
    for block in prange(BLOCKS):
        low, high = block * out.size // BLOCKS, (block + 1) * out.size // BLOCKS
        _product(indptr[low : high + 1], indices, data, x, out[low:high])


@njit(cache=True, parallel=True, error_model="numpy")
def transposed_product(indptr, indices, data, y, out):  # type: ignore[no-untyped-def]
    """out = A' y, A in compressed rows."""
    sums = np.empty((PARTS, out.size), dtype=out.dtype)
    for part in prange(PARTS):
        low, high = part * y.size // PARTS, (part + 1) * y.size // PARTS
        _transposed(indptr[low : high + 1], indices, data, y[low:high], sums[part])
    for block in prange(BLOCKS):
        for j in range(block * out.size // BLOCKS, (block + 1) * out.size // BLOCKS):
            total = sums[0, j]
            for part in range(1, PARTS):
                total += sums[part, j]
            out[j] = total
