"""A matrix gradient whose rows and columns are scaled."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.gradients import MatrixGradient

__all__ = ["RescaledGradient"]


class RescaledGradient(MatrixGradient):
    """The matrix diag(left) G diag(right), known by the products of G."""

    def __init__(self, g: MatrixGradient, left: Array, right: Array) -> None:
        self._g = g
        self._rows, self._columns = left, right  # as NumPy's
        self._left, self._right = g.place.put(left), g.place.put(right)
        self.shape, self.dtype, self.full, self.place = g.shape, g.dtype, g.full, g.place

    def apply(self, v: Array, out: Array) -> None:
        self._g.apply((self._right * v).astype(v.dtype, copy=False), out)
        out *= self._left

    def adjoint(self, u: Array, out: Array) -> None:
        self._g.adjoint((self._left * u).astype(u.dtype, copy=False), out)
        out *= self._right

    def apply_block(self, block: Array, out: Array) -> None:
        self._g.apply_block((self._right[:, None] * block).astype(block.dtype, copy=False), out)
        out *= self._left[:, None]

    def adjoint_block(self, block: Array, out: Array) -> None:
        self._g.adjoint_block((self._left[:, None] * block).astype(block.dtype, copy=False), out)
        out *= self._right[:, None]

    def between(self, left: Array, right: Array) -> Array:
        return self._g.between(left * self._rows, right * self._columns)

    def frobenius(self) -> float:
        """Upper bound max(left) |G|_F max(right) on the norm, which is enough for bounds."""
        return self._g.frobenius() * float(self._rows.max() * self._columns.max())

    def dense(self) -> Array:
        return np.asarray(self._rows[:, None] * self._g.dense() * self._columns)
