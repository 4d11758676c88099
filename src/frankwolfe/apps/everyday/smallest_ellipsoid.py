"""The ellipsoid of smallest volume around points: the dual of a D-optimal design."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.everyday.answer import ResultRecord, finite_matrix
from frankwolfe.apps.everyday.designs import optimal_design
from frankwolfe.base import Array, Indices, InvalidInput

__all__ = ["EnclosingEllipsoid", "enclosing_ellipsoid"]


@dataclass(frozen=True, eq=False, repr=False)
class EnclosingEllipsoid(ResultRecord):
    """Result of :func:`~frankwolfe.enclosing_ellipsoid`, whose docstring has the attributes."""

    center: Array
    matrix: Array
    log_volume: float
    lower_bound: float
    support: Indices
    weights: Array
    success: bool
    nit: int


def enclosing_ellipsoid(
    X: ArrayLike, *, tol: float = 1e-6, max_iter: int = 1000
) -> EnclosingEllipsoid:
    r"""The ellipsoid of smallest volume that holds all rows of X, with a bound on its volume.

    Its dual is the D-optimal design (`optimal_design`) of the points with a one appended:
    the weights make the center and, but for a factor, the inverse of the matrix.

    Parameters
    ----------
    X : array of shape (n, d)
        A row for each point; they do not all lie in a plane.
    tol, max_iter
        As in :func:`~frankwolfe.optimal_design`.

    Returns
    -------
    EnclosingEllipsoid
        With ``center`` c and ``matrix`` A: the ellipsoid is
        :math:`(x - c)^\top A (x - c) \le 1`, and holds the points; ``log_volume``, the logarithm
        of its volume, and ``lower_bound``, below that of every ellipsoid that does; ``support``,
        the points on its boundary that have weight, and their ``weights``; ``success``, ``nit``.

    References
    ----------
    L. Khachiyan, *Rounding of polytopes in the real number model of computation*, Mathematics of
    Operations Research 21, 1996; P. Kumar and E. A. Yildirim, *Minimum-volume enclosing
    ellipsoids and core sets*, Journal of Optimization Theory and Applications 126, 2005.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> around = fw.enclosing_ellipsoid([[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0]])
    >>> around.center.round(4), np.linalg.eigvalsh(around.matrix).round(4)
    (array([2., 1.]), array([0.125, 0.5  ]))
    """
    points = finite_matrix("X", X, "point").astype(np.float64)
    n, d = points.shape
    middle = points.mean(axis=0)
    moved = points - middle
    units = np.abs(moved).max(axis=0)
    if n <= d or not units.all() or np.linalg.matrix_rank(moved / units) < d:
        raise InvalidInput(
            f"the rows of X must not lie in a plane: {d + 1} of them or more must span all "
            f"{d} dimensions."
        )
    moved /= units
    design = optimal_design(np.column_stack([moved, np.ones(n)]), tol=tol, max_iter=max_iter)
    w = design.weights[design.support]
    center = w @ moved[design.support]
    few = moved[design.support] - center
    factor = np.linalg.cholesky(d * (few.T @ (w[:, None] * few)))
    apart = np.linalg.solve(factor, (moved - center).T)
    # the ellipsoid of the dual, grown until it holds all points; 1 at the best weights
    grown = float(np.einsum("ij,ij->j", apart, apart).max())
    half = np.linalg.inv(factor)
    matrix = half.T @ half / (grown * np.outer(units, units))
    inner = float(np.log(factor.diagonal() * units).sum()) + _log_ball(d)
    return EnclosingEllipsoid(
        middle + units * center,
        matrix,
        inner + 0.5 * d * math.log(grown),
        inner,
        design.support,
        w,
        design.success,
        design.nit,
    )


def _log_ball(d: int) -> float:
    """Logarithm of the volume of the unit ball in d dimensions."""
    return 0.5 * d * math.log(math.pi) - math.lgamma(0.5 * d + 1.0)
