"""Sets of matrices by other decompositions."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

import frankwolfe as fw
from minima import least


@least.register
def nuclear_norm(region: fw.SpectralBall, g: np.ndarray) -> float:
    """Singular values are the positive eigenvalues of a symmetric matrix twice as large."""
    G = g.reshape(region.rows, region.columns)
    both = np.block([[np.zeros((region.rows,) * 2), G], [G.T, np.zeros((region.columns,) * 2)]])
    return -region.radius * float(np.maximum(eigh(both, eigvals_only=True), 0.0).sum())


@least.register
def smallest_eigenvalues(region: fw.Fantope, g: np.ndarray) -> float:
    G = g.reshape(region.n, region.n)
    values = eigh(0.5 * (G + G.T), eigvals_only=True, driver="ev")
    return float(values[: region.k].sum())
