"""What f is at a point, from its definition and to the last digit, and what rounding may do."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from .cases import Part
from .intercepts import profiled
from .rational import DIGITS, Exact, decimal, exact, fraction, from_fractions
from .terms import TERMS, Term

__all__ = ["Truth", "truth_of"]

Number = Fraction | Decimal


def dense(matrix: Any) -> Any:
    return matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix)


def precision(array: Any) -> np.dtype[Any]:
    """The type in which the library keeps data."""
    kept = getattr(array, "dtype", None)
    return np.dtype(np.float32) if kept == np.float32 else np.dtype(np.float64)


class Truth(ABC):
    """f by its definition."""

    dtype: np.dtype[Any] = np.dtype(np.float64)
    known = True  # whether `value` is f(x), and not only a bound from above

    @property
    def eps(self) -> float:
        return float(np.finfo(self.dtype).eps)

    @abstractmethod
    def value(self, x: Exact) -> Number:
        """f(x); infinite where it is not finite."""

    @abstractmethod
    def rounding(self, x: Any) -> float:
        """What a plain evaluation of f at x may be off by."""

    def noise(self, x: Any) -> float:
        """The value that rounding of the image alone makes: of squares, that of its square."""
        return 0.0

    @abstractmethod
    def floor(self, x: Any, reach: Any) -> float:
        """What rounding of the gradient may add to a gap, where |v_j| <= reach_j."""

    smooth = False  # whether there are the two below

    def gradient(self, x: Exact) -> Any:
        """The gradient, exact and then rounded once."""
        raise NotImplementedError

    def hessian(self, x: Exact) -> Any:
        """The second derivatives, in doubles."""
        raise NotImplementedError

    def point(self, x: Any) -> Exact:
        """The result's point."""
        return exact(x)


class Loss(Truth):
    """The weighted sum of terms of (Ax)_i."""

    def __init__(self, part: Part, *, free: bool) -> None:
        options = part.options
        self.free = free
        self.known = part.name != "Profiled.Multinomial"
        matrix = options["A"] if "A" in options else options["R"]
        self.dtype, self.data = precision(matrix), dense(matrix).astype(np.float64)
        self.term: Term = TERMS[part.name.rpartition(".")[2]](options, self.dtype)
        self.weights = _weights(options, len(self.data))
        self.share = np.array([float(w) for w in self.weights])

    @cached_property
    def _exact(self) -> Exact:
        return exact(self.data)

    def image(self, x: Exact) -> list[Any]:
        """What the terms take: (Ax)_i, or all classes of a row."""
        if self.term.classes == 1:
            return (self._exact @ x).fractions()
        X = Exact(x.whole.reshape(-1, self.term.classes), x.unit)
        flat, k = (self._exact @ X).fractions(), self.term.classes
        return [flat[i : i + k] for i in range(0, len(flat), k)]

    def value(self, x: Exact) -> Number:
        image = self.image(x)
        if self.free:
            image = profiled(self.term, image, self.weights)
        each = [self.term.value(i, z) for i, z in enumerate(image) if self.weights[i]]
        used = [w for w in self.weights if w]
        if all(isinstance(v, Fraction) for v in each):
            return sum((w * v for w, v in zip(used, each, strict=True)), Fraction(0))
        with localcontext(DIGITS):
            return sum(
                (decimal(w) * decimal(v) for w, v in zip(used, each, strict=True)), Decimal(0)
            )

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        few = len(self.data) <= (1000 if self.term.rational else 100)  # exact sums take time
        return few and self.term.classes == 1 and self.term.bend > 0.0

    def gradient(self, x: Exact) -> Any:
        image = self.image(x)
        if self.free:
            image = profiled(self.term, image, self.weights)
        pairs = enumerate(zip(image, self.weights, strict=True))
        slopes = from_fractions([w * fraction(self.term.slope(i, z)) for i, (z, w) in pairs])
        return (Exact(self._exact.whole.T, self._exact.unit) @ slopes).floats()

    def hessian(self, x: Exact) -> Any:
        image = self.image(x)
        if self.free:
            image = profiled(self.term, image, self.weights)
        bends = self.share * self.term.bends(np.array([float(z) for z in image]))
        data = self.data
        if self.free and bends.sum() > 0.0:
            data = data - (bends @ data) / bends.sum()
        return data.T @ (bends[:, None] * data)

    def _parts(self, x: Any) -> tuple[Any, Any, Any]:
        """Slopes w phi', what Ax is made of in size, and the sizes of the terms."""
        k = self.term.classes
        X = np.asarray(x, dtype=np.float64)
        X = X.reshape(-1, k) if k > 1 else X
        z, big = self.data @ X, np.abs(self.data) @ np.abs(X)
        if self.free:
            shift = float(np.abs(self.term.targets).max()) + float(big.max())
            big = big + shift
            image = profiled(self.term, self.image(exact(x)), self.weights)
            z = np.array(image, dtype=float).reshape(z.shape)
        slopes, values = self.term.floats(z)
        share = self.share[:, None] if k > 1 else self.share
        return np.abs(share * slopes), big + self.term.size, self.share * np.abs(values)

    def rounding(self, x: Any) -> float:
        with np.errstate(all="ignore"):
            slopes, big, values = self._parts(x)
            first = self.eps * (self.data.shape[1] + 8) * float((slopes * big).sum())
            return _finite(first + self.noise(x) + 16.0 * self.eps * float(values.sum()))

    def noise(self, x: Any) -> float:
        with np.errstate(all="ignore"):
            off = self.eps * (self.data.shape[1] + 8) * self._parts(x)[1]
            return _finite(16.0 * self.term.bend * float((self.share * (off**2).T).sum()))

    def floor(self, x: Any, reach: Any) -> float:
        with np.errstate(all="ignore"):
            slopes, big, _ = self._parts(x)
            m, n = self.data.shape
            k = self.term.classes
            share = self.share[:, None] if k > 1 else self.share
            # errors have either sign: their sum grows with the root of their number
            off = slopes * (2 + m**0.5) + np.abs(share) * self.term.bend * big * (2 + n**0.5)
            sizes = (np.abs(self.data).T @ off).ravel()
            return _finite(self.eps * float(sizes @ (np.abs(x) + reach)) + self.rounding(x))


def _finite(value: float) -> float:
    return value if math.isfinite(value) else math.inf


def _weights(options: dict[str, Any], count: int) -> list[Fraction]:
    given = options.get("sample_weight")
    mean = options.get("reduction", "mean") == "mean"
    if given is None:
        return [Fraction(1, count) if mean else Fraction(1)] * count
    weights = [Fraction(float(w)) for w in given]
    total = sum(weights) if mean else Fraction(1)
    return [w / total for w in weights]


def truth_of(part: Part, objective: Any) -> Truth:
    """The truth of an objective."""
    from .others import OTHERS

    if part.name in OTHERS:
        return OTHERS[part.name](part, objective)
    return Loss(part, free=part.name.startswith("Profiled."))
