"""The numbers of a result, made in one place, so that they cannot contradict one another."""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = ["Figures", "figures", "figures_under_constraints"]


class Figures(NamedTuple):
    """What a result says of f(x) and of min f.

    Where `certified`, all are finite, ``lower_bound <= fun``, and `gap` is their difference but
    for the rounding of f.
    """

    fun: float
    gap: float
    lower_bound: float
    certified: bool


def figures(
    fun: float, gap: float, lower_bound: float, *, certified: bool, rounding: float
) -> Figures:
    """The numbers of a result from those of a run; nothing is certified where these contradict.

    Parameters
    ----------
    fun : float
        f at the point that is returned.
    gap : float
        What is known of f(x) - min f; what measures stationarity where nothing is certified.
    lower_bound : float
        The best lower bound on min f.
    certified : bool
        Whether the run holds that to be one.
    rounding : float
        How far f(x) may be from `fun`.

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
    """The numbers of a result under constraints, where the gap is f(x) less the bound.

    Of a point that is not quite `feasible` it may be below zero. An infinite bound says that there
    is no such point; then there is no gap, and none is certified.

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
