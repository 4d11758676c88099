"""Newton's method for the free variables b that are minimized out of phi(z + U b)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.kernels import semidefinite
from frankwolfe.core.objective import Objective
from frankwolfe.core.objective_abilities import ShiftedDerivatives
from frankwolfe.objectives.line_minimum import lowest

__all__ = [
    "FLAT_CURVATURE",
    "NO_DIRECTION",
    "STATIONARITY_TOL",
    "Free",
    "FreeColumns",
    "FreeMatrix",
    "Intercepts",
]

MAX_NEWTON_STEPS = 100  # a guard: quadratic convergence takes a handful, bisection at edges dozens
STATIONARITY_TOL = 8.0 * float(np.finfo(np.float64).eps)  # |<u, phi'>| / <|u|, |phi'|>: rounding
FLAT_CURVATURE = 1e-12  # share of the largest curvature below which it may be rounding alone
MAX_FOLLOW_STEPS = 5  # Newton steps from a b close by; if these do not do, the search begins anew
NO_DIRECTION = np.empty(0)  # in place of dz: derivatives in b alone
Along: TypeAlias = Callable[[float], tuple[float, float, float | None]]
"""Value, slope and curvature of a function of one number."""

Lines: TypeAlias = Callable[[Array], Along]
"""The restriction of a function to a line, by its direction."""

EDGE_TOL = 1e-6  # |<u, phi'>| / <|u|, |phi'|>; more is left only where Newton stops at an edge
COOLING_TOL = 1e-9  # the ratio for temperatures on the way, whose minimizers are starts only


class Free(ABC):
    """Columns U of free variables b, and the loss phi(z + U b)."""

    objective: Objective
    largest: Array  # max_i |U_ij| of each column j

    @property
    @abstractmethod
    def matrix(self) -> Array:
        """The matrix U."""

    @abstractmethod
    def linearize(self, z: Array, b: Array, slope: Array) -> float:
        """Return phi(z + U b), and write phi' there into `slope`."""

    @abstractmethod
    def lines(self, z: Array, dz: Array, t: float, b: Array) -> Lines:
        """The function s -> phi(z + t dz + U (b + s d)), for any direction d."""

    @abstractmethod
    def bound_along(self, d: Array) -> float:
        """Upper bound on the curvature of phi along U d."""

    def of_zero(self) -> Array:
        """Start of the search for the best b at z = 0."""
        return np.zeros(self.largest.size)

    @abstractmethod
    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> ShiftedDerivatives:
        """Derivatives of (t, b) -> phi(z + t dz + U b); in b alone where dz is empty."""

    @property
    @abstractmethod
    def constant(self) -> Array:
        """The b with U b = 1, if a column of U is constant; otherwise zero."""

    @abstractmethod
    def of(self, objective: Objective) -> Free:
        """These columns U, for another objective."""

    @cached_property
    def bound(self) -> float:
        """Upper bound on the curvature of phi along each column of U."""
        return max(self.bound_along(d) for d in np.eye(self.largest.size))

    def minimizer(
        self, z: Array, dz: Array, t: float, b: Array, close: float = 0.0
    ) -> tuple[Array, ShiftedDerivatives]:
        """Minimize phi(z + t dz + U b) over b by Newton's method, from the b given.

        It ends with |U' phi'| at rounding, or at `close` times |U|' |phi'|.
        """
        now = self.shifted(z, dz, t, b)
        # near the minimum values are all rounding, and slopes still fall: either counts
        best, lowest_value, least, stalled = (b, now), np.inf, np.inf, 0
        for _ in range(MAX_NEWTON_STEPS):
            rest = semidefinite.excess(now.sums, max(close, STATIONARITY_TOL), now.sizes)
            down = now.value < lowest_value - STATIONARITY_TOL * abs(now.value)
            stalled = 0 if down or rest < 0.5 * least else stalled + 1
            if down or rest < least:
                best = b, now
                lowest_value, least = min(now.value, lowest_value), rest
            if not rest > 0.0 or stalled > 3:
                break
            b, now = self._next(z, dz, t, b, now)
        return best

    def at(self, z: Array, b: Array) -> Array:
        """The minimizing b at z, with U' phi' at rounding, sought from the b given."""
        return self.minimizer(z, NO_DIRECTION, 0.0, b)[0]

    def _far(self, step: Array) -> float:
        """Upper bound on |U step|_inf, and on the share of U' phi' that a Newton step leaves.

        For logistic and softmax terms: their curvature changes by no larger a share.
        """
        return min(float(self.largest @ np.abs(step)), 1.0)

    def follow(self, z: Array, b: Array, error: float) -> Array:
        """The minimizing b at z, up to an `error` in the value, from the b of a point close by."""
        ahead = b
        for _ in range(MAX_FOLLOW_STEPS):
            now = self.shifted(z, NO_DIRECTION, 0.0, ahead)
            step, fall = semidefinite.descent(now.gram, FLAT_CURVATURE, now.sums)
            if not 0.0 < fall < np.inf:  # flat there, or done
                break
            ahead = ahead + step
            if fall * self._far(step) ** 2 <= error:  # what it leaves
                return np.asarray(ahead)
        return self.minimizer(z, NO_DIRECTION, 0.0, b)[0]

    def _next(
        self, z: Array, dz: Array, t: float, b: Array, now: ShiftedDerivatives
    ) -> tuple[Array, ShiftedDerivatives]:
        """Newton's step where it brings the decrease that it predicts, else a line search."""
        d, fall = semidefinite.descent(now.gram, FLAT_CURVATURE, now.sums)
        if 0.0 < fall < np.inf:
            there = b + d
            ahead = self.shifted(z, dz, t, there)
            lower = ahead.value <= now.value - 0.1 * fall + STATIONARITY_TOL * abs(now.value)
            if lower and abs(ahead.sums.dot(d)) <= 0.9 * fall:
                return there, ahead
        line = self.lines(z, dz, t, b)
        b = b + (self._shift(line, now) if b.size == 1 else self._step(line, now))
        return b, self.shifted(z, dz, t, b)

    def _shift(self, line: Lines, now: ShiftedDerivatives) -> float:
        """The minimizing step along the only column, by a search on its line."""
        enough = STATIONARITY_TOL * float(now.sizes[0])
        along = line(np.ones(1))
        return lowest(along, 0.0, enough, self.bound, rounding=100.0 * enough)

    def _step(self, line: Lines, now: ShiftedDerivatives) -> Array:
        """A regularized Newton step in b, with a line search.

        Eigenvalues of U' phi'' U are held above a share of their bound, which goes to zero with
        U' phi': so the step is not too long where curvature vanishes.
        """
        values, vectors = np.linalg.eigh(now.gram)
        near = float(np.max(np.abs(now.sums) / np.maximum(now.sizes, 1e-300)))
        floor = max(FLAT_CURVATURE * float(values[-1]), 0.01 * near * self.bound, 1e-300)
        parts = vectors.T @ now.sums
        # a slope that is rounding would, in a flat direction, make a step of any length
        parts[np.abs(parts) <= STATIONARITY_TOL * now.sizes.max()] = 0.0
        d = -vectors @ (parts / np.maximum(values, floor))
        fall, bound = -float(now.sums @ d), self.bound_along(d)
        if not fall > 0.0 or not bound > 0.0:
            return np.zeros_like(d)
        search = line(d)

        # a zero of slope + fall/4 within 0.3 fall: far enough, but hardly beyond the minimum
        def along(t: float) -> tuple[float, float, float | None]:
            value, slope, curvature = search(t)
            return value, slope + 0.25 * fall, curvature

        return np.asarray(lowest(along, 1.0, 0.3 * fall, bound, 0.0) * d)


