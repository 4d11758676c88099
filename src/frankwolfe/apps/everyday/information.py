"""Criteria of the information of a design, and Newton steps on the weights of a few points."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.errors import InvalidInput
from frankwolfe.methods.corrective.model import toward_model

__all__ = ["Criterion", "Curvature", "Few", "orthonormal", "spread"]

NEWTON = 30  # steps on the points found so far, between two looks at all of them
HALVINGS = 50
ROUNDING = 1e-15  # of the criterion


def orthonormal(points: Array) -> tuple[Array, Array, Array]:
    """The points in coordinates in which no scale or mean of a column costs digits."""
    units = np.ldexp(1.0, np.frexp(np.abs(points).max(axis=0))[1])
    basis, corner = np.linalg.qr(points / units)
    sizes = np.linalg.svd(corner, compute_uv=False)
    p = points.shape[1]
    small = max(points.shape) * np.finfo(np.float64).eps * float(sizes.max())
    rank = int((sizes > small).sum())
    if rank < p:
        raise InvalidInput(
            f"the rows of X must span all {p} dimensions, but they span {rank}: add points, or "
            "drop columns."
        )
    return basis * math.sqrt(len(points)), corner / math.sqrt(len(points)), units


def spread(points: Array) -> Indices:
    """As many points as dimensions, each the farthest from the span of those before it."""
    left, chosen = points.copy(), []
    for _ in range(points.shape[1]):
        sizes = np.einsum("ij,ij->i", left, left)
        chosen.append(int(sizes.argmax()))
        unit = left[chosen[-1]] / math.sqrt(float(sizes[chosen[-1]]))
        left -= np.outer(left @ unit, unit)
    return np.array(chosen)


class Curvature(NamedTuple):
    """The two factors of the second derivatives; the second makes the first derivatives."""

    left: Array
    right: Array


class Criterion:
    """-log det M, or tr(L M^-1) where L is given."""

    def __init__(self, L: Array | None) -> None:
        self.L = L

    def at(self, M: Array) -> tuple[float, Curvature] | None:
        """Value and curvature; None where M is not positive definite."""
        try:
            factor = np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            return None
        half = np.linalg.inv(factor)
        inverse = half.T @ half
        if self.L is None:
            value = -2.0 * float(np.log(factor.diagonal()).sum())
            return value, Curvature(inverse, inverse)
        return float(np.vdot(self.L, inverse)), Curvature(inverse, inverse @ self.L @ inverse)

    def merit(self, points: Array, curvature: Curvature) -> Array:
        """How fast the criterion falls in each weight."""
        return np.asarray(np.einsum("ij,ij->i", points @ curvature.right, points))

    def hessian(self, points: Array, curvature: Curvature) -> Array:
        """The second derivatives in the weights."""
        left = points @ curvature.left @ points.T
        if self.L is None:
            return np.asarray(left * left)
        return np.asarray(2.0 * left * (points @ curvature.right @ points.T))


class Few:
    """Some of the points, with weights for which the criterion is small."""

    def __init__(self, goal: Criterion, points: Array, places: Indices) -> None:
        self.goal, self.points, self.places = goal, points, places
        self.weights = np.full(places.size, 1.0 / places.size)
        self._look(self.weights)

    def _look(self, weights: Array) -> bool:
        """Stand at these weights, if the criterion is finite there."""
        rows = self.points[self.places]
        found = self.goal.at(rows.T @ (weights[:, None] * rows))
        if found is None:
            return False
        self.weights, (self.value, self.curvature) = weights, found
        self.merit = self.goal.merit(rows, self.curvature)
        self.total = float(self.merit @ weights)  # p for "D", the value itself for "A"
        return True

    def newton(self, enough: float) -> None:
        """Damped Newton steps over the simplex of these points' weights."""
        for _ in range(NEWTON):
            if float(self.merit.max()) - self.total <= enough:
                break
            H = self.goal.hessian(self.points[self.places], self.curvature)
            aim = toward_model(H, self.weights, -self.merit, 0.01 * enough)
            if not self._step(aim - self.weights):
                break
        keep = self.weights > 0.0
        self.places, self.merit = self.places[keep], self.merit[keep]
        self.weights = self.weights[keep]

    def _step(self, d: Array) -> bool:
        """As far along d as the criterion falls enough; False where it does nowhere."""
        start, value, t = self.weights, self.value, 1.0
        slope = -float(self.merit @ d)
        rounding = ROUNDING * (1.0 + abs(value))  # near the end only the gap still shrinks
        for _ in range(HALVINGS):
            if self._look(start + t * d) and self.value <= value + 0.25 * t * slope + rounding:
                return slope < 0.0
            t *= 0.5
        self._look(start)
        return False

    def take_in(self, merit: Array) -> None:
        """Add points that have the largest merit."""
        count = min(2 * self.points.shape[1] + 8, merit.size)
        best = np.argpartition(merit, -count)[-count:]
        new = np.setdiff1d(best[merit[best] > self.total], self.places)
        self.places = np.concatenate([self.places, new])
        self.merit = np.concatenate([self.merit, merit[new]])
        self.weights = np.concatenate([self.weights, np.zeros(new.size)])
