"""Check the gradient of a plain function against differences of its values in the region."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import quiet
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.certificate import EPS
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State

__all__ = ["GradientCheck"]

# 0.83, and other odd factors: at round numbers a function with few digits may look exact
DIFFERENCE_STEPS = tuple(0.83 * 2.0**-k for k in range(6, 27, 4))  # share of the way, each 1/16
GRAIN_STEPS = tuple(0.83 * 4.0**-k for k in range(24, 3, -1))  # the first that changes f: its grain
GRAIN_FACTORS = (0.7, 1.3)  # times that step, since one change may be small by chance
MIN_GRAINS = 8.0  # error of a difference, over the grain of f: less may be rounding
SECOND_LOOK = 0.6  # of the steps, when what they show is looked at once more
MAX_DISAGREEMENT = 0.3  # of two differences that show one error; a curvature's differ 16-fold
START_TOL = 1e-4  # share of a slope that counts as an error at the start
END_TOL = 1e-5  # and at the end, where it must also be more than the gap
IMPOSSIBLE_TOL = 1e-5  # share of its slopes by which a step must contradict them to be looked at
MAX_NAMED_VARIABLES = 2000  # above, the worst entry is not named: each takes four values of f


class Error(NamedTuple):
    """The error of a slope, and the largest slope seen along that direction."""

    amount: float
    size: float


FITS = Error(0.0, 0.0)


class GradientCheck:
    """Checks the gradient of a plain function at a run's start, at its steps, and at its end.

    A slope along d is wrong by E if ``f(x + t d) - f(x) - t <g, d>`` is about ``t E`` at two steps
    t, one a sixteenth of the other. If curvature makes the difference, it falls by 256; if slopes
    jump, as at a kink, it lies between the slopes at x and at x + t d. The rounding of f is
    measured: it is as large as the first change of f that a growing step brings.
    """

    def __init__(self, problem: Problem, state: State) -> None:
        self.problem, self._f, self._region = problem, problem.objective, problem.region
        self._rng = np.random.default_rng(0)  # runs repeat bit by bit
        self._grained, self._grains = -1, 0.0
        self._noise = 0.0  # error of values at steps where the slopes were right
        self._own: Array = np.empty(0)  # f's gradient, if the model has another
        self._own_at = -1
        self._keep(state)
        error = self._worst(state, 3, 0.0, START_TOL)
        if error.amount:
            raise InvalidInput(self._sentence(state))

    def see(self, state: State) -> None:
        """Check the last step: a convex f lies between its tangents at both ends of it.

        Models that average tangents have a slope of their own, of which a step shows nothing.
        """
        if not state.tangent:
            return
        before, x = self._point, state.iterate.image
        moved = x - before
        low, high = float(self._slope @ moved), float(state.gradient @ moved)
        rise = state.value - self._value
        off = max(low - rise, rise - high)
        known = 64.0 * EPS * (abs(state.value) + abs(self._value)) + self._noise
        known = max(known, IMPOSSIBLE_TOL * max(abs(low), abs(high), abs(rise)))
        if state.convex and off > known:
            if self._worst(state, 1, 0.0, START_TOL).amount:
                raise InvalidInput(self._sentence(state))
            self._noise = MIN_GRAINS * self._grain(state, state.atom.dense(state.problem.n) - x)
            if off > self._noise:  # no convex function has both tangents
                state.refute()
        self._keep(state)

    def at_end(self, state: State) -> None:
        """Check the gradient at the last point, on which the certificate rests."""
        finite = np.isfinite(state.value + state.model_gap)
        if finite and state.certified and self._worst(state, 3, state.gap, END_TOL).amount:
            raise InvalidInput(self._sentence(state))

    def _keep(self, state: State) -> None:
        """Keep point, value and gradient for the next step."""
        self._point, self._value = state.iterate.image.copy(), state.value
        self._slope = state.gradient.copy()

    def _gradient(self, state: State) -> Array:
        """The gradient of f at x: the model's, or a new one if that is an average."""
        if state.tangent:
            return state.gradient
        if self._own_at != state.k:
            self._own, self._own_at = self._gradient_at(state, state.iterate.image), state.k
        return self._own

    def _gradient_at(self, state: State, y: Array) -> Array:
        """The gradient of f at y, a call that is counted."""
        out = np.empty_like(state.gradient)
        state.gradient_calls += 1
        with quiet():
            self._f.linearize(y, out)
        return out

    def _worst(self, state: State, count: int, least: float, share: float) -> Error:
        """The first error found along directions to some points of the region; FITS if none is."""
        for y in self._points(state, count):
            error = self._error(state, y - state.iterate.image, least, share)
            if error.amount:
                return error
        return FITS

    def _points(self, state: State, count: int) -> Iterator[Array]:
        """Points to look toward: the atom, vertices, and points that differ from x everywhere."""
        n = state.problem.n
        yield state.atom.dense(n)
        middle = np.asarray(self._region.middle(n), dtype=np.float64)
        for _ in range(count):
            yield self._region.probe(self._rng.standard_normal(n)).dense(n)
            yield self._spread(middle)

    def _spread(self, middle: Array) -> Array:
        """A random point near the middle, by a projection; else the mean of a few vertices."""
        n, region = middle.size, self._region
        projection = region.projection
        if projection is not None:
            wide = self.problem.diameter
            size = np.minimum(np.abs(middle), wide) if middle.any() else np.ones(n)
            width = 0.5 * wide / (float(np.linalg.norm(size)) or 1.0)
            width = min(width, 0.5) if middle.any() else width
            p = middle + width * size * self._rng.choice([-1.0, 1.0], n)
            return np.asarray(projection.project(p).x, dtype=np.float64)
        vertices = [region.probe(self._rng.standard_normal(n)).dense(n) for _ in range(8)]
        return np.asarray(np.mean(vertices, axis=0))

    def _error(self, state: State, d: Array, least: float = 0.0, share: float = START_TOL) -> Error:
        """The error of the slope along d, if above `least`; confirmed by a second set of steps."""
        error = self._seen(state, d, least, share, 1.0)
        return error if not error.amount else self._seen(state, d, least, share, SECOND_LOOK)

    def _seen(self, state: State, d: Array, least: float, share: float, times: float) -> Error:
        """The error of the slope along d that differences at steps times `times` show."""
        x, g, value = state.iterate.image, self._gradient(state), state.value
        before, size = 0.0, 0.0
        for step in DIFFERENCE_STEPS:
            y = x + np.asarray(times * step * d, dtype=x.dtype)
            moved = (y.astype(np.float64) - x) / step
            slope, rise = float(g @ moved), (self._value_at(state, y) - value) / step
            if not np.isfinite(rise) or rise == 0.0:  # outside of the domain, or lost in rounding
                before = 0.0
                continue
            off, size = rise - slope, max(size, abs(slope), abs(rise))
            if abs(off) <= max(least, share * size):
                return FITS
            alike = abs(off - before) <= MAX_DISAGREEMENT * min(abs(off), abs(before))
            if (
                alike
                and abs(off) * step > MIN_GRAINS * self._grain(state, d)
                and self._outside(state, y, moved, rise, slope) > 0.5 * abs(off)
            ):
                return Error(abs(off), size)
            before = off
        return FITS

    def _grain(self, state: State, d: Array) -> float:
        """Upper bound on the rounding of f near x: its first change along d as the step grows."""
        if self._grained != state.k:
            self._grained, self._grains = state.k, np.inf
            for step in GRAIN_STEPS:
                change = self._change(state, step * d)
                if change > 0.0:
                    others = (self._change(state, times * step * d) for times in GRAIN_FACTORS)
                    self._grains = max(change, *others)
                    break
        return self._grains

    def _change(self, state: State, d: Array) -> float:
        """The change |f(x + d) - f(x)|."""
        y = state.iterate.image + np.asarray(d, dtype=state.iterate.image.dtype)
        return abs(self._value_at(state, y) - state.value)

    def _value_at(self, state: State, y: Array) -> float:
        """The value f(y), a call that is counted; infinite outside of the domain."""
        if not self._f.in_domain(y):
            return np.inf
        state.value_calls += 1
        with quiet():
            return self._f.value(y)

    def _outside(self, state: State, y: Array, moved: Array, rise: float, slope: float) -> float:
        """Distance of a rise from the interval of the slopes at both ends; NaN if unknown."""
        other = float(self._gradient_at(state, y) @ moved)
        if not np.isfinite(other):
            return np.nan
        return max(min(slope, other) - rise, rise - max(slope, other))

    def _sentence(self, state: State) -> str:
        """The error message, which names the variable with the largest error."""
        named = self._most_wrong(state) if state.problem.n <= MAX_NAMED_VARIABLES else None
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
        """The entry with the largest error, its slope by the gradient, and by values."""
        x, n, worst, found = state.iterate.image, state.problem.n, 0.0, None
        g = self._gradient(state)
        for j in range(n):
            for step in (2.0**-10, 2.0**-16):  # the larger may leave the domain
                ends = [x + step * (v - x) for v in self._ends(j, n)]
                moved = float((ends[1] - ends[0])[j])
                low, high = (self._value_at(state, y) for y in ends)
                stated, rise = float(g @ (ends[1] - ends[0])), high - low
                off = abs(rise - stated) / step
                if moved and np.isfinite(off) and off > worst and rise != 0.0:
                    worst, found = off, (j, stated / moved, rise / moved)
        return found

    def _ends(self, j: int, n: int) -> tuple[Array, Array]:
        """Points of the region with the smallest and the largest entry j."""
        e = np.zeros(n)
        e[j] = 1.0
        return self._region.probe(e).dense(n), self._region.probe(-e).dense(n)
