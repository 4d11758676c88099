"""A few rows or columns of a matrix, without a copy of them and without threads."""

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
def dense(a, rows, x, out):  # type: ignore[no-untyped-def]
    """out = <row, x> for each of `rows` of a dense A."""
    for c in range(rows.size):
        i = rows[c]
        total = 0.0
        for j in range(x.size):
            total += a[i, j] * x[j]
        out[c] = total


@njit(cache=True, nogil=True, error_model="numpy")
def add_dense(a, rows, values, out):  # type: ignore[no-untyped-def]
    """out += the sum of `values` times `rows` of a dense A."""
    for c in range(rows.size):
        i, scale = rows[c], values[c]
        for j in range(out.size):
            out[j] += scale * a[i, j]


@njit(cache=True, nogil=True, error_model="numpy")
def sparse(indptr, indices, data, rows, x, out):  # type: ignore[no-untyped-def]
    """out = <row, x> for each of `rows` of A in compressed rows."""
    for c in range(rows.size):
        i = rows[c]
        total = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            total += data[j] * x[indices[j]]
        out[c] = total


@njit(cache=True, nogil=True, error_model="numpy")
def add_sparse(indptr, indices, data, rows, values, out):  # type: ignore[no-untyped-def]
    """out += the sum of `values` times `rows` of A in compressed rows."""
    for c in range(rows.size):
        i, scale = rows[c], values[c]
        for j in range(indptr[i], indptr[i + 1]):
            out[indices[j]] += scale * data[j]


@njit(cache=True, nogil=True, error_model="numpy")
def draw(order, uniform):  # type: ignore[no-untyped-def]
    """Bring a random subset to the front of `order`, by as many numbers in [0, 1).

    The first steps of a shuffle: every subset of that size is as likely, however the
    entries stood before.
    """
    for i in range(uniform.size):
        j = i + int(uniform[i] * (order.size - i))
        order[i], order[j] = order[j], order[i]


@njit(cache=True, nogil=True, error_model="numpy")
def dense_columns(a, places, values, out):  # type: ignore[no-untyped-def]
    """out = the sum of `values` times columns `places` of A, A with contiguous rows."""
    for i in range(out.size):
        total = 0.0
        for c in range(places.size):
            total += a[i, places[c]] * values[c]
        out[i] = total


@njit(cache=True, nogil=True, error_model="numpy")
def dense_column_products(a, places, y, out):  # type: ignore[no-untyped-def]
    """out = <column, y> for each of columns `places` of A, A with contiguous rows."""
    for c in range(places.size):
        out[c] = 0.0
    for i in range(y.size):
        row, scale = a[i], y[i]
        for c in range(places.size):
            out[c] += scale * row[places[c]]
