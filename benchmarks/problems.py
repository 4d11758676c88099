"""The problems of the suite and of the studies, by name; random ones have fixed seeds.

`load("P4")` makes one of the ten on which the library is measured against others, and P1b, as
plain arrays; `ours(name)` makes any as the library has it. Some need a file of a folder;
`missing(name, folder)` says which. Further down are those that come in any size. Of the library
only public names are used, so that older and newer versions can be compared on the same.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from suite.losses import Huber, Logistic, Loss, Squares
from suite.problem import Problem
from suite.sets import L1, L2, Birkhoff, KSparse, Nuclear, Region, Simplex

import frankwolfe as fw

Data = tuple[Any, np.ndarray]
Maker = Callable[[Path], fw.Problem]

FILES = {
    "P3": "duke.xz",
    "P6": "a9a.xz",
    "P7": "ml-100k/u.data",
    "w8a logistic l1": "w8a.xz",
}
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


def missing(name: str, folder: Path | None) -> str | None:
    """What the problem lacks, if anything."""
    file = FILES.get(_same(name))
    if file is None or (folder is not None and (folder / file).exists()):
        return None
    where = f"{folder} has no {file}" if folder else f"it needs {file}"
    return f"{where}: name its folder with --data"


def load(name: str, folder: Path | None = None) -> Problem:
    """One of P1 to P10, as plain arrays."""
    return _PLAIN[name](name, _checked(name, folder))


def ours(name: str, folder: Path | None = None) -> fw.Problem:
    """Any problem, as the library has it."""
    if _same(name) in NAMES:
        return as_ours(load(_same(name), folder))
    maker = _OURS[name]
    assert not isinstance(maker, str)
    return maker(_checked(name, folder))


def present(folder: Path | None = None) -> list[str]:
    """Those on which methods are compared: the paper's, real data whose file is there, random."""
    return [name for name in _OURS if missing(name, folder) is None]


def _same(name: str) -> str:
    """The name among P1 to P10, if the problem is one of them."""
    other = _OURS.get(name)
    return other if isinstance(other, str) else name


def _checked(name: str, folder: Path | None) -> Path:
    why = missing(name, folder)
    if why:
        raise FileNotFoundError(f"{name}: {why}.")
    return folder or Path()


# From plain arrays to the library

_REGIONS: dict[str, Callable[[Any], fw.Region]] = {
    "l2": lambda r: fw.L2Ball(r.radius),
    "l1": lambda r: fw.L1Ball(r.radius),
    "simplex": lambda r: fw.Simplex(r.radius),
    "birkhoff": lambda r: fw.Birkhoff(r.k),
    "ksparse": lambda r: fw.KSparse(r.k, r.radius),
    "nuclear": lambda r: fw.NuclearBall(r.radius),
}


def objective(problem: Problem) -> fw.Objective:
    """The loss as the library has it."""
    loss, A = problem.loss, problem.A
    if problem.cells is not None:
        ratings = (*problem.cells, loss.b)
        return fw.Completion(ratings, shape=problem.region.shape, delta=loss.delta)
    if A is None:
        return fw.squared_distance(loss.b)
    if loss.name == "squares":
        return fw.SquaredError(A, loss.b, reduction="sum")
    return (
        fw.Logistic(A, loss.b) if loss.name == "logistic" else fw.Huber(A, loss.b, delta=loss.delta)
    )


def region(problem: Problem) -> fw.Region:
    """The region as the library has it."""
    return _REGIONS[problem.region.name](problem.region)


def as_ours(problem: Problem) -> fw.Problem:
    """Both."""
    return fw.Problem(objective(problem), region(problem))


# Data


def svmlight(path: Path) -> Data:
    """The rows of a compressed file in svmlight's format, labels ±1."""
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


