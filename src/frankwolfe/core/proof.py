"""A proof that a point is nearly optimal: bounds on f that hold in floating point."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from frankwolfe.base.arrays import Point
from frankwolfe.base.errors import Unproven
from frankwolfe.core.double_double import above, below
from frankwolfe.core.objective import Objective
from frankwolfe.core.objective_abilities import Enclosure
from frankwolfe.core.problem import Problem
from frankwolfe.core.region import Region

__all__ = ["Proof", "between", "prove", "unknown_minimum"]


@dataclass(frozen=True)
class Proof:
    """Bounds on f(x) and on min f over the region, proved in floating point.

    Attributes
    ----------
    upper : float
        Upper bound on f(x).
    lower : float
        Lower bound on min f over the region.
    gap : float
        Upper bound on f(x) - min f: at most ``upper - lower``, and sharper where f is large.
    violation : float
        How far x lies outside the region, relative to its size, as far as double precision
        shows. The bounds hold wherever x is.
    remark : str
        Reason given where the bounds are far wider than those of a run.
    """

    upper: float
    lower: float
    gap: float
    violation: float
    remark: str = ""

    def times(self, factor: Fraction) -> Proof:
        """Bounds on f times a factor > 0, rounded outward."""
        upper, lower, gap = (Fraction(part) * factor for part in (self.upper, self.lower, self.gap))
        return replace(self, upper=above(upper), lower=below(lower), gap=above(gap))

    def __repr__(self) -> str:
        return (
            f"Proof(min f >= {self.lower!r}, f(x) <= {self.upper!r}, "
            f"f(x) - min f <= {self.gap:.3g}, x outside by {self.violation:.2g})"
            + (f": {self.remark}" if self.remark else "")
        )


def prove(problem: Problem, x: Point, at: Point = None) -> Proof:
    r"""Prove bounds on f(x) and min f, in floating point, from the data and x alone.

    The lower bound is :math:`f(x) + \min_{s \in C} \langle \nabla f(x), s - x \rangle`.

    Products with A, the loss, its derivative and the gradient are computed in pairs of doubles
    (about 32 digits), each with a bound on its error; the minimum over the region comes from
    below, and the few numbers at the end are fractions. f is nowhere below its own bound, 0 for
    losses. Nothing of a run enters. It takes two passes over the data, each about ten times as
    long as a plain one.

    Parameters
    ----------
    problem : Problem
        f and the region.
    x : array or FactoredMatrix
        The point.
    at : array or FactoredMatrix, optional
        Another point, whose tangent bounds min f; by default that of x itself.

    Raises
    ------
    Unproven
        Where no bound can be proved: f is not known to be convex, its rounding is unknown
        (a plain function), or the region is known by its oracle alone.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> problem = fw.Problem(fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.L2Ball(1.0))
    >>> proof = fw.prove(problem, np.array([0.6, 0.8]))
    >>> proof.lower <= 0.3819660112501051 <= proof.upper, proof.gap < 0.1
    (True, True)
    """
    objective, region = problem.objective.here(), problem.region
    if not objective.convex:
        raise Unproven(f"{objective!r} is not known to be convex, so that no gap is a bound.")
    enclosure, x = _enclosure(objective), objective.read_point(x, "x")
    touched = x if at is None else objective.read_point(at, "at")
    with _overflowing():
        there, gradient, lost, inner = enclosure.enclosed(touched, region)
        if not gradient.known:
            raise OverflowError
        inner = gradient.dot(touched) if inner is None else inner
        bound = region.exact_bound
        if bound is None:
            raise unknown_minimum(region)
        gap = max(inner.high - bound.least(gradient) + lost, Fraction(0))
        value = there if at is None else enclosure.enclosed(x, region).value
    lower = there.low - gap
    gap = gap if at is None else max(value.high - lower, Fraction(0))
    if math.isfinite(objective.least):  # f's own bound (0 for losses), which a run has used too
        lower = max(lower, Fraction(objective.least))
        gap = min(gap, max(value.high - lower, Fraction(0)))
    outside = region.violation(x)
    return Proof(above(value.high), below(lower) + 0.0, above(gap), outside + 0.0)


def between(problem: Problem, x: Point) -> tuple[float, float]:
    """Proved lower and upper bound on f(x); mostly equal, or neighbouring floats."""
    objective = problem.objective.here()
    enclosure, x = _enclosure(objective), objective.read_point(x, "x")
    with _overflowing():
        value = enclosure.enclosed(x, problem.region).value
        return below(value.low), above(value.high)


def unknown_minimum(region: Region) -> Unproven:
    """Error for a region over which the minimum of a linear function has no proof."""
    return Unproven(
        f"the minimum of a linear function over {region!r} cannot be bounded by a proof: "
        "result.gap holds as far as its oracle is right."
    )


def _enclosure(objective: Objective) -> Enclosure:
    """The objective with all errors of rounding; Unproven where they are unknown."""
    if objective.enclosure is None:
        raise Unproven(
            f"the rounding of {objective!r} is not known, so that nothing can be proved of it: "
            "result.gap holds up to rounding."
        )
    return objective.enclosure


@contextmanager
def _overflowing() -> Iterator[None]:
    """Silence NumPy's warnings; raise Unproven, with a remedy, where the arithmetic overflows."""
    try:
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            yield
    except OverflowError:
        raise Unproven(
            "f or its gradient at x overflows, or x is where f is not finite: scale the data."
        ) from None
