"""One pass over A for a step and the next gradient, where the step size is known beforehand.

The image of the atom, the move, the loss and its gradient are done four rows at a time: what
has been read for the first product is still in a cache for the second.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from frankwolfe.base.kernels.losses import REASSOCIATE, pointwise
from frankwolfe.base.kernels.parallel_variants import variant

__all__ = ["BLOCKS", "one_pass"]

BLOCKS = 16  # of rows, each with a gradient; added in order, whatever the number of threads


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def _four(a, first, s, out):
    """out_i = <row i, s> for the four rows from `first` on."""
    r0, r1, r2, r3 = a[first], a[first + 1], a[first + 2], a[first + 3]
    p0 = p1 = p2 = p3 = 0.0
    for j in range(s.size):
        p0 += r0[j] * s[j]
        p1 += r1[j] * s[j]
        p2 += r2[j] * s[j]
        p3 += r3[j] * s[j]
    out[first], out[first + 1], out[first + 2], out[first + 3] = p0, p1, p2, p3


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def _add_four(a, first, slope, out):
    """out += sum of slope_i times row i over the four rows from `first` on."""
    r0, r1, r2, r3 = a[first], a[first + 1], a[first + 2], a[first + 3]
    d0, d1, d2, d3 = slope[first], slope[first + 1], slope[first + 2], slope[first + 3]
    for j in range(out.size):
        out[j] += (d0 * r0[j] + d1 * r1[j]) + (d2 * r2[j] + d3 * r3[j])


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def _rows(a, low, high, s, gamma, now, then, code, delta, b, w, slope, out):
    """One pass over the rows from `low` to `high`; their part of phi and of <phi'(z), z>."""
    same, keep = w.size == 1, 1.0 - gamma
    total, inner = 0.0, 0.0
    for j in range(out.size):
        out[j] = 0.0
    first = low
    while first < high:
        last = min(first + 4, high)
        if last - first == 4:
            _four(a, first, s, then)
        else:
            for i in range(first, last):
                then[i] = (a[i] * s).sum()
        for i in range(first, last):
            z = keep * now[i] + gamma * then[i]
            v, d, _ = pointwise(code, delta, z, b[i])
            weight = w[0] if same else w[i]
            d *= weight
            then[i], slope[i] = z, d
            total += weight * v
            inner += d * z
        if last - first == 4:
            _add_four(a, first, slope, out)
        else:
            for i in range(first, last):
                out += slope[i] * a[i]
        first = last
    return total, inner


@njit(cache=True, nogil=True, error_model="numpy")
def _summed(sums, parts, g):
    """Sums over the blocks, in order; g = sum of their gradients."""
    total, inner = 0.0, 0.0
    for j in range(g.size):
        g[j] = 0.0
    for block in range(BLOCKS):
        total += sums[block, 0]
        inner += sums[block, 1]
        part = parts[block]
        for j in range(g.size):
            g[j] += part[j]
    return total, inner


@njit(cache=True, nogil=True, error_model="numpy")
def _by_turns(a, s, gamma, now, then, code, delta, b, w, slope, g, parts):
    """One pass over all rows, block after block; `_at_once` has the blocks on all threads."""
    m = now.size
    sums = np.zeros((BLOCKS, 2))
    for block in prange(BLOCKS):
        low, high = block * m // BLOCKS, (block + 1) * m // BLOCKS
        sums[block, 0], sums[block, 1] = _rows(
            a, low, high, s, gamma, now, then, code, delta, b, w, slope, parts[block]
        )
    return _summed(sums, parts, g)


_at_once = variant(_by_turns, "parallel", parallel=True)


@njit(cache=True, nogil=True, error_model="numpy")
def one_pass(threads, a, s, gamma, now, then, code, delta, b, w, slope, g, parts):
    """then = (1 - gamma) now + gamma A s, slope = phi'(then), g = A' slope; phi, <slope, then>.

    `parts` is room for the gradient of each block. The bits do not depend on `threads`.
    """
    if threads:
        return _at_once(a, s, gamma, now, then, code, delta, b, w, slope, g, parts)
    return _by_turns(a, s, gamma, now, then, code, delta, b, w, slope, g, parts)
