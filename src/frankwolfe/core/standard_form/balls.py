"""Norms of blocks of coefficients that are bounded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array

__all__ = ["Cone", "PowerBall"]


class PowerBall(NamedTuple):
    r"""The bound :math:`\|v\|_p \le` radius on a block v of the coefficients, p > 1."""

    block: slice
    p: float
    radius: float

    def at(self, y: Array) -> tuple[float, Array, Array]:
        """(|v/radius|^p - 1)/p with its first derivatives, and the second, which are diagonal."""
        size = np.abs(y[self.block]) / self.radius
        first, second = np.zeros_like(y), np.zeros_like(y)
        first[self.block] = np.sign(y[self.block]) * size ** (self.p - 1.0) / self.radius
        second[self.block] = (self.p - 1.0) * size ** (self.p - 2.0) / self.radius / self.radius
        return (float(np.sum(size**self.p)) - 1.0) / self.p, first, second

    @property
    def unit(self) -> float:
        """The unit of the value that `at` gives: it has none."""
        return 1.0

    def moved(self, by: int) -> PowerBall:
        """The same further on in y."""
        return PowerBall(_after(self.block, by), self.p, self.radius)

    def back(self, y: Array, over: float) -> Array:
        """What to take from y where it is outside, by `over`."""
        out = np.zeros_like(y)
        out[self.block] = y[self.block] * (1.0 - (1.0 + self.p * over) ** (-1.0 / self.p))
        return out


class Cone(NamedTuple):
    r"""The bound :math:`\|v\|_2 \le t` on a block v of the coefficients, t another of them.

    t is nowhere larger than `radius`.
    """

    block: slice
    place: int
    radius: float

    def at(self, y: Array) -> tuple[float, Array, Array]:
        """(|v|^2 / t - t) / 2 with its first derivatives; the second are in `bend`."""
        v, t = y[self.block], y[self.place]
        first = np.zeros_like(y)
        first[self.block] = v / t
        first[self.place] = -0.5 * (float(v @ v) / t**2 + 1.0)
        return 0.5 * (float(v @ v) / t - t), first, np.zeros_like(y)

    @property
    def unit(self) -> float:
        """The unit of the value that `at` gives: that of t."""
        return self.radius

    def bend(self, y: Array, weight: float, out: Array) -> None:
        """Add `weight` times the second derivatives: J'J / t with J = [1, -v/t]."""
        v, t = y[self.block] / y[self.place], y[self.place]
        places = np.arange(self.block.start, self.block.stop)
        out[places, places] += weight / t
        out[places, self.place] -= weight / t * v
        out[self.place, places] -= weight / t * v
        out[self.place, self.place] += weight / t * float(v @ v)

    def moved(self, by: int) -> Cone:
        """The same further on in y."""
        return Cone(_after(self.block, by), self.place + by, self.radius)

    def back(self, y: Array, over: float) -> Array:
        """What to take from y where it is outside."""
        out, size = np.zeros_like(y), float(np.linalg.norm(y[self.block]))
        out[self.block] = y[self.block] * (1.0 - y[self.place] / size)
        return out


def _after(block: slice, by: int) -> slice:
    return slice(block.start + by, block.stop + by)
