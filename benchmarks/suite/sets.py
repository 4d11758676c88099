"""The regions of the problems in plain NumPy: what a peer may be given if it has none.

`lmo` minimizes a linear function, `project` projects, and `repair` moves a point that is outside
by a little into the region, so that nobody is judged at a point that is not feasible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Region:
    """A compact convex set; `project` is missing where it is not cheap."""

    radius: float = 1.0
    name = ""

    def lmo(self, g: np.ndarray) -> Any:
        """A vertex s with the least <g, s>."""
        raise NotImplementedError

    def project(self, x: np.ndarray) -> np.ndarray:
        """The nearest point."""
        raise NotImplementedError

    @property
    def projects(self) -> bool:
        """Whether `project` is there."""
        return type(self).project is not Region.project

    def repair(self, x: Any) -> Any:
        """A feasible point near x; x itself if it is feasible."""
        raise NotImplementedError


class L2(Region):
    """The Euclidean ball."""

    name = "l2"

    def lmo(self, g: np.ndarray) -> np.ndarray:
        return -self.radius / max(float(np.linalg.norm(g)), 1e-300) * g

    def project(self, x: np.ndarray) -> np.ndarray:
        return x * min(1.0, self.radius / max(float(np.linalg.norm(x)), 1e-300))

    repair = project


class L1(Region):
    """The l1 ball."""

    name = "l1"

    def lmo(self, g: np.ndarray) -> np.ndarray:
        s = np.zeros_like(g)
        i = int(np.argmax(np.abs(g)))
        s[i] = -self.radius * (np.sign(g[i]) or -1.0)
        return s

    def project(self, x: np.ndarray) -> np.ndarray:
        sizes = np.abs(x)
        if sizes.sum() <= self.radius:
            return x
        return np.sign(x) * _onto_simplex(sizes, self.radius)

    def repair(self, x: np.ndarray) -> np.ndarray:
        return x * min(1.0, self.radius / max(float(np.abs(x).sum()), 1e-300))


class Simplex(Region):
    """Entries that are not negative, with the sum `radius`."""

    name = "simplex"

    def lmo(self, g: np.ndarray) -> np.ndarray:
        s = np.zeros_like(g)
        s[int(np.argmin(g))] = self.radius
        return s

    def project(self, x: np.ndarray) -> np.ndarray:
        return _onto_simplex(x, self.radius)

    def repair(self, x: np.ndarray) -> np.ndarray:
        x = np.maximum(x, 0.0)
        return x * (self.radius / max(float(x.sum()), 1e-300))


@dataclass(frozen=True)
class KSparse(Region):
    """The hull of vectors with k entries ±radius: an l1 ball cut by a box."""

    k: int = 1
    name = "ksparse"

    def lmo(self, g: np.ndarray) -> np.ndarray:
        s = np.zeros_like(g)
        top = np.argpartition(np.abs(g), g.size - self.k)[g.size - self.k :]
        s[top] = -self.radius * np.where(np.signbit(g[top]), -1.0, 1.0)
        return s

    def project(self, x: np.ndarray) -> np.ndarray:
        """Soft thresholding, then clipping; the threshold by bisection and one exact step."""
        sizes, most = np.abs(x), self.k * self.radius
        if np.minimum(sizes, self.radius).sum() <= most:
            return np.clip(x, -self.radius, self.radius)
        low, high = 0.0, float(sizes.max())
        for _ in range(60):
            middle = 0.5 * (low + high)
            large = np.clip(sizes - middle, 0.0, self.radius).sum() > most
            low, high = (middle, high) if large else (low, middle)
        free = (sizes > high) & (sizes - high < self.radius)
        full = np.count_nonzero(sizes - high >= self.radius)
        if free.any():
            high = (sizes[free].sum() + full * self.radius - most) / np.count_nonzero(free)
        return np.sign(x) * np.clip(sizes - high, 0.0, self.radius)

    def repair(self, x: np.ndarray) -> np.ndarray:
        x = np.clip(x, -self.radius, self.radius)
        return x * min(1.0, self.k * self.radius / max(float(np.abs(x).sum()), 1e-300))


@dataclass(frozen=True)
class Birkhoff(Region):
    """Doubly stochastic k x k matrices, as vectors."""

    k: int = 1
    name = "birkhoff"

    def lmo(self, g: np.ndarray) -> np.ndarray:
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(g.reshape(self.k, self.k))
        s = np.zeros((self.k, self.k))
        s[rows, columns] = 1.0
        return s.ravel()

    def repair(self, x: np.ndarray) -> np.ndarray:
        """Rounding by Altschuler, Weed and Rigollet (2017): rows, columns, then what is missing."""
        X = np.maximum(x.reshape(self.k, self.k), 0.0)
        X = X / np.maximum(X.sum(axis=1, keepdims=True), 1.0)
        X = X / np.maximum(X.sum(axis=0, keepdims=True), 1.0)
        rows, columns = 1.0 - X.sum(axis=1), 1.0 - X.sum(axis=0)
        missing = float(np.abs(rows).sum())
        if missing > 1e-14:
            X = X + np.outer(rows, columns) / missing
        return X.ravel()


@dataclass(frozen=True)
class Nuclear(Region):
    """Matrices whose singular values sum to at most `radius`, dense ones as vectors."""

    shape: tuple[int, int] = (1, 1)
    name = "nuclear"

    def lmo(self, g: np.ndarray) -> np.ndarray:
        u, v = self.pair(g.reshape(self.shape))
        return np.outer(u, v).ravel()

    def pair(self, g: Any) -> tuple[np.ndarray, np.ndarray]:
        """The factors of the vertex, for a dense or sparse gradient."""
        from scipy.sparse.linalg import svds

        u, _, v = svds(g, k=1, tol=1e-10, v0=np.ones(min(self.shape)))
        return -self.radius * u[:, 0], v[0]

    def project(self, x: np.ndarray) -> np.ndarray:
        u, sizes, v = np.linalg.svd(x.reshape(self.shape), full_matrices=False)
        if sizes.sum() <= self.radius:
            return x
        return ((u * _onto_simplex(sizes, self.radius)) @ v).ravel()

    def repair(self, x: Any) -> Any:
        if isinstance(x, np.ndarray):
            norm = float(np.linalg.svd(x.reshape(self.shape), compute_uv=False).sum())
            return x * min(1.0, self.radius / max(norm, 1e-300))
        share = min(1.0, self.radius / max(x.nuclear_norm(), 1e-300))
        return type(x)(x.left, x.weights * share, x.right)


def _onto_simplex(x: np.ndarray, radius: float) -> np.ndarray:
    """By sorting (Held, Wolfe, Crowder 1974)."""
    descending = np.sort(x)[::-1]
    excess = np.cumsum(descending) - radius
    last = np.flatnonzero(descending * np.arange(1, x.size + 1) > excess)[-1]
    return np.maximum(x - excess[last] / (last + 1), 0.0)
