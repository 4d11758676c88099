"""Which points a region holds, by its definition and in exact arithmetic.

`outside` says how far a point is outside, in units of what is allowed: 1e-9 of the region's size in
double precision and 1e-5 in single, plus what rounding to the grid of double precision costs where
the region is far from zero. `inner` moves a point into the region exactly, by mere rounding.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from .cases import Part
from .norms import group_norm, lp_norm, sparse_norm

__all__ = ["ALLOWED", "Vectors", "inside_of"]

ALLOWED = {8: 1e-9, 4: 1e-5}
EPS = 2.0**-52
Values = list[Fraction]


class Vectors(ABC):
    """A region of vectors."""

    @abstractmethod
    def outside(self, x: Values, tol: float) -> float:
        """How far x is outside, in units of what is allowed."""

    @abstractmethod
    def inner(self, x: Values) -> Values:
        """A point of the region, exactly, that is x up to rounding."""

    @abstractmethod
    def reach(self, n: int) -> Any:
        """The largest size of each entry."""


class Ball(Vectors):
    def __init__(self, p: float, radius: float, center: Any, norm: Any = None) -> None:
        self.p, self.radius = p, Fraction(radius)
        self.center = None if center is None else [Fraction(float(v)) for v in center]
        self._norm = norm or (lambda d: lp_norm(d, p))

    def _away(self, x: Values) -> Values:
        c = self.center
        return x if c is None else [v - w for v, w in zip(x, c, strict=True)]

    def outside(self, x: Values, tol: float) -> float:
        largest = 0.0 if self.center is None else max(abs(float(v)) for v in self.center)
        sides = len(x) ** (1.0 / self.p)
        grain = 4.0 * EPS * largest * sides / float(self.radius)
        return float(self._norm(self._away(x)) / self.radius - 1) / (tol + grain)

    def inner(self, x: Values) -> Values:
        away = self._away(x)
        norm = self._norm(away)
        if norm > self.radius:
            away = [v * (self.radius / norm) for v in away]
        c = self.center
        return away if c is None else [v + w for v, w in zip(away, c, strict=True)]

    def reach(self, n: int) -> Any:
        c = np.zeros(n) if self.center is None else np.array([float(v) for v in self.center])
        return np.abs(c) + float(self.radius)


class Bounded(Vectors):
    """0 <= x <= scale (or no upper bound), and a sum that is k scale or at most that."""

    def __init__(self, scale: float, k: int, *, capped: bool, exact_sum: bool) -> None:
        self.scale, self.k = Fraction(scale), k
        self.capped, self.exact_sum = capped, exact_sum
        self.total = self.scale * k

    def outside(self, x: Values, tol: float) -> float:
        over = (sum(x, Fraction(0)) - self.total) / self.total
        over = abs(over) if self.exact_sum else over
        below = -min(x) / self.scale
        above = (max(x) - self.scale) / self.scale if self.capped else Fraction(0)
        return float(max(over, below, above, Fraction(0))) / tol

    def inner(self, x: Values) -> Values:
        top = self.scale if self.capped else max([*x, self.scale])
        x = [min(max(v, Fraction(0)), top) for v in x]
        total = sum(x, Fraction(0))
        if total > self.total:
            return [v * (self.total / total) for v in x]
        if not self.exact_sum or total == self.total:
            return x
        if not self.capped:
            return [v * (self.total / total) for v in x] if total else self._even(len(x))
        room = len(x) * self.scale - total  # what is missing is taken from the room above
        share = (len(x) * self.scale - self.total) / room if room else Fraction(0)
        return [self.scale - (self.scale - v) * share for v in x]

    def _even(self, n: int) -> Values:
        return [self.total / n] * n

    def reach(self, n: int) -> Any:
        return np.full(n, float(self.scale))


class Bounds(Vectors):
    def __init__(self, lower: Any, upper: Any) -> None:
        self.lower, self.upper = lower, upper

    def _sides(self, n: int) -> tuple[Any, Any]:
        return np.broadcast_to(self.lower, (n,)), np.broadcast_to(self.upper, (n,))

    def outside(self, x: Values, tol: float) -> float:
        worst = 0.0
        for v, low, high in zip(x, *self._sides(len(x)), strict=True):
            size = high - low if high > low else max(1.0, abs(low))
            past = float(max(Fraction(float(low)) - v, v - Fraction(float(high))))
            worst = max(worst, past / (tol * size + 4.0 * EPS * max(abs(low), abs(high))))
        return worst

    def inner(self, x: Values) -> Values:
        sides = zip(x, *self._sides(len(x)), strict=True)
        return [min(max(v, Fraction(float(low))), Fraction(float(high))) for v, low, high in sides]

    def reach(self, n: int) -> Any:
        low, high = self._sides(n)
        return np.maximum(np.abs(low), np.abs(high))


class Assignments(Vectors):
    """Doubly stochastic matrices, row after row."""

    def __init__(self, n: int) -> None:
        self.n = n

    def _sums(self, x: Values) -> tuple[Values, Values]:
        n = self.n
        rows = [sum(x[i * n : (i + 1) * n], Fraction(0)) for i in range(n)]
        return rows, [sum(x[j::n], Fraction(0)) for j in range(n)]

    def outside(self, x: Values, tol: float) -> float:
        rows, columns = self._sums(x)
        off = max(abs(s - 1) for s in (*rows, *columns))
        return float(max(off, -min(x))) / tol

    def inner(self, x: Values) -> Values:
        x = [max(v, Fraction(0)) for v in x]
        rows, columns = self._sums(x)
        most = max((*rows, *columns, Fraction(1)))
        x = [v / most for v in x]
        rows, columns = self._sums(x)
        left = self.n - sum(rows)  # what is missing, spread as a matrix of rank one
        if left:
            n = self.n
            x = [v + (1 - rows[i // n]) * (1 - columns[i % n]) / left for i, v in enumerate(x)]
        return x

    def reach(self, n: int) -> Any:
        return np.ones(n)


class Hull(Vectors):
    """Mixtures of points, whose weights are found by non-negative least squares."""

    def __init__(self, points: Any) -> None:
        self.points = np.asarray(points, dtype=np.float64)
        self.middle = self.points.mean(axis=0)

    def _mixture(self, x: Values, scale: Any) -> tuple[Any, float]:
        from scipy.optimize import nnls

        away = (self.points - self.middle) / scale
        target = (np.array([float(v) for v in x]) - self.middle) / scale
        stacked = np.vstack([away.T, np.ones(len(away))])
        weights, rest = nnls(stacked, np.append(target, 1.0), maxiter=50 * len(away) + 200)
        return weights, float(rest)

    def outside(self, x: Values, tol: float) -> float:
        size = float(np.linalg.norm(self.points - self.middle, axis=1).max())
        largest = float(np.abs(self.points).max())
        size = size or max(1.0, largest)
        rest = self._mixture(x, size)[1]
        return rest / (tol + 8.0 * EPS * largest * math.sqrt(len(x)) / size)

    def inner(self, x: Values) -> Values:
        spread = np.abs(self.points - self.middle).max(axis=0)
        weights, _ = self._mixture(x, np.where(spread > 0.0, spread, 1.0))
        if not weights.any():
            weights = np.ones(len(weights))
        used = [(Fraction(float(w)), i) for i, w in enumerate(weights) if w > 0.0]
        total = sum((w for w, _ in used), Fraction(0))
        point = [Fraction(0)] * len(x)
        for w, i in used:
            row = self.points[i]
            point = [v + w * Fraction(float(a)) for v, a in zip(point, row, strict=True)]
        return [v / total for v in point]

    def reach(self, n: int) -> Any:
        return np.abs(self.points).max(axis=0)


class Blocks(Vectors):
    def __init__(self, blocks: list[tuple[Part, int]]) -> None:
        self.blocks = [(inside_of(part), size) for part, size in blocks]

    def _each(self, x: Values) -> list[tuple[Vectors, Values]]:
        pairs, start = [], 0
        for region, size in self.blocks:
            pairs.append((region, x[start : start + size]))
            start += size
        return pairs

    def outside(self, x: Values, tol: float) -> float:
        return max(region.outside(part, tol) for region, part in self._each(x))

    def inner(self, x: Values) -> Values:
        return [v for region, part in self._each(x) for v in region.inner(part)]

    def reach(self, n: int) -> Any:
        return np.concatenate([region.reach(size) for region, size in self.blocks])


def _ball(p: float) -> Callable[..., Vectors]:
    return lambda radius, center=None: Ball(p, radius, center)


KINDS: dict[str, Callable[..., Vectors]] = {
    "L1Ball": _ball(1.0),
    "L2Ball": _ball(2.0),
    "LInfBall": _ball(math.inf),
    "LpBall": lambda p, radius, center=None: Ball(p, radius, center),
    "GroupBall": lambda groups, radius: Ball(2.0, radius, None, group_norm(groups)),
    "KSparse": lambda k, radius: Ball(math.inf, radius, None, sparse_norm(k)),
    "Simplex": lambda scale: Bounded(scale, 1, capped=False, exact_sum=True),
    "UnitSimplex": lambda scale: Bounded(scale, 1, capped=False, exact_sum=False),
    "Hypersimplex": lambda k, scale: Bounded(scale, k, capped=True, exact_sum=True),
    "UnitHypersimplex": lambda k, scale: Bounded(scale, k, capped=True, exact_sum=False),
    "Box": Bounds,
    "Birkhoff": Assignments,
    "ConvexHull": Hull,
    "Product": Blocks,
    "OracleRegion_simplex": lambda scale, n: Bounded(scale, 1, capped=False, exact_sum=True),
    "OracleRegion_ball": lambda radius, n: Ball(2.0, radius, None),
}


def inside_of(part: Part) -> Vectors:
    """The region of a part, by its definition."""
    return KINDS[part.name](**part.options)
