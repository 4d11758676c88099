"""The columns U of variables that are minimized out, as `Profiled` uses them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from frankwolfe.numerics.arrays import Array
from frankwolfe.objectives.base import Objective, Shifted

__all__ = ["Free", "FreeColumns", "Intercepts", "ahead_of"]


class Free(Protocol):
    """Columns U, and phi along them."""

    largest: Array  # of each column, in size

    def matrix(self) -> Array:
        """U."""

    def times(self, c: Array) -> Array:
        """U c, for one c or several side by side."""

    def moved(self, z: Array, b: Array) -> Array:
        """z + U b, for one or several side by side, in double precision."""

    def sums(self, slope: Array) -> Array:
        """U' slope, for one slope or several side by side."""

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> Shifted:
        """The derivatives of (t, b) -> phi(z + t dz + U b); those of b alone where dz is empty."""


class Intercepts:
    """The same b for every observation, by the objective's own pass; U is not formed."""

    def __init__(self, objective: Objective) -> None:
        self.rows, self.count = objective.m // objective.intercepts, objective.intercepts
        self.largest: Array = np.ones(self.count)
        self.objective = objective

    def matrix(self) -> Array:
        return self.times(np.eye(self.count))

    def times(self, c: Array) -> Array:
        return np.tile(c, (self.rows,) + (1,) * (c.ndim - 1))

    def moved(self, z: Array, b: Array) -> Array:
        each = z.reshape(self.rows, self.count, *z.shape[1:])
        return np.asarray(each + b, dtype=np.float64).reshape(z.shape)

    def sums(self, slope: Array) -> Array:
        each = slope.reshape(self.rows, self.count, *slope.shape[1:])
        return np.asarray(each.sum(axis=0, dtype=np.float64))

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> Shifted:
        return self.objective.shifted(z, dz, t, b)


class FreeColumns:
    """Any U, as a matrix."""

    def __init__(self, objective: Objective, columns: Array) -> None:
        self.objective, self.columns = objective, columns
        self._rows = np.ascontiguousarray(columns.T)
        self._sizes = np.abs(self._rows)
        self.largest: Array = self._sizes.max(axis=1)

    def matrix(self) -> Array:
        return self.columns

    def times(self, c: Array) -> Array:
        return np.asarray(self.columns @ c)

    def moved(self, z: Array, b: Array) -> Array:
        return np.asarray(z + self.columns @ b, dtype=np.float64)

    def sums(self, slope: Array) -> Array:
        return np.asarray(self._rows @ slope, dtype=np.float64)

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> Shifted:
        y, slope = self.moved(ahead_of(z, dz, t), b), np.empty(z.size)
        value, _ = self.objective.linearize(y, slope)
        beside = self.objective.hessian_times(y, self.columns)
        first, second, cross = 0.0, 0.0, np.zeros(b.size)
        if dz.size:
            _, first, bend = self.objective.along(y, dz, 0.0)
            second, cross = float(bend or 0.0), dz @ beside
        sizes = self._sizes @ np.abs(slope)
        return Shifted(value, first, second, self.sums(slope), sizes, cross, self._rows @ beside)


def ahead_of(z: Array, dz: Array, t: float) -> Array:
    """z + t dz, or z where dz is empty."""
    return np.asarray(z + np.float64(t) * dz) if dz.size else z
