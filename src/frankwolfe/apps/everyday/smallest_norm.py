"""The point of smallest norm in the hull of a few vectors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from frankwolfe.apps.everyday.answer import ResultRecord, as_matrix, finite_matrix
from frankwolfe.base import Array, InvalidInput, Matrix, all_finite, number, quiet
from frankwolfe.methods import toward_model
from frankwolfe.objectives import Quadratic
from frankwolfe.regions import Simplex
from frankwolfe.solver import minimize

__all__ = ["MinNormPoint", "min_norm"]

BLOCK_ENTRIES = 2**17  # multiplied at a time, in double precision: 1 MB, which stays in a cache
MAX_VECTORS = 2000  # above, the whole Gram matrix takes too much memory and time
MAX_RESTARTS = 20  # of the active set, from where rounding ended it early
GAP_TOL = 1e-13  # of the squared norm: less is rounding


Vector: TypeAlias = Any
"""A vector as the rows of G came: NumPy's, or a PyTorch tensor."""


@dataclass(frozen=True, eq=False, repr=False)
class MinNormPoint(ResultRecord):
    """Result of :func:`~frankwolfe.min_norm`, whose docstring has the attributes."""

    x: Vector
    weights: Vector
    norm: float
    lower_bound: float
    gap: float
    success: bool


def min_norm(G: Matrix, *, tol: float = 1e-9) -> MinNormPoint:
    r"""The point of smallest norm in the convex hull of the rows of G, and its weights.

    :math:`\frac12\|G^\top w\|^2` over the simplex of weights w. With the gradients of several
    losses as rows, -x is the direction in which all of them fall (multiple-gradient descent);
    the losses cannot all be lowered where x is zero. The vectors are read three times, whatever
    their length: the rest is done on the m x m matrix of their products. For two vectors the
    answer is a formula.

    Parameters
    ----------
    G : array or PyTorch tensor of shape (m, n)
        A row for each vector, a few of any length; m up to 2000. A tensor is used where it is,
        outside its graph, and x and the weights are tensors like it.
    tol : float
        Success means that the norm of x is certified to this, relative to the longest row:
        :math:`\|x\|^2 - \min_i \langle g_i, x \rangle \le` `tol` :math:`\max_i \|g_i\|^2`.

    Returns
    -------
    MinNormPoint
        With ``x``, the point; ``weights`` >= 0, whose sum is one; its ``norm``; ``lower_bound``,
        below the norm of every point of the hull; ``gap``, a bound on
        :math:`\frac12\|x\|^2` minus the least, and on the squared distance between x and the
        point; and ``success``.

    References
    ----------
    P. Wolfe, *Finding the nearest point in a polytope*, Mathematical Programming 11, 1976;
    J.-A. Desideri, *Multiple-gradient descent algorithm (MGDA) for multiobjective optimization*,
    Comptes Rendus Mathematique 350, 2012; O. Sener and V. Koltun, *Multi-Task Learning as
    Multi-Objective Optimization*, NeurIPS 2018.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> found = fw.min_norm([[2.0, 0.0], [0.0, 1.0], [3.0, 3.0]])
    >>> found.x, found.weights
    (array([0.4, 0.8]), array([0.2, 0.8, 0. ]))
    """
    tol = number("tol", tol, above=0.0)
    if type(G).__module__.partition(".")[0] == "torch":
        return _of_tensor(G, tol)
    rows = as_matrix("G", G, "vector")
    _few(rows.shape[0])
    with quiet():
        K, unit = _gram(rows, 1.0), 1.0
    if not 1e-200 < float(K.diagonal().max()) < 1e200:  # NaN too: squares have left their range
        unit = float(np.abs(finite_matrix("G", rows, "vector")).max()) or 1.0
        K = _gram(rows, unit)
    w = _weights(K, tol)
    x, products = np.empty(rows.shape[1], rows.dtype), np.zeros(len(rows))
    square = 0.0
    for part, place in _parts(rows, unit):
        piece = w @ part
        products += part @ piece
        square += float(piece @ piece)
        x[place] = piece * unit
    return _answer(x, w, square, products, tol * float(K.diagonal().max()), unit)


