"""Criteria of optimal design, and Newton steps on the weights of a few points."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frankwolfe.base import Array, Indices, InvalidInput
from frankwolfe.methods import toward_model

__all__ = ["Criterion", "InformationCurvature", "SupportedDesign", "orthonormal", "spread"]

MAX_NEWTON_STEPS = 30  # on the points found so far, between two looks at all of them
MAX_HALVINGS = 50  # of a step, down to the rounding of the weights
CRITERION_ROUNDING = 1e-15  # over 1 + |criterion|


def orthonormal(points: Array) -> tuple[Array, Array, Array]:
    """Orthonormal coordinates of the points, in which scales and means cost no digits.

    Returns the points there, the triangular factor R, and the units: X = points @ R * units.
    """
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
    """Choose as many points as dimensions, each farthest from the span of those before it."""
    left, chosen = points.copy(), []
    for _ in range(points.shape[1]):
        sizes = np.einsum("ij,ij->i", left, left)
        chosen.append(int(sizes.argmax()))
        unit = left[chosen[-1]] / math.sqrt(float(sizes[chosen[-1]]))
        left -= np.outer(left @ unit, unit)
    return np.array(chosen)


class InformationCurvature(NamedTuple):
    """Factors of the derivatives: M^-1, and M^-1 (for "D") or M^-1 L M^-1 (for "A")."""

    left: Array
    right: Array


class Criterion:
    """The criterion -log det M ("D"), or tr(L M^-1) if L is given ("A")."""

    def __init__(self, L: Array | None) -> None:
        self.L = L

    def at(self, M: Array) -> tuple[float, InformationCurvature] | None:
        """Value and derivative factors at M; None if it is not positive definite."""
        try:
            factor = np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            return None
        half = np.linalg.inv(factor)
        inverse = half.T @ half
        if self.L is None:
            value = -2.0 * float(np.log(factor.diagonal()).sum())
            return value, InformationCurvature(inverse, inverse)
        right = inverse @ self.L @ inverse
        return float(np.vdot(self.L, inverse)), InformationCurvature(inverse, right)

    def merit(self, points: Array, curvature: InformationCurvature) -> Array:
        """Minus the derivative of the criterion in each weight."""
        return np.asarray(np.einsum("ij,ij->i", points @ curvature.right, points))

    def hessian(self, points: Array, curvature: InformationCurvature) -> Array:
        """Second derivatives of the criterion in the weights."""
        left = points @ curvature.left @ points.T
        if self.L is None:
            return np.asarray(left * left)
        return np.asarray(2.0 * left * (points @ curvature.right @ points.T))


class SupportedDesign:
    """A few of the points, with weights that make the criterion small."""

    def __init__(self, goal: Criterion, points: Array, places: Indices) -> None:
        self.goal, self.points, self.places = goal, points, places
        self.weights = np.full(places.size, 1.0 / places.size)
        self._look(self.weights)

    def _look(self, weights: Array) -> bool:
        """Move to the given weights if the criterion is finite there; False if it is not."""
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
        for _ in range(MAX_NEWTON_STEPS):
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
        """Backtracking (Armijo) along d; False if the criterion decreases nowhere."""
        start, value, t = self.weights, self.value, 1.0
        slope = -float(self.merit @ d)
        # near the end the value no longer changes, but the gap still shrinks
        rounding = CRITERION_ROUNDING * (1.0 + abs(value))
        for _ in range(MAX_HALVINGS):
            if self._look(start + t * d) and self.value <= value + 0.25 * t * slope + rounding:
                return slope < 0.0
            t *= 0.5
        self._look(start)
        return False

    def take_in(self, merit: Array) -> None:
        """Add points with the largest merit."""
        count = min(2 * self.points.shape[1] + 8, merit.size)
        best = np.argpartition(merit, -count)[-count:]
        new = np.setdiff1d(best[merit[best] > self.total], self.places)
        self.places = np.concatenate([self.places, new])
        self.merit = np.concatenate([self.merit, merit[new]])
        self.weights = np.concatenate([self.weights, np.zeros(new.size)])
