"""Products with a few rows or columns of a matrix, without a copy of them and without threads."""

from __future__ import annotations

from numba import njit

__all__ = [
    "add_dense",
    "add_sparse",
    "dense",
    "dense_column_products",
    "dense_columns",
    "draw",
    "sparse",
]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def dense(a, rows, x, out):
    """out_c = <row rows[c] of A, x>, A dense."""
    for c in range(rows.size):
        i = rows[c]
        total = 0.0
        for j in range(x.size):
            total += a[i, j] * x[j]
        out[c] = total


@njit(cache=True, nogil=True, error_model="numpy")
def add_dense(a, rows, values, out):
    """out += sum of values_c times row rows[c] of A, A dense."""
    for c in range(rows.size):
        i, scale = rows[c], values[c]
        for j in range(out.size):
            out[j] += scale * a[i, j]


@njit(cache=True, nogil=True, error_model="numpy")
def sparse(indptr, indices, data, rows, x, out):
    """out_c = <row rows[c] of A, x>, A in compressed rows."""
    for c in range(rows.size):
        i = rows[c]
        total = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            total += data[j] * x[indices[j]]
        out[c] = total


@njit(cache=True, nogil=True, error_model="numpy")
def add_sparse(indptr, indices, data, rows, values, out):
    """out += sum of values_c times row rows[c] of A, A in compressed rows."""
    for c in range(rows.size):
        i, scale = rows[c], values[c]
        for j in range(indptr[i], indptr[i + 1]):
            out[indices[j]] += scale * data[j]


@njit(cache=True, nogil=True, error_model="numpy")
def draw(order, uniform):
    """Bring a random subset of uniform.size entries to the front of `order` (Fisher and Yates).

    `uniform` has numbers in [0, 1). Every subset of that size is equally likely, however the
    entries stood before.
    """
    for i in range(uniform.size):
        j = i + int(uniform[i] * (order.size - i))
        order[i], order[j] = order[j], order[i]


@njit(cache=True, nogil=True, error_model="numpy")
def dense_columns(a, places, values, out):
    """out = sum of values_c times column places[c] of A, A with contiguous rows."""
    for i in range(out.size):
        total = 0.0
        for c in range(places.size):
            total += a[i, places[c]] * values[c]
        out[i] = total


@njit(cache=True, nogil=True, error_model="numpy")
def dense_column_products(a, places, y, out):
    """out_c = <column places[c] of A, y>, A with contiguous rows."""
    for c in range(places.size):
        out[c] = 0.0
    for i in range(y.size):
        row, scale = a[i], y[i]
        for c in range(places.size):
            out[c] += scale * row[places[c]]
