"""Products with a matrix in compressed rows; float32 values and int32 indices are kept."""

from __future__ import annotations

from numba import njit

__all__ = ["column", "columns", "product", "transposed_product"]


@njit(cache=True, error_model="numpy")
def product(indptr, indices, data, x, out):  # type: ignore[no-untyped-def]
    """out = A x, A in compressed rows."""
    for i in range(out.size):
        total = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            total += data[j] * x[indices[j]]
        out[i] = total


@njit(cache=True, error_model="numpy")
def transposed_product(indptr, indices, data, y, out):  # type: ignore[no-untyped-def]
    """out = A' y, A in compressed rows."""
    for j in range(out.size):
        out[j] = 0.0
    for i in range(y.size):
        scale = y[i]
        for j in range(indptr[i], indptr[i + 1]):
            out[indices[j]] += scale * data[j]


@njit(cache=True, error_model="numpy")
def column(indptr, indices, data, j, scale, out):  # type: ignore[no-untyped-def]
    """out = scale times column j of A, A in compressed columns."""
    for i in range(out.size):
        out[i] = 0.0
    for k in range(indptr[j], indptr[j + 1]):
        out[indices[k]] = scale * data[k]


@njit(cache=True, error_model="numpy")
def columns(indptr, indices, data, places, values, out):  # type: ignore[no-untyped-def]
    """out = the sum of `values` times columns `places` of A, A in compressed columns."""
    for i in range(out.size):
        out[i] = 0.0
    for c in range(places.size):
        j, scale = places[c], values[c]
        for k in range(indptr[j], indptr[j + 1]):
            out[indices[k]] += scale * data[k]
