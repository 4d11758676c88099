"""Kernel herding: a few points whose mean embedding is near that of many."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.everyday.answer import ResultRecord, finite_matrix
from frankwolfe.base import Array, Indices, InvalidInput, at_least_one, finite_vector, number
from frankwolfe.methods import toward_model

__all__ = ["Herd", "herd"]

BLOCK_ENTRIES = 2**22  # of the kernel matrix, made at a time: 32 MB
MEDIAN_SAMPLE = 1000  # points whose median distance is the bandwidth: all pairs would be n^2


Kernel: TypeAlias = Callable[[Array, Array], ArrayLike]
"""The kernel between two arrays with a row for each point."""


@dataclass(frozen=True, eq=False, repr=False)
class Herd(ResultRecord):
    """Result of :func:`~frankwolfe.herd`, whose docstring has the attributes."""

    indices: Indices
    weights: Array
    mmd: Array
    bandwidth: float | None


def herd(
    X: ArrayLike,
    n: int,
    *,
    kernel: str | Kernel = "rbf",
    bandwidth: float | None = None,
    target: ArrayLike | None = None,
    weights: Literal["uniform", "corrective"] = "uniform",
) -> Herd:
    r"""Choose a few of many points so that their mean embedding is near that of all of them.

    Frank-Wolfe on :math:`\frac12 \mathrm{MMD}^2`, half the squared distance between mean
    embeddings in the kernel's space, over the distributions on the points. With steps
    :math:`1/(k+1)` all chosen points have the same weight (herding; a point may come up
    again); the weights of the fully corrective method are the best for the points chosen.

    Parameters
    ----------
    X : array of shape (m, d), or (m, m) where ``kernel="precomputed"``
        A row for each candidate; or the kernel matrix of all pairs.
    n : int
        Number of points to choose.
    kernel : {"rbf", "precomputed"} or callable
        "rbf" is :math:`\exp(-\|x - y\|^2 / (2 h^2))`; a callable takes two arrays with a row for
        each point and returns the matrix of the kernel between them, which must be positive
        semidefinite.
    bandwidth : float, optional
        h of "rbf"; by default the median distance between some of the points.
    target : array of shape (m,), optional
        Weights >= 0 of the distribution on the points that is to be matched, uniform by
        default; they are divided by their sum.
    weights : {"uniform", "corrective"}
        Equal weights of the chosen points, or the best ones.

    Returns
    -------
    Herd
        With ``indices``, the points in the order in which they were chosen, fewer than n where
        the best weights of some are zero; their ``weights``, whose sum is one; ``mmd``, the
        distance from the target after one, two, ... points; and the ``bandwidth``.

    Notes
    -----
    No more than a few rows of the kernel matrix are held at a time, besides those of the chosen
    points where the weights are corrective. The target's embedding takes one pass over the
    matrix, of :math:`m^2` entries, or as many rows as the target has points with weight.

    References
    ----------
    Y. Chen, M. Welling and A. Smola, *Super-Samples from Kernel Herding*, UAI 2010; F. Bach,
    S. Lacoste-Julien and G. Obozinski, *On the Equivalence between Herding and Conditional
    Gradient Algorithms*, ICML 2012.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> X = np.random.default_rng(0).standard_normal((1000, 2))
    >>> thin = fw.herd(X, 50)
    >>> bool(np.linalg.norm(X[thin.indices].mean(axis=0) - X.mean(axis=0)) < 0.05)
    True
    """
    n = at_least_one("n", n)
    if weights not in ("uniform", "corrective"):
        raise InvalidInput(f'weights must be "uniform" or "corrective", got {weights!r}.')
    rows, width = _kernel(X, kernel, bandwidth)
    mean, square = _embedding(rows, _share(target, rows.m))
    choose = _uniform if weights == "uniform" else _corrective
    indices, found, squares = choose(rows, mean, square, n)
    mmd = np.sqrt(np.maximum(squares, 0.0))
    return Herd(indices, found, mmd, width)


class _Rows:
    """Rows of the kernel matrix of m points, computed on demand."""

    def __init__(self, m: int, some: Callable[[Indices], ArrayLike]) -> None:
        self.m, self._some = m, some

    def __call__(self, places: Indices | list[int]) -> Array:
        """The rows with the given indices, checked."""
        places = np.asarray(places)
        made = np.asarray(self._some(places), dtype=np.float64)
        if made.shape != (places.size, self.m):
            raise InvalidInput(
                "kernel(x, y) must return a row for each row of x and a column for each row of "
                f"y, here {(places.size, self.m)}, got an array of shape {made.shape}."
            )
        if not np.isfinite(made).all():
            raise InvalidInput("the kernel must be finite, but it holds NaN or infinity.")
        return made


def _kernel(
    X: ArrayLike, kernel: str | Kernel, bandwidth: float | None
) -> tuple[_Rows, float | None]:
    """Rows of the kernel matrix, and the bandwidth of an "rbf" kernel."""
    points = finite_matrix("X", X, "point").astype(np.float64, copy=False)
    if bandwidth is not None and kernel != "rbf":
        raise InvalidInput('bandwidth goes with kernel="rbf" alone: put it into the kernel.')
    if callable(kernel):
        return _Rows(len(points), lambda places: kernel(points[places], points)), None
    if kernel == "precomputed":
        size = float(np.abs(points).max())
        if points.shape[0] != points.shape[1] or np.abs(points - points.T).max() > 1e-8 * size:
            raise InvalidInput(
                f"X must be the symmetric kernel matrix of all pairs, got shape {points.shape}."
            )
        return _Rows(len(points), lambda places: points[places]), None
    if kernel != "rbf":
        raise InvalidInput(f'kernel must be "rbf", "precomputed" or a function, got {kernel!r}.')
    width = _median(points) if bandwidth is None else number("bandwidth", bandwidth, above=0.0)
    scaled = (points - points.mean(axis=0)) / width
    sizes = np.einsum("ij,ij->i", scaled, scaled)

    def some(places: Indices) -> Array:
        made = scaled[places] @ scaled.T
        made -= 0.5 * sizes
        made -= 0.5 * sizes[places, None]
        return np.asarray(np.exp(np.minimum(made, 0.0, out=made), out=made))

    return _Rows(len(points), some), width


def _median(points: Array) -> float:
    """Median distance between some of the points; 1 if they are all equal."""
    some = points[np.linspace(0, len(points) - 1, min(len(points), MEDIAN_SAMPLE)).astype(np.int64)]
    some = some - some.mean(axis=0)
    sizes = np.einsum("ij,ij->i", some, some)
    squares = sizes[:, None] + sizes - 2.0 * some @ some.T
    above = squares[np.triu_indices(len(some), 1)]
    found = math.sqrt(max(float(np.median(above)), 0.0)) if above.size else 0.0
    return found if found > 0.0 else 1.0


def _share(target: ArrayLike | None, m: int) -> Array:
    """The target's weights, normalized to the sum one."""
    if target is None:
        return np.full(m, 1.0 / m)
    share = finite_vector("target", target, m).astype(np.float64)
    if share.min() < 0.0 or not share.sum() > 0.0:
        raise InvalidInput("target must be >= 0 with a positive sum, a weight for each point.")
    return np.asarray(share / share.sum())


