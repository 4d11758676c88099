"""Sets of matrices beside NumPy's and scipy's decompositions."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

import frankwolfe as fw
from contests import Contest


def all_contests() -> list[Contest]:
    """Full decompositions, some eigenvectors, and a sparse gradient with weights."""
    sizes = [(200, 200), (400, 100), (50, 50)]
    found = [
        Contest(
            f"SpectralBall {m} x {n}",
            fw.regions.SpectralBall(m, n),
            m * n,
            {"numpy.linalg.svd": lambda g, m=m, n=n: _polar(g.reshape(m, n))},
        )
        for m, n in sizes
    ]
    found += [
        Contest(
            f"Fantope {n} x {n}, k={k}",
            fw.regions.Fantope(n, k),
            n * n,
            {
                "numpy.linalg.eigh": lambda g, n=n, k=k: _all(g.reshape(n, n), k),
                "eigh, a subset": lambda g, n=n, k=k: _some(g.reshape(n, n), k),
            },
        )
        for n, k in [(200, 5), (200, 50), (200, 190), (50, 3)]
    ]
    return [*found, _cut(40), _weighted()]


def _polar(G: np.ndarray) -> float:
    u, _, vt = np.linalg.svd(G, full_matrices=False)
    return float(np.sum(-(u @ vt) * G))


def _all(G: np.ndarray, k: int) -> float:
    v = np.linalg.eigh(0.5 * (G + G.T))[1][:, :k]
    return float(np.sum((v @ v.T) * G))


def _some(G: np.ndarray, k: int) -> float:
    v = eigh(0.5 * (G + G.T), subset_by_index=[0, k - 1])[1]
    return float(np.sum((v @ v.T) * G))


def _cut(n: int) -> Contest:
    """The program of the maximum cut, beside cvxpy with the cost as a parameter."""
    import cvxpy as cp

    X, C = cp.Variable((n, n), symmetric=True), cp.Parameter((n, n))
    program = cp.Problem(cp.Minimize(cp.sum(cp.multiply(C, X))), [X >> 0, cp.diag(X) == 1])

    def solve(g: np.ndarray) -> float:
        C.value = g.reshape(n, n)
        return float(program.solve(solver="CLARABEL"))

    return Contest(
        f"Elliptope {n} x {n}", fw.regions.Elliptope(n), n * n, {"cvxpy, Clarabel": solve}
    )


def _weighted() -> Contest:
    """A sparse gradient: Lanczos with a bound, beside scipy's without one."""
    from frankwolfe.core.entries import CellMatrix

    rng = np.random.default_rng(0)
    shape = 3000, 2000
    cells = csr_array(np.where(rng.random(shape) < 0.01, rng.random(shape), 0.0))
    p, q = rng.uniform(0.5, 2.0, shape[0]), rng.uniform(0.5, 2.0, shape[1])
    f = fw.Completion(cells)
    gradients = [CellMatrix(f.cells, rng.standard_normal(cells.nnz)) for _ in range(5)]

    def top(g: CellMatrix) -> float:
        scaled = cells.copy()
        scaled.data = np.asarray(g.values) / np.sqrt(p[f.cells.rows()] * q[scaled.indices])
        return -float(svds(scaled, 1, random_state=0)[1][0])

    ball = fw.regions.WeightedNuclearBall(1.0, p, q)
    return Contest("WeightedNuclearBall 3000 x 2000", ball, shape, {"svds": top}, gradients)