def _parts(rows: Array, unit: float) -> Iterator[tuple[Array, slice]]:
    """Yield blocks of columns in double precision, over the unit, with their place.

    All columns are one block if they need not be copied.
    """
    copied = unit != 1.0 or rows.dtype != np.float64
    width = max(BLOCK_ENTRIES // len(rows), 1) if copied else rows.shape[1]
    for first in range(0, rows.shape[1], width):
        part = rows[:, first : first + width].astype(np.float64, copy=False)
        yield (part if unit == 1.0 else part / unit), slice(first, first + width)


def _gram(rows: Array, unit: float) -> Array:
    """The Gram matrix of the rows, over unit squared."""
    K = np.zeros((len(rows),) * 2)
    for part, _ in _parts(rows, unit):
        K += part @ part.T
    return K


def _few(count: int) -> None:
    """Raise if there are too many vectors for a Gram matrix."""
    if count > MAX_VECTORS:
        raise InvalidInput(
            f"G must have at most {MAX_VECTORS} rows, a few vectors of any length, got {count}: "
            "use project(np.zeros(n), ConvexHull(G))."
        )


def _of_tensor(G: Matrix, tol: float) -> MinNormPoint:
    """The nearest point for a tensor, with the long products on its device."""
    G = G.detach()
    if G.ndim != 2 or 0 in G.shape or not G.is_floating_point():
        raise InvalidInput(
            "G must be a matrix of floats with a row for each vector, "
            f"got a {G.dtype} tensor of shape {tuple(G.shape)}."
        )
    _few(G.shape[0])
    width = max(BLOCK_ENTRIES // G.shape[0], 1)
    K = np.zeros((G.shape[0],) * 2)
    for first in range(0, G.shape[1], width):
        part = G[:, first : first + width].double()
        K += (part @ part.T).cpu().numpy()
    if not all_finite(K):
        raise InvalidInput("G must be finite, with squares that are, but it is not.")
    w = _weights(K, tol)
    weights = G.new_tensor(w)
    x = weights @ G
    square = float(w @ K @ w)  # x @ x, in the precision of G, would lose the digits
    return _answer(x, weights, square, K @ w, tol * float(K.diagonal().max()), 1.0)


def _answer(
    x: Vector, w: Vector, square: float, products: Array, level: float, unit: float
) -> MinNormPoint:
    """The result, with its bounds from x: <g, x> >= min_i <g_i, x> for g in the hull."""
    lowest, norm = float(products.min()), math.sqrt(max(square, 0.0))
    gap = max(square - lowest, 0.0)
    lower = min(max(lowest / norm, 0.0), norm) if norm > 0.0 else 0.0
    return MinNormPoint(x, w, norm * unit, lower * unit, gap * unit * unit, gap <= level)


def _weights(K: Array, tol: float) -> Array:
    """The weights in the simplex that minimize w'Kw."""
    size = float(K.diagonal().max())
    if len(K) == 1 or size == 0.0:
        return np.asarray(np.eye(len(K))[0])
    if len(K) == 2:
        return _of_two(K)
    w: Array = np.zeros(len(K))
    w[K.diagonal().argmin()] = 1.0
    best, least = w, math.inf
    for _ in range(MAX_RESTARTS):
        w = toward_model(K, w, K @ w, 1e-15 * float(w @ K @ w))
        gap = _gap(K, w)
        if not gap < 0.5 * least:
            break
        best, least = w, gap
        if gap <= GAP_TOL * float(w @ K @ w):
            break
    if least > 0.1 * tol * size:
        f = Quadratic(K / size, convex=True)
        best = minimize(f, Simplex(), x0=best, tol=0.1 * tol).x
    return best


def _gap(K: Array, w: Array) -> float:
    """The Frank-Wolfe gap of w'Kw/2 over the simplex."""
    r = K @ w
    return float(w @ r) - float(r.min())


def _of_two(K: Array) -> Array:
    """The weights of two vectors: the foot of the perpendicular from zero, by a formula."""
    apart = K[0, 0] - 2.0 * K[0, 1] + K[1, 1]
    t = (K[1, 1] - K[0, 1]) / apart if apart > 0.0 else 0.5
    t = min(max(t, 0.0), 1.0)
    return np.array([t, 1.0 - t])
