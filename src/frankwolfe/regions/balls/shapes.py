"""Positive definite matrices A, by a root M of their inverse, A^-1 = MM': axes of ellipsoids."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import frobenius

__all__ = ["Diagonal", "DiagonalPlusLowRank", "EllipsoidShape", "FullMatrix"]

MAX_HALVINGS = 200  # enough for all bits of a double, exponents included


class EllipsoidShape(Protocol):
    """Positive definite matrix A with A^-1 = MM', as ellipsoids use it."""

    def out(self, y: Array) -> Array:
        """M y: from the unit ball to the ellipsoid."""

    def against(self, g: Array) -> tuple[Array, float]:
        """A^-1 g, a new vector, and its length in A: that of M' g."""

    def into(self, x: Array) -> Array:
        """M^-1 x: from the ellipsoid to the unit ball."""

    def longest(self) -> float:
        """The largest half-axis: 1 over the root of the least eigenvalue."""

    def nearest(self, p: Array, radius: float) -> Array:
        """The x with x'Ax = radius^2 nearest to a p outside."""


class Diagonal:
    """Diagonal matrix A = diag(d)."""

    def __init__(self, d: Array) -> None:
        self.d, self._root = d, np.sqrt(d)
        self._over = 1.0 / self._root

    def out(self, y: Array) -> Array:
        return np.asarray(y * self._over)

    def against(self, g: Array) -> tuple[Array, float]:
        y = g * self._over
        length = frobenius(y)
        y *= self._over
        return y, length

    def into(self, x: Array) -> Array:
        return np.asarray(x * self._root)

    def longest(self) -> float:
        return 1.0 / float(self._root.min())

    def nearest(self, p: Array, radius: float) -> Array:
        return _shrunk(self, p, radius, lambda level: p / (1.0 + level * self.d))


class FullMatrix:
    """Full matrix A, by its eigenvalues and eigenvectors."""

    def __init__(self, values: Array, vectors: Array) -> None:
        self._axes, self._vectors = Diagonal(values), vectors
        self._M = vectors / np.sqrt(values)

    def out(self, y: Array) -> Array:
        return np.asarray(self._M @ y)

    def against(self, g: Array) -> tuple[Array, float]:
        y = g @ self._M
        return np.asarray(self._M @ y), frobenius(y)

    def into(self, x: Array) -> Array:
        return self._axes.into(x @ self._vectors)

    def longest(self) -> float:
        return self._axes.longest()

    def nearest(self, p: Array, radius: float) -> Array:
        return np.asarray(self._vectors @ self._axes.nearest(p @ self._vectors, radius))


class DiagonalPlusLowRank:
    r"""Matrix A = diag(d) + UU' with few columns in U.

    With the singular values s and left vectors Q of :math:`D^{-1/2} U` the root is
    :math:`M = D^{-1/2} (I + Q h Q')` with :math:`h = (1 + s^2)^{-1/2} - 1`: no digits cancel,
    however large UU' is beside D.
    """

    def __init__(self, d: Array, U: Array) -> None:
        self._d, self._U = d, U
        self._root = np.sqrt(d)
        self._over = 1.0 / self._root
        Q, s, _ = np.linalg.svd(U * self._over[:, None], full_matrices=False)
        self._rows = np.ascontiguousarray(Q.T)
        self._longer = np.hypot(1.0, s)
        self._grow = s * (s / (1.0 + self._longer))

    def out(self, y: Array) -> Array:
        shrink = -self._grow / self._longer
        return np.asarray((y + (shrink * (self._rows @ y)) @ self._rows) * self._over)

    def against(self, g: Array) -> tuple[Array, float]:
        """A^-1 g and its length: shorter along Q, unchanged across it, so that nothing cancels."""
        y = g * self._over
        along = self._rows @ y
        y -= along @ self._rows
        short = along / self._longer
        length = math.hypot(frobenius(y), frobenius(short))
        y += (short / self._longer) @ self._rows
        y *= self._over
        return y, length

    def into(self, x: Array) -> Array:
        y = x * self._root
        return np.asarray(y + (self._grow * (self._rows @ y)) @ self._rows)

    def longest(self) -> float:
        return 1.0 / math.sqrt(self._least)

    @cached_property
    def _least(self) -> float:
        """Least eigenvalue, by bisection from that of D to the least diagonal entry of A."""
        low, high = float(self._d.min()), float((self._d + (self._U**2).sum(axis=1)).min())
        for _ in range(MAX_HALVINGS):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            if self._below(middle):
                high = middle
            else:
                low = middle
        return low

    def _below(self, value: float) -> bool:
        """True if A has an eigenvalue below a value, by the inertia of a k x k matrix."""
        away = self._d - value
        away[away == 0.0] = np.spacing(value)
        # Haynsworth: negative(A - v) = negative(D - v) - k + positive(I + U'(D - v)^-1 U)
        inner = np.eye(self._U.shape[1]) + self._U.T @ (self._U / away[:, None])
        positive = int((np.linalg.eigvalsh(inner) > 0.0).sum())
        return bool(int((away < 0.0).sum()) - self._U.shape[1] + positive > 0)

    def nearest(self, p: Array, radius: float) -> Array:
        def shrunk(level: float) -> Array:
            both = DiagonalPlusLowRank(1.0 + level * self._d, math.sqrt(level) * self._U)
            return both.against(p)[0]

        return _shrunk(self, p, radius, shrunk)


def _shrunk(shape: EllipsoidShape, p: Array, radius: float, at: Callable[[float], Array]) -> Array:
    """(I + level A)^-1 p, which `at` computes, for the level that puts it on the surface.

    Its length in A falls with the level, and is at most |p| / 2 over the level's root.
    """
    from scipy.optimize import brentq

    def off(level: float) -> float:
        return 1.0 / float(np.linalg.norm(shape.into(at(level)))) - 1.0 / radius

    most = (float(np.linalg.norm(p)) / (2.0 * radius)) ** 2
    while off(most) < 0.0:  # rounding
        most *= 2.0
    x = at(float(brentq(off, 0.0, most, xtol=1e-300, rtol=1e-15, maxiter=MAX_HALVINGS, disp=False)))
    return np.asarray(x * (radius / float(np.linalg.norm(shape.into(x)))))
