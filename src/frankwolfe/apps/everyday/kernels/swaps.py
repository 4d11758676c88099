"""Local search over permutations by best swaps (2-opt) for quadratic assignment."""

from __future__ import annotations

from numba import njit

__all__ = ["improve"]


@njit(cache=True, nogil=True, error_model="numpy")
def _best(change, C, p, least):
    """Swap (i, j) that lowers the cost most, by more than `least`; (0, 0) where none does."""
    first, second, lowest = 0, 0, -least
    for i in range(p.size):
        for j in range(i + 1, p.size):
            now = change[i, j] + C[i, p[j]] + C[j, p[i]] - C[i, p[i]] - C[j, p[j]]
            if now < lowest:
                first, second, lowest = i, j, now
    return first, second


@njit(cache=True, nogil=True, error_model="numpy")
def _swap(B, p, r, s):
    """Exchange entries r and s of p, and rows and columns of the permuted matrix B."""
    p[r], p[s] = p[s], p[r]
    for k in range(p.size):
        B[r, k], B[s, k] = B[s, k], B[r, k]
    for k in range(p.size):
        B[k, r], B[k, s] = B[k, s], B[k, r]


@njit(cache=True, nogil=True, error_model="numpy")
def _anew(A, B, i, j):
    """Change of the sum of A * B where i and j are exchanged, computed afresh in O(n)."""
    total = (A[i, i] - A[j, j]) * (B[j, j] - B[i, i]) + (A[i, j] - A[j, i]) * (B[j, i] - B[i, j])
    for k in range(A.shape[0]):
        if k not in (i, j):
            total += (A[k, i] - A[k, j]) * (B[k, j] - B[k, i])
            total += (A[i, k] - A[j, k]) * (B[j, k] - B[i, k])
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _update(A, B, change, r, s, u, v, x, y):
    """Update the changes of all swaps after that of r and s, in O(1) each but for r's and s's."""
    n = A.shape[0]
    for i in range(n):
        u[i], v[i] = A[r, i] - A[s, i], B[s, i] - B[r, i]
        x[i], y[i] = A[i, r] - A[i, s], B[i, s] - B[i, r]
    for i in range(n):
        for j in range(i + 1, n):
            change[i, j] += (u[i] - u[j]) * (v[i] - v[j]) + (x[i] - x[j]) * (y[i] - y[j])
    for k in range(n):
        for pair in (r, s):
            i, j = min(k, pair), max(k, pair)
            if i < j:
                change[i, j] = _anew(A, B, i, j)


@njit(cache=True, nogil=True, error_model="numpy")
def improve(A, B, C, p, change, least, most, room):
    """Swap entries of p while that lowers the cost by more than `least`; the number of swaps.

    The cost is the sum of A * B and of C[i, p[i]], where B is permuted by p already, and
    `change` holds above its diagonal what each swap adds to the sum of A * B.
    """
    for count in range(most):
        r, s = _best(change, C, p, least)
        if r == s:
            return count
        _swap(B, p, r, s)
        _update(A, B, change, r, s, room[0], room[1], room[2], room[3])
    return most
