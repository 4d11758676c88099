"""A random set of each kind that is not among the plain shapes: odd sizes, ties, bad scaling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import frankwolfe as fw

from .graph_shapes import GRAPHS

__all__ = ["SETS"]

Rng = np.random.Generator
Maker = Callable[[Rng, int, float], fw.Region]


def _weights(rng: Rng, n: int) -> Any:
    """Plain, tied, or of very different size."""
    draw = rng.random()
    if draw < 0.4:
        return rng.uniform(0.5, 2.0, n)
    if draw < 0.6:
        return rng.choice([1.0, 2.0], n)
    return 10.0 ** rng.uniform(*((-2, 2) if draw < 0.85 else (-5, 5)), n)


def _weighted(kind: Callable[..., fw.Region]) -> Maker:
    return lambda rng, n, radius: kind(_weights(rng, n), radius)


def _owl(rng: Rng, n: int, radius: float) -> fw.Region:
    weights = np.sort(_weights(rng, n))[::-1]
    if rng.random() < 0.3:
        weights[int(rng.integers(1, n + 1)) :] = 0.0
    return fw.OWLBall(weights, radius)


def _some(kind: Callable[..., fw.Region]) -> Maker:
    return lambda rng, n, radius: kind(int(rng.choice([1, max(1, n // 2), n])), radius)


def _ellipsoid(rng: Rng, n: int, radius: float) -> fw.Region:
    options: dict[str, Any] = {"radius": radius}
    if rng.random() < 0.4:
        options["center"] = rng.standard_normal(n) * 10.0 ** rng.uniform(-3, 5)
    draw = rng.random()
    if draw < 0.3:
        return fw.Ellipsoid(diagonal=_weights(rng, n), **options)
    if draw < 0.6:
        factor = rng.standard_normal((n, int(rng.integers(1, 4)))) * 10.0 ** rng.uniform(-3, 3)
        return fw.Ellipsoid(diagonal=_weights(rng, n), factor=factor, **options)
    M = np.linalg.qr(rng.standard_normal((n, n)))[0] * 10.0 ** rng.uniform(-2, 2, n)
    return fw.Ellipsoid(M @ M.T, **options)


def _tv(rng: Rng, n: int, radius: float) -> fw.Region:
    return fw.regions.TVBall(radius, 10.0 ** rng.uniform(-3, 3))


def _latent(rng: Rng, n: int, radius: float) -> fw.Region:
    groups = [
        rng.permutation(n)[: int(rng.integers(1, n + 1))] for _ in range(int(rng.integers(1, 6)))
    ]
    rest = np.setdiff1d(np.arange(n), np.concatenate(groups))
    groups += [rest] if rest.size else []
    groups += [groups[0]] if rng.random() < 0.3 else []  # two that coincide
    weights = _weights(rng, len(groups)) if rng.random() < 0.5 else None
    return fw.regions.LatentGroupBall([np.sort(g).tolist() for g in groups], radius, weights)


def _capped(rng: Rng, n: int, radius: float) -> fw.Region:
    upper = _weights(rng, n) * radius
    share = float(rng.choice([1e-6, rng.uniform(0.01, 0.99), 1.0 - 1e-9, 1.0]))
    return fw.CappedSimplex(upper, share * float(upper.sum()))


def _permutahedron(rng: Rng, n: int, radius: float) -> fw.Region:
    values = [np.arange(1.0, n + 1), rng.standard_normal(n), rng.integers(0, 2, n), np.ones(n)]
    offset = 10.0 ** rng.uniform(0, 6) if rng.random() < 0.2 else 0.0
    return fw.Permutahedron(values[int(rng.integers(4))] * radius + offset)


def _rows(rng: Rng, n: int) -> tuple[Any, Any]:
    """Inequalities that a point well inside fulfils, some of them twice or nearly so."""
    A = rng.standard_normal((int(rng.integers(1, 2 * n + 3)), n))
    A = A * (rng.random(A.shape) < rng.choice([0.3, 1.0]))
    b = np.abs(A).sum(axis=1) * rng.uniform(0.05, 0.5, len(A)) + 0.05
    if rng.random() < 0.4:
        near = A[:2] * (1.0 + 10.0 ** rng.uniform(-12, -6) * rng.standard_normal(n))
        A, b = np.vstack([A, near]), np.append(b, b[:2])
    if rng.random() < 0.3:
        size = 10.0 ** rng.uniform(-4, 4, len(A))
        A, b = A * size[:, None], b * size
    return A, b


def _polytope(rng: Rng, n: int, radius: float) -> fw.Region:
    """Around a centre c: rows of x - c, equations through c, and bounds."""
    A, b = _rows(rng, n)
    c = rng.standard_normal(n) * (10.0 ** rng.uniform(-2, 4) if rng.random() < 0.3 else 0.0)
    width = np.ones(n)
    if rng.random() < 0.3:  # thin, or flat, in some directions
        width = rng.choice([1.0, 1e-3, 1e-7, 0.0], n, p=[0.6, 0.2, 0.1, 0.1])
    bounds = np.column_stack([c - radius * width, c + radius * width])
    options: dict[str, Any] = {"bounds": bounds}
    if rng.random() < 0.75:
        options |= {"A_ub": A, "b_ub": A @ c + radius * b}
        if rng.random() < 0.3:
            options["A_ub"] = sp.csr_array(A)
    if rng.random() < 0.4:
        E = rng.standard_normal((int(rng.integers(1, n + 2)), n))
        if len(E) > 1 and rng.random() < 0.5:
            E[-1] = E[0] * 2.0  # redundant
        options |= {"A_eq": E, "b_eq": E @ c}
    return fw.Polytope(**options)


def _integer(rng: Rng, n: int, radius: float) -> fw.Region:
    n = min(n, 6)
    high = int(rng.choice([1, 3, 10]))
    A = rng.integers(0, 6, (int(rng.integers(1, 4)), n))
    bounds = (0, high) if rng.random() < 0.7 else (-high, high)
    return fw.regions.IntegerPolytope(A, rng.integers(2, 8, len(A)) * high, bounds=bounds)


def _cvxpy(rng: Rng, n: int, radius: float) -> fw.Region:
    import cvxpy as cp

    n = min(n, 8)
    x, c = cp.Variable(n), rng.standard_normal(n) * radius
    A, b = _rows(rng, n)
    choices = [
        [cp.norm(x - c, 2) <= radius, cp.sum(x - c) <= 0.2 * radius],
        [cp.norm(x - c, 1) <= radius],
        [cp.abs(x - c) <= radius, A @ (x - c) <= radius * b],
        [x >= 0, cp.sum(x) == radius],
        [cp.sum_squares((x - c) / radius) <= 1.0, x[0] == c[0]],
        [cp.norm(x, 1.5) <= radius, x >= -0.5 * radius],
    ]
    return fw.regions.CvxpySet(x, choices[int(rng.integers(len(choices)))])


def _transport(rng: Rng, n: int, radius: float) -> fw.Region:
    rows = int(rng.integers(1, max(2, round(n**0.5) + 1)))
    columns = max(1, n // rows)
    a, b = rng.dirichlet(np.ones(rows)), rng.dirichlet(np.ones(columns))
    draw = rng.random()
    if draw < 0.3:
        a, b = np.full(rows, 1.0 / rows), np.full(columns, 1.0 / columns)
    elif draw < 0.5:  # masses that hardly count, or do not
        a, b = (np.where(rng.random(v.size) < 0.3, rng.choice([1e-12, 0.0]), v) for v in (a, b))
        a[0], b[0] = max(a[0], 0.1), max(b[0], 0.1)
        a, b = a / a.sum(), b / b.sum()
    return fw.Transport(a * radius, b * (radius * a.sum() / b.sum()))


def _square(make: Callable[[int, Rng, float], fw.Region]) -> Maker:
    return lambda rng, n, radius: make(min(max(1, round(n**0.5)), 5), rng, radius)


def _spectral(rng: Rng, n: int, radius: float) -> fw.Region:
    rows = int(rng.integers(1, max(2, round(n**0.5) + 1)))
    return fw.regions.SpectralBall(rows, max(1, n // rows), radius)


def _plain(rng: Rng, n: int, radius: float) -> fw.Region:
    """A set to build others from."""
    name = str(rng.choice(["l1", "l2", "simplex", "box", "hull", "owl", "capped", "permutahedron"]))
    own = {"owl": _owl, "capped": _capped, "permutahedron": _permutahedron}
    if name in own:
        return own[name](rng, n, radius)
    if name == "hull":
        return fw.ConvexHull(rng.standard_normal((int(rng.integers(1, 2 * n + 2)), n)) * radius)
    if name == "box":
        return fw.Box(-radius * _weights(rng, n), radius)
    return {"l1": fw.L1Ball, "l2": fw.L2Ball, "simplex": fw.Simplex}[name](radius)


def _offset(rng: Rng, n: int, radius: float) -> Any:
    return rng.standard_normal(n) * (radius if rng.random() < 0.7 else 10.0 ** rng.uniform(0, 5))


def _image(rng: Rng, n: int, radius: float) -> fw.Region:
    inner = int(rng.integers(1, 2 * n + 2))
    M = rng.standard_normal((n, inner))
    M = sp.csr_array(M * (rng.random(M.shape) < 0.4)) if rng.random() < 0.3 else M
    return fw.regions.LinearImage(M, _plain(rng, inner, radius))


def _sum(rng: Rng, n: int, radius: float) -> fw.Region:
    small = radius * (1.0 if rng.random() < 0.6 else 10.0 ** rng.uniform(-4, 0))
    return fw.MinkowskiSum([_plain(rng, n, radius), _plain(rng, n, small)])


SETS: dict[str, Maker] = {
    "WeightedL1Ball": _weighted(fw.regions.WeightedL1Ball),
    "WeightedLInfBall": _weighted(fw.regions.WeightedLInfBall),
    "OWLBall": _owl,
    "KSupportBall": _some(fw.KSupportBall),
    "TopKBall": _some(fw.regions.TopKBall),
    "Ellipsoid": _ellipsoid,
    "TVBall": _tv,
    "LatentGroupBall": _latent,
    "IsotonicBall": lambda rng, n, radius: fw.regions.IsotonicBall(radius),
    "CappedSimplex": _capped,
    "Permutahedron": _permutahedron,
    **GRAPHS,
    "Transport": _transport,
    "Polytope": _polytope,
    "IntegerPolytope": _integer,
    "CvxpySet": _cvxpy,
    "Scaled": lambda rng, n, radius: fw.regions.Scaled(_plain(rng, n, 1.0), -radius),
    "Shifted": lambda rng, n, radius: fw.regions.Shifted(
        _plain(rng, n, radius), _offset(rng, n, radius)
    ),
    "MinkowskiSum": _sum,
    "LinearImage": _image,
    "Cached": lambda rng, n, radius: fw.regions.Cached(_plain(rng, n, radius)),
    "Counted": lambda rng, n, radius: fw.regions.Counted(_plain(rng, n, radius)),
    "SpectralBall": _spectral,
    "Fantope": _square(
        lambda side, rng, radius: fw.regions.Fantope(side, int(rng.integers(1, side + 1)))
    ),
    "Elliptope": _square(lambda side, rng, radius: fw.regions.Elliptope(side)),
}
"""Sets of vectors: how a random one is made, of about n variables."""
