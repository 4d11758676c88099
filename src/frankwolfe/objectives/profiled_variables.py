"""The columns U of variables that are minimized out of phi, and Newton's method along them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.kernels import semidefinite
from frankwolfe.core.objective import Objective
from frankwolfe.core.objective_abilities import Shifted
from frankwolfe.objectives.line_minimum import lowest

__all__ = ["ENOUGH", "FLAT", "NOWHERE", "Free", "FreeColumns", "Intercepts"]

MOST = 100  # Newton steps
ENOUGH = 8.0 * float(np.finfo(np.float64).eps)  # of the sum of sizes, what <u, phi'> may be
FLAT = 1e-12  # of the largest curvature, below which a direction counts as flat
FOLLOW = 5  # Newton steps for a b that is close
NOWHERE = np.empty(0)  # no dz
Along: TypeAlias = Callable[[float], tuple[float, float, float | None]]
Lines: TypeAlias = Callable[[Array], Along]
EDGE, CLOSE = 1e-6, 1e-9  # of the sum of sizes: more is left at an edge; and enough on the way


class Free(ABC):
    """Columns U, and phi along them."""

    objective: Objective
    largest: Array  # of each column, in size

    @property
    @abstractmethod
    def matrix(self) -> Array:
        """U."""

    @abstractmethod
    def times(self, c: Array) -> Array:
        """U c, for one c or several side by side."""

    @abstractmethod
    def moved(self, z: Array, b: Array) -> Array:
        """z + U b, for one or several side by side, in double precision."""

    @abstractmethod
    def sums(self, slope: Array) -> Array:
        """U' slope, for one slope or several side by side."""

    def linearize(self, z: Array, b: Array, slope: Array) -> float:
        """phi at z + U b, and phi' there."""
        return self.objective.linearize(self.moved(z, b), slope)[0]

    def of_zero(self) -> Array:
        """A b from which that of z = 0 is sought."""
        return np.zeros(self.largest.size)

    @abstractmethod
    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> Shifted:
        """The derivatives of (t, b) -> phi(z + t dz + U b); those of b alone where dz is empty."""

    @property
    @abstractmethod
    def constant(self) -> Array:
        """The b with U b = 1, where a column of U is constant; zero where none is."""

    @abstractmethod
    def of(self, objective: Objective) -> Free:
        """The same columns for another objective."""

    @cached_property
    def bound(self) -> float:
        """The most curvature along one of the columns."""
        return max(self.bound_along(d) for d in np.eye(self.largest.size))

    def minimizer(
        self, z: Array, dz: Array, t: float, b: Array, close: float = 0.0
    ) -> tuple[Array, Shifted]:
        """Newton's method in b at z + t dz, from the b given.

        It ends with U' phi' at rounding, or at `close` times the sum of sizes.
        """
        now = self.shifted(z, dz, t, b)
        best, lowest_value, least, stalled = (b, now), np.inf, np.inf, 0
        for _ in range(MOST):
            rest = semidefinite.excess(now.sums, max(close, ENOUGH), now.sizes)
            down = now.value < lowest_value - ENOUGH * abs(now.value)
            stalled = 0 if down or rest < 0.5 * least else stalled + 1
            if down or rest < least:
                best = b, now
                lowest_value, least = min(now.value, lowest_value), rest
            if not rest > 0.0 or stalled > 3:
                break
            b, now = self._next(z, dz, t, b, now)
        return best

    def at(self, z: Array, b: Array) -> Array:
        """The b of z with U' phi' at rounding, sought from the b given."""
        return self.minimizer(z, NOWHERE, 0.0, b)[0]

    def _far(self, step: Array) -> float:
        """How far a step in b leads in z, at most: what it leaves of U' phi' is less of it.

        The curvature of a logistic or softmax term changes by no larger a share.
        """
        return min(float(self.largest @ np.abs(step)), 1.0)

    def follow(self, z: Array, b: Array, error: float) -> Array:
        """The b for z from one close to it, as far as its value is off by less than `error`."""
        ahead = b
        for _ in range(FOLLOW):
            now = self.shifted(z, NOWHERE, 0.0, ahead)
            step, fall = semidefinite.descent(now.gram, FLAT, now.sums)
            if not 0.0 < fall < np.inf:  # flat there, or done
                break
            ahead = ahead + step
            if fall * self._far(step) ** 2 <= error:  # what it leaves
                return np.asarray(ahead)
        return self.minimizer(z, NOWHERE, 0.0, b)[0]

    def _next(self, z: Array, dz: Array, t: float, b: Array, now: Shifted) -> tuple[Array, Shifted]:
        """Newton's step where it brings what it promises, else as far as it leads down."""
        d, fall = semidefinite.descent(now.gram, FLAT, now.sums)
        if 0.0 < fall < np.inf:
            there = b + d
            ahead = self.shifted(z, dz, t, there)
            lower = ahead.value <= now.value - 0.1 * fall + ENOUGH * abs(now.value)
            if lower and abs(ahead.sums.dot(d)) <= 0.9 * fall:
                return there, ahead
        line = self.lines(z, dz, t, b)
        b = b + (self._shift(line, now) if b.size == 1 else self._step(line, now))
        return b, self.shifted(z, dz, t, b)

    def lines(self, z: Array, dz: Array, t: float, b: Array) -> Lines:
        """Value, slope and curvature of s -> phi(z + t dz + U (b + s d)), for any d."""
        y = self.moved(_ahead(z, dz, t), b)

        def line(d: Array) -> Along:
            away = self.times(d)
            return lambda s: self.objective.along(y, away, s)

        return line

    def bound_along(self, d: Array) -> float:
        """The most curvature along U d."""
        return float(self.objective.curvature_bound(self.times(d)) or 0.0)

    def _shift(self, line: Lines, now: Shifted) -> float:
        """The best step along the only column."""
        enough = ENOUGH * float(now.sizes[0])
        along = line(np.ones(1))
        return lowest(along, 0.0, enough, self.bound, rounding=100.0 * enough)

    def _step(self, line: Lines, now: Shifted) -> Array:
        """Newton's step in b, as far as it leads down.

        Curvature is held above a share of its bound that goes to zero with U' phi': the step is
        not too long where there is none.
        """
        values, vectors = np.linalg.eigh(now.gram)
        near = float(np.max(np.abs(now.sums) / np.maximum(now.sizes, 1e-300)))
        floor = max(FLAT * float(values[-1]), 0.01 * near * self.bound, 1e-300)
        parts = vectors.T @ now.sums
        parts[np.abs(parts) <= ENOUGH * now.sizes.max()] = 0.0  # rounding, perhaps where it is flat
        d = -vectors @ (parts / np.maximum(values, floor))
        fall, bound = -float(now.sums @ d), self.bound_along(d)
        if not fall > 0.0 or not bound > 0.0:
            return np.zeros_like(d)
        search = line(d)

        def along(t: float) -> tuple[float, float, float | None]:  # far enough, not too far
            value, slope, curvature = search(t)
            return value, slope + 0.25 * fall, curvature

        return np.asarray(lowest(along, 1.0, 0.3 * fall, bound, 0.0) * d)


