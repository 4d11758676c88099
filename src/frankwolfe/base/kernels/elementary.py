"""exp and log1p written as arithmetic, so that the compiler vectorizes the loops around them.

The C library's versions are calls that no compiler can turn into vector code; these are
more than five times faster in a loop, and within 4 units in the last place, also
in loops that may reassociate (`tests/core/test_kernels.py`).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

__all__ = ["exp_negative", "fma", "log1p_inverse", "log1p_inverse_beyond"]

LOG2_E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01  # ln 2 split in two, so that k * LN2_HIGH is exact
LN2_LOW = 1.90821492927058770002e-10
# (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2, and (atanh(s) / s - 1) / s^2 in s^2 for s <= 1/3,
# interpolated at Chebyshev's points: exp to 2e-17, the logarithm to 5e-18, fewer terms than Taylor
E = (
    *(0.5000000000000001, 0.16666666666666669, 0.04166666666662413, 0.008333333333330062),
    *(0.0013888888917213717, 0.00019841269863053618, 2.4801521295954376e-05),
    *(2.7557268459997064e-06, 2.7620088445409746e-07, 2.510038549551032e-08),
)
L = (
    *(0.3333333333333333, 0.20000000000007298, 0.1428571428355253, 0.11111111358900891),
    *(0.09090894708663223, 0.07692785296456121, 0.06657067775440581, 0.06000577591428889),
    *(0.04400158825434387, 0.08082469084735669),
)
MIN_ARGUMENT = -708.0  # exp of it is still a normal number; below, the bits would wrap around


@intrinsic
def _float_from_bits(_context, _bits):
    """The double that has these 64 bits."""

    def codegen(_context, builder, _signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@intrinsic
def _bits(_context, _number):
    """The 64 bits of a double, as a signed integer."""

    def codegen(_context, builder, _signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@intrinsic
def fma(_context, _a, _b, _c):
    """a b + c with one rounding; the loops' licence to reassociate does not reach inside."""

    def codegen(_context, builder, _signature, args):
        return builder.fma(*args)

    return types.float64(types.float64, types.float64, types.float64), codegen


if config.DISABLE_JIT:  # an intrinsic cannot be called by Python: plain functions of the same bits

    def _float_from_bits(bits):
        return np.int64(bits).view(np.float64)

    def _bits(number):
        return np.float64(number).view(np.int64)

    def fma(a, b, c):
        """a b + c with one rounding, by exact rational arithmetic."""
        try:
            exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
            return np.float64(exact) if exact else a * b + c  # a zero has its sign from IEEE
        except (OverflowError, ValueError):  # infinite, or NaN
            return a * b + c


@njit(inline="always")
def exp_negative(x):
    """exp(x) for x <= 0: x = k ln 2 + r, a polynomial in r, then the exponent bits."""
    x = MIN_ARGUMENT if x < MIN_ARGUMENT else x  # NaN stays NaN
    k = np.floor(x * LOG2_E + 0.5)
    r = fma(-k, LN2_LOW, fma(-k, LN2_HIGH, x))
    r2 = r * r  # in pairs, so that few operations wait for one another
    r4 = r2 * r2
    low = (1.0 + r) + (E[0] + r * E[1]) * r2
    middle = (E[2] + r * E[3]) + (E[4] + r * E[5]) * r2
    high = (E[6] + r * E[7]) + (E[8] + r * E[9]) * r2
    p = low + r4 * (middle + r4 * high)
    return p * _float_from_bits((np.int64(k) + 1023) << 52)


if config.DISABLE_JIT:  # NumPy refuses to make NaN an integer, where compiled code goes on
    _exp_of_number = exp_negative

    def exp_negative(x):
        """exp(x) for x <= 0, or NaN."""
        return x if np.isnan(x) else _exp_of_number(x)


@njit(inline="always")
def log1p_inverse(e):
    """log(1 + e) and 1 / (1 + e) for 0 <= e <= 1, with one division.

    The logarithm is 2 atanh(e / (2 + e)), by a polynomial (the argument is at most 1/3).
    """
    above, beyond = 1.0 + e, 2.0 + e
    shared = 1.0 / (above * beyond)
    s = e * above * shared
    q = s * s
    q2 = q * q
    q4 = q2 * q2
    a = (L[0] + q * L[1]) + (L[2] + q * L[3]) * q2
    b = (L[4] + q * L[5]) + (L[6] + q * L[7]) * q2
    rest = q * (a + q4 * (b + q4 * (L[8] + q * L[9])))
    return fma(2.0 * s, rest, 2.0 * s), beyond * shared


@njit(inline="always")
def log1p_inverse_beyond(e):
    """log(1 + e) and 1 / (1 + e) for any e >= 0: 1 + e = 2^k (1 + d) with 0 <= d < 1."""
    above = 1.0 + e
    k = (_bits(above) >> 52) - 1023
    inverse = _float_from_bits((1023 - k) << 52)  # 2^-k
    d = e if k == 0 else above * inverse - 1.0
    log, share = log1p_inverse(d)
    return fma(np.float64(k), LN2_HIGH, log + k * LN2_LOW), inverse * share
