"""Results of runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any, Self, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Point
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.objective_abilities import Traffic
from frankwolfe.core.problem import Problem
from frankwolfe.core.proof import Proof
from frankwolfe.solver.run import History

__all__ = ["Result", "Status"]


Axes: TypeAlias = Any
"""matplotlib's axes, which have no types."""


class Status(IntEnum):
    """Why a run ended; 0 and 1 mean that what was asked for is reached.

    Each has a `message`: what it means, and what to do.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> fw.Status.MAX_ITERATIONS.message
    'The iteration limit was reached: raise max_iter, loosen tol, or try another method.'
    """

    message: str

    def __new__(cls, value: int, message: str) -> Self:
        status = int.__new__(cls, value)
        status._value_, status.message = value, message
        return status

    CONVERGED = 0, "The gap is below the tolerance."
    TARGET_REACHED = 1, "The target value was reached."
    MAX_ITERATIONS = (
        2,
        "The iteration limit was reached: raise max_iter, loosen tol, or try another method.",
    )
    MAX_TIME = 3, "The time limit was reached: allow more seconds or loosen tol."
    STALLED = (
        4,
        "No progress for many iterations: the tolerance may be below rounding, or the step too "
        "small; try another step rule.",
    )
    NOT_FINITE = (
        5,
        "The objective or its gradient became NaN or infinite; this is the last good point: "
        "check the scale of the data.",
    )
    INTERRUPTED = 6, "Interrupted; this is the best point so far."
    PRECISION = (
        8,
        "The gap is as small as rounding allows: centre or scale the columns of the data, make "
        "the region smaller, or loosen tol.",
    )
    LOST = 9, "The data can no longer be reached; this is the best point so far."
    INFEASIBLE = (
        10,
        "No point of the region satisfies the constraints, as the multipliers prove: loosen the "
        "rows where they are not zero.",
    )
    SETTLED = 7, "The value no longer changes; the gap says how far it may be from the best."


@dataclass(frozen=True, eq=False)
class Result:
    """The outcome of :func:`frankwolfe.minimize`, with scipy's names where it has them.

    Attributes
    ----------
    x : array, or FactoredMatrix for a matrix problem
        The best point visited, in the region: outside by rounding at most, which is less than
        1e-9 of the region's size (1e-4 in single precision), or than 100 times what numbers there
        can tell apart (:meth:`Region.resolution`) where that is more. Where nothing is certified
        and the run reached its aim, the point that did.
    fun : float
        f(x).
    gap : float
        Where `certified`, an upper bound on f(x) - min f, up to rounding; otherwise the
        Frank-Wolfe gap at x, which is zero only at stationary points.
    certified : bool
        True if `gap` is a bound.
    failure_probability : float
        Bound on the probability that the certificate does not hold: 0 where it is rigorous,
        tiny where an oracle bounds a singular value from a random start.
    lower_bound : float
        A lower bound on min f where `certified`.
    success : bool
        True if the run ended because its aim was reached.
    status : Status
        Why the run ended, an integer enum.
    message : str
        Why the run ended, and what it could not do, in words.
    nit : int
        Number of steps.
    nfev : int
        Number of values of f, line-search trials included.
    njev : int
        Number of gradients.
    nlmo : int
        Number of oracle calls.
    seconds : float
        Seconds spent in the method.
    history : History
        A row of figures for each step.
    method : str
        The name of the method.
    convex : bool
        True if f is said to be convex and the run has not seen otherwise; if not, the gap
        measures stationarity and bounds nothing.
    active_set : ActiveSet or None
        The atoms of which x is made and their weights, from methods that keep them; as `x0` it
        lets another run go on from there.
    traffic : Traffic or None
        Rounds and bytes between here and the data, where these live elsewhere: on a cluster, say.
    problem : Problem or None
        The objective and the region, for `verify`; not kept in files.
    """

    x: Point
    fun: float
    gap: float
    certified: bool
    failure_probability: float
    lower_bound: float
    success: bool
    status: Status
    message: str
    nit: int
    nfev: int
    njev: int
    nlmo: int
    seconds: float
    history: History = field(repr=False)
    method: str = ""
    convex: bool = True
    active_set: ActiveSet | None = None
    traffic: Traffic | None = None
    problem: Problem | None = field(default=None, repr=False)

    def verify(self, problem: Problem | None = None) -> Proof:
        """Prove bounds on f(x) and on min f that hold in floating point.

        From the data and x alone, as :func:`frankwolfe.prove`: `gap` holds up to an estimate of
        rounding, this without one. It costs about twenty passes over the data. Where the bound of
        the run is that of another point and far better, a few steps from x look for one as good;
        the proof's `remark` says where they do not find it.

        Parameters
        ----------
        problem : Problem, optional
            The problem, where the result was loaded or sent from another process without it.

        Examples
        --------
        >>> import numpy as np, frankwolfe as fw
        >>> rng = np.random.default_rng(0)
        >>> f = fw.SquaredError(rng.standard_normal((50, 10)) + 1e6, rng.standard_normal(50))
        >>> proof = fw.minimize(f, fw.Simplex()).verify()
        >>> proof.lower <= proof.upper, proof.gap <= 1e-6 * proof.upper
        (True, True)
        """
        problem = self.problem if problem is None else problem
        if problem is None:
            raise InvalidInput(
                "the problem is not kept in files: pass verify(Problem(objective, region))."
            )
        from frankwolfe.solver.proofs import proved

        return proved(problem, self.x, self.gap if self.certified else math.inf)

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "problem": None}  # the data stay where they are

    def keys(self) -> tuple[str, ...]:
        """Names of the attributes, as scipy's result has them."""
        return tuple(field.name for field in fields(self))

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __getitem__(self, name: str) -> Any:
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def _why_uncertified(self) -> str:
        """Why nothing is certified: f says that it is not convex, or the run has seen it."""
        said = self.problem is not None and not self.problem.objective.convex
        return "f is not convex" if said else "f is not convex, or its gradient inexact"

    def _beside(self) -> str:
        """An additional line of `repr`."""
        return ""

    def plot(self, **options: Any) -> Axes:
        """Plot the gap against iterations; returns matplotlib axes.

        Options are those of :func:`frankwolfe.visual.plots.convergence`.
        """
        from frankwolfe.visual.plots import convergence

        return convergence({self.method: self}, **options)

    def __repr__(self) -> str:
        bound = "certified gap" if self.certified else "no certificate"
        if not self.convex:
            bound = f"stationarity only, no certificate: {self._why_uncertified()}"
        if self.certified and self.failure_probability:
            bound += f"; fails with probability <= {self.failure_probability:.0e}"
        apart = "" if self.traffic is None else f", {self.traffic}"
        return (
            f"Result of {self.method}\n"
            f"  success: {self.success} ({self.message})\n"
            f"      fun: {self.fun:.12g}\n"
            f"      gap: {self.gap:.3g} ({bound})\n"
            f"        x: {_short(self.x)}\n"
            f"{self._beside()}"
            f"     cost: {self.nit} iterations, {self.njev} gradients, {self.nlmo} oracle calls, "
            f"{self.nfev} values, {self.seconds:.3g} s{apart}"
        )


def _short(x: Point) -> str:
    """The first entries of a vector; the `repr` of any other point."""
    if not isinstance(x, np.ndarray):
        return repr(x)
    shown = ", ".join(f"{v:.4g}" for v in x[:4])
    return f"[{shown}{', ...' if x.size > 4 else ''}] ({x.size} variables, {x.dtype})"