def covtype(folder: Path, rows: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Features and classes of covtype.data or covtype.data.xz, 581,012 rows or the first ones."""
    plain = folder / "covtype.data"
    with plain.open() if plain.exists() else lzma.open(f"{plain}.xz", "rt") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.int64, max_rows=rows)
    return table[:, :-1], table[:, -1]


def _gaussian(seed: int, m: int, n: int, support: int, noise: float) -> tuple:
    rng = np.random.default_rng(seed)
    A = np.asfortranarray(rng.standard_normal((m, n)))
    x = np.zeros(n)
    x[rng.permutation(n)[:support]] = rng.standard_normal(support)
    return A, A @ x + noise * rng.standard_normal(m), x


def _mixture(m: int, n: int, support: int) -> Data:
    rng = np.random.default_rng(5)
    A = np.asfortranarray(rng.standard_normal((m, n)))
    x, weights = np.zeros(n), rng.uniform(0.5, 1.5, support)
    x[rng.permutation(n)[:support]] = weights / weights.sum()
    return A, A @ x + 0.01 * rng.standard_normal(m)


def _birkhoff_target(k: int) -> np.ndarray:
    return np.random.default_rng(8).uniform(size=k * k) / k


# P1 to P10


def _from_matrix(name: str, A: Any, loss: Loss, over: Region) -> Problem:
    problem = Problem(name, loss, over, A.shape[1], A)
    zero = np.zeros(problem.n)
    problem.x0 = zero if over.name == "l2" else over.lmo(problem.gradient(zero))
    return problem


def _classes(name: str, data: Data, over: Region) -> Problem:
    """Logistic regression, dense data in columns."""
    A, y = data
    A = A if sp.issparse(A) else np.asfortranarray(A)
    return _from_matrix(name, A, Logistic(y, 1.0 / y.size), over)


def _cancer(radius: float) -> Callable[[str, Path], Problem]:
    return lambda name, _: _classes(name, fw.datasets.breast_cancer().paper(), L2(radius))


def _pima(name: str, _: Path) -> Problem:
    A, y = fw.datasets.pima().paper()
    return _from_matrix(name, np.asfortranarray(A), Huber(y, 1.0 / y.size, 0.5), L2(35.0))


def _duke(name: str, folder: Path) -> Problem:
    A, y = svmlight(folder / FILES[name])
    return _classes(name, (A.toarray(), y), L1(10.0))


def _lasso(name: str, _: Path) -> Problem:
    A, b, x = _gaussian(4, 2000, 5000, 50, 0.1)
    return _from_matrix(name, A, Squares(b), L1(0.9 * float(np.abs(x).sum())))


def _simplex(name: str, _: Path) -> Problem:
    A, b = _mixture(2000, 2000, 100)
    return _from_matrix(name, A, Squares(b), Simplex())


def _completion(name: str, folder: Path) -> Problem:
    ratings = fw.datasets.movielens("100k", folder / FILES[name])
    order = np.lexsort((ratings.movies, ratings.users))
    cells = ratings.movies[order].astype(np.int64), ratings.users[order].astype(np.int64)
    loss = Huber(ratings.values[order].astype(float), 1.0, 4.0)
    over = Nuclear(5000.0, ratings.shape)
    problem = Problem(name, loss, over, over.shape[0] * over.shape[1], cells=cells)
    slope = loss.both(np.zeros(loss.b.size))[1]
    u, v = over.pair(sp.csr_matrix((slope, cells), shape=over.shape))
    problem.x0 = fw.FactoredMatrix(u[None], np.ones(1), v[None])
    return problem


def _nearest(name: str, p: np.ndarray, over: Region) -> Problem:
    return Problem(name, Squares(p), over, p.size, x0=over.lmo(-p))


def _normal(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(n)


_PLAIN: dict[str, Callable[[str, Path], Problem]] = {
    "P1": _cancer(50.0),
    "P1b": _cancer(1.0),
    "P2": _pima,
    "P3": _duke,
    "P4": _lasso,
    "P5": _simplex,
    "P6": lambda name, folder: _classes(name, svmlight(folder / FILES[name]), L1(20.0)),
    "P7": _completion,
    "P8": lambda name, _: _nearest(name, _birkhoff_target(200), Birkhoff(1.0, 200)),
    "P9": lambda name, _: _nearest(name, 0.01 * _normal(9, 10**6), Simplex()),
    "P10": lambda name, _: _nearest(name, _normal(10, 10**5), KSparse(1.0, 100)),
}


# The others by name, as the library has them


def paper_a(over: fw.Region) -> fw.Problem:
    """Experiment (a) of the paper over some region; the data are by rows, as it has them."""
    return fw.Problem(fw.Logistic(*fw.datasets.breast_cancer().paper()), over)


def _paper_b(over: fw.Region) -> fw.Problem:
    return fw.Problem(fw.Huber(*fw.datasets.pima().paper(), delta=0.5), over)


def _loss(kind: Callable[..., fw.Objective], A: Any, b: np.ndarray, **options: Any) -> fw.Objective:
    return kind(A, np.sign(b) if kind is fw.Logistic else b, **options)


def _sparse_fit(
    m: int, n: int, support: int, share: float, kind: Any = fw.SquaredError, **options: Any
) -> Maker:
    def make(_: Path) -> fw.Problem:
        A, b, x = _gaussian(4, m, n, support, 0.1)
        return fw.Problem(_loss(kind, A, b, **options), fw.L1Ball(share * np.abs(x).sum()))

    return make


def _over(over: fw.Region, m: int, n: int, kind: Any = fw.SquaredError) -> Maker:
    def make(_: Path) -> fw.Problem:
        A, b, _ = _gaussian(7, m, n, max(n // 10, 3), 0.3)
        return fw.Problem(_loss(kind, A, b), over)

    return make


def _simplex_fit(m: int, n: int, support: int) -> fw.Problem:
    A, b = _mixture(m, n, support)
    return fw.Problem(fw.SquaredError(A, b, reduction="sum"), fw.Simplex())


def _markowitz(n: int) -> fw.Problem:
    rng = np.random.default_rng(3)
    half = rng.standard_normal((n, n // 2)) / n
    Q = half @ half.T + np.diag(rng.uniform(0.001, 0.01, n))
    return fw.Problem(fw.Quadratic(Q, -0.02 * rng.uniform(0, 1, n)), fw.Simplex())


def _hull(_: Path) -> fw.Problem:
    rng = np.random.default_rng(11)
    points = rng.standard_normal((200, 30))
    f = fw.SquaredError(np.eye(30), rng.standard_normal(30), reduction="sum")
    return fw.Problem(f, fw.ConvexHull(points))


def _product(_: Path) -> fw.Problem:
    A, b, _ = _gaussian(12, 300, 200, 20, 0.1)
    over = fw.Product([(fw.Simplex(), 100), (fw.L1Ball(2.0), 100)])
    return fw.Problem(fw.SquaredError(A, b), over)


def _sparse_text(m: int, n: int) -> fw.Problem:
    rng = np.random.default_rng(13)
    A = sp.random(m, n, density=0.002, format="csr", random_state=13)
    x = np.zeros(n)
    x[rng.permutation(n)[:40]] = 5 * rng.standard_normal(40)
    b = np.sign(A @ x + 0.01 * rng.standard_normal(m))
    return fw.Problem(fw.Logistic(A, b), fw.L1Ball(60.0))


def _low_rank(shape: tuple[int, int], radius: float) -> fw.Problem:
    rng = np.random.default_rng(14)
    rows, columns = np.nonzero(rng.random(shape) < 0.3)
    truth = rng.standard_normal((shape[0], 4)) @ rng.standard_normal((4, shape[1]))
    values = truth[rows, columns] + 0.1 * rng.standard_normal(rows.size)
    return fw.Problem(fw.Completion((rows, columns, values), shape=shape), fw.NuclearBall(radius))


def _function(over: fw.Region, n: int) -> Maker:
    def make(_: Path) -> fw.Problem:
        target = _normal(15, n)

        def fun(x: np.ndarray) -> tuple[float, np.ndarray]:
            root = np.sqrt(1.0 + (x - target) ** 2)
            return float(root.sum()), (x - target) / root

        return fw.Problem(fw.Function(fun, True, n=n), over)

    return make


def _onto(target: Callable[[], np.ndarray], over: fw.Region) -> Maker:
    return lambda _: fw.Problem(fw.squared_distance(target()), over)


_OURS: dict[str, Maker | str] = {  # a name is that of the same problem among P1 to P10
    "paper (a), l2 50": lambda _: paper_a(fw.L2Ball(50.0)),
    "paper (a), l2 1": lambda _: paper_a(fw.L2Ball(1.0)),
    "paper (a), l1 1": lambda _: paper_a(fw.L1Ball(1.0)),
    "paper (b), l2 35": lambda _: _paper_b(fw.L2Ball(35.0)),
    "paper (b), box": lambda _: _paper_b(fw.Box(-0.01, 0.01)),
    "lasso 2000x5000": "P4",
    "lasso 200x1000": _sparse_fit(200, 1000, 20, 0.7),
    "logistic l1 500x2000": _sparse_fit(500, 2000, 20, 0.5, fw.Logistic),
    "huber l1 300x800": _sparse_fit(300, 800, 15, 0.6, fw.Huber, delta=0.5),
    "simplex 2000x2000": "P5",
    "simplex 300x600": lambda _: _simplex_fit(300, 600, 30),
    "portfolio n=400": lambda _: _markowitz(400),
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
    "onto simplex n=1e6": "P9",
    "onto k-sparse n=1e5": "P10",
    "onto l1 n=1e5": _onto(lambda: _normal(16, 10**5), fw.L1Ball(50.0)),
    "onto birkhoff 50": _onto(lambda: _birkhoff_target(50), fw.Birkhoff(50)),
    "onto birkhoff 200": "P8",
    "sparse text 5000x20000": lambda _: _sparse_text(5000, 20_000),
    "completion 300x200": lambda _: _low_rank((300, 200), 400.0),
    "function, simplex": _function(fw.Simplex(10.0), 200),
    "function, l2": _function(fw.L2Ball(5.0), 200),
    "function, box": _function(fw.Box(0.0, 1.0), 200),
    "duke logistic l1": "P3",
    "a9a logistic l1": "P6",
    "w8a logistic l1": lambda folder: fw.Problem(
        fw.Logistic(*svmlight(folder / "w8a.xz")), fw.L1Ball(20.0)
    ),
}


# Those that come in any size


def movielens(version: str, folder: Path | None, radius: float | None = None) -> fw.Problem:
    """Huber completion of MovieLens, all ratings; without a radius, 5000 for 100K and its like."""
    ratings = fw.datasets.movielens(version, folder)
    cells = ratings.movies, ratings.users, ratings.values.astype(np.float64)
    f = fw.Completion(cells, shape=ratings.shape, delta=4.0)
    return fw.Problem(f, fw.NuclearBall(radius or 5000.0 * (len(ratings) / 1e5) ** 0.5))


MOST_RATINGS = 25_000_095
_LIKE = 59_047, 162_541  # movies and users of MovieLens 25M


def random_ratings(count: int) -> fw.Problem:
    """Completion with squared loss, with power-law degrees, in the shape of MovieLens 25M."""
    share = (count / MOST_RATINGS) ** 0.5
    ratings = fw.datasets.synthetic_ratings(*(max(int(n * share), 500) for n in _LIKE), count)
    values = ratings.values - ratings.values.mean()
    f = fw.Completion((ratings.movies, ratings.users, values), shape=ratings.shape, loss="squared")
    return fw.Problem(f, fw.NuclearBall(2.0 * float(np.sqrt(count))))


def dense_lasso(m: int, n: int, order: str) -> fw.Problem:
    """Least squares over an l1 ball, a hundredth of the variables in the truth."""
    rng = np.random.default_rng(0)
    A = np.asarray(rng.standard_normal((m, n)), order=order)
    truth = np.zeros(n)
    truth[: n // 100] = rng.standard_normal(n // 100)
    target = A @ truth + 0.5 * rng.standard_normal(m)
    return fw.Problem(fw.SquaredError(A, target), fw.L1Ball(0.7 * float(np.abs(truth).sum())))


def large_dense(m: int, n: int) -> Data:
    """Made column by column, with little memory beside it."""
    rng = np.random.default_rng(0)
    A = np.empty((n, m)).T  # in columns
    for j in range(n):
        A[:, j] = rng.standard_normal(m)
    x = np.zeros(n)
    x[:: n // 50] = 1.0
    return A, A @ x + 0.1 * rng.standard_normal(m)


def large_sparse(n: int) -> Data:
    """n x n, int32 and float32, and labels; each row has an entry in each hundredth of them."""
    rng, parts = np.random.default_rng(0), 100
    begins = np.arange(0, n, n // parts, dtype=np.int32)
    indices, data = np.empty((n, parts), np.int32), np.empty((n, parts), np.float32)
    for block in np.array_split(np.arange(n), 100):  # little memory beside the matrix itself
        rows = slice(block[0], block[-1] + 1)
        indices[rows] = begins + rng.integers(0, n // parts, (block.size, parts), dtype=np.int32)
        data[rows] = rng.standard_normal((block.size, parts), dtype=np.float32)
    ends = np.arange(0, parts * n + 1, parts, dtype=np.int32)
    A = sp.csr_matrix((data.ravel(), indices.ravel(), ends), shape=(n, n))
    A.has_sorted_indices = A.has_canonical_format = True
    return A, np.sign(np.random.default_rng(1).standard_normal(n))


def many_variables(n: int) -> fw.Problem:
    """Least squares over an l1 ball, 500 rows with 100,000 entries in all."""
    rng, entries = np.random.default_rng(0), 100_000
    places = rng.integers(0, 500, entries), rng.integers(0, n, entries)
    A = sp.coo_matrix((rng.standard_normal(entries), places), shape=(500, n)).tocsc()
    return fw.Problem(fw.SquaredError(A, rng.standard_normal(500)), fw.L1Ball(5.0))