class Intercepts(Free):
    """The same b for every observation, by the objective's own pass; U is not formed."""

    def __init__(self, objective: Objective) -> None:
        self.rows, self.count = objective.m // objective.intercepts, objective.intercepts
        self.largest: Array = np.ones(self.count)
        self.objective = objective

    @cached_property
    def matrix(self) -> Array:
        return self.times(np.eye(self.count))

    @property
    def constant(self) -> Array:
        return np.ones(self.count)

    def of(self, objective: Objective) -> Free:
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
        return self.objective.linearize_shifted(z, b, slope)[0]

    def at(self, z: Array, b: Array) -> Array:
        if self.count == 1:
            return super().at(z, b)
        ahead, last = b, np.inf
        for _ in range(MOST):
            now = self.shifted(z, NOWHERE, 0.0, ahead)
            if not semidefinite.excess(now.sums, ENOUGH, now.sizes) > 0.0:
                return ahead
            step, fall = semidefinite.descent(now.gram, FLAT, now.sums)
            if not 0.0 < fall < 0.5 * last:  # flat there, or too far
                break
            ahead, last = np.asarray(ahead + step), fall
            if not semidefinite.excess(self._far(step) * now.sums, ENOUGH, now.sizes) > 0.0:
                return ahead  # what the step leaves is rounding
        return super().at(z, b)

    def of_zero(self) -> Array:
        return self.objective.fitting_levels()

    def minimizer(
        self, z: Array, dz: Array, t: float, b: Array, close: float = 0.0
    ) -> tuple[Array, Shifted]:
        """The same; where classes are so sure that phi has edges, not floors, by cooling.

        There steps end at an edge. With z / heat it is smooth, and each minimizer is close to that
        of half the heat.
        """
        found = super().minimizer(z, dz, t, b, close)
        now = found[1]
        if self.count == 1 or not semidefinite.excess(now.sums, EDGE, now.sizes) > 0.0:
            return found
        y = _ahead(z, dz, t)
        heat, b = float(np.ptp(y.reshape(self.rows, self.count), axis=1).max()), found[0]
        while 1.0 < heat < np.inf:
            b = heat * super().minimizer(y / heat, NOWHERE, 0.0, b / heat, CLOSE)[0]
            heat *= 0.5
        cold = super().minimizer(z, dz, t, b, close)
        return cold if cold[1].value < now.value else found

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> Shifted:
        return self.objective.shifted(z, dz, t, b)


class FreeColumns(Free):
    """Any U, as a matrix."""

    def __init__(self, objective: Objective, columns: Array) -> None:
        self.objective, self._given = objective, columns
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

    def of(self, objective: Objective) -> Free:
        return FreeColumns(objective, self._given)

    def times(self, c: Array) -> Array:
        return self._columns @ self.objective.place.put(c)

    def moved(self, z: Array, b: Array) -> Array:
        moved = z + self._columns @ self.objective.place.put(b)
        return moved.astype(np.float64, copy=False)

    def sums(self, slope: Array) -> Array:
        found = self.objective.place.get(self._rows @ slope)
        return found.astype(np.float64, copy=False)

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> Shifted:
        place = self.objective.place
        y, slope = self.moved(_ahead(z, dz, t), b), place.empty(z.size, np.float64)
        value, _ = self.objective.linearize(y, slope)
        beside = self.objective.hessian_times(y, self._columns)
        first, second = 0.0, 0.0
        cross: Array = np.zeros(b.size)
        if dz.size:
            _, first, bend = self.objective.along(y, dz, 0.0)
            second, cross = float(bend or 0.0), place.get(dz @ beside)
        sizes, gram = place.get(self._sizes @ np.abs(slope)), place.get(self._rows @ beside)
        return Shifted(value, first, second, self.sums(slope), sizes, cross, gram)


def _ahead(z: Array, dz: Array, t: float) -> Array:
    """z + t dz, or z where dz is empty."""
    return z + np.float64(t) * dz if dz.size else z
