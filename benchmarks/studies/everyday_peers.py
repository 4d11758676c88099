"""What one would write instead of the everyday functions; a part of `everyday`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

STEPS, STILL = 250, 1e-5  # as multi-task code has them


def naive_min_norm(G: Any) -> Any:
    """Weights by Frank-Wolfe from the best pair of rows, until they move little."""
    K = G @ G.T
    if len(K) == 1:
        return np.ones(1)
    least, w = math.inf, np.zeros(len(K))
    for i in range(len(K)):
        for j in range(i + 1, len(K)):
            t = _share(K[i, i], K[i, j], K[j, j])
            square = t * t * K[i, i] + 2 * t * (1 - t) * K[i, j] + (1 - t) ** 2 * K[j, j]
            if square < least:
                least, w = square, np.zeros(len(K))
                w[i], w[j] = t, 1 - t
    for _ in range(STEPS):
        r = K @ w
        i = int(r.argmin())
        t = _share(float(w @ r), float(r[i]), float(K[i, i]))
        moved = t * w
        moved[i] += 1 - t
        if np.abs(moved - w).sum() < STILL:
            return moved
        w = moved
    return w


def _share(a: float, b: float, c: float) -> float:
    """The weight of the first of two vectors, by their products, in the point of least norm."""
    if b >= a:
        return 1.0
    if b >= c:
        return 0.0
    return (c - b) / (a + c - 2 * b)


def max_distance(X: Any, center: Any) -> float:
    """The radius of the ball around a center that holds all points."""
    return float(np.sqrt(((X - center) ** 2).sum(axis=1).max()))


def ritter(X: Any) -> float:
    """A ball that is grown over each point outside: quick, and up to a fifth too large."""
    first = X[((X - X[0]) ** 2).sum(axis=1).argmax()]
    second = X[((X - first) ** 2).sum(axis=1).argmax()]
    center = 0.5 * (first + second)
    radius = 0.5 * float(np.linalg.norm(first - second))
    while True:
        squares = ((X - center) ** 2).sum(axis=1)
        far = int(squares.argmax())
        distance = math.sqrt(float(squares[far]))
        if distance <= radius * (1 + 1e-12):
            return radius
        radius = 0.5 * (radius + distance)
        center = center + (1 - radius / distance) * (X[far] - center)


def multiplicative(X: Any, tol: float) -> Any:
    """D-optimal weights, each multiplied by its variance over p (Silvey, Titterington, Torsney)."""
    n, p = X.shape
    w = np.full(n, 1.0 / n)
    while True:
        inverse = np.linalg.inv(X.T @ (w[:, None] * X))
        variance = np.einsum("ij,ij->i", X @ inverse, X)
        if variance.max() <= p * (1 + tol):
            return w
        w *= variance / p


def herded(X: Any, n: int, bandwidth: float) -> float:
    """The distance of n herded points from all, with the whole kernel matrix."""
    squares = (X**2).sum(axis=1)
    K = np.exp(-(squares[:, None] + squares - 2 * X @ X.T) / (2 * bandwidth**2))
    mean, total, chosen = K.mean(axis=0), np.zeros(len(X)), []
    for k in range(n):
        chosen.append(int(np.argmax(mean - total / max(k, 1))))
        total += K[chosen[-1]]
    square = K[np.ix_(chosen, chosen)].mean() - 2 * mean[chosen].mean() + mean.mean()
    return math.sqrt(max(float(square), 0.0))
