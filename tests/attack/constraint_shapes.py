"""Problems under linear constraints, each made of a seed, in this library's words and CVXPY's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

import frankwolfe as fw
from frankwolfe.core.products import as_columns

__all__ = ["KINDS", "Case", "case"]

Rng = np.random.Generator
MARGINS = 1e-3, 1e-1, 1.0  # of what a row is over the region: so far outside is a bound


class Case(NamedTuple):
    """One problem.

    `scale` is what f may be as large as, `size` what x may be; `near` is how exact values are to
    be, and `exact` whether a feasible point is to be found. `possible` is False where no point
    satisfies the rows.
    """

    objective: fw.Objective
    region: fw.Region
    rows: fw.Affine
    program: cp.Problem
    scale: float
    size: float
    near: float
    exact: bool
    possible: bool


class Place(NamedTuple):
    """A region in both languages, and its variable there."""

    region: fw.Region
    n: int
    x: Any
    within: list[Any]


def _polytopes(rng: Rng) -> Place:
    """By the bounds and sums of the region's frame."""
    n, far = int(rng.integers(4, 16)), 10.0 ** int(rng.integers(-4, 5))
    half = rng.standard_normal((n // 2, n))
    shares = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(5))
    side = int(rng.integers(3, 7))
    points = rng.standard_normal((int(rng.integers(3, 20)), n))
    region, n = [
        (fw.Birkhoff(side), side * side),
        (fw.Permutahedron(np.sort(rng.standard_normal(n))), n),
        (fw.ConvexHull(points), n),
        (fw.Polytope(A_ub=half, b_ub=half @ np.full(n, 0.5) + 0.1, bounds=(0, 1)), n),
        (fw.Box(-(10.0 ** rng.uniform(-2, 2, n)), 10.0 ** rng.uniform(-2, 2, n)), n),
        (fw.Hypersimplex(2, far), n),
        (fw.Simplex(far), n),
        (fw.UnitSimplex(far), n),
        (fw.L1Ball(far), n),
        (fw.Transport(*shares), 20),
        (fw.KSparse(2, far), n),
        (fw.Product([(fw.Simplex(), 5), (fw.Box(0.0, 1.0), 4), (fw.L1Ball(1.0), 3)]), 12),
        (fw.regions.WeightedL1Ball(10.0 ** rng.uniform(-1, 1, n)), n),
    ][int(rng.integers(13))]
    frame = region.formulation.standard_form(n)
    if frame is None:  # a single point
        return _polytopes(rng)
    y = cp.Variable(frame.lower.size)
    x = as_columns(frame.atoms, n) @ frame.plan.matrix() @ y
    bounded = np.flatnonzero(np.isfinite(frame.upper))
    within = [y >= frame.lower]
    within += [y[bounded] <= frame.upper[bounded]] if bounded.size else []
    within += [frame.sums @ y == frame.totals] if frame.totals.size else []
    return Place(region, n, x if frame.center is None else x + frame.center, within)


def _norms(rng: Rng) -> Place:
    far, n = 10.0 ** int(rng.integers(-2, 3)), int(rng.integers(3, 20))
    x, d = cp.Variable(n), 10.0 ** rng.uniform(-1, 1, n)
    ellipsoid = cp.sum(cp.multiply(d, cp.square(x))) <= 1.0
    return [
        Place(fw.L2Ball(far), n, x, [cp.norm(x) <= far]),
        Place(fw.LpBall(3.0, far), n, x, [cp.norm(x, 3) <= far]),
        Place(fw.Ellipsoid(diagonal=d, radius=1.0), n, x, [ellipsoid]),
    ][int(rng.integers(3))]


def _curved(rng: Rng) -> Place:
    far, kind = 10.0 ** int(rng.integers(-2, 3)), int(rng.integers(7))
    if kind < 3:
        return _norms(rng)
    x = cp.Variable([12, 12, 9, 16][kind - 3])
    if kind == 3:
        sizes = cp.sum([cp.norm(x[3 * g : 3 * g + 3]) for g in range(4)])
        return Place(fw.GroupBall(np.arange(12) // 3, far), 12, x, [sizes <= far])
    if kind == 4:
        wide = cp.reshape(x, (3, 4), order="C")
        return Place(fw.regions.SpectralBall(3, 4, far), 12, x, [cp.sigma_max(wide) <= far])
    if kind == 5:
        both = fw.Product([(fw.L2Ball(1.0), 4), (fw.Simplex(), 5)])
        return Place(both, 9, x, [cp.norm(x[:4]) <= 1, x[4:] >= 0, cp.sum(x[4:]) == 1])
    X = cp.reshape(x, (4, 4), order="C")
    between = [X == X.T, (X + X.T) / 2 >> 0, np.eye(4) - (X + X.T) / 2 >> 0, cp.trace(X) == 2]
    return Place(fw.regions.Fantope(4, 2), 16, x, between)


def _rows(rng: Rng, place: Place) -> tuple[fw.Affine, list[Any], np.ndarray, bool]:
    """Rows through a point inside, some repeated; or some that nothing satisfies."""
    vertices = np.array([place.region.lmo(g).dense(place.n) for g in _gradients(rng, place)])
    k = int(rng.integers(1, 6))
    A = rng.standard_normal((k, place.n)) * 10.0 ** rng.uniform(-6, 6, (k, 1))
    if rng.random() < 0.4:
        A = np.round(1.2 * rng.standard_normal((k, place.n)))
        A[~A.any(axis=1), 0] = 1.0
    vertex = rng.random() < 0.3
    inside = vertices[0] if vertex else rng.dirichlet(np.ones(len(vertices))) @ vertices
    middle, span = A @ inside, np.ptp(A @ vertices.T, axis=1)
    lower, upper, kind = middle.copy(), middle.copy(), rng.random(k)
    lower[kind < 0.35], upper[(kind > 0.35) & (kind < 0.7)] = -np.inf, np.inf
    wide = rng.random(k) < 0.3
    lower[wide], upper[wide] = (middle - 0.05 * span)[wide], (middle + 0.2 * span)[wide]
    if rng.random() < 0.3:  # degenerate
        A = np.vstack([A, 2.0 * A[:1], A.sum(axis=0), np.zeros(place.n)])
        lower = np.concatenate([lower, 2.0 * lower[:1], [lower.sum()], [0.0]])
        upper = np.concatenate([upper, 2.0 * upper[:1], [upper.sum()], [0.0]])
    possible = rng.random() < 0.8
    if not possible:
        row = A[0]
        top = float(place.region.lmo(-row).dense(place.n) @ row)
        lower[0] = top + rng.choice(MARGINS) * max(span[0], 0.01 * abs(top))
        upper[0] = np.inf if rng.random() < 0.5 else lower[0]
    norms = np.linalg.norm(A, axis=1)
    units = np.where(norms > 0.0, norms, 1.0)
    said = [
        bound
        for row, low, high in zip(A / units[:, None], lower / units, upper / units, strict=True)
        if row.any()
        for bound in _said(row @ place.x, low, high)
    ]
    return fw.Affine(A, lower, upper), said, vertices, possible


def _gradients(rng: Rng, place: Place) -> list[np.ndarray]:
    return list(rng.standard_normal((30, place.n)))


def _said(w: Any, low: float, high: float) -> list[Any]:
    if low == high:
        return [w == low]
    return [w >= low] * bool(np.isfinite(low)) + [w <= high] * bool(np.isfinite(high))


def _loss(rng: Rng, place: Place, size: float) -> tuple[fw.Objective, Any, float]:
    """f in both languages, and its unit."""
    n, scale, c = place.n, 10.0 ** int(rng.integers(-4, 5)), rng.standard_normal(place.n) / size
    D, b = rng.standard_normal((2 * n, n)) / size, rng.standard_normal(2 * n)
    half, zero = D[: n // 2 + 1], np.zeros((n, n))
    whole, root = np.round(rng.standard_normal(n)), np.sqrt(scale)
    target = size * rng.standard_normal(n)
    signs = np.where(np.arange(2 * n) % 2, 1.0, -1.0)
    made = [
        lambda: (fw.Quadratic(zero, scale * c), scale * (c @ place.x), scale),
        lambda: (fw.Quadratic(zero, scale * whole), scale * (whole @ place.x), scale * size),
        lambda: (
            fw.SquaredError(root * D, root * b, reduction="sum"),
            0.5 * scale * cp.sum_squares(D @ place.x - b),
            scale,
        ),
        lambda: (
            fw.Quadratic(scale * half.T @ half, scale * c),
            scale * (0.5 * cp.sum_squares(half @ place.x) + c @ place.x),
            scale,
        ),
        lambda: (
            fw.squared_distance(target),
            0.5 * cp.sum_squares(place.x - target),
            size**2,
        ),
        lambda: (
            fw.Logistic(D, signs, reduction="sum"),
            cp.sum(cp.logistic(-cp.multiply(signs, D @ place.x))),
            1.0,
        ),
    ]
    return made[int(rng.integers(len(made)))]()


def _vectors(rng: Rng, places: Callable[[Rng], Place], near: float, exact: bool) -> Case:
    place = places(rng)
    rows, said, vertices, possible = _rows(rng, place)
    size = max(float(np.abs(vertices).max()), 1e-12)
    f, cost, scale = _loss(rng, place, size)
    program = cp.Problem(cp.Minimize(cost), [*place.within, *said])
    return Case(f, place.region, rows, program, scale, size, near, exact, possible)


def _cells(rng: Rng, n: int, kind: int) -> list[np.ndarray]:
    """Symmetric matrices: dense ones, single cells, the diagonal, or some repeated."""
    full = [0.5 * (G + G.T) for G in rng.standard_normal((int(rng.integers(1, 7)), n, n))]
    if kind == 0:
        return [G * 10.0 ** int(rng.integers(-2, 3)) for G in full]
    if kind == 1:
        pairs = rng.integers(0, n, (len(full), 2))
        return [0.5 * (np.outer(*np.eye(n)[p]) + np.outer(*np.eye(n)[p[::-1]])) for p in pairs]
    if kind == 2:
        return [np.diag(axis) for axis in np.eye(n)]
    return [*full, full[0], np.sum(full, axis=0), np.zeros((n, n))]


def _matrices(rng: Rng) -> Case:
    """Over a spectraplex, with a point inside of any rank."""
    n, kind = int(rng.integers(2, 16)), int(rng.integers(4))
    trace = float(n) if kind == 2 else float(rng.uniform(0.5, n))
    at_most, scale = bool(rng.random() < 0.3), 10.0 ** int(rng.integers(-1, 3))
    mats = _cells(rng, n, kind)
    V = rng.standard_normal((n, n if rng.random() < 0.5 else 2))
    if kind == 2:
        V /= np.linalg.norm(V, axis=1)[:, None]
    inside = V @ V.T * (trace / np.square(V).sum())
    middle = np.array([np.sum(A * inside) for A in mats])
    lower, upper, possible = middle.copy(), middle.copy(), bool(rng.random() < 0.8)
    if kind < 2:
        open_, free = rng.random(len(mats)) < 0.4, rng.random(len(mats)) < 0.3
        upper[open_], lower[free & ~open_] = np.inf, -np.inf
    if not possible:
        sizes = np.array([max(np.linalg.norm(A, 2), 1e-3) for A in mats])
        lower = upper = middle + (2.0 + rng.choice(MARGINS)) * trace * sizes
    X = cp.Variable((n, n), PSD=True)
    within = [cp.trace(X) <= trace if at_most else cp.trace(X) == trace]
    for A, low, high in zip(mats, lower, upper, strict=True):
        within += _said(cp.sum(cp.multiply(A, X)), low, high)
    C = scale * mats[0] if kind == 3 else scale * 0.5 * sum(rng.standard_normal((2, n, n)))
    C = 0.5 * (C + C.T)
    if rng.random() < 0.5:
        f, cost = fw.objectives.TraceProduct(C), cp.sum(cp.multiply(C, X))
    else:
        f = fw.Completion(sp.coo_array(C), shape=(n, n), loss="squared")
        cost = 0.5 * cp.sum_squares(X - C)
    rows = fw.Affine(np.array([A.ravel() for A in mats]), lower, upper)
    region = fw.Spectraplex(trace, at_most=at_most)
    program = cp.Problem(cp.Minimize(cost), within)
    return Case(f, region, rows, program, scale, trace, 1e-4, False, possible)


KINDS: dict[str, Callable[[Rng], Case]] = {
    "polytopes": lambda rng: _vectors(rng, _polytopes, 1e-6, True),
    "curved": lambda rng: _vectors(rng, _curved, 3e-6, False),
    "matrices": _matrices,
}


def case(kind: str, seed: int) -> Case:
    """The problem of a seed."""
    return KINDS[kind](np.random.default_rng([seed, sorted(KINDS).index(kind)]))
