"""D- and A-optimal designs of experiments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.everyday.answer import ResultRecord, finite_matrix
from frankwolfe.apps.everyday.information import Criterion, SupportedDesign, orthonormal, spread
from frankwolfe.base import Array, Indices, InvalidInput, at_least_one, number

__all__ = ["Design", "optimal_design"]

INNER_GAP_RATIO = 0.1  # gap of the weights of the support, over that of all points: no more pays


@dataclass(frozen=True, eq=False, repr=False)
class Design(ResultRecord):
    """Result of :func:`~frankwolfe.optimal_design`, whose docstring has the attributes."""

    weights: Array
    support: Indices
    fun: float
    gap: float
    efficiency: float
    information: Array
    success: bool
    nit: int

    def rounded(self, runs: int) -> Indices:
        """Round the weights to numbers of measurements whose sum is `runs`.

        By the apportionment of F. Pukelsheim and S. Rieder, *Efficient rounding of approximate
        designs*, Biometrika 79, 1992.

        Examples
        --------
        >>> import numpy as np, frankwolfe as fw
        >>> t = np.linspace(-1.0, 1.0, 5)
        >>> design = fw.optimal_design(np.column_stack([np.ones(5), t, t**2]))
        >>> design.rounded(12)
        array([4, 0, 4, 0, 4])
        """
        w = self.weights[self.support]
        if at_least_one("runs", runs) < w.size:
            raise InvalidInput(
                f"runs must be at least {w.size}, one for each point with weight, got {runs}."
            )
        counts = np.ceil((runs - 0.5 * w.size) * w).astype(np.int64)
        while counts.sum() < runs:
            counts[np.argmin(counts / w)] += 1
        while counts.sum() > runs:
            counts[np.argmax((counts - 1) / w)] -= 1
        whole = np.zeros(self.weights.size, dtype=np.int64)
        whole[self.support] = counts
        return whole


def optimal_design(
    X: ArrayLike, criterion: Literal["D", "A"] = "D", *, tol: float = 1e-6, max_iter: int = 1000
) -> Design:
    r"""Choose how often to measure where, so that a linear model is known most precisely.

    The information of weights w is :math:`M = \sum_i w_i x_i x_i^\top`. Over the simplex, "D"
    minimizes :math:`-\log\det M`, the volume of the confidence ellipsoid; "A" minimizes
    :math:`\operatorname{tr} M^{-1}`, the mean variance of the coefficients. Frank-Wolfe's oracle
    finds the points of largest variance, and Newton steps choose all weights on the few points
    found so far. A step reads all points once.

    Parameters
    ----------
    X : array of shape (n, p)
        A row for each point that may be measured; the rows span all p dimensions.
    criterion : {"D", "A"}
        The criterion to minimize.
    tol : float
        Stop when no design is better by more than this, as a share of the measurements.
    max_iter : int
        Largest number of steps.

    Returns
    -------
    Design
        With ``weights``; ``support``, the points that have some; ``fun``, the criterion; its
        certified ``gap``, for "D" the largest variance :math:`\max_i x_i^\top M^{-1} x_i` minus p
        (Kiefer and Wolfowitz); ``efficiency``, a lower bound on the share of measurements that
        the best design would need for the same; the ``information`` M; ``success`` and ``nit``.
        ``rounded(runs)`` makes whole numbers of the weights.

    References
    ----------
    J. Kiefer and J. Wolfowitz, *The equivalence of two extremum problems*, Canadian Journal of
    Mathematics 12, 1960; V. V. Fedorov, *Theory of Optimal Experiments*, 1972.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> t = np.linspace(-1.0, 1.0, 21)
    >>> design = fw.optimal_design(np.column_stack([np.ones(21), t, t**2]))   # a parabola
    >>> t[design.support], design.weights[design.support].round(4)
    (array([-1.,  0.,  1.]), array([0.3333, 0.3333, 0.3333]))
    """
    points = finite_matrix("X", X, "point that may be measured").astype(np.float64)
    if criterion not in ("D", "A"):
        raise InvalidInput(f'criterion must be "D" or "A", got {criterion!r}.')
    tol, most = number("tol", tol, above=0.0), at_least_one("max_iter", max_iter)
    scaled, corner, units = orthonormal(points)
    inverse = np.linalg.inv(corner) / units[:, None]  # X = scaled @ corner * units
    goal = Criterion(None if criterion == "D" else inverse.T @ inverse)
    state = SupportedDesign(goal, scaled, spread(scaled))
    nit, last, before = 0, math.inf, math.inf
    while True:
        nit += 1
        merit = goal.merit(scaled, state.curvature)
        gap = max(float(merit.max()) - state.total, 0.0)
        going = state.value < before or gap < 0.5 * last
        if gap <= tol * state.total or nit >= most or not going:
            break
        before, last = state.value, gap
        state.take_in(merit)
        state.newton(INNER_GAP_RATIO * gap)
    weights = np.zeros(len(points))
    weights[state.places] = state.weights
    information = points.T @ (weights[:, None] * points)
    fun = state.value
    if criterion == "D":
        fun -= 2.0 * float(np.log(np.abs(corner.diagonal()) * units).sum())
    efficiency = state.total / (state.total + gap)
    support = np.flatnonzero(weights)
    done = gap <= tol * state.total
    return Design(weights, support, fun, gap, efficiency, information, done, nit)
