"""The losses of one prediction, exactly and in floats."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from .rational import DIGITS, decimal, log

__all__ = ["TERMS", "Term"]

INFINITE = Decimal("Infinity")


class Term:
    """A loss of a prediction z; a subclass reads the options of its objective."""

    classes = 1
    rational = True  # whether it is a rational function
    bend = 1.0  # a bound on the second derivative
    targets: Any = np.zeros(1)

    def __init__(self, options: dict[str, Any], dtype: Any) -> None:
        self.targets = np.asarray(options["b"], dtype=float).astype(dtype).astype(float)
        self.exact_targets = [Fraction(v) for v in self.targets]

    @property
    def size(self) -> Any:
        """What is subtracted from z, in size."""
        return np.abs(self.targets)

    def value(self, i: int, z: Any) -> Any:
        raise NotImplementedError

    def slope(self, i: int, z: Any) -> Any:
        """The derivative, as exact as the value."""
        raise NotImplementedError

    def floats(self, z: Any) -> tuple[Any, Any]:
        """Derivatives and values in doubles."""
        raise NotImplementedError

    def bends(self, z: Any) -> Any:
        """Second derivatives in doubles."""
        return np.ones(z.size)


class Squared(Term):
    def value(self, i: int, z: Any) -> Any:
        return (z - self.exact_targets[i]) ** 2 / 2

    def slope(self, i: int, z: Any) -> Any:
        return z - self.exact_targets[i]

    def floats(self, z: Any) -> tuple[Any, Any]:
        c = z - self.targets
        return c, 0.5 * c**2


class Bent(Term):
    """A parabola between two lines: c^2 s where -low <= c <= high."""

    low: Fraction
    high: Fraction
    scale: Fraction

    def value(self, i: int, z: Any) -> Any:
        c = z - self.exact_targets[i]
        if c > self.high:
            return self.scale * (2 * self.high * c - self.high**2)
        if c < -self.low:
            return self.scale * (-2 * self.low * c - self.low**2)
        return self.scale * c * c

    def slope(self, i: int, z: Any) -> Any:
        c = z - self.exact_targets[i]
        return 2 * self.scale * min(max(c, -self.low), self.high)

    def floats(self, z: Any) -> tuple[Any, Any]:
        c, low, high, s = z - self.targets, float(self.low), float(self.high), float(self.scale)
        flat = np.clip(c, -low, high)
        return 2.0 * s * flat, s * (flat**2 + 2.0 * flat * (c - flat))

    @property
    def bend(self) -> float:  # type: ignore[override]
        return 2.0 * float(self.scale)

    def bends(self, z: Any) -> Any:
        c = z - self.targets
        return np.where((c >= -float(self.low)) & (c <= float(self.high)), self.bend, 0.0)


class Huber(Bent):
    def __init__(self, options: dict[str, Any], dtype: Any) -> None:
        super().__init__(options, dtype)
        self.low = self.high = Fraction(options["delta"])
        self.scale = Fraction(1)


class Quantile(Bent):
    def __init__(self, options: dict[str, Any], dtype: Any) -> None:
        super().__init__(options, dtype)
        q, delta = Fraction(options["quantile"]), Fraction(options["delta"])
        self.low, self.high, self.scale = q * delta, (1 - q) * delta, 1 / (2 * delta)


class Logistic(Term):
    bend = 0.25
    rational = False

    def __init__(self, options: dict[str, Any], dtype: Any) -> None:
        larger = np.max(options["b"])
        self.targets = np.where(np.asarray(options["b"]) == larger, 1.0, -1.0)

    @property
    def size(self) -> Any:
        return 0.0

    def value(self, i: int, z: Any) -> Any:
        with localcontext(DIGITS):
            return softplus(-decimal(z) * int(self.targets[i]))

    def slope(self, i: int, z: Any) -> Any:
        with localcontext(DIGITS):
            sign = int(self.targets[i])
            return -sign / (1 + (decimal(z) * sign).exp())

    def curvature(self, i: int, z: Any) -> Any:
        with localcontext(DIGITS):
            small = (-abs(decimal(z))).exp()
            return small / (1 + small) ** 2

    def floats(self, z: Any) -> tuple[Any, Any]:
        margin = z * self.targets
        return -self.targets * np.exp(-np.logaddexp(0.0, margin)), np.logaddexp(0.0, -margin)

    def bends(self, z: Any) -> Any:
        small = np.exp(-np.abs(z))
        return small / (1.0 + small) ** 2


def softplus(t: Decimal) -> Decimal:
    """log(1 + e^t)."""
    with localcontext(DIGITS):
        return max(t, Decimal(0)) + log_above_one((-abs(t)).exp())


def log_above_one(small: Decimal) -> Decimal:
    """log(1 + small), for small >= 0."""
    with localcontext(DIGITS):
        few = small < Decimal("1e-16")  # digits of 1 + small are few, those of the series are not
        return small * (1 - small / 2 + small * small / 3) if few else (1 + small).ln()


class Multinomial(Term):
    bend = 0.5

    def __init__(self, options: dict[str, Any], dtype: Any) -> None:
        names, self.codes = np.unique(options["labels"], return_inverse=True)
        self.classes = names.size
        self.targets = np.zeros(1)

    @property
    def size(self) -> Any:
        return 0.0

    def value(self, i: int, z: Any) -> Any:
        with localcontext(DIGITS):
            row = [decimal(v) for v in z]
            own = row.pop(int(self.codes[i]))
            top = max(own, *row)
            if top == own:
                return log_above_one(sum(((v - top).exp() for v in row), Decimal(0)))
            total = (own - top).exp() + sum((v - top).exp() for v in row)
            return total.ln() + top - own

    def floats(self, z: Any) -> tuple[Any, Any]:
        top = z.max(axis=1, keepdims=True)
        odds = np.exp(z - top)
        total = odds.sum(axis=1, keepdims=True)
        rows = np.arange(len(z))
        slopes = odds / total
        slopes[rows, self.codes] -= 1.0
        return slopes, (np.log(total) + top)[:, 0] - z[rows, self.codes]


class Poisson(Term):
    bend = 0.0  # not bounded: the slopes say enough

    def value(self, i: int, z: Any) -> Any:
        b = self.exact_targets[i]
        if b == 0:
            return z
        if z <= 0:
            return INFINITE
        with localcontext(DIGITS):
            return decimal(z) - decimal(b) * log(z)

    def floats(self, z: Any) -> tuple[Any, Any]:
        safe = np.maximum(z, 1e-300)
        far = np.where(self.targets > 0.0, self.targets / safe, 0.0)
        return 1.0 + far, np.abs(z) + self.targets * np.abs(np.log(safe))


class LogPortfolio(Term):
    bend = 0.0

    def __init__(self, options: dict[str, Any], dtype: Any) -> None:
        self.targets = np.zeros(1)

    def value(self, i: int, z: Any) -> Any:
        return INFINITE if z <= 0 else log(z).copy_negate()

    def floats(self, z: Any) -> tuple[Any, Any]:
        safe = np.maximum(z, 1e-300)
        return 1.0 / safe, np.abs(np.log(safe))


TERMS: dict[str, type[Term]] = {
    "SquaredError": Squared,
    "Huber": Huber,
    "Quantile": Quantile,
    "Logistic": Logistic,
    "Multinomial": Multinomial,
    "Poisson": Poisson,
    "LogPortfolio": LogPortfolio,
}