class FreeMatrix(Free):
    """Columns U whose products with images in this process's memory are at hand."""

    @abstractmethod
    def of(self, objective: Objective) -> FreeMatrix:
        """These columns U, for another objective."""

    @abstractmethod
    def times(self, c: Array) -> Array:
        """The product U c, for one c or several side by side."""

    @abstractmethod
    def moved(self, z: Array, b: Array) -> Array:
        """The image z + U b, or several side by side, in double precision."""

    @abstractmethod
    def sums(self, slope: Array) -> Array:
        """The product U' slope, for one slope or several side by side."""

    def linearize(self, z: Array, b: Array, slope: Array) -> float:
        return self.objective.linearize(self.moved(z, b), slope)[0]

    def lines(self, z: Array, dz: Array, t: float, b: Array) -> Lines:
        y = self.moved(_ahead(z, dz, t), b)

        def line(d: Array) -> Along:
            away = self.times(d)
            return lambda s: self.objective.along(y, away, s)

        return line

    def bound_along(self, d: Array) -> float:
        return float(self.objective.curvature_bound(self.times(d)) or 0.0)


class Intercepts(FreeMatrix):
    """Intercepts b, added to every observation by the objective's own loops; U is not formed."""

    def __init__(self, objective: Objective) -> None:
        self.rows, self.count = objective.m // objective.intercepts, objective.intercepts
        self.largest: Array = np.ones(self.count)
        assert objective.scores is not None  # `Profiled` has asked
        self.objective, self._scores = objective, objective.scores

    @cached_property
    def matrix(self) -> Array:
        return self.times(np.eye(self.count))

    @property
    def constant(self) -> Array:
        return np.ones(self.count)

    def of(self, objective: Objective) -> Intercepts:
        return Intercepts(objective)

    def times(self, c: Array) -> Array:
        return self.objective.place.put(np.tile(c, (self.rows,) + (1,) * (c.ndim - 1)))

    def moved(self, z: Array, b: Array) -> Array:
        each = z.reshape(self.rows, self.count, *z.shape[1:])
        moved = each + self.objective.place.put(b)
        return moved.astype(np.float64, copy=False).reshape(z.shape)

    def sums(self, slope: Array) -> Array:
        each = slope.reshape(self.rows, self.count, *slope.shape[1:])
        return self.objective.place.get(each.sum(axis=0, dtype=np.float64))

    def linearize(self, z: Array, b: Array, slope: Array) -> float:
        return self._scores.linearize_shifted(z, b, slope)[0]

    def at(self, z: Array, b: Array) -> Array:
        if self.count == 1:
            return super().at(z, b)
        ahead, last = b, np.inf
        for _ in range(MAX_NEWTON_STEPS):
            now = self.shifted(z, NO_DIRECTION, 0.0, ahead)
            if not semidefinite.excess(now.sums, STATIONARITY_TOL, now.sizes) > 0.0:
                return ahead
            step, fall = semidefinite.descent(now.gram, FLAT_CURVATURE, now.sums)
            if not 0.0 < fall < 0.5 * last:  # flat there, or too far
                break
            ahead, last = np.asarray(ahead + step), fall
            left = self._far(step) * now.sums  # of U' phi', after the step
            if not semidefinite.excess(left, STATIONARITY_TOL, now.sizes) > 0.0:
                return ahead
        return super().at(z, b)

    def of_zero(self) -> Array:
        return self._scores.fitting_levels()

    def minimizer(
        self, z: Array, dz: Array, t: float, b: Array, close: float = 0.0
    ) -> tuple[Array, ShiftedDerivatives]:
        """Newton's method, with a temperature homotopy where classes are nearly separable.

        There phi is almost piecewise linear in b, and steps end at an edge. At the scores z / heat
        it is smooth, and each minimizer is close to that of half the heat.
        """
        found = super().minimizer(z, dz, t, b, close)
        now = found[1]
        if self.count == 1 or not semidefinite.excess(now.sums, EDGE_TOL, now.sizes) > 0.0:
            return found
        y = _ahead(z, dz, t)
        heat, b = float(np.ptp(y.reshape(self.rows, self.count), axis=1).max()), found[0]
        while 1.0 < heat < np.inf:
            b = heat * super().minimizer(y / heat, NO_DIRECTION, 0.0, b / heat, COOLING_TOL)[0]
            heat *= 0.5
        cold = super().minimizer(z, dz, t, b, close)
        return cold if cold[1].value < now.value else found

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> ShiftedDerivatives:
        return self._scores.shifted(z, dz, t, b)


