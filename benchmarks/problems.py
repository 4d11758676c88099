"""The ten problems on which the library is measured against others, and P1b.

`load("P4")` makes one. Everything is plain NumPy and SciPy, so that a peer can take the arrays
as they are. P3, P6 and P7 need a file of `folder`; `missing(name, folder)` says which.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from suite.losses import Huber, Logistic, Loss, Squares
from suite.sets import L1, L2, Birkhoff, KSparse, Nuclear, Region, Simplex

import frankwolfe as fw

FILES = {"P3": "duke.xz", "P6": "a9a.xz", "P7": "ml-100k/u.data"}
TITLES = {
    "P1": "logistic, BCW 698x9, l2 ball 50",
    "P1b": "logistic, BCW 698x9, l2 ball 1",
    "P2": "Huber, Pima 767x8, l2 ball 35",
    "P3": "logistic, duke 44x7129, l1 ball 10",
    "P4": "least squares 2000x5000, l1 ball",
    "P5": "least squares 2000x2000, simplex",
    "P6": "logistic, a9a 32561x123 sparse, l1 ball 20",
    "P7": "Huber completion, MovieLens 100K, nuclear ball 5000",
    "P8": "projection onto Birkhoff, n=200",
    "P9": "projection onto the simplex, n=1e6",
    "P10": "projection onto 100-sparse, n=1e5",
}
NAMES = tuple(TITLES)


@dataclass
class Problem:
    """Minimize loss(A x) over the region.

    `A` is None for a projection (z = x) and for completion (z = the observed `cells` of the
    matrix x). `x0` is zero for the l2 balls, elsewhere the vertex that minimizes <grad f(0), s>.
    `optimum` and `best` are set once the optimum is known: the value, and a point that has it.
    """

    name: str
    loss: Loss
    region: Region
    n: int
    A: Any = None
    cells: tuple[np.ndarray, np.ndarray] | None = None
    x0: Any = None
    optimum: float = field(default=float("nan"))
    best: Any = None
    passes: int = 0  # how often `both` was called

    def image(self, x: Any) -> np.ndarray:
        """Ax."""
        if self.cells is None:
            return x if self.A is None else self.A @ x
        if not isinstance(x, np.ndarray):
            return np.asarray(x.predict(*self.cells))
        return x.reshape(self.region.shape)[self.cells]  # type: ignore[attr-defined]

    @cached_property
    def transposed(self) -> Any:
        """A.T, for sparse data in rows too."""
        return self.A.T.tocsr() if sp.issparse(self.A) else self.A.T

    def value(self, x: Any) -> float:
        """f(x)."""
        return self.loss.both(self.image(x))[0]

    def both(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """f(x) and its gradient, dense."""
        self.passes += 1
        value, slope = self.loss.both(self.image(x))
        if self.cells is not None:
            g = np.zeros(self.region.shape)  # type: ignore[attr-defined]
            np.add.at(g, self.cells, slope)
            return value, g.ravel()
        return value, slope if self.A is None else self.transposed @ slope

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """The gradient of f."""
        return self.both(x)[1]

    def gap(self, x: Any) -> float:
        """The Frank-Wolfe gap at a feasible x, an upper bound on f(x) - f*."""
        if self.cells is None:
            g = self.gradient(x)
            return float(g @ (x - self.region.lmo(g)))
        z = self.image(x)
        slope = self.loss.both(z)[1]
        u, v = self.region.pair(sp.csr_matrix((slope, self.cells), shape=self.region.shape))
        return float(slope @ (z - u[self.cells[0]] * v[self.cells[1]]))

    @cached_property
    def lipschitz(self) -> float:
        """Of the gradient, in the 2-norm; the largest singular value to a thousandth."""
        from scipy.sparse.linalg import svds

        top = 1.0
        if self.A is not None:
            start = np.ones(min(self.A.shape))
            found = svds(self.A, k=1, v0=start, tol=1e-4, return_singular_vectors=False)
            top = 1.001 * float(found[0])
        return self.loss.weight * self.loss.curvature * top * top

    @cached_property
    def start_value(self) -> float:
        """The value at x0."""
        return self.value(self.x0)

    def relative(self, x: Any) -> float:
        """(f - f*) / (f(x0) - f*), after moving x into the region if it is outside."""
        return (self.value(self.region.repair(x)) - self.optimum) / self.scale

    @property
    def scale(self) -> float:
        """f(x0) - f*."""
        return self.start_value - self.optimum

    def target(self, accuracy: float) -> float:
        """The value that has this relative suboptimality."""
        return self.optimum + accuracy * self.scale


def missing(name: str, folder: Path | None) -> str | None:
    """What the problem lacks, if anything."""
    file = FILES.get(name)
    if file is None or (folder is not None and (folder / file).exists()):
        return None
    where = f"{folder} has no {file}" if folder else f"it needs {file}"
    return f"{where}: name its folder with --data"


def load(name: str, folder: Path | None = None) -> Problem:
    """Make a problem."""
    why = missing(name, folder)
    if why:
        raise FileNotFoundError(f"{name}: {why}.")
    return _MAKERS[name](name, folder or Path())


def _from_matrix(name: str, A: Any, loss: Loss, region: Region) -> Problem:
    problem = Problem(name, loss, region, A.shape[1], A)
    zero = np.zeros(problem.n)
    problem.x0 = zero if region.name == "l2" else region.lmo(problem.gradient(zero))
    return problem


def _logistic(A: Any, y: np.ndarray) -> Loss:
    return Logistic(y, 1.0 / y.size)


def _cancer(radius: float) -> Callable[[str, Path], Problem]:
    def make(name: str, _: Path) -> Problem:
        A, y = fw.datasets.breast_cancer().paper()
        return _from_matrix(name, np.asfortranarray(A), _logistic(A, y), L2(radius))

    return make


def _pima(name: str, _: Path) -> Problem:
    A, y = fw.datasets.pima().paper()
    return _from_matrix(name, np.asfortranarray(A), Huber(y, 1.0 / y.size, 0.5), L2(35.0))


def _svmlight(path: Path) -> tuple[sp.csr_matrix, np.ndarray]:
    """The rows of a file in svmlight's format, labels ±1."""
    labels, rows, columns, values = [], [], [], []
    with lzma.open(path, "rt") as file:
        for i, line in enumerate(file):
            label, *pairs = line.split()
            labels.append(1.0 if float(label) > 0 else -1.0)
            for pair in pairs:
                column, value = pair.split(":")
                rows.append(i)
                columns.append(int(column) - 1)
                values.append(float(value))
    shape = (len(labels), max(columns) + 1)
    return sp.csr_matrix((values, (rows, columns)), shape=shape), np.array(labels)


