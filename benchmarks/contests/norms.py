"""Norms, orders and shares beside the NumPy and scipy that one would write."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import isotonic_regression

import frankwolfe as fw
from contests import Contest, Solve

K = 100


def all_contests() -> list[Contest]:
    """Each set in 1e5 variables, those that sort in 1e6 too."""
    made = [_contests(100_000), _contests(1_000_000), [_full(1000)]]
    return [contest for contests in made for contest in contests]


def _contests(n: int) -> list[Contest]:
    rng = np.random.default_rng(1)
    weights, falling = rng.uniform(0.5, 2.0, n), np.linspace(2.0, 0.5, n)
    caps, few = rng.uniform(0.0, 2.0, n), rng.standard_normal((n, 5))
    groups = [np.arange(j, min(j + 6, n)) for j in range(0, n, 5)]
    total, values = 0.3 * float(caps.sum()), np.arange(1.0, n + 1.0)
    size = f"n=1e{round(np.log10(n))}"
    kinds: list[tuple[str, fw.Region, str, Solve]] = [
        ("WeightedL1Ball", fw.regions.WeightedL1Ball(weights), "abs / w, max", _weighted(weights)),
        (
            "WeightedLInfBall",
            fw.regions.WeightedLInfBall(weights),
            "-sign / w",
            _corner(1.0 / weights),
        ),
        ("OWLBall", fw.OWLBall(falling), "argsort, cumsum", _owl(falling)),
        (f"KSupportBall k={K}", fw.KSupportBall(K), "argpartition", _support),
        (f"KSupportBall k={n // 3}", fw.KSupportBall(n // 3), "argpartition", _many(n // 3)),
        (f"TopKBall k={K}", fw.regions.TopKBall(K), "two norms", _top),
        ("Ellipsoid diagonal", fw.Ellipsoid(diagonal=weights), "g / d", _diagonal(weights)),
        (
            "Ellipsoid 5 columns",
            fw.Ellipsoid(diagonal=weights, factor=few),
            "Woodbury",
            _woodbury(weights, few),
        ),
        ("TVBall", fw.regions.TVBall(), "cumsum", _variation),
        ("LatentGroupBall of 6", fw.regions.LatentGroupBall(groups), "reduceat", _groups(groups)),
        ("Permutahedron", fw.Permutahedron(values), "argsort", _ranks(values)),
        ("CappedSimplex", fw.CappedSimplex(caps, total), "argsort, cumsum", _capped(caps, total)),
        ("CappedSimplex one limit", fw.CappedSimplex(0.01), "argpartition", _alike(0.01)),
        ("IsotonicBall", fw.regions.IsotonicBall(), "isotonic_regression", _monotone),
    ]
    return [Contest(f"{name} {size}", region, n, {by: way}) for name, region, by, way in kinds]


def _full(n: int) -> Contest:
    half = np.random.default_rng(1).standard_normal((n, n))
    A = half @ half.T / n + np.eye(n)
    factor = cho_factor(A)

    def solve(g: np.ndarray) -> float:
        s = -cho_solve(factor, g, check_finite=False)
        return float(g @ (s / np.sqrt(-(g @ s))))

    return Contest(f"Ellipsoid full n={n}", fw.Ellipsoid(A), n, {"cho_solve": solve})


def _weighted(weights: np.ndarray) -> Solve:
    def solve(g: np.ndarray) -> float:
        sizes = np.abs(g) / weights
        best = int(sizes.argmax())
        return -float(sizes[best])

    return solve


def _corner(sizes: np.ndarray) -> Solve:
    return lambda g: float((-np.sign(g) * sizes) @ g)


def _owl(weights: np.ndarray) -> Solve:
    sums = np.cumsum(weights)

    def solve(g: np.ndarray) -> float:
        sizes = np.abs(g)
        order = np.argsort(-sizes)
        k = int((np.cumsum(sizes[order]) / sums).argmax()) + 1
        s = np.zeros_like(g)
        s[order[:k]] = -np.sign(g[order[:k]]) / sums[k - 1]
        return float(s @ g)

    return solve


def _largest(g: np.ndarray, k: int) -> float:
    top = np.argpartition(-np.abs(g), k - 1)[:k]
    s = np.zeros_like(g)
    s[top] = -g[top] / np.linalg.norm(g[top])
    return float(s @ g)


def _support(g: np.ndarray) -> float:
    return _largest(g, K)


def _many(k: int) -> Solve:
    return lambda g: _largest(g, k)


def _top(g: np.ndarray) -> float:
    sizes = np.abs(g)
    if sizes.max() >= sizes.sum() / K:
        return -float(sizes.max())
    return float((-np.sign(g) / K) @ g)


def _diagonal(d: np.ndarray) -> Solve:
    def solve(g: np.ndarray) -> float:
        s = -g / d
        return float(g @ (s / np.sqrt(-(g @ s))))

    return solve


def _woodbury(d: np.ndarray, U: np.ndarray) -> Solve:
    over = U / d[:, None]
    inner = np.linalg.inv(np.eye(U.shape[1]) + U.T @ over)

    def solve(g: np.ndarray) -> float:
        s = over @ (inner @ (over.T @ g)) - g / d
        return float(g @ (s / np.sqrt(-(g @ s))))

    return solve


def _variation(g: np.ndarray) -> float:
    mean = g.mean()
    tails = np.cumsum((g - mean)[::-1])[::-1][1:]
    place = int(np.abs(tails).argmax())
    step = np.where(np.arange(g.size) > place, 1.0, 0.0)
    s = -np.sign(mean) - np.sign(tails[place]) * (step - step.mean())
    return float(s @ g)


def _groups(groups: list[np.ndarray]) -> Solve:
    order = np.concatenate(groups)
    starts = np.cumsum([0, *(group.size for group in groups[:-1])])

    def solve(g: np.ndarray) -> float:
        return -float(np.sqrt(np.add.reduceat(g[order] ** 2, starts).max()))

    return solve


def _ranks(values: np.ndarray) -> Solve:
    falling = np.sort(values)[::-1]

    def solve(g: np.ndarray) -> float:
        s = np.empty_like(g)
        s[np.argsort(g)] = falling
        return float(s @ g)

    return solve


def _capped(caps: np.ndarray, total: float) -> Solve:
    def solve(g: np.ndarray) -> float:
        order = np.argsort(g)
        limits = caps[order]
        s = np.empty_like(g)
        s[order] = np.clip(total - (np.cumsum(limits) - limits), 0.0, limits)
        return float(s @ g)

    return solve


def _alike(cap: float) -> Callable[[np.ndarray], float]:
    count = round(1.0 / cap)
    return lambda g: float(cap * g[np.argpartition(g, count - 1)[:count]].sum())


def _monotone(g: np.ndarray) -> float:
    s = isotonic_regression(-g).x
    return float(g @ (s / np.linalg.norm(s)))