class FreeColumns(FreeMatrix):
    """Free variables with a matrix U of the caller's."""

    def __init__(self, objective: Objective, columns: Array) -> None:
        assert objective.scores is not None  # `Profiled` has asked
        self.objective, self._scores, self._given = objective, objective.scores, columns
        put, rows = objective.place.put, np.ascontiguousarray(columns.T)
        self.largest: Array = np.abs(rows).max(axis=1)
        self._columns, self._rows, self._sizes = put(columns), put(rows), put(np.abs(rows))

    @property
    def matrix(self) -> Array:
        return self._columns

    @property
    def constant(self) -> Array:
        first = self._given[0]
        places = np.flatnonzero((self._given == first).all(axis=0) & (first != 0.0))[:1]
        b = np.zeros(first.size)
        b[places] = 1.0 / first[places]
        return b

    def of(self, objective: Objective) -> FreeColumns:
        return FreeColumns(objective, self._given)

    def times(self, c: Array) -> Array:
        return self._columns @ self.objective.place.put(c)

    def moved(self, z: Array, b: Array) -> Array:
        moved = z + self._columns @ self.objective.place.put(b)
        return moved.astype(np.float64, copy=False)

    def sums(self, slope: Array) -> Array:
        found = self.objective.place.get(self._rows @ slope)
        return found.astype(np.float64, copy=False)

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> ShiftedDerivatives:
        place = self.objective.place
        y, slope = self.moved(_ahead(z, dz, t), b), place.empty(z.size, np.float64)
        value, _ = self.objective.linearize(y, slope)
        beside = self._scores.hessian_times(y, self._columns)
        first, second = 0.0, 0.0
        cross: Array = np.zeros(b.size)
        if dz.size:
            _, first, curvature = self.objective.along(y, dz, 0.0)
            second, cross = float(curvature or 0.0), place.get(dz @ beside)
        sizes, gram = place.get(self._sizes @ np.abs(slope)), place.get(self._rows @ beside)
        return ShiftedDerivatives(value, first, second, self.sums(slope), sizes, cross, gram)


def _ahead(z: Array, dz: Array, t: float) -> Array:
    """The image z + t dz, or z where dz is empty."""
    return z + np.float64(t) * dz if dz.size else z
