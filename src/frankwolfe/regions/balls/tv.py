"""Vectors of bounded total variation and level."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype
from frankwolfe.base.checks import number
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.feasibility import spacing
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Formulation, Projection, Projector
from frankwolfe.core.standard_form.form import StandardForm, between, side_by_side, split
from frankwolfe.regions.kernels import tv_prox as taut
from frankwolfe.regions.select import smallest

__all__ = ["TVBall"]

MAX_FRAME_VARIABLES = 1000  # above, n steps of n entries each are too many to write out


class TVBall(Region, Projector, Formulation):
    r"""Vectors of bounded total variation, :math:`\sum_i |x_{i+1} - x_i| \le` radius, and mean.

    Total variation does not see a constant, so that the mean is bounded too. Vertices are one
    step up or down, at one of n - 1 places: a mixture of few of them is piecewise constant.

    Parameters
    ----------
    radius : float
        Largest total variation, > 0.
    level : float
        Largest size of the mean, > 0.

    References
    ----------
    L. Rudin, S. Osher and E. Fatemi, *Nonlinear total variation based noise removal algorithms*,
    Physica D 60, 1992; P. L. Davies and A. Kovac, *Local extremes, runs, strings and
    multiresolution*, Annals of Statistics 29, 2001, for the taut string that finds nearest points.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.regions.TVBall(2.0, level=3.0).lmo(np.array([1.0, 1.0, -1.0, -1.0])).dense(4)
    array([-4., -4., -2., -2.])
    """

    family = "norms"
    formula = r"\sum_i |x_{i+1} - x_i| \le r,\ |\bar x| \le \ell"
    atom = "one step of height r, its mean ± ℓ"
    cost = "n"

    key = "tv_ball"
    polytope = True

    def __init__(self, radius: float = 1.0, level: float = 1.0) -> None:
        self.radius = number("radius", radius, above=0.0)
        self.level = number("level", level, above=0.0)

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        out = np.empty_like(g) if out is None else out
        tails, mean = _tails(g)
        place = int(np.abs(tails).argmax()) if tails.size else 0
        rise = -math.copysign(self.radius, tails[place]) if tails.size else 0.0
        self._step(place, rise, -math.copysign(self.level, mean), out)
        return Dense(out)

    def _step(self, place: int, rise: float, mean: float, out: Array) -> None:
        """Write a step of height `rise` after `place`, with a given mean, into `out`."""
        after = (out.size - 1 - place) / out.size
        out[: place + 1] = mean - rise * after
        out[place + 1 :] = mean + rise * (1.0 - after)

    def several(self, g: Array, count: int) -> list[Atom]:
        """Atoms with their step at the best places, best first."""
        tails, mean = _tails(g)
        if not tails.size:
            return super().several(g, count)
        sizes = -np.abs(tails)
        places = smallest(sizes, min(count, tails.size))
        found: list[Atom] = []
        for place in places[np.argsort(sizes[places], kind="stable")].tolist():
            rise, x = -math.copysign(self.radius, tails[place]), np.empty_like(g)
            self._step(place, rise, -math.copysign(self.level, mean), x)
            found.append(Dense(x))
        return found

    def project(self, p: Array) -> Projection:
        if self.violation(p) == 0.0:
            return Projection(p.copy())
        away = p.astype(np.float64)
        mean = float(away.mean())
        away -= mean
        found = _variation(away)
        if found > self.radius:
            x = np.empty_like(away)
            found = float(taut.variation_within(away, self.radius, x))
            away = x
        away -= away.mean()  # once more: far away the first mean was rounded
        away *= min(1.0, self.radius / found) if found > 0.0 else 0.0
        away += min(max(mean, -self.level), self.level)
        return Projection(away.astype(p.dtype, copy=False))

    def standard_form(self, n: int) -> StandardForm | None:
        """Standard form in the heights of all steps, each with mean zero, and the mean."""
        mean = between(np.array([-self.level]), np.array([self.level]))
        if n == 1:
            return mean
        if n > MAX_FRAME_VARIABLES:
            return None
        steps: list[Atom] = []
        for place in range(n - 1):
            x = np.empty(n)
            self._step(place, 1.0, 0.0, x)
            steps.append(Dense(x))
        atoms = [*steps, Dense(np.ones(n))]
        return side_by_side([split(n - 1, math.inf, self.radius), mean], atoms, None)

    def diameter(self, n: int) -> float:
        half = n // 2
        return 2.0 * math.hypot(
            self.level * math.sqrt(n), self.radius * math.sqrt(half * (n - half) / n)
        )

    def reach(self, weights: Array, n: int) -> float:
        if weights.size == 1:  # the widest step is in the middle
            rise = 2.0 * (n // 2) * (n - n // 2) / n
            return float(weights[0]) * (self.level * n + self.radius * rise)
        each = np.broadcast_to(weights, (n,))
        before = np.cumsum(each)[:-1] / n  # entries before a step have size rise * after / n
        after = float(each.sum()) / n - before
        places = np.arange(1, n)
        both = before * (n - places) + after * places
        return self.level * float(each.sum()) + self.radius * float(both.max(initial=0.0))

    def resolution(self, n: int, dtype: Dtype) -> float:
        return spacing(dtype, self.radius + self.level, min(self.radius, self.level))

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        variation = _variation(x) / self.radius
        return max(0.0, variation - 1.0, abs(float(x.mean())) / self.level - 1.0)

    def start(self, n: int) -> Array:
        return np.zeros(n)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(1.5, 1.0), cls(0.7, 2.0)]

    def __repr__(self) -> str:
        return f"TVBall(radius={self.radius:g}, level={self.level:g})"


def _variation(x: Array) -> float:
    """Total variation Σ_i |x_{i+1} - x_i| of x."""
    steps = np.diff(x)
    return float(np.abs(steps, out=steps).sum())


def _tails(g: Array) -> tuple[Array, float]:
    """Sum of g minus its mean after each place, and that mean."""
    wide = g.astype(np.float64)
    mean = float(wide.mean())
    wide -= mean
    return np.cumsum(wide[:0:-1])[::-1], mean
