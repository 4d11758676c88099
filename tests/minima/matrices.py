"""Sets of matrices by other decompositions."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

import frankwolfe as fw
from minima import least


@least.register
def nuclear_norm(region: fw.regions.SpectralBall, g: np.ndarray) -> float:
    """Singular values are the positive eigenvalues of a symmetric matrix twice as large."""
    G = g.reshape(region.rows, region.columns)
    both = np.block([[np.zeros((region.rows,) * 2), G], [G.T, np.zeros((region.columns,) * 2)]])
    return -region.radius * float(np.maximum(eigh(both, eigvals_only=True), 0.0).sum())


@least.register
def smallest_eigenvalues(region: fw.regions.Fantope, g: np.ndarray) -> float:
    G = g.reshape(region.n, region.n)
    values = eigh(0.5 * (G + G.T), eigvals_only=True, driver="ev")
    return float(values[: region.k].sum())


@least.register
def three_correlations(region: fw.regions.Elliptope, g: np.ndarray) -> float:
    """By the dual of at most three rows: the largest sum of y with G - diag(y) semidefinite."""
    G = g.reshape(region.n, region.n)
    G = 0.5 * (G + G.T)
    if region.n == 1:
        return float(G[0, 0])
    if region.n == 2:
        return float(np.trace(G)) - 2.0 * abs(float(G[0, 1]))
    a, b, c = (2.0 * float(G[i, j]) for i, j in ((1, 2), (0, 2), (0, 1)))
    signs = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]
    values = [s * a + t * b + u * c for s, t, u in signs]  # of vectors along one line
    size = max(abs(a), abs(b), abs(c))
    even = np.array([a, b, c]) / (size or 1.0)
    # and of vectors in a plane, where their angles are those of a triangle, none of them tiny
    if even.prod() > 0.0 and np.abs(even).min() > 1e-9:
        sides = 1.0 / even
        if 2.0 * np.abs(sides).max() < np.abs(sides).sum():
            values.append(-0.5 * size * float(even.prod() * (sides**2).sum()))
    return float(np.trace(G)) + min(values)
