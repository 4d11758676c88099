"""Value, gap and bound of a result, made in one place so that they cannot contradict."""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = ["Figures", "figures", "figures_under_constraints"]


class Figures(NamedTuple):
    """Value, gap and lower bound of a result.

    If `certified`, all are finite, ``lower_bound <= fun``, and `gap` is their difference up to the
    rounding of f.
    """

    fun: float
    gap: float
    lower_bound: float
    certified: bool


def figures(
    fun: float, gap: float, lower_bound: float, *, certified: bool, rounding: float
) -> Figures:
    """Figures of a result from those of a run; nothing is certified if these contradict.

    Parameters
    ----------
    fun : float
        f at the point that is returned.
    gap : float
        Bound on f(x) - min f; a measure of stationarity where nothing is certified.
    lower_bound : float
        The best lower bound on min f.
    certified : bool
        True if the run has proved that bound.
    rounding : float
        Bound on the error of `fun`.

    Examples
    --------
    >>> from frankwolfe.solver.figures import figures
    >>> figures(2.0, 5.0, 1.0, certified=True, rounding=0.0)
    Figures(fun=2.0, gap=1.0, lower_bound=1.0, certified=True)
    >>> figures(2.0, 5.0, 3.0, certified=True, rounding=1e-15)
    Figures(fun=2.0, gap=5.0, lower_bound=-inf, certified=False)
    """
    slack = fun - lower_bound
    if not (certified and math.isfinite(slack) and slack >= -rounding):
        gap = math.inf if math.isnan(gap) or not math.isfinite(fun) else gap
        return Figures(fun, gap, -math.inf, False)
    slack = max(slack, 0.0)
    least = max(gap, slack) if math.isfinite(gap) else slack + rounding
    return Figures(fun, min(least, slack + rounding), min(lower_bound, fun), True)


def figures_under_constraints(
    fun: float, lower_bound: float, *, feasible: bool, rounding: float
) -> Figures:
    """Figures of a result under constraints, where the gap is f(x) minus the bound.

    It may be below zero at a point that is not quite `feasible`. An infinite bound says that no
    point is feasible; then there is no gap to certify.

    Examples
    --------
    >>> from frankwolfe.solver.figures import figures_under_constraints
    >>> figures_under_constraints(1.0, 1.5, feasible=False, rounding=0.0).certified
    True
    >>> figures_under_constraints(1.0, 1.5, feasible=True, rounding=0.0)
    Figures(fun=1.0, gap=-0.5, lower_bound=-inf, certified=False)
    """
    gap = fun - lower_bound
    contradicts = feasible and gap < -rounding and lower_bound < math.inf
    if not math.isfinite(gap) or contradicts:
        return Figures(fun, gap, lower_bound if lower_bound == math.inf else -math.inf, False)
    return Figures(fun, gap, lower_bound, True)
