"""A region known by its oracle alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Shape
from frankwolfe.base.checks import all_finite, at_least_one, finite_vector, number
from frankwolfe.base.clock import outside
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.memory import Buffer
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.feasibility import spacing
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Accuracy, InexactAtom

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["OracleRegion"]


@dataclass(slots=True)
class _TrialBuffer(Buffer):
    """Buffer for the atom, and a flag: the sign of the function has been tested."""

    tried: bool = False


class OracleRegion(Region):
    """A region of your own, given by a function that minimizes <g, s> over it.

    Gaps are certificates if the function returns true minimizers.

    Parameters
    ----------
    lmo : callable
        ``lmo(g) -> s``: a point s of the region with the smallest <g, s>, as an array. Not a
        direction s - x, and a minimizer. It may keep and change the g it is given. A run
        starts with one call more, for -g, to see that the function does not maximize.
    n : int, optional
        Number of variables; taken from the objective where absent.
    diameter : float, optional
        The largest distance between two points. No method needs it; asking for it where it is
        unknown is an error.
    start : array, optional
        A point of the region; by default the oracle's point for a vector of ones.
    contains : callable, optional
        ``contains(x) -> bool``, with the tolerance for rounding that you want. Without it an x0
        outside the region cannot be detected: every point counts as inside.
    polytope : bool
        Whether the region has finitely many vertices; the default method depends on it.

    Notes
    -----
    Functions have no identity that a file could keep: a checkpoint tells two such regions
    apart by the function's name, `n`, `diameter` and `start` only.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> def lower_half(g):                                 # of the unit disc
    ...     if g[1] >= 0:
    ...         return -g / max(np.linalg.norm(g), 1e-300)
    ...     return np.array([-np.sign(g[0]), 0.0])
    >>> region = fw.regions.OracleRegion(lower_half, n=2, diameter=2.0)
    >>> f = fw.SquaredError(np.eye(2), [0.5, 1.0], reduction="sum")
    >>> fw.minimize(f, region, tol=1e-3).x.round(2) + 0.0
    array([0.5, 0. ])
    """

    family = "polytopes"
    formula = r"\text{what your function minimizes over}"
    atom = "what it returns"
    cost = "your function's"

    def __init__(
        self,
        lmo: Callable[[Array], object],
        *,
        n: int | None = None,
        diameter: float | None = None,
        start: ArrayLike | None = None,
        contains: Callable[[Array], object] | None = None,
        polytope: bool = False,
    ) -> None:
        if not callable(lmo):
            raise InvalidInput(f"lmo must be a function g -> s, got {type(lmo).__name__}.")
        if contains is not None and not callable(contains):
            raise InvalidInput(
                f"contains must be a function x -> True or False, got {type(contains).__name__}."
            )
        self.dimension = None if n is None else at_least_one("n", n)
        self.polytope = bool(polytope)
        self._lmo, self._contains = lmo, contains
        self._diameter = None if diameter is None else number("diameter", diameter, low=0.0)
        self._start = None
        if start is not None:
            self._start = finite_vector("start", start, self.dimension).astype(np.float64)
            self.dimension = self._start.size
            if self.violation(self._start) > 0.0:
                raise InvalidInput(
                    "start must lie in the region, but `contains` says that it does not."
                )

    @property
    def name(self) -> str:
        """Name of the user's function."""
        return str(getattr(self._lmo, "__name__", type(self._lmo).__name__))

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        out = np.empty_like(g) if out is None else out
        if all_finite(g):
            out[:] = self._minimizer(g)
        else:  # a function that broke down: the loop sees it and ends the run
            out[:] = np.nan
        return Dense(out)

    def _minimizer(self, g: Array) -> Array:
        """Point that the user's function returns for g, checked."""
        with outside():  # what it asks for within is taken for exact
            s = self._lmo(g.copy())
        if s is None:
            raise InvalidInput(f"{self.name} must return a point of the region, got None.")
        return finite_vector(f"the point that {self.name} returns", s, g.size)

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> _TrialBuffer:
        return _TrialBuffer(np.empty(shape, dtype=dtype))

    def inexact_lmo(self, g: Array, memory: _TrialBuffer, wanted: Accuracy) -> InexactAtom:
        found = super().inexact_lmo(g, memory, wanted)
        if not memory.tried and math.isfinite(found[1]):
            self._compare(g, found[1])
            memory.tried = True
        return found

    def _compare(self, g: Array, least: float) -> None:
        """Raise where the point for -g gives g a smaller product than the point for g."""
        other = float(self._minimizer(-g).dot(g))
        if least - other > 1e-6 * (abs(least) + abs(other)):
            raise InvalidInput(
                f"{self.name} must return a minimizer of <g, s>, but for a gradient g its point "
                f"gives {least:.3g}, and its point for -g gives {other:.3g}: change its sign."
            )

    def diameter(self, n: int) -> float:
        if self._diameter is None:
            raise InvalidInput(f"the diameter of {self!r} is unknown: pass diameter=... to it.")
        return self._diameter

    def reach(self, weights: Array, n: int) -> float:
        """Upper bound by the diameter where that is known, else by two of the oracle's points."""
        if self._diameter is not None:
            return super().reach(weights, n)
        each = np.array(np.broadcast_to(weights, (n,)))
        points = [self._minimizer(g) for g in (each, -each)]
        return max(float(each @ np.abs(point)) for point in points)

    def resolution(self, n: int, dtype: Dtype) -> float:
        """Spacing of numbers at its points; 0 where its diameter or a point is not known."""
        if self._diameter is None or self._start is None:
            return 0.0
        size = self._diameter if self._diameter > 0.0 else 1.0
        return spacing(dtype, math.hypot(*self._start) + size, size)

    def violation(self, x: Array) -> float:
        """Zero inside, or where no `contains` is given; infinite outside."""
        if self._contains is None:
            return 0.0
        inside = self._contains(np.array(x, dtype=np.float64))
        if not isinstance(inside, bool | np.bool_):
            raise InvalidInput(f"contains must return True or False, got {type(inside).__name__}.")
        return 0.0 if inside else math.inf

    def start(self, n: int) -> Array:
        return self.lmo(np.ones(n)).dense(n) if self._start is None else self._start.copy()

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        def cheapest(g: Array) -> Array:
            return np.asarray(np.eye(g.size)[g.argmin()])

        def against(g: Array) -> Array:
            norm = float(np.linalg.norm(g))
            return -g / norm if norm > 0.0 else np.zeros(g.size)

        def mixture(x: Array) -> bool:
            return bool(x.min() >= -1e-10 and abs(x.sum() - 1.0) <= 1e-10)

        def short(x: Array) -> bool:
            return bool(np.linalg.norm(x) <= 1.0 + 1e-10)

        return [
            cls(cheapest, n=n, diameter=math.sqrt(2.0), contains=mixture, polytope=True),
            cls(against, diameter=2.0, start=np.zeros(n), contains=short),
        ]

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [self._diameter, self._start])

    def __repr__(self) -> str:
        size = "any number of" if self.dimension is None else self.dimension
        return f"OracleRegion({self.name}, {size} variables)"
