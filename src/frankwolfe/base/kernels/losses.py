r"""Separable losses :math:`\varphi(z) = \sum_i w_i \ell(z_i, b_i)` and their derivatives.

The same loops serve every loss: the pointwise part is chosen by an integer code that does
not change inside the loop, so the compiler makes one vector loop for each loss.
A new loss is one branch in `pointwise` and one line in `frankwolfe.base.kernels.terms`.
"""

from __future__ import annotations

from numba import njit

from frankwolfe.base.kernels.elementary import exp_negative, log1p_inverse
from frankwolfe.base.kernels.terms import LOGISTIC, SQUARED

__all__ = [
    "along",
    "curvature",
    "linearize",
    "shifted",
    "slopes",
    "value",
]

REASSOCIATE = {"reassoc", "contract", "nsz"}  # vector sums, but NaN and infinity still seen


@njit(inline="always")
def threshold(delta, c):
    """Threshold of the Huber loss on the side of c: one number for both, or (below, above).

    The type of `delta` is known when the loop is compiled, so that one number costs nothing.
    """
    if isinstance(delta, tuple):
        return delta[1] if c > 0.0 else delta[0]
    return delta


@njit(inline="always")
def pointwise(loss, delta, z, b):
    """Value, first and second derivative of one term l(z, b) in z."""
    if loss == LOGISTIC:  # log(1 + exp(-b z)), b = +1 or -1
        t = -b * z
        e = exp_negative(-abs(t))
        logarithm, inverse = log1p_inverse(e)
        positive = t if t > 0.0 else 0.0
        sigmoid = inverse if t > 0.0 else e * inverse
        return positive + logarithm, -b * sigmoid, e * inverse * inverse
    c = z - b
    if loss == SQUARED:
        return 0.5 * c * c, c, 1.0
    # Huber, the paper's scaling: c^2 inside, 2 delta |c| - delta^2 outside
    size, turn = abs(c), threshold(delta, c)
    inside = size <= turn
    v = c * c if inside else turn * (2.0 * size - turn)
    sign = 1.0 if c > 0.0 else -1.0
    return v, (2.0 * c if inside else 2.0 * turn * sign), (2.0 if inside else 0.0)


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def value(loss, delta, z, b, w):
    """Loss phi(z); `w` has one weight for all terms, or one for each."""
    same = w.size == 1
    total = 0.0
    for i in range(z.size):
        v, _, _ = pointwise(loss, delta, z[i], b[i])
        total += (w[0] if same else w[i]) * v
    return total


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def linearize(loss, delta, z, b, w, slope):
    """Write phi'(z) into `slope`; return phi(z) and <phi'(z), z>.

    A loop for one weight and a loop for many. In a loop for both the compiler takes `w` to be as
    long as z and tests whether it overlaps `slope`; where one weight lies just before `slope` in
    memory it then takes the loop without vectors, whose sums differ in their last digit.
    """
    total = inner = 0.0
    if w.size == 1:
        weight = w[0]
        for i in range(z.size):
            v, d, _ = pointwise(loss, delta, z[i], b[i])
            d *= weight
            slope[i] = d
            total += weight * v
            inner += d * z[i]
    else:
        for i in range(z.size):
            v, d, _ = pointwise(loss, delta, z[i], b[i])
            d *= w[i]
            slope[i] = d
            total += w[i] * v
            inner += d * z[i]
    return total, inner


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def curvature(loss, delta, z, b, w, out):
    """out_i = second derivative of term i."""
    same = w.size == 1
    for i in range(z.size):
        _, _, h = pointwise(loss, delta, z[i], b[i])
        out[i] = (w[0] if same else w[i]) * h


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def along(loss, delta, z, dz, t, b, w):
    """phi, phi' and phi'' of t -> phi(z + t dz)."""
    same = w.size == 1
    total = first = second = 0.0
    for i in range(z.size):
        v, d, h = pointwise(loss, delta, z[i] + t * dz[i], b[i])
        weight = w[0] if same else w[i]
        total += weight * v
        first += weight * d * dz[i]
        second += weight * h * dz[i] * dz[i]
    return total, first, second


@njit(cache=True, nogil=True, fastmath=REASSOCIATE, error_model="numpy")
def shifted(loss, delta, z, dz, t, c, b, w):
    """phi, phi', phi'' of t -> phi(z + t dz + c); sums of phi'_i, |phi'_i|, phi''_i, phi''_i dz_i.

    An empty dz stands for zero.
    """
    same, still = w.size == 1, dz.size == 0
    total, first, second = 0.0, 0.0, 0.0
    slopes, sizes, curvature, cross = 0.0, 0.0, 0.0, 0.0
    for i in range(z.size):
        change = 0.0 if still else dz[i]
        v, d, h = pointwise(loss, delta, (z[i] + t * change) + c, b[i])
        weight = w[0] if same else w[i]
        total += weight * v
        first += weight * d * change
        second += weight * h * change * change
        slopes += weight * d
        sizes += weight * abs(d)
        curvature += weight * h
        cross += weight * h * change
    return total, first, second, slopes, sizes, curvature, cross


@njit(cache=True, nogil=True, error_model="numpy")
def slopes(loss, delta, z, terms, b, w, factor, out):
    """out_c = factor phi'_i(z_c) for i = terms[c]; `z` has the entries of these terms alone."""
    same = w.size == 1
    for c in range(terms.size):
        i = terms[c]
        _, d, _ = pointwise(loss, delta, z[c], b[i])
        out[c] = factor * (w[0] if same else w[i]) * d
