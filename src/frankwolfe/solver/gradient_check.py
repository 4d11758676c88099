"""Whether the gradient of a plain function fits its values, by differences inside the region."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import quiet
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.certificate import EPS
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.regions import Region

__all__ = ["GradientCheck"]

STEPS = tuple(0.83 * 2.0**-k for k in range(6, 27, 4))  # of the way to a point of the region
TINY = tuple(0.83 * 4.0**-k for k in range(24, 3, -1))  # among which values begin to change
OTHERS = (0.7, 1.3)  # times the first of these, since rounding has any size
CLEAR = 8.0  # times the rounding of values, what they must be off by
AGAIN = 0.6  # of them, when what they show is looked at once more
ALIKE = 0.3  # how much two differences may differ that show one error; a curvature's differ 16-fold
FIRST = 1e-4  # of a slope, what an error in it must be at the start
LAST = 1e-5  # and at the end, where it must be more than the gap besides
IMPOSSIBLE = 1e-5  # of its slopes, by how much a step must be impossible to be looked at
NAMED = 2000  # variables up to which the worst one is looked for


class Error(NamedTuple):
    """By how much a slope is wrong, beside the largest one seen."""

    amount: float
    size: float


FITS = Error(0.0, 0.0)


class GradientCheck:
    """Looks at a run of a plain function: at its start, at steps, and at what is certified.

    A slope along d is wrong by E where ``f(x + t d) - f(x) - t <g, d>`` is about ``t E`` at steps t
    of which one is a sixteenth of the other. Curvature makes it fall by 256, and where slopes
    change at once, as at a kink, it lies between what the slopes at x and at x + t d say. Rounding
    is as large as the first change that a growing step brings, so that none of it need be known.
    """

    def __init__(self, problem: Problem, state: State) -> None:
        self.problem, self._f, self._region = problem, problem.objective, problem.region
        self._rng = np.random.default_rng(0)
        self._grained, self._grains = -1, 0.0
        self._noise = 0.0  # by which values were off where slopes were right
        self._own: Array = np.empty(0)  # f's gradient, where the model has another
        self._own_at = -1
        self._keep(state)
        error = self._worst(state, 3, 0.0, FIRST)
        if error.amount:
            raise InvalidInput(self._sentence(state))

    def see(self, state: State) -> None:
        """Look at the step just done; f is convex, and lies between its tangents at both ends.

        Models that are means of tangents have a slope of their own, and steps tell nothing.
        """
        if not state.tangent:
            return
        before, x = self._point, state.iterate.image
        moved = x - before
        low, high = float(self._slope @ moved), float(state.gradient @ moved)
        rise = state.value - self._value
        off = max(low - rise, rise - high)
        known = 64.0 * EPS * (abs(state.value) + abs(self._value)) + self._noise
        known = max(known, IMPOSSIBLE * max(abs(low), abs(high), abs(rise)))
        if state.convex and off > known:
            if self._worst(state, 1, 0.0, FIRST).amount:
                raise InvalidInput(self._sentence(state))
            self._noise = CLEAR * self._grain(state, state.atom.dense(state.problem.n) - x)
            if off > self._noise:  # two tangents that cannot both be
                state.refute()
        self._keep(state)

    def at_end(self, state: State) -> None:
        """Look at the last point, whose slopes are what is certified."""
        finite = np.isfinite(state.value + state.model_gap)
        if finite and state.certified and self._worst(state, 3, state.gap, LAST).amount:
            raise InvalidInput(self._sentence(state))

    def _keep(self, state: State) -> None:
        self._point, self._value = state.iterate.image.copy(), state.value
        self._slope = state.gradient.copy()

    def _gradient(self, state: State) -> Array:
        """f's gradient at x: the model's, or one made for this look where that is a mean."""
        if state.tangent:
            return state.gradient
        if self._own_at != state.k:
            self._own, self._own_at = self._gradient_at(state, state.iterate.image), state.k
        return self._own

    def _gradient_at(self, state: State, y: Array) -> Array:
        out = np.empty_like(state.gradient)
        state.gradient_calls += 1
        with quiet():
            self._f.linearize(y, out)
        return out

    def _worst(self, state: State, count: int, least: float, share: float) -> Error:
        """The first error that is found toward some points of the region, or none."""
        for y in self._points(state, count):
            error = self._error(state, y - state.iterate.image, least, share)
            if error.amount:
                return error
        return FITS

    def _points(self, state: State, count: int) -> Iterator[Array]:
        """The atom, some vertices, and points that differ from x in all variables."""
        n = state.problem.n
        yield state.atom.dense(n)
        middle = np.asarray(self._region.middle(n), dtype=np.float64)
        for _ in range(count):
            yield self._region.probe(self._rng.standard_normal(n)).dense(n)
            yield self._spread(middle)

    def _spread(self, middle: Array) -> Array:
        """A random point near the middle, in all directions; without a projection, of vertices."""
        n, region = middle.size, self._region
        if region.offers(Region.project):
            wide = self.problem.diameter
            size = np.minimum(np.abs(middle), wide) if middle.any() else np.ones(n)
            width = 0.5 * wide / (float(np.linalg.norm(size)) or 1.0)
            width = min(width, 0.5) if middle.any() else width
            near = region.project(middle + width * size * self._rng.choice([-1.0, 1.0], n))
            if near is not None:
                return np.asarray(near.x, dtype=np.float64)
        vertices = [region.probe(self._rng.standard_normal(n)).dense(n) for _ in range(8)]
        return np.asarray(np.mean(vertices, axis=0))

    def _error(self, state: State, d: Array, least: float = 0.0, share: float = FIRST) -> Error:
        """What is wrong of the slope along d, where that is more than `least`; looked at twice."""
        error = self._seen(state, d, least, share, 1.0)
        return error if not error.amount else self._seen(state, d, least, share, AGAIN)

    def _seen(self, state: State, d: Array, least: float, share: float, times: float) -> Error:
        x, g, value = state.iterate.image, self._gradient(state), state.value
        before, size = 0.0, 0.0
        for step in STEPS:
            y = x + np.asarray(times * step * d, dtype=x.dtype)
            moved = (y.astype(np.float64) - x) / step
            slope, rise = float(g @ moved), (self._value_at(state, y) - value) / step
            if not np.isfinite(rise) or rise == 0.0:
                before = 0.0
                continue
            off, size = rise - slope, max(size, abs(slope), abs(rise))
            if abs(off) <= max(least, share * size):
                return FITS
            alike = abs(off - before) <= ALIKE * min(abs(off), abs(before))
            if (
                alike
                and abs(off) * step > CLEAR * self._grain(state, d)
                and self._outside(state, y, moved, rise, slope) > 0.5 * abs(off)
            ):
                return Error(abs(off), size)
            before = off
        return FITS

    def _grain(self, state: State, d: Array) -> float:
        """The rounding of values near x, from above: their first change along d."""
        if self._grained != state.k:
            self._grained, self._grains = state.k, np.inf
            for step in TINY:
                change = self._change(state, step * d)
                if change > 0.0:
                    others = (self._change(state, times * step * d) for times in OTHERS)
                    self._grains = max(change, *others)
                    break
        return self._grains

    def _change(self, state: State, d: Array) -> float:
        y = state.iterate.image + np.asarray(d, dtype=state.iterate.image.dtype)
        return abs(self._value_at(state, y) - state.value)

    def _value_at(self, state: State, y: Array) -> float:
        if not self._f.in_domain(y):
            return np.inf
        state.value_calls += 1
        with quiet():
            return self._f.value(y)

    def _outside(self, state: State, y: Array, moved: Array, rise: float, slope: float) -> float:
        """How far a rise lies outside of what the slopes at both ends say; NaN says nothing."""
        other = float(self._gradient_at(state, y) @ moved)
        if not np.isfinite(other):
            return np.nan
        return max(min(slope, other) - rise, rise - max(slope, other))

    def _sentence(self, state: State) -> str:
        """What is wrong, with the variable along which it is worst."""
        named = self._most_wrong(state) if state.problem.n <= NAMED else None
        where = (
            ""
            if named is None
            else (
                f", most in entry {named[0]}: along it jac says {named[1]:.4g}, and values change "
                f"by {named[2]:.4g}"
            )
        )
        return (
            f"the gradient does not fit the function{where}. Correct jac, or pass "
            "check_gradient=False where it is the values that are inexact."
        )

    def _most_wrong(self, state: State) -> tuple[int, float, float] | None:
        """The entry whose slope is wrong by most, with what the gradient and values say of it."""
        x, n, worst, found = state.iterate.image, state.problem.n, 0.0, None
        g = self._gradient(state)
        for j in range(n):
            for step in (2.0**-10, 2.0**-16):
                ends = [x + step * (v - x) for v in self._ends(j, n)]
                moved = float((ends[1] - ends[0])[j])
                low, high = (self._value_at(state, y) for y in ends)
                told, rise = float(g @ (ends[1] - ends[0])), high - low
                off = abs(rise - told) / step
                if moved and np.isfinite(off) and off > worst and rise != 0.0:
                    worst, found = off, (j, told / moved, rise / moved)
        return found

    def _ends(self, j: int, n: int) -> tuple[Any, Any]:
        """The points of the region with the least and the largest entry j."""
        e = np.zeros(n)
        e[j] = 1.0
        return self._region.probe(e).dense(n), self._region.probe(-e).dense(n)