def _duke(name: str, folder: Path) -> Problem:
    A, y = _svmlight(folder / FILES[name])
    return _from_matrix(name, np.asfortranarray(A.toarray()), _logistic(A, y), L1(10.0))


def _a9a(name: str, folder: Path) -> Problem:
    A, y = _svmlight(folder / FILES[name])
    return _from_matrix(name, A, _logistic(A, y), L1(20.0))


def _lasso(name: str, _: Path) -> Problem:
    rng = np.random.default_rng(4)
    A = np.asfortranarray(rng.standard_normal((2000, 5000)))
    x = np.zeros(5000)
    x[rng.permutation(5000)[:50]] = rng.standard_normal(50)
    b = A @ x + 0.1 * rng.standard_normal(2000)
    return _from_matrix(name, A, Squares(b), L1(0.9 * float(np.abs(x).sum())))


def _mixture(name: str, _: Path) -> Problem:
    rng = np.random.default_rng(5)
    A = np.asfortranarray(rng.standard_normal((2000, 2000)))
    x, weights = np.zeros(2000), rng.uniform(0.5, 1.5, 100)
    x[rng.permutation(2000)[:100]] = weights / weights.sum()
    b = A @ x + 0.01 * rng.standard_normal(2000)
    return _from_matrix(name, A, Squares(b), Simplex())


def _completion(name: str, folder: Path) -> Problem:
    ratings = np.loadtxt(folder / FILES[name], dtype=np.int64)
    movies, users, values = ratings[:, 1] - 1, ratings[:, 0] - 1, ratings[:, 2].astype(float)
    order = np.lexsort((movies, users))
    cells, loss = (movies[order], users[order]), Huber(values[order], 1.0, 4.0)
    shape = (1682, 943)
    region = Nuclear(5000.0, shape)
    problem = Problem(name, loss, region, shape[0] * shape[1], cells=cells)
    slope = loss.both(np.zeros(values.size))[1]
    u, v = region.pair(sp.csr_matrix((slope, cells), shape=shape))
    problem.x0 = fw.FactoredMatrix(u[None], np.ones(1), v[None])
    return problem


def _projection(name: str, p: np.ndarray, region: Region) -> Problem:
    return Problem(name, Squares(p), region, p.size, x0=region.lmo(-p))


def _birkhoff(name: str, _: Path) -> Problem:
    p = np.random.default_rng(8).uniform(size=200 * 200) / 200
    return _projection(name, p, Birkhoff(1.0, 200))


def _simplex(name: str, _: Path) -> Problem:
    p = 0.01 * np.random.default_rng(9).standard_normal(10**6)
    return _projection(name, p, Simplex())


def _ksparse(name: str, _: Path) -> Problem:
    p = np.random.default_rng(10).standard_normal(10**5)
    return _projection(name, p, KSparse(1.0, 100))


_MAKERS: dict[str, Callable[[str, Path], Problem]] = {
    "P1": _cancer(50.0),
    "P1b": _cancer(1.0),
    "P2": _pima,
    "P3": _duke,
    "P4": _lasso,
    "P5": _mixture,
    "P6": _a9a,
    "P7": _completion,
    "P8": _birkhoff,
    "P9": _simplex,
    "P10": _ksparse,
}
