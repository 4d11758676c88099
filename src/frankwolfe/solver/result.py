"""What a run returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from frankwolfe.numerics.active_set import ActiveSet
from frankwolfe.solver.history import History
from frankwolfe.solver.stopping import Status

__all__ = ["Result"]


@dataclass(frozen=True, eq=False)
class Result:
    """The outcome of :func:`frankwolfe.minimize`, with scipy's names where it has them.

    Attributes
    ----------
    x : array, or FactoredMatrix for a matrix problem
        The best point visited; always in the region. Where nothing is certified and the run
        reached its aim, the point that did.
    fun : float
        f(x).
    gap : float
        Where `certified`, an upper bound on f(x) - min f, up to rounding; otherwise the
        Frank-Wolfe gap at x, which is zero only at stationary points.
    certified : bool
        Whether `gap` is a bound.
    failure_probability : float
        Bound on the probability that the certificate does not hold: 0 where it is rigorous,
        tiny where an oracle bounds a singular value from a random start.
    lower_bound : float
        A lower bound on min f where `certified`.
    success : bool
        Whether the stopping rule that ended the run means that its aim is reached.
    status : Status
        Why the run ended, an integer enum.
    message : str
        The same in words.
    nit, nfev, njev, nlmo : int
        Steps; values (line-search trials included), gradients and oracle calls.
    seconds : float
        Time in the method.
    history : History
        One row a step.
    method : str
        The name of the method.
    convex : bool
        Whether f is convex, as it says and as far as the run has seen; without it the gap
        measures stationarity and bounds nothing.
    active_set : ActiveSet or None
        The atoms of which x is made and their weights, from methods that keep them; as `x0` it
        lets another run go on from there.
    """

    x: Any
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

    def keys(self) -> tuple[str, ...]:
        """Names of the attributes, as scipy's result has them."""
        return tuple(field.name for field in fields(self))

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __getitem__(self, name: str) -> Any:
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def plot(self, **options: Any) -> Any:
        """Plot the gap against iterations; returns matplotlib axes.

        Options are those of :func:`frankwolfe.visual.plots.convergence`.
        """
        from frankwolfe.visual.plots import convergence

        return convergence({self.method: self}, **options)

    def __repr__(self) -> str:
        bound = "certified gap" if self.certified else "no certificate"
        if not self.convex:
            bound = "stationarity only, no certificate: f is not convex"
        if self.certified and self.failure_probability:
            bound += f"; fails with probability <= {self.failure_probability:.0e}"
        return (
            f"Result of {self.method}\n"
            f"  success: {self.success} ({self.message})\n"
            f"      fun: {self.fun:.12g}\n"
            f"      gap: {self.gap:.3g} ({bound})\n"
            f"        x: {_short(self.x)}\n"
            f"     cost: {self.nit} iterations, {self.njev} gradients, {self.nlmo} oracle calls, "
            f"{self.nfev} values, {self.seconds:.3g} s"
        )


def _short(x: Any) -> str:
    if not isinstance(x, np.ndarray):
        return repr(x)
    shown = ", ".join(f"{v:.4g}" for v in x[:4])
    return f"[{shown}{', ...' if x.size > 4 else ''}] ({x.size} variables, {x.dtype})"
