"""Whether a point lies in the hull of vertices that only an oracle knows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from frankwolfe.numerics.arrays import Array

__all__ = ["independent", "nearest"]

EPS = 1e-14
NONE = 1e-12  # a gain below it is rounding
MORE = 4  # calls of the oracle for each variable, at most


def nearest(
    x: Array, pool: list[Array], oracle: Callable[[Array], Array], width: Array
) -> tuple[Array, float]:
    """The point of the hull nearest to x, and how far away it is, relative to `width`.

    Weights of the vertices in `pool` by non-negative least squares; the oracle adds the vertex
    that would help most, until none does.
    """
    from scipy.optimize import nnls

    for _ in range(MORE * x.size + 10):
        points = np.array(pool)
        middle = points.mean(axis=0)
        rows = np.vstack([((points - middle) / width).T, np.ones(len(pool))])
        target = np.append((x - middle) / width, 1.0)
        weights, out = nnls(rows, target, maxiter=30 * rows.shape[1])
        rest = target - rows @ weights
        if out <= EPS:
            break
        vertex = oracle(-rest[:-1] / width)
        if rest[:-1] @ ((vertex - middle) / width) + rest[-1] <= NONE * out:
            break
        pool.append(vertex)
    return points.T @ (weights / weights.sum()), float(out)


def independent(pool: list[Array], oracle: Callable[[Array], Array], width: Array) -> list[Array]:
    """Vertices of the pool, and more until the hull has no further dimension."""
    found, directions = list(pool), list(np.eye(width.size))
    while directions:
        spread = np.array([(v - found[0]) / width for v in found])
        _, sizes, across = np.linalg.svd(spread)
        rank = int((sizes > NONE * max(float(sizes.max(initial=0.0)), 1.0)).sum())
        directions = list(across[rank:])
        for d in directions:
            ends = [oracle(sign * d / width) for sign in (1.0, -1.0)]
            if abs((ends[0] - ends[1]) @ (d / width)) > 1e3 * NONE:
                found += ends
                break
        else:
            break
    return found
