"""The truth of objectives that are not sums of losses of a data matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from .cases import Part
from .rational import DIGITS, Exact, decimal, exact, log
from .terms import INFINITE, TERMS
from .truth import Number, Truth, precision

__all__ = ["OTHERS"]


class Form(Truth):
    """x'Qx/2 + c'x + constant."""

    def __init__(self, Q: Any, c: Any, constant: float) -> None:
        self.dtype = precision(Q)
        self.Q = np.asarray(Q, dtype=np.float64)
        self.c = np.asarray(c).astype(self.dtype).astype(np.float64)
        self.constant = Fraction(constant)
        self._exact = exact(self.Q), exact(self.c)

    def value(self, x: Exact) -> Number:
        Q, c = self._exact
        form, linear = x @ (Q @ x), c @ x
        return Fraction(int(form.whole)) * form.unit / 2 + (
            Fraction(int(linear.whole)) * linear.unit + self.constant
        )

    smooth = True

    def gradient(self, x: Exact) -> Any:
        Q, c = self._exact
        return (Q @ x - Exact(-c.whole, c.unit)).floats()

    def hessian(self, x: Exact) -> Any:
        return self.Q

    def rounding(self, x: Any) -> float:
        x = np.abs(np.asarray(x, dtype=np.float64))
        with np.errstate(all="ignore"):
            size = 0.5 * x @ np.abs(self.Q) @ x + np.abs(self.c) @ x + abs(float(self.constant))
        return 2.0 * self.eps * (x.size + 8) * float(size)

    def floor(self, x: Any, reach: Any) -> float:
        size = np.abs(np.asarray(x, dtype=np.float64))
        with np.errstate(all="ignore"):
            slopes = np.abs(self.Q) @ size + np.abs(self.c)
            first = self.eps * (size.size + 8) * float(slopes @ (size + reach))
            return first + self._doubt(reach) + self.rounding(x)

    def _doubt(self, reach: Any) -> float:
        """What negative curvature that no factorization in doubles excludes may take away."""
        try:  # in units of the region, since a factorization does not mind the scale of variables
            eigenvalues = np.linalg.eigvalsh(self.Q * reach * reach[:, None])
        except np.linalg.LinAlgError:
            return math.inf
        unsure = 4.0 * len(self.Q) * 2.0**-52 * float(np.abs(eigenvalues).max())
        return 2.0 * len(self.Q) * max(unsure - float(eigenvalues[0]), 0.0)


class Distance(Truth):
    """|x - p|^2 / 2."""

    smooth = True

    def gradient(self, x: Exact) -> Any:
        return (x - self._target).floats()

    def hessian(self, x: Exact) -> Any:
        return np.eye(np.size(self.p))

    def __init__(self, part: Part, objective: Any) -> None:
        self.p = part.options["p"]
        self.dtype = precision(self.p)
        self._target = exact(self.p)

    def value(self, x: Exact) -> Number:
        away = x - self._target
        square = away @ away
        return Fraction(int(square.whole)) * square.unit / 2

    def rounding(self, x: Any) -> float:
        away = np.asarray(x, dtype=np.float64) - self.p
        size = np.abs(x) + np.abs(self.p)
        return float(self.eps * (np.abs(away) @ size + (away.size + 8) * (away @ away)))

    def floor(self, x: Any, reach: Any) -> float:
        away = np.abs(np.asarray(x, dtype=np.float64) - self.p)
        size = np.abs(x) + np.abs(self.p)
        span = np.abs(x) + reach
        off = self.eps * (away * (away.size + 8) + size)
        return float(off @ span) + self.rounding(x)


class Design(Truth):
    """-log det of the sum of x_i a_i a_i'."""

    def __init__(self, part: Part, objective: Any) -> None:
        self.points = np.asarray(part.options["A"], dtype=np.float64)
        self._exact = exact(self.points)

    def value(self, x: Exact) -> Number:
        a = self._exact.whole
        whole = a.T @ (x.whole[:, None] * a)
        det = determinant([list(row) for row in whole])
        unit = x.unit * self._exact.unit**2
        return INFINITE if det <= 0 else log(Fraction(det) * unit ** len(whole)).copy_negate()

    def _inverse(self, x: Any) -> tuple[Any, Any]:
        a, x = self.points, np.asarray(x, dtype=np.float64)
        M = a.T @ (x[:, None] * a)
        size = np.abs(a).T @ (np.abs(x)[:, None] * np.abs(a))
        scale = 1.0 / np.sqrt(np.maximum(np.diag(M), 1e-300))
        inverse = np.linalg.pinv(M * scale[:, None] * scale) * scale[:, None] * scale
        return np.abs(inverse), size

    def rounding(self, x: Any) -> float:
        inverse, size = self._inverse(x)
        n, p = self.points.shape
        even = self.points / np.maximum(np.abs(self.points).max(axis=0), 1e-300)
        lost = float((inverse * size).sum()) + 40.0 * p + float(np.linalg.cond(even))
        return 8.0 * self.eps * (n + 8 * p**2) * lost

    def floor(self, x: Any, reach: Any) -> float:
        inverse, size = self._inverse(x)
        a = np.abs(self.points)
        spread = inverse @ size @ inverse
        slopes = np.einsum("ij,jk,ik->i", a, spread, a)
        n, p = self.points.shape
        return self.eps * (n + 8 * p**2) * float(slopes @ (np.abs(x) + reach)) + self.rounding(x)


