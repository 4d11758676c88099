"""The nearest point of a region."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.everyday.answer import ResultRecord
from frankwolfe.base import (
    Array,
    InvalidInput,
    Point,
    all_finite,
    as_float_array,
    at_least_one,
    number,
)
from frankwolfe.core import Accuracy
from frankwolfe.methods import Method, fully_corrective
from frankwolfe.objectives import Completion, Objective, squared_distance
from frankwolfe.regions import Region
from frankwolfe.solver import DEFAULT_MAX_ITER, Gap, Iterations, Result, Spent, Stalled, minimize

__all__ = ["NearestPoint", "project"]

PATIENCE = 100  # steps without progress before a run ends; a projection is easy, or stuck
ROUNDING_EPS = 16.0  # times eps and the squared distance: a smaller gap is rounding


@dataclass(frozen=True, eq=False, repr=False)
class NearestPoint(ResultRecord):
    """Result of :func:`~frankwolfe.project`, whose docstring has the attributes."""

    x: Array
    distance: float
    lower_bound: float
    error: float
    gap: float
    success: bool
    message: str
    result: Result = field(repr=False)


def project(
    point: ArrayLike,
    region: Region,
    *,
    tol: float = 1e-6,
    max_iter: int = DEFAULT_MAX_ITER,
    method: Method | str | None = None,
    x0: Point = None,
) -> NearestPoint:
    r"""The point of a region that is nearest to a given one, with a bound on its error.

    :math:`\frac12\|x - p\|^2` is minimized over the region: in one step where the region knows
    its nearest points, by fully corrective steps over other polytopes, by the default method
    elsewhere.

    Parameters
    ----------
    point : array
        The point p, of as many entries as the region has variables. A matrix is taken row after
        row, and x has its shape; over a region of matrices it is the matrix itself.
    region : Region
        Any of the library's regions.
    tol : float
        Stop when x is proved to be within `tol` times the region's diameter of the nearest
        point, or as near as the rounding of the squared distance lets see.
    max_iter, method, x0
        As in :func:`~frankwolfe.minimize`; `x0` has the region's own shape.

    Returns
    -------
    NearestPoint
        With ``x``; its ``distance`` from the point; ``lower_bound``, below the distance of every
        point of the region; ``error``, a bound on the distance between x and the nearest point;
        ``gap``, the certified gap of :math:`\frac12\|x - p\|^2`; ``success`` and ``message``;
        and the ``result`` of :func:`~frankwolfe.minimize`.

    Notes
    -----
    The squared distance is strongly convex, so that the gap bounds the error of the point:
    :math:`\|x - x_\star\| \le \sqrt{2\,\text{gap}}`. In double precision that is not below 1e-8
    of the distance, also where every digit of x is right.

    References
    ----------
    M. Jaggi, *Revisiting Frank-Wolfe: Projection-Free Sparse Convex Optimization*, ICML 2013, for
    the gap.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> nearest = fw.project([0.6, 0.3, -0.4], fw.Simplex())
    >>> nearest.x, round(nearest.distance, 4), nearest.error < 1e-6
    (array([0.65, 0.35, 0.  ]), 0.4062, True)
    """
    tol = number("tol", tol, above=0.0)
    rounds = at_least_one("max_iter", max_iter)
    array = _finite(point)
    if not isinstance(region, Region):
        raise InvalidInput(f"region must be one of frankwolfe's, got {type(region).__name__}.")
    objective = _distance(array, region)
    region.check_dimension(objective.shape)
    stop = Gap(_level(array, region, objective, tol)) | Iterations(rounds)
    stop = stop | Spent() | Stalled(PATIENCE)
    chosen = _method(region) if method is None else method
    result = minimize(objective, region, x0=x0, method=chosen, stop=stop)
    x = result.x.toarray() if region.matrix else result.x.reshape(array.shape)
    distance = float(np.linalg.norm((x - array).astype(np.float64)))
    gap, error = _certificate(array, region, result)
    lower = max(distance - error, math.sqrt(max(distance * distance - 2.0 * gap, 0.0)))
    near = error <= tol * region.diameter(objective.shape)
    message = f"The nearest point is within {error:.2g} of x." if near else result.message
    return NearestPoint(x, distance, lower, error, gap, near or result.success, message, result)


def _method(region: Region) -> Method | None:
    """Fully corrective steps over polytopes known by their vertices; None for the default.

    A distance over the hull of a few vertices is minimized exactly, so that few are needed.
    """
    known = region.matrix or region.projection is not None or not region.polytope
    return None if known else fully_corrective()


def _finite(point: ArrayLike) -> Array:
    """The point as a finite vector or matrix."""
    array = as_float_array("point", point)
    if array.ndim not in (1, 2) or array.size == 0:
        raise InvalidInput(
            "point must be a vector, or a matrix that is taken row after row, "
            f"got an array of shape {array.shape}."
        )
    if not all_finite(array):
        raise InvalidInput("point must be finite, but it holds NaN or infinity.")
    return array


def _distance(array: Array, region: Region) -> Objective:
    """Half the squared distance to the array, as an objective of vectors or matrices."""
    if not region.matrix:
        return squared_distance(array.ravel())
    if array.ndim != 2:
        raise InvalidInput(
            f"point must be a matrix, as {region!r} holds matrices, "
            f"got an array of shape {array.shape}."
        )
    rows, columns = np.indices(array.shape)
    cells = rows.ravel(), columns.ravel(), array.ravel()
    return Completion(cells, shape=array.shape, loss="squared", rank_cap=min(array.shape))


def _certificate(array: Array, region: Region, result: Result) -> tuple[float, float]:
    """The certified gap, and the bound on the error of x that it proves."""
    if not result.certified:
        return math.inf, math.inf
    gap = max(result.gap, 0.0)
    if region.matrix:
        return gap, math.sqrt(2.0 * gap)
    # <x - p, x - s> bounds |x - x*|^2 too, and loses fewer digits where p is far away
    x = result.x.astype(np.float64)
    g = x - array.ravel()
    wanted = Accuracy(float(g @ x), math.inf, 1.0, 0)
    memory = region.oracle_memory(x.size, g.dtype)
    atom, _, lost = region.inexact_lmo(g, memory, wanted)
    apart = x - atom.dense(x.size)
    lost += 4.0 * float(np.finfo(array.dtype).eps) * float(np.abs(g) @ np.abs(apart))
    direct = max(float(g @ apart), 0.0) + lost
    return min(gap, direct), math.sqrt(min(2.0 * gap, direct))


def _level(array: Array, region: Region, objective: Objective, tol: float) -> float:
    """The gap that proves the error asked for, but not below the rounding of gaps.

    If the region projects, that is the rounding of the squared distance. Steps go on below it,
    as the point may still be wrong where the distance has no more digits.
    """
    start = region.start(objective.shape)
    start = start.toarray() if region.matrix else start.reshape(array.shape)
    away = float(np.linalg.norm((start - array).astype(np.float64)))
    diameter = region.diameter(objective.shape)
    short = away if region.projection is not None else min(away, diameter)
    hidden = ROUNDING_EPS * float(np.finfo(array.dtype).eps) * away * short
    return max(0.5 * (tol * diameter) ** 2, hidden)
