"""The problems on which methods are compared: the paper's, real data, random ones.

`problems(folder)` gives them by name; those that need a file of the folder are left out where
it is not there. The random ones have fixed seeds.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import frankwolfe as fw

Maker = Callable[[], fw.Problem]


def _gaussian(seed: int, m: int, n: int, support: int, noise: float) -> tuple:
    rng = np.random.default_rng(seed)
    A = np.asfortranarray(rng.standard_normal((m, n)))
    x = np.zeros(n)
    x[rng.permutation(n)[:support]] = rng.standard_normal(support)
    return A, A @ x + noise * rng.standard_normal(m), x


def _lasso(m: int, n: int, support: int, share: float, loss=fw.SquaredError, **options) -> Maker:
    def make() -> fw.Problem:
        A, b, x = _gaussian(4, m, n, support, 0.1)
        b = np.sign(b) if loss is fw.Logistic else b
        return fw.Problem(loss(A, b, **options), fw.L1Ball(share * np.abs(x).sum()))

    return make


def _over(region: fw.Region, m: int, n: int, loss=fw.SquaredError, seed: int = 7) -> Maker:
    def make() -> fw.Problem:
        A, b, _ = _gaussian(seed, m, n, max(n // 10, 3), 0.3)
        return fw.Problem(loss(A, np.sign(b) if loss is fw.Logistic else b), region)

    return make


def _simplex_fit(m: int, n: int, support: int) -> Maker:
    def make() -> fw.Problem:
        rng = np.random.default_rng(5)
        A = np.asfortranarray(rng.standard_normal((m, n)))
        x = np.zeros(n)
        weights = rng.uniform(0.5, 1.5, support)
        x[rng.permutation(n)[:support]] = weights / weights.sum()
        b = A @ x + 0.01 * rng.standard_normal(m)
        return fw.Problem(fw.SquaredError(A, b, reduction="sum"), fw.Simplex())

    return make


def _projection(region: fw.Region, n: int, scale: float, seed: int) -> Maker:
    def make() -> fw.Problem:
        target = scale * np.random.default_rng(seed).standard_normal(n)
        f = fw.SquaredError(sp.identity(n, format="csr"), target, reduction="sum")
        return fw.Problem(f, region)

    return make


def _birkhoff(n: int) -> Maker:
    def make() -> fw.Problem:
        target = np.random.default_rng(8).uniform(size=n * n) / n
        f = fw.SquaredError(sp.identity(n * n, format="csr"), target, reduction="sum")
        return fw.Problem(f, fw.Birkhoff(n))

    return make


def _markowitz(n: int) -> fw.Problem:
    rng = np.random.default_rng(3)
    half = rng.standard_normal((n, n // 2)) / n
    Q = half @ half.T + np.diag(rng.uniform(0.001, 0.01, n))
    return fw.Problem(fw.Quadratic(Q, -0.02 * rng.uniform(0, 1, n)), fw.Simplex())


def _hull() -> fw.Problem:
    rng = np.random.default_rng(11)
    points = rng.standard_normal((200, 30))
    f = fw.SquaredError(np.eye(30), rng.standard_normal(30), reduction="sum")
    return fw.Problem(f, fw.ConvexHull(points))


def _product() -> fw.Problem:
    A, b, _ = _gaussian(12, 300, 200, 20, 0.1)
    region = fw.Product([(fw.Simplex(), 100), (fw.L1Ball(2.0), 100)])
    return fw.Problem(fw.SquaredError(A, b), region)


def _sparse_text(m: int, n: int) -> fw.Problem:
    rng = np.random.default_rng(13)
    A = sp.random(m, n, density=0.002, format="csr", random_state=13)
    x = np.zeros(n)
    x[rng.permutation(n)[:40]] = 5 * rng.standard_normal(40)
    b = np.sign(A @ x + 0.01 * rng.standard_normal(m))
    return fw.Problem(fw.Logistic(A, b), fw.L1Ball(60.0))


def _completion(shape: tuple[int, int], radius: float) -> fw.Problem:
    rng = np.random.default_rng(14)
    rows, columns = np.nonzero(rng.random(shape) < 0.3)
    truth = rng.standard_normal((shape[0], 4)) @ rng.standard_normal((4, shape[1]))
    values = truth[rows, columns] + 0.1 * rng.standard_normal(rows.size)
    return fw.Problem(fw.Completion((rows, columns, values), shape=shape), fw.NuclearBall(radius))


def _function(region: fw.Region, n: int) -> Maker:
    def make() -> fw.Problem:
        target = np.random.default_rng(15).standard_normal(n)

        def fun(x: np.ndarray) -> tuple[float, np.ndarray]:
            root = np.sqrt(1.0 + (x - target) ** 2)
            return float(root.sum()), (x - target) / root

        return fw.Problem(fw.Function(fun, True, n=n), region)

    return make


def _libsvm(path: Path, region: fw.Region, *, dense: bool = False) -> Maker:
    def make() -> fw.Problem:
        from sklearn.datasets import load_svmlight_file

        with lzma.open(path, "rb") as file:
            A, y = load_svmlight_file(file)
        A = np.asfortranarray(A.toarray()) if dense else sp.csr_matrix(A)
        return fw.Problem(fw.Logistic(A, np.where(y > 0, 1.0, -1.0)), region)

    return make


def problems(folder: Path | None = None) -> dict[str, Maker]:
    """Problems by name."""
    cancer, pima = fw.datasets.breast_cancer().paper(), fw.datasets.pima().paper()
    found: dict[str, Maker] = {
        "paper (a), l2 50": lambda: fw.Problem(fw.Logistic(*cancer), fw.L2Ball(50.0)),
        "paper (a), l2 1": lambda: fw.Problem(fw.Logistic(*cancer), fw.L2Ball(1.0)),
        "paper (a), l1 1": lambda: fw.Problem(fw.Logistic(*cancer), fw.L1Ball(1.0)),
        "paper (b), l2 35": lambda: fw.Problem(fw.Huber(*pima, delta=0.5), fw.L2Ball(35.0)),
        "paper (b), box": lambda: fw.Problem(fw.Huber(*pima, delta=0.5), fw.Box(-0.01, 0.01)),
        "lasso 2000x5000": _lasso(2000, 5000, 50, 0.9, reduction="sum"),
        "lasso 200x1000": _lasso(200, 1000, 20, 0.7),
        "logistic l1 500x2000": _lasso(500, 2000, 20, 0.5, fw.Logistic),
        "huber l1 300x800": _lasso(300, 800, 15, 0.6, fw.Huber, delta=0.5),
        "simplex 2000x2000": _simplex_fit(2000, 2000, 100),
        "simplex 300x600": _simplex_fit(300, 600, 30),
        "portfolio n=400": lambda: _markowitz(400),
        "unit simplex 300x200": _over(fw.UnitSimplex(2.0), 300, 200),
        "l2 300x100": _over(fw.L2Ball(1.0), 300, 100),
        "l2 1000x1500": _over(fw.L2Ball(3.0), 1000, 1500),
        "logistic l2 2000x500": _over(fw.L2Ball(2.0), 2000, 500, fw.Logistic),
        "lp 1.5 300x100": _over(fw.LpBall(1.5, 1.0), 300, 100),
        "lp 3 300x100": _over(fw.LpBall(3.0, 1.0), 300, 100),
        "box 300x100": _over(fw.Box(-0.2, 0.2), 300, 100),
        "linf 1000x400": _over(fw.LInfBall(0.1), 1000, 400),
        "k-sparse 300x200": _over(fw.KSparse(10, 0.3), 300, 200),
        "hypersimplex 300x200": _over(fw.Hypersimplex(10, 0.1), 300, 200),
        "group lasso 300x400": _over(fw.GroupBall(np.arange(400) // 5, 3.0), 300, 400),
        "hull of 200 points": _hull,
        "product simplex x l1": _product,
        "onto simplex n=1e6": _projection(fw.Simplex(), 10**6, 0.01, 9),
        "onto k-sparse n=1e5": _projection(fw.KSparse(100, 1.0), 10**5, 1.0, 10),
        "onto l1 n=1e5": _projection(fw.L1Ball(50.0), 10**5, 1.0, 16),
        "onto birkhoff 50": _birkhoff(50),
        "onto birkhoff 200": _birkhoff(200),
        "sparse text 5000x20000": lambda: _sparse_text(5000, 20_000),
        "completion 300x200": lambda: _completion((300, 200), 400.0),
        "function, simplex": _function(fw.Simplex(10.0), 200),
        "function, l2": _function(fw.L2Ball(5.0), 200),
        "function, box": _function(fw.Box(0.0, 1.0), 200),
    }
    files: dict[str, Callable[[Path], Maker]] = {
        "duke.xz": lambda p: _libsvm(p, fw.L1Ball(10.0), dense=True),
        "a9a.xz": lambda p: _libsvm(p, fw.L1Ball(20.0)),
        "w8a.xz": lambda p: _libsvm(p, fw.L1Ball(20.0)),
    }
    for name, maker in files.items():
        path = (folder or Path()) / name
        if folder is not None and path.exists():
            found[f"{path.stem} logistic l1"] = maker(path)
    return found