def determinant(rows: list[list[int]]) -> int:
    """Of whole numbers, without fractions (Bareiss)."""
    sign, last = 1, 1
    for k in range(len(rows) - 1):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
        for i in range(k + 1, len(rows)):
            for j in range(k + 1, len(rows)):
                rows[i][j] = (rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]) // last
        last = rows[k][k]
    return sign * rows[-1][-1]


class Roots(Truth):
    """The sum of sqrt(1 + (x - t)^2)."""

    def __init__(self, part: Part, objective: Any) -> None:
        self.target = np.asarray(part.options["target"], dtype=np.float64)
        self._target = exact(self.target)

    def value(self, x: Exact) -> Number:
        with localcontext(DIGITS):
            each = ((1 + decimal(v) ** 2).sqrt() for v in (x - self._target).fractions())
            return sum(each, Decimal(0))

    def rounding(self, x: Any) -> float:
        size = 1.0 + np.abs(x) + np.abs(self.target)
        return self.eps * (size.size + 8) * float(size.sum())

    def floor(self, x: Any, reach: Any) -> float:
        size = 1.0 + np.abs(x) + np.abs(self.target)
        return 8.0 * self.eps * float(size @ (np.abs(x) + reach)) + self.rounding(x)


class Logs(Truth):
    """Minus the weighted sum of log x."""

    def __init__(self, part: Part, objective: Any) -> None:
        self.weights = np.asarray(part.options["weights"], dtype=np.float64)

    def value(self, x: Exact) -> Number:
        values = x.fractions()
        if min(values) <= 0:
            return INFINITE
        with localcontext(DIGITS):
            pairs = zip(self.weights, values, strict=True)
            return -sum((decimal(float(w)) * log(v) for w, v in pairs), Decimal(0))

    def rounding(self, x: Any) -> float:
        logs = np.abs(np.log(np.maximum(x, 1e-300))) + 1.0
        return self.eps * (logs.size + 8) * float(self.weights @ logs)

    def floor(self, x: Any, reach: Any) -> float:
        slopes = self.weights / np.maximum(x, 1e-300)
        return 8.0 * self.eps * float(slopes @ (np.abs(x) + reach)) + self.rounding(x)


class Cells(Truth):
    """The sum of losses of the observed cells; x is a dense exact matrix."""

    def __init__(self, part: Part, objective: Any) -> None:
        options = part.options
        self.dtype = precision(options["values"])
        self.at = np.asarray(options["rows"]), np.asarray(options["columns"])
        loss = {"huber": "Huber", "squared": "SquaredError", "logistic": "Logistic"}
        self.term = TERMS[loss[options["loss"]]]({**options, "b": options["values"]}, self.dtype)

    def point(self, x: Any) -> Exact:
        left, right = exact(np.asarray(x.left, float).T), exact(np.asarray(x.right, float))
        weights = exact(np.asarray(x.weights, float))
        scaled = Exact(left.whole * weights.whole, left.unit * weights.unit)
        if not weights.whole.size:
            return Exact(np.zeros(x.shape, dtype=object) + 0, Fraction(1))
        return scaled @ right

    def value(self, x: Exact) -> Number:
        seen = Exact(x.whole[self.at], x.unit).fractions()
        each = [self.term.value(i, z) for i, z in enumerate(seen)]
        if all(isinstance(v, Fraction) for v in each):
            return sum(each, Fraction(0))
        with localcontext(DIGITS):
            return sum((decimal(v) for v in each), Decimal(0))

    def rounding(self, x: Any) -> float:
        full = np.asarray(x.toarray(), dtype=np.float64)
        slopes, values = self.term.floats(full[self.at])
        size = np.linalg.norm(full, "nuc")
        big = float(np.abs(slopes).sum()) * (size + float(np.max(np.abs(self.term.targets))))
        return self.eps * (sum(x.shape) + 8) * (big + float(np.abs(values).sum()))

    def floor(self, x: Any, reach: Any) -> float:
        return 4.0 * self.rounding(x)


OTHERS: dict[str, Callable[[Part, Any], Truth]] = {
    "Quadratic": lambda part, f: Form(f.linear.matrix, part.options["c"], 0.0),
    "SquaredError.gram": lambda part, f: Form(f.linear.matrix, f.c, f.constant),
    "squared_distance": Distance,
    "DOptimal": Design,
    "Function": Roots,
    "Function_logs": Logs,
    "Completion": Cells,
}
