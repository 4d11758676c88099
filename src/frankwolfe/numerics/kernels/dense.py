"""A few columns of a dense matrix, without a copy of them and without threads."""

from __future__ import annotations

from numba import njit

__all__ = ["column_products", "columns"]


@njit(cache=True, error_model="numpy")
def columns(a, places, values, out):  # type: ignore[no-untyped-def]
    """out = the sum of `values` times columns `places` of A, A with contiguous rows."""
    for i in range(out.size):
        total = 0.0
        for c in range(places.size):
            total += a[i, places[c]] * values[c]
        out[i] = total


@njit(cache=True, error_model="numpy")
def column_products(a, places, y, out):  # type: ignore[no-untyped-def]
    """out = <column, y> for each of columns `places` of A, A with contiguous rows."""
    for c in range(places.size):
        out[c] = 0.0
    for i in range(y.size):
        row, scale = a[i], y[i]
        for c in range(places.size):
            out[c] += scale * row[places[c]]
