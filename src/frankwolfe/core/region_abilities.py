"""What the abilities of a region take and give."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

from frankwolfe.base.arrays import Array

__all__ = ["Accuracy", "CompiledOracle", "Factoring", "Part", "Projection"]

CompiledOracle: TypeAlias = tuple[int, float, Array, Array]
"""Kind (a number of `core.vertices`), size, and two vectors: bounds, or a centre."""


class Accuracy(NamedTuple):
    """What an inexact oracle may use to choose its accuracy.

    The gap is `above` minus the minimum of <g, v>; a bound found earlier leaves `slack`.
    Averaged models need a more accurate atom, a `share` of the usual error. A tight bound is
    worth its cost after `between` quick calls. Where `error` is given the bound alone counts: it
    is to be so near to the minimum, if the oracle can.
    """

    above: float
    slack: float
    share: float
    between: int
    error: float | None = None


class Factoring(NamedTuple):
    """Factors whose products are the matrices of a region: UV', or UU' where `symmetric`.

    Half the sum of squares of both is at most `most`; where `exact` it is just that. Where `rows`
    and `columns` are given the matrices are diag(rows) UV' diag(columns).
    """

    most: float
    symmetric: bool = False
    exact: bool = False
    rows: Array | None = None
    columns: Array | None = None


class Projection(NamedTuple):
    """The point, and for a gradient (c times the way to it) a bound below <g, s> where at hand.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.Simplex().project(np.array([0.6, 0.3, -0.4])).x
    array([0.65, 0.35, 0.  ])
    """

    x: Array
    bound: Callable[[Array, float], float] | None = None


class Part(Protocol):
    """A region in some of its variables, while the others stay where they are."""

    def gap(self, r: Array, x: Array) -> float:
        """<r, x> minus its minimum."""

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        """The minimizer of the quadratic with Hessian H and linear term c, from x."""
