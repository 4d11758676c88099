"""Regions whose parameters are round numbers, and gradients with ties.

Shares in per cent, thirds, k/n, whole numbers, entries that are equal, sums that meet up to
rounding in either direction: what people write down, and what random numbers never are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import frankwolfe as fw

__all__ = ["ROUND", "gradient", "share", "shares"]

Rng = np.random.Generator
Maker = Callable[[Rng, int], fw.Region]
PER_CENT = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.7)
FRACTIONS = (1.0 / 3.0, 2.0 / 3.0, 1.0 / 6.0, 1.0 / 7.0, 3.0 / 7.0, 0.5)
WHOLE = (1.0, 2.0, 3.0, 10.0, 100.0)


def share(rng: Rng) -> float:
    """A round number > 0."""
    return float(rng.choice([*PER_CENT, *FRACTIONS, *WHOLE]))


def shares(rng: Rng, n: int) -> np.ndarray:
    """Round numbers > 0: all equal, k/n, whole, or per cent."""
    draw = rng.random()
    if draw < 0.2:
        return np.full(n, share(rng))
    if draw < 0.4:
        return rng.integers(1, 5, n) / n
    if draw < 0.55:
        return rng.integers(1, 5, n).astype(float)
    return rng.choice(PER_CENT if draw < 0.8 else FRACTIONS, n)


def signed(rng: Rng, n: int) -> np.ndarray:
    """Round numbers of both signs, some of them zero."""
    return shares(rng, n) * rng.integers(-1, 2, n)


def meeting(rng: Rng, values: np.ndarray) -> float:
    """The sum of some values in some order, to which rounding may add or from which it may take."""
    some = rng.permutation(values)[: int(rng.integers(1, values.size + 1))]
    total = float(np.cumsum(some)[-1])
    draw = rng.random()
    if draw < 0.3:
        return float(round(total, 12)) or total
    return total if draw < 0.7 else float(np.nextafter(total, rng.choice([0.0, np.inf])))


def gradient(rng: Rng, n: int) -> np.ndarray:
    """Ties, zeros of both signs, entries that differ by one ulp, or all equal; of any size."""
    draw = rng.random()
    if draw < 0.15:
        g = np.full(n, rng.choice([-1.0, -0.0, 0.0, 1.0, 0.1]))
    elif draw < 0.3:
        g = rng.integers(-2, 3, n) / 10.0
    elif draw < 0.5:
        g = rng.choice([-1.0, -0.0, 0.0, 1.0, 2.0], n)
    elif draw < 0.65:
        g = rng.choice([0.1 + 0.2, 0.3, 1.0 / 3.0, 1.0 - 2.0 / 3.0, -0.3], n)
    elif draw < 0.8:
        g = shares(rng, n) - share(rng)
    else:
        g = rng.standard_normal(n)
    return g * float(rng.choice([1.0, 1.0, 1.0, 1e-12, 1e9]))


def _some(rng: Rng, n: int) -> int:
    return int(rng.integers(1, n + 1))


def _center(rng: Rng, n: int) -> dict[str, Any]:
    return {"center": signed(rng, n)} if rng.random() < 0.5 else {}


def _lp(rng: Rng, n: int) -> fw.Region:
    return fw.LpBall(float(rng.choice([1, 1.5, 2, 3, np.inf])), share(rng), **_center(rng, n))


def _box(rng: Rng, n: int) -> fw.Region:
    low = signed(rng, n)
    return fw.Box(low, low + np.where(rng.random(n) < 0.3, 0.0, shares(rng, n)))


def _owl(rng: Rng, n: int) -> fw.Region:
    weights = np.sort(shares(rng, n))[::-1].copy()
    if rng.random() < 0.4:
        weights[_some(rng, n) :] = 0.0
    return fw.OWLBall(weights, share(rng))


def _ellipsoid(rng: Rng, n: int) -> fw.Region:
    if rng.random() < 0.5:
        return fw.Ellipsoid(diagonal=shares(rng, n), radius=share(rng), **_center(rng, n))
    return fw.Ellipsoid(np.eye(n) + np.ones((n, n)), radius=share(rng), **_center(rng, n))


def _latent(rng: Rng, n: int) -> fw.Region:
    groups = [sorted({i, (i + 1) % n}) for i in range(n)]
    return fw.regions.LatentGroupBall(groups, share(rng), shares(rng, n))


def _capped(rng: Rng, n: int) -> fw.Region:
    draw = rng.random()
    if draw < 0.3:
        k = _some(rng, n)
        limit = k / n if rng.random() < 0.5 else 1.0 / k
        return fw.CappedSimplex(limit if rng.random() < 0.5 else np.full(n, limit), limit * n / k)
    limits = shares(rng, n)
    return fw.CappedSimplex(limits, meeting(rng, limits))


def _permutahedron(rng: Rng, n: int) -> fw.Region:
    choices = [shares(rng, n), signed(rng, n), np.arange(n) / 10.0, rng.integers(0, 2, n)]
    return fw.Permutahedron(choices[int(rng.integers(4))])


def _ladder(n: int) -> list[tuple[int, int]]:
    """Edges that connect nodes 0, 1, ..., some of them twice."""
    return [(k // 2, k // 2 + 1 + k % 2) for k in range(n)]


def _edges(rng: Rng, n: int) -> tuple[list[tuple[int, int]], int]:
    edges = [_ladder(n)[k] for k in rng.permutation(n)]
    return edges, 1 + max(v for _, v in edges)


def _path(rng: Rng, n: int) -> fw.Region:
    edges, nodes = _edges(rng, n)
    return fw.regions.UnitFlow(edges, 0, nodes - 1)


def _flow(rng: Rng, n: int) -> fw.Region:
    """Supplies that some flow fulfils, with capacities that it uses up, or just not."""
    edges, nodes = _edges(rng, n)
    flow = shares(rng, n) * (rng.random(n) < 0.8)
    supplies = np.zeros(nodes)
    for (u, v), amount in zip(edges, flow, strict=True):
        supplies[u] += amount
        supplies[v] -= amount
    room = np.where(rng.random(n) < 0.4, 0.0, shares(rng, n))
    return fw.regions.MinCostFlow(edges, supplies, flow + room)


def _matching(rng: Rng, n: int) -> fw.Region:
    return fw.regions.Matching(_edges(rng, n)[0])


def _pairs(rng: Rng, n: int) -> fw.Region:
    rows = 2 if n > 3 and rng.random() < 0.7 else 1
    return fw.regions.BipartiteMatching(rows, n // rows, perfect=bool(rng.random() < 0.5))


def _matroid(rng: Rng, n: int) -> fw.Region:
    bases = bool(rng.random() < 0.5)
    if rng.random() < 0.5:
        return fw.regions.Matroid.uniform(n, _some(rng, n), bases=bases)
    return fw.regions.Matroid.partition(np.arange(n) // 2, 1, bases=bases)


def _submodular(rng: Rng, n: int) -> fw.Region:
    """Of how many there are, up to a number, and a part that adds up."""
    each, most = signed(rng, n), _some(rng, n)

    def value(chosen: Any) -> float:
        chosen = np.asarray(chosen, dtype=int)
        return 0.1 * min(chosen.size, most) + float(each[chosen].sum())

    return fw.regions.SubmodularBase(value, n)


def _transport(rng: Rng, n: int) -> fw.Region:
    """Masses that meet in partial sums: equal ones, or per cent dealt out to both sides."""
    rows = int(rng.integers(1, 4))
    columns = max(1, n // rows)
    if rng.random() < 0.5:
        return fw.Transport(np.full(rows, 1.0 / rows), np.full(columns, 1.0 / columns))
    cells = rng.choice([0.0, 0.05, 0.1, 0.3], (rows, columns))
    cells[0, 0] += 0.1
    return fw.Transport(cells.sum(axis=1), cells.sum(axis=0))


def _hull(rng: Rng, n: int) -> fw.Region:
    points = rng.integers(-1, 3, (_some(rng, 2 * n), n)) / float(rng.choice([1, 3, 10]))
    return fw.ConvexHull(np.vstack([points, points[:1]]))


def _polytope(rng: Rng, n: int) -> fw.Region:
    """Limits and a sum; more rows through the same corner, or none."""
    limits = shares(rng, n)
    total = float(rng.permutation(limits)[: _some(rng, n)].sum())
    options: dict[str, Any] = {"bounds": np.column_stack([np.zeros(n), limits])}
    draw = rng.random()
    if draw < 0.4:
        options |= {"A_eq": np.ones((1, n)), "b_eq": [min(total, float(limits.sum()))]}
    elif draw < 0.8:
        rows = np.vstack([np.ones(n), np.arange(n) % 2 + 1.0, np.eye(1, n)[0]])
        options |= {"A_ub": rows, "b_ub": [total, 2.0 * total, limits[0]]}
    return fw.Polytope(**options)


def _integer(rng: Rng, n: int) -> fw.Region:
    n = min(n, 5)
    return fw.regions.IntegerPolytope(
        rng.integers(0, 4, (2, n)), rng.integers(3, 7, 2), bounds=(0, 2)
    )


def _cvxpy(rng: Rng, n: int) -> fw.Region:
    """The simplex, for which other ways are known."""
    import cvxpy as cp

    x = cp.Variable(n)
    return fw.regions.CvxpySet(x, [x >= 0, cp.sum(x) == share(rng)])


PLAIN = ("L1Ball", "Simplex", "Box", "CappedSimplex", "Hypersimplex", "KSparse", "Permutahedron")


def _inner(rng: Rng, n: int) -> fw.Region:
    return ROUND[str(rng.choice(PLAIN))](rng, n)


def _product(rng: Rng, n: int) -> fw.Region:
    sizes = [n] if n < 2 else [n // 2, n - n // 2]
    return fw.Product([(_inner(rng, size), size) for size in sizes])


def _image(rng: Rng, n: int) -> fw.Region:
    inner = _some(rng, n + 2)
    return fw.regions.LinearImage(rng.integers(-1, 2, (n, inner)).astype(float), _inner(rng, inner))


def _oracle(rng: Rng, n: int) -> fw.Region:
    return fw.regions.OracleRegion(
        lambda g: np.eye(g.size)[int(np.argmin(g))], n=n, diameter=2.0**0.5, polytope=True
    )


def _square(kind: Callable[..., fw.Region]) -> Maker:
    return lambda rng, n: kind(max(1, round(n**0.5)))


def _fantope(rng: Rng, n: int) -> fw.Region:
    side = max(1, round(n**0.5))
    return fw.regions.Fantope(side, _some(rng, side))


ROUND: dict[str, Maker] = {
    "L1Ball": lambda rng, n: fw.L1Ball(share(rng), **_center(rng, n)),
    "L2Ball": lambda rng, n: fw.L2Ball(share(rng), **_center(rng, n)),
    "LInfBall": lambda rng, n: fw.LInfBall(share(rng), **_center(rng, n)),
    "LpBall": _lp,
    "Simplex": lambda rng, n: fw.Simplex(share(rng)),
    "UnitSimplex": lambda rng, n: fw.UnitSimplex(share(rng)),
    "Box": _box,
    "GroupBall": lambda rng, n: fw.GroupBall(np.arange(n) // _some(rng, n), share(rng)),
    "KSparse": lambda rng, n: fw.KSparse(_some(rng, n), share(rng)),
    "Hypersimplex": lambda rng, n: fw.Hypersimplex(_some(rng, n), share(rng)),
    "UnitHypersimplex": lambda rng, n: fw.regions.UnitHypersimplex(_some(rng, n), share(rng)),
    "WeightedL1Ball": lambda rng, n: fw.regions.WeightedL1Ball(shares(rng, n), share(rng)),
    "WeightedLInfBall": lambda rng, n: fw.regions.WeightedLInfBall(shares(rng, n), share(rng)),
    "OWLBall": _owl,
    "KSupportBall": lambda rng, n: fw.KSupportBall(_some(rng, n), share(rng)),
    "TopKBall": lambda rng, n: fw.regions.TopKBall(_some(rng, n), share(rng)),
    "Ellipsoid": _ellipsoid,
    "TVBall": lambda rng, n: fw.regions.TVBall(share(rng), share(rng)),
    "LatentGroupBall": _latent,
    "IsotonicBall": lambda rng, n: fw.regions.IsotonicBall(share(rng)),
    "CappedSimplex": _capped,
    "Permutahedron": _permutahedron,
    "Birkhoff": _square(fw.Birkhoff),
    "UnitFlow": _path,
    "MinCostFlow": _flow,
    "SpanningTrees": lambda rng, n: fw.regions.SpanningTrees(*_edges(rng, n)),
    "BipartiteMatching": _pairs,
    "Matching": _matching,
    "Cuts": lambda rng, n: fw.regions.Cuts(_edges(rng, n)[0], 0, 1 + n // 2),
    "Matroid": _matroid,
    "SubmodularBase": _submodular,
    "Transport": _transport,
    "ConvexHull": _hull,
    "Polytope": _polytope,
    "IntegerPolytope": _integer,
    "CvxpySet": _cvxpy,
    "Product": _product,
    "Scaled": lambda rng, n: fw.regions.Scaled(
        _inner(rng, n), float(rng.choice([-1, 1])) * share(rng)
    ),
    "Shifted": lambda rng, n: fw.regions.Shifted(_inner(rng, n), signed(rng, n)),
    "MinkowskiSum": lambda rng, n: fw.MinkowskiSum([_inner(rng, n), _inner(rng, n)]),
    "LinearImage": _image,
    "Cached": lambda rng, n: fw.regions.Cached(_inner(rng, n)),
    "Counted": lambda rng, n: fw.regions.Counted(_inner(rng, n)),
    "OracleRegion": _oracle,
    "SpectralBall": lambda rng, n: fw.regions.SpectralBall(max(1, n // 2), 2, share(rng)),
    "Fantope": _fantope,
    "Elliptope": _square(fw.regions.Elliptope),
}
"""Regions of vectors, by name: how one is made of about n variables."""
