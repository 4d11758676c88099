"""The optimum of a completion problem by other means: cvxpy, then projected gradients."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np

from .completion_shapes import Ratings

__all__ = ["Optimum", "Truth", "peers_matrix"]

MOST = 52  # rows and columns that cvxpy is given
POLISH = 300  # accelerated steps behind the best point that is known
TIGHT = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
SYMMETRIC = ("exact", "at most")


class Optimum(NamedTuple):
    """A value that some point of the region has, and a bound below all."""

    above: float
    below: float


class Truth:
    """The loss in double precision, and the region, from the numbers of the problem alone.

    A matrix of the weighted ball is Y with X = diag(l) Y diag(r).
    """

    def __init__(self, case: Ratings) -> None:
        self.case = case
        scale = 1.0 if case.loss == "logistic" else case.scale
        kind = np.float32 if case.single else np.float64
        self.values = (case.values * scale).astype(kind).astype(np.float64)
        weights = np.ones(self.values.size) if case.weights is None else case.weights
        self.weights = weights / (weights.sum() if case.reduction == "mean" else 1.0)
        self.size, self.delta = case.size * scale, case.delta * scale
        plain = np.ones(case.shape[0]), np.ones(case.shape[1])
        sides = case.sides if case.kind == "weighted" else plain
        self.left, self.right = (1.0 / np.sqrt(side) for side in sides)

    def unscaled(self, x: Any) -> Any:
        """Y of X."""
        return x / self.left[:, None] / self.right

    def value(self, y: Any) -> float:
        z = self._image(y)
        if self.case.loss == "logistic":
            return float(self.weights @ np.logaddexp(0.0, -self.values * z))
        c = np.abs(z - self.values)
        if self.case.loss == "squared":
            return float(self.weights @ (0.5 * c * c))
        return float(
            self.weights @ np.where(c <= self.delta, c * c, self.delta * (2 * c - self.delta))
        )

    def gradient(self, y: Any) -> Any:
        z = self._image(y)
        if self.case.loss == "logistic":
            slope = -self.values * np.exp(-np.logaddexp(0.0, self.values * z))
        elif self.case.loss == "squared":
            slope = z - self.values
        else:
            slope = 2.0 * np.clip(z - self.values, -self.delta, self.delta)
        full = np.zeros(self.case.shape)
        np.add.at(full, self.case.cells, self.weights * slope)
        return full * self.left[:, None] * self.right

    def _image(self, y: Any) -> Any:
        rows, columns = self.case.cells
        return self.left[rows] * y[rows, columns] * self.right[columns]

    def curvature(self) -> float:
        """A bound on that of the loss in Y."""
        bend = {"logistic": 0.25, "squared": 1.0, "huber": 2.0}[self.case.loss]
        full = np.zeros(self.case.shape)
        np.add.at(full, self.case.cells, self.weights)
        return bend * float((full * self.left[:, None] ** 2 * self.right**2).max())

    def outside(self, y: Any) -> float:
        """How far out of the region, as a share of its size."""
        if self.case.kind not in SYMMETRIC:
            return float(np.linalg.norm(y, "nuc")) / self.size - 1.0
        values = np.linalg.eigvalsh(0.5 * (y + y.T))
        excess = float(values.sum()) - self.size
        excess = abs(excess) if self.case.kind == "exact" else excess
        return max(excess, -float(values[0]), float(np.abs(y - y.T).max())) / self.size

    def projected(self, y: Any) -> Any:
        if self.case.kind in SYMMETRIC:
            values, vectors = np.linalg.eigh(0.5 * (y + y.T))
            return (vectors * self._simplex(values)) @ vectors.T
        u, s, vt = np.linalg.svd(y, full_matrices=False)
        return (u * self._simplex(s)) @ vt

    def _simplex(self, s: Any) -> Any:
        """The nearest numbers >= 0 that add up to the size, or to no more."""
        kept = np.maximum(s, 0.0)
        if self.case.kind != "exact" and kept.sum() <= self.size:
            return kept
        falling = np.sort(s)[::-1]
        over = (np.cumsum(falling) - self.size) / np.arange(1, s.size + 1)
        kept = np.maximum(s - over[np.flatnonzero(falling > over)[-1]], 0.0)
        return kept * (self.size / kept.sum())

    def bound(self, y: Any) -> float:
        """The minimum of the tangent at y over the region."""
        g = self.gradient(y)
        if self.case.kind in SYMMETRIC:
            least = float(np.linalg.eigvalsh(0.5 * (g + g.T))[0])
            support = self.size * (min(least, 0.0) if self.case.kind == "at most" else least)
        else:
            support = -self.size * float(np.linalg.norm(g, 2))
        return self.value(y) - float((g * y).sum()) + support

    def optimum(self, *points: Any) -> Optimum:
        """From these points of the region, and accelerated steps behind the best of them."""
        y = min((self.projected(p) for p in points), key=self.value)
        below = max(self.bound(y), 0.0)
        ahead, momentum, best, length = y, 1.0, self.value(y), self.curvature()
        for step in range(POLISH):
            new = self.projected(ahead - self.gradient(ahead) / length)
            if float(((ahead - new) * (new - y)).sum()) > 0.0:  # uphill: begin again
                momentum, ahead = 1.0, y
                new = self.projected(y - self.gradient(y) / length)
            after = 0.5 + math.sqrt(0.25 + momentum**2)
            ahead = new + ((momentum - 1.0) / after) * (new - y)
            y, momentum, best = new, after, min(best, self.value(new))
            if step % 20 == 0:
                below = max(below, self.bound(y))
                if best - below <= 1e-12 * best:
                    break
        return Optimum(best, below)


def peers_matrix(case: Ratings) -> Any:
    """What cvxpy's solver returns for Y; None where it does not, or would take long."""
    if sum(case.shape) > MOST:
        return None
    import cvxpy as cp

    truth = Truth(case)
    unit = 1.0 if case.loss == "logistic" else case.scale
    size, top = truth.size / unit, float(truth.weights.max())
    rows, columns = case.cells
    y = cp.Variable(case.shape, PSD=True) if case.kind in SYMMETRIC else cp.Variable(case.shape)
    z = cp.multiply(truth.left[rows] * truth.right[columns], y[rows, columns]) * size
    weights, values = truth.weights / top, truth.values / unit
    if case.loss == "logistic":
        loss = weights @ cp.logistic(-cp.multiply(values, z))
    elif case.loss == "squared":
        loss = 0.5 * weights @ cp.square(z - values)
    else:
        loss = weights @ cp.huber(z - values, case.delta)
    if case.kind in SYMMETRIC:
        inside = cp.trace(y) == 1.0 if case.kind == "exact" else cp.trace(y) <= 1.0
    else:
        inside = cp.normNuc(y) <= 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            cp.Problem(cp.Minimize(loss), [inside]).solve(solver="CLARABEL", **TIGHT)
        except cp.SolverError:
            return None
    return None if y.value is None else y.value * size * unit
