"""An intercept minimized out: the image moved by the best one, as exactly as it is needed.

Any intercept gives a value not below the minimum, so a value found here refutes a bound whether or
not the intercept is the best; that it is nearly the best matters for comparing f with `result.fun`.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from .rational import DIGITS, decimal, fraction

__all__ = ["profiled"]

ZERO = Decimal(0)


def profiled(term: Any, image: list[Any], weights: list[Fraction]) -> list[Any]:
    """The image plus the intercept (for several classes: intercepts) with the least value."""
    name = type(term).__name__
    if name == "Squared":
        total = sum(weights)
        pairs = zip(weights, image, term.exact_targets, strict=True)
        shift = sum((w * (b - z) for w, z, b in pairs), Fraction(0)) / total
        return [z + shift for z in image]
    if name == "Multinomial":
        return _several(term, image, weights)
    shift = _newton(term, image, weights) if name == "Logistic" else _kink(term, image, weights)
    return [z + shift for z in image]


def _kink(term: Any, image: list[Fraction], weights: list[Fraction]) -> Fraction:
    """Where the sum of slopes of parabolas with lines is zero: between two kinks it is a line."""
    rows = [i for i, w in enumerate(weights) if w]
    rest = {i: term.exact_targets[i] - image[i] for i in rows}
    kinks = sorted({rest[i] - term.low for i in rows} | {rest[i] + term.high for i in rows})

    def slope(b: Fraction) -> Fraction:
        inner = (min(max(b - rest[i], -term.low), term.high) * weights[i] for i in rows)
        return sum(inner, Fraction(0))

    low, high = 0, len(kinks) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if slope(kinks[middle]) >= 0 else (middle, high)
    below, above = slope(kinks[low]), slope(kinks[high])
    if below >= 0 or above == below:
        return kinks[low]
    return kinks[low] - below * (kinks[high] - kinks[low]) / (above - below)


def _newton(term: Any, image: list[Fraction], weights: list[Fraction]) -> Fraction:
    """Bisection in doubles, then Newton's method to many digits."""
    z = np.array([float(v) for v in image])
    share = np.array([float(w) for w in weights])
    low, high = -float(np.abs(z).max()) - 800.0, float(np.abs(z).max()) + 800.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        rises = float(share @ term.floats(z + middle)[0]) >= 0.0
        low, high = (low, middle) if rises else (middle, high)
    b = Fraction(0.5 * (low + high))
    rows = [i for i, w in enumerate(weights) if w]
    with localcontext(DIGITS):
        for _ in range(60):
            slope = sum((decimal(weights[i]) * term.slope(i, image[i] + b) for i in rows), ZERO)
            bend = sum((decimal(weights[i]) * term.curvature(i, image[i] + b) for i in rows), ZERO)
            if bend == 0:
                break
            step = min(max(slope / bend, -Decimal(1)), Decimal(1))
            b -= fraction(step)
            if abs(step) < Decimal("1e-25"):
                break
    return b


def _several(term: Any, image: list[Any], weights: list[Fraction]) -> list[Any]:
    """Newton's method in doubles for the intercepts of the classes but one."""
    z = np.array([[float(v) for v in row] for row in image])
    share = np.array([float(w) for w in weights])[:, None]
    b = np.zeros(z.shape[1])

    def value(c: Any) -> float:
        return float(share[:, 0] @ term.floats(z + c)[1])

    with np.errstate(all="ignore"):
        for _ in range(100):
            moved = z + b
            odds = np.exp(moved - moved.max(axis=1, keepdims=True))
            odds /= odds.sum(axis=1, keepdims=True)
            g = (share * term.floats(moved)[0]).sum(axis=0)
            H = np.diag((share * odds).sum(axis=0)) - odds.T @ (share * odds)
            step = np.linalg.lstsq(H[1:, 1:] + 1e-14 * np.eye(len(b) - 1), g[1:], rcond=1e-12)[0]
            full, size, now = np.concatenate([[0.0], step]), 1.0, value(b)
            while size > 1e-12 and not value(b - size * full) < now:
                size *= 0.5
            if size <= 1e-12:
                break
            b = b - size * full
    shift = [Fraction(float(v)) for v in b]
    return [[v + c for v, c in zip(row, shift, strict=True)] for row in image]
