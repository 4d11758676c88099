"""Bounds on norms of blocks of the coefficients y, as convex functions with derivatives."""

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
        """Value (|v/radius|_p^p - 1)/p, its gradient, and the diagonal of its Hessian."""
        size = np.abs(y[self.block]) / self.radius
        first, second = np.zeros_like(y), np.zeros_like(y)
        first[self.block] = np.sign(y[self.block]) * size ** (self.p - 1.0) / self.radius
        second[self.block] = (self.p - 1.0) * size ** (self.p - 2.0) / self.radius / self.radius
        return (float(np.sum(size**self.p)) - 1.0) / self.p, first, second

    @property
    def unit(self) -> float:
        """Unit of the value of `at`: it has no dimension."""
        return 1.0

    def moved(self, by: int) -> PowerBall:
        """Copy of the bound for the block `by` places further on in y."""
        return PowerBall(_after(self.block, by), self.p, self.radius)

    def back(self, y: Array, over: float) -> Array:
        """Move to subtract from a y outside, where `at` is `over` > 0, to be on the sphere."""
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
        """Value (|v|^2 / t - t) / 2 and its gradient; `add_curvature` has the Hessian, not zero."""
        v, t = y[self.block], y[self.place]
        first = np.zeros_like(y)
        first[self.block] = v / t
        first[self.place] = -0.5 * (float(v @ v) / t**2 + 1.0)
        return 0.5 * (float(v @ v) / t - t), first, np.zeros_like(y)

    @property
    def unit(self) -> float:
        """Unit of the value of `at`: that of t."""
        return self.radius

    def add_curvature(self, y: Array, weight: float, out: Array) -> None:
        """Add `weight` times the Hessian, J'J / t with J = [I, -v/t], to `out`."""
        v, t = y[self.block] / y[self.place], y[self.place]
        places = np.arange(self.block.start, self.block.stop)
        out[places, places] += weight / t
        out[places, self.place] -= weight / t * v
        out[self.place, places] -= weight / t * v
        out[self.place, self.place] += weight / t * float(v @ v)

    def moved(self, by: int) -> Cone:
        """Copy of the bound for the block `by` places further on in y."""
        return Cone(_after(self.block, by), self.place + by, self.radius)

    def back(self, y: Array, over: float) -> Array:
        """Move to subtract from a y outside to be on the cone's surface."""
        out, size = np.zeros_like(y), float(np.linalg.norm(y[self.block]))
        out[self.block] = y[self.block] * (1.0 - y[self.place] / size)
        return out


def _after(block: slice, by: int) -> slice:
    """Slice `by` places further on."""
    return slice(block.start + by, block.stop + by)