def _embedding(rows: _Rows, share: Array) -> tuple[Array, float]:
    """The target's mean embedding at each point, and its squared norm."""
    mean: Array = np.zeros(rows.m)
    places = np.flatnonzero(share)
    count = max(BLOCK_ENTRIES // rows.m, 1)
    for first in range(0, places.size, count):
        some = places[first : first + count]
        mean += share[some] @ rows(some)
    return mean, float(share @ mean)


def _uniform(rows: _Rows, mean: Array, square: float, n: int) -> tuple[Indices, Array, Array]:
    """Frank-Wolfe with steps 1/(k+1): the next point is where the embedding lacks most."""
    total, norm = np.zeros_like(mean), 0.0  # k times the embedding so far, and its squared norm
    indices, squares = np.empty(n, dtype=np.int64), np.empty(n)
    for k in range(n):
        i = indices[k] = int(np.argmax(mean - total / max(k, 1)))
        row = rows([i])[0]
        norm += 2.0 * float(total[i]) + float(row[i])
        total += row
        chosen = float(mean[indices[: k + 1]].mean())
        squares[k] = norm / (k + 1) ** 2 - 2.0 * chosen + square
    return indices, np.full(n, 1.0 / n), squares


def _corrective(rows: _Rows, mean: Array, square: float, n: int) -> tuple[Indices, Array, Array]:
    """Fully corrective Frank-Wolfe: the best weights on the chosen points after each step."""
    indices: list[int] = []
    made: Array = np.empty((0, mean.size))
    w: Array = np.empty(0)
    squares = []
    for _ in range(n):
        i = int(np.argmax(mean - w @ made))
        if i in indices:  # optimal to rounding: the oracle finds nothing new
            break
        indices.append(i)
        made = np.vstack([made, rows([i])])
        w = np.append(w, 0.0) if w.size else np.ones(1)
        K, r = made[:, indices], mean[indices]
        w = toward_model(K, w, K @ w - r, 1e-15 * float(np.abs(K).max()))
        squares.append(float(w @ K @ w) - 2.0 * float(w @ r) + square)
    return np.array(indices)[w > 0.0], w[w > 0.0], np.array(squares)
