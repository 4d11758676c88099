"""Newton system of the central path through a spectraplex, for matrix completion."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.memory import Memory
from frankwolfe.core.factor_curvature import CellCurvature
from frankwolfe.core.region_abilities import Factoring
from frankwolfe.core.state import State
from frankwolfe.methods.matrix.policy import POLICY
from frankwolfe.subproblems.quadratics import solve_definite

__all__ = ["MatrixNewtonSystem", "MatrixPath", "MatrixStep", "gradient_of"]


@dataclass(slots=True)
class MatrixPath(Memory):
    """Point on the path: roots of X and S = G + kappa I, and kappa; with the best gap so far."""

    root: Array
    dual: Array
    kappa: float = 0.0
    product: float = 0.0  # mu
    room: float = 0.0  # slack of the trace of X
    best: float = math.inf
    stale: int = 0


class NesterovToddScaling(NamedTuple):
    """Nesterov-Todd scaling R, with R'SR = R^-1 X R^-T = diag(values), and R^-T."""

    turn: Array
    back: Array
    values: Array


class MatrixStep(NamedTuple):
    """Newton step in scaled matrices x and s, in kappa, and in the trace of X."""

    x: Array
    s: Array
    kappa: float
    traced: float


def gradient_of(state: State) -> Array:
    """Symmetric part of the gradient, as a dense matrix."""
    full = state.problem.objective.covector(state.gradient).dense()
    return np.asarray(0.5 * (full + full.T))


class MatrixNewtonSystem:
    """Newton system of XS = mu I, in the scaling in which X and S are the same.

    `curvature` holds the second derivatives in the observed cells.
    """

    def __init__(
        self, state: State, path: MatrixPath, form: Factoring, curvature: CellCurvature
    ) -> None:
        self.form, self.kappa, self.product = form, path.kappa, path.product
        # a difference of traces would be rounding in the end
        self.room = form.most - float((path.root**2).sum()) if form.exact else path.room
        self.scaled = _scaled(path)
        R = self.scaled.turn
        objective, rows = state.problem.objective, len(R)
        self.upper = np.triu_indices(rows)
        # <V, W> is a dot product of entries above the diagonal in this scale
        self.scale = np.where(self.upper[0] == self.upper[1], 1.0, math.sqrt(2.0))
        self.matrix = self._pulled(objective.covector(curvature.bend).dense(), R)
        if curvature.together is not None:
            rows_of = [objective.covector(row).dense() for row in curvature.together.toarray()]
            both = np.array([self.flat(R.T @ (A + A.T) @ R) for A in rows_of])
            self.matrix += 0.25 * both.T @ both
        self.matrix.ravel()[:: self.scale.size + 1] += 1.0
        self.trace = self.flat(R.T @ R)
        self.slope = R.T @ gradient_of(state) @ R

    def flat(self, matrix: Array) -> Array:
        """Upper triangle of a symmetric matrix, scaled so that <V, W> is a dot product."""
        return np.asarray(self.scale * matrix[self.upper])

    def _pulled(self, curvature: Array, R: Array) -> Array:
        """Hessian of f in the scaled entries: a sum over curved cells of squares of (RxR')_ij."""
        both = np.triu(curvature + curvature.T)
        both.ravel()[:: len(R) + 1] *= 0.5
        i, j = np.nonzero(both)
        left, right = R[i], R[j]
        a, b = self.upper
        cells = left[:, a] * right[:, b] + left[:, b] * right[:, a]
        cells *= 0.5 * self.scale * np.sqrt(both[i, j])[:, None]
        return np.asarray(cells.T @ cells)

    def step(self) -> MatrixStep:
        """Solve for the step, which is downhill for f plus barrier whatever S is."""
        values, target = self.scaled.values, self.product
        right = self.flat(np.diag(target / values) - self.slope)
        p, q = solve_definite(self.matrix, np.column_stack([right, self.trace]), 0.0).T
        along, across = float(self.trace @ p), float(self.trace @ q)
        if self.form.exact:  # the trace stays, or comes back
            kappa, traced = (along - self.room) / across, self.room
        else:  # the product of kappa and the room becomes mu, and nothing cancels
            both = self.room + self.kappa * across
            kappa = (target + self.kappa * along) / both
            traced = (self.room * along - target * across) / both
        w = p - kappa * q
        x = np.zeros((values.size, values.size))
        x[self.upper] = w / self.scale
        x = x + np.triu(x, 1).T
        return MatrixStep(x, np.diag(target / values - values) - x, kappa - self.kappa, traced)

    def shares(self, step: MatrixStep) -> Array:
        """Eigenvalues of the step in X relative to X."""
        roots = np.sqrt(self.scaled.values)
        return np.linalg.eigvalsh(step.x / np.outer(roots, roots))

    def longest_dual(self, step: MatrixStep) -> float:
        """Largest step for which S stays positive definite, and kappa positive if it has to be."""
        roots = np.sqrt(self.scaled.values)
        least = float(np.linalg.eigvalsh(step.s / np.outer(roots, roots))[0])
        if not self.form.exact:
            least = min(least, step.kappa / self.kappa)
        return 1.0 / max(-least, 1e-300)


def _scaled(path: MatrixPath) -> NesterovToddScaling:
    """Scale X and S to the same diagonal; where they are far from the path S is taken from X."""
    u, values, vt = np.linalg.svd(path.dual.T @ path.root)
    product = path.product
    if values[0] ** 2 > POLICY.mu_ratio * product or values[-1] ** 2 < product / POLICY.mu_ratio:
        inverse = np.linalg.inv(path.root)
        path.dual = math.sqrt(product) * inverse.T
        values = np.full(values.size, math.sqrt(product))
        u, vt = np.eye(values.size), np.eye(values.size)
    roots = np.sqrt(values)
    return NesterovToddScaling(path.root @ (vt.T / roots), path.dual @ (u / roots), values)
