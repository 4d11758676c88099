"""Decimal numbers in text, rounded correctly.

Up to 15 digits and small exponents are one exact product or quotient (Clinger, 1990); up to 19
digits go through a 128-bit product with a power of five (Lemire, *Number parsing at a gigabyte
per second*, 2021). Where neither decides, the caller is told and asks somebody slower.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = ["number"]

SMALLEST, LARGEST = -300, 280  # powers of ten in the table; no result is subnormal or infinite
EXACT = np.array([10.0**k for k in range(23)])


def _powers_of_five() -> tuple[np.ndarray, np.ndarray]:
    """The leading 128 bits of 5^q, in halves; rounded up where q < 0, down elsewhere."""
    halves = []
    for q in range(SMALLEST, LARGEST + 1):
        power = 5 ** abs(q)
        length = power.bit_length()
        if q >= 0:
            bits = power << (128 - length) if length <= 128 else power >> (length - 128)
        elif q >= -27:
            bits = (1 << length + 127) // power + 1
        else:
            bits = (1 << 2 * length + 128) // power + 1
            bits >>= bits.bit_length() - 128
        halves.append((bits >> 64, bits & (1 << 64) - 1))
    return (
        np.array([high for high, _ in halves], dtype=np.uint64),
        np.array([low for _, low in halves], dtype=np.uint64),
    )


HIGH, LOW = _powers_of_five()
HALF = np.uint64(0xFFFFFFFF)
ONE, TEN, THIRTY_TWO = np.uint64(1), np.uint64(10), np.uint64(32)
DOUBTFUL = np.uint64(0x1FF)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
TWO_53 = np.uint64(1 << 53)


@njit(cache=True, error_model="numpy")
def _multiply(a, b):  # type: ignore[no-untyped-def]
    """The two halves of a 128-bit product."""
    a1, a0 = a >> THIRTY_TWO, a & HALF
    b1, b0 = b >> THIRTY_TWO, b & HALF
    low = a0 * b0
    middle = a1 * b0 + (low >> THIRTY_TWO)
    other = a0 * b1 + (middle & HALF)
    high = a1 * b1 + (middle >> THIRTY_TWO) + (other >> THIRTY_TWO)
    return high, (other << THIRTY_TWO) | (low & HALF)


@njit(cache=True, error_model="numpy")
def _wide(mantissa, q):  # type: ignore[no-untyped-def]
    """mantissa times 10^q, rounded to the nearest double, and whether that is sure."""
    if q < SMALLEST or q > LARGEST:
        return 0.0, False
    zeros = 0
    while not mantissa >> np.uint64(63):
        mantissa <<= ONE
        zeros += 1
    high, low = _multiply(mantissa, HIGH[q - SMALLEST])
    if high & DOUBTFUL == DOUBTFUL:
        more, _ = _multiply(mantissa, LOW[q - SMALLEST])
        low += more
        if low < more:
            high += ONE
    if low == ALL and (q < -27 or q > 55):
        return 0.0, False
    top = high >> np.uint64(63)
    shift = top + np.uint64(9)
    kept = high >> shift  # 54 bits: one more than a double has
    if low <= ONE and -4 <= q <= 23 and kept & np.uint64(3) == ONE and (kept << shift) == high:
        kept &= ~ONE  # exactly half way: to even
    kept = (kept + (kept & ONE)) >> ONE
    exponent = ((217706 * q) >> 16) + 63 + np.int64(top) - zeros
    return math.ldexp(np.float64(kept), exponent - 52), True


@njit(cache=True, error_model="numpy")
def _scaled(mantissa, scale):  # type: ignore[no-untyped-def]
    """mantissa times 10^scale, and whether that is sure to be rounded correctly."""
    if mantissa <= TWO_53 and -22 <= scale <= 22:
        whole = np.float64(mantissa)
        return (whole * EXACT[scale] if scale >= 0 else whole / EXACT[-scale]), True
    if mantissa == np.uint64(0):
        return 0.0, True
    return _wide(mantissa, scale)


@njit(cache=True, error_model="numpy")
def _digits(data, at, mantissa):  # type: ignore[no-untyped-def]
    """The digits from `at` on after those of `mantissa`, where they end, how many count."""
    if mantissa == np.uint64(0):
        while data[np.uintp(at)] == 48:
            at += 1
    first = at
    while 48 <= data[np.uintp(at)] <= 57:
        mantissa = mantissa * TEN + np.uint64(data[np.uintp(at)] - 48)
        at += 1
    return mantissa, at, at - first


@njit(cache=True, error_model="numpy")
def _exponent(data, at):  # type: ignore[no-untyped-def]
    """The power of ten after an e, where it ends, and whether there is one."""
    down = data[np.uintp(at)] == 45
    if down or data[np.uintp(at)] == 43:
        at += 1
    first, power = at, 0
    while 48 <= data[np.uintp(at)] <= 57:
        power = power * 10 + (data[np.uintp(at)] - 48) if power < 1000 else power
        at += 1
    return (-power if down else power), at, at > first


@njit(cache=True, error_model="numpy")
def number(data, at):  # type: ignore[no-untyped-def]
    """The number that starts at `at`, where it ends, and whether it is one and exact.

    Something that is no digit must follow within the data.
    """
    negative = data[np.uintp(at)] == 45
    if negative or data[np.uintp(at)] == 43:
        at += 1
    first, scale, seen = at, 0, False
    mantissa, at, digits = _digits(data, at, np.uint64(0))
    seen = at > first
    if data[np.uintp(at)] == 46:
        point = at + 1
        mantissa, at, more = _digits(data, point, mantissa)
        digits += more
        scale = point - at
        seen = seen or at > point
    if seen and (data[np.uintp(at)] == 101 or data[np.uintp(at)] == 69):
        power, at, seen = _exponent(data, at + 1)
        scale += power
    if not seen or digits > 19:
        return 0.0, at, False
    value, sure = _scaled(mantissa, scale)
    return -value if negative else value, at, sure
