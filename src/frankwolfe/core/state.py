"""The state of a run: a point, its value, the model's atom and the gap, all of one evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Generic, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Image, Point
from frankwolfe.base.clock import due
from frankwolfe.base.foreign import to_host, to_same_device
from frankwolfe.base.memory import M, group, grouped
from frankwolfe.base.roots import Along, newton
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.atoms import Atom, Vertex, unpack_atom
from frankwolfe.core.certificate import certify
from frankwolfe.core.iterate import Iterate
from frankwolfe.core.objective import Objective
from frankwolfe.core.points import Terms
from frankwolfe.core.problem import Problem
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.core.rounding import Rounding
from frankwolfe.core.tolerance import EXACT, FALL, enough

__all__ = ["SearchDirection", "State"]


class SearchDirection(NamedTuple):
    """A direction d = own x + sum_i w_i a_i over atoms a_i, and the largest step along it."""

    own: float
    terms: Terms  # pairs (w_i, a_i)
    slope: float  # <g, d>, of the model along d
    largest: float  # step up to which x + gamma d lies in the region
    toward: bool = False  # True for d = s - x with the oracle's atom s
    shares: Array | None = None  # derivatives of all active weights, where several change
    loses: int = -1  # index of the one active atom that loses weight; -1: none, or several
    gains: int = -1  # index of the one that gains it; -1: it is new


class State(Generic[M]):
    """State of a run between two steps; it changes in place.

    Attributes
    ----------
    k : int
        Number of steps done.
    value : float
        f(x).
    gap : float
        Upper bound on f(x) - min f where `certified`, else the Frank-Wolfe gap at x (infinite
        where the atom came from a cache, so that the gap is unknown).
    lower_bound : float
        The best lower bound on min f so far (minus infinity where nothing is certified).
    first_value, first_gap : float
        f and the gap at the first point of the run; NaN before it is evaluated.
    start_value : float
        f at the region's own start; NaN before it is known.
    certified : bool
        True if `gap` is a bound: the model lies below f everywhere.
    convex : bool
        True if f is convex, as it says and as far as the run has seen.
    tangent : bool
        True if the model is the tangent at x, so that `gradient` is that of f there.
    atom : Atom
        The atom that the oracle found at this point.
    step : float
        The step that led here.
    cuts : int
        Number of steps that were cut to keep x in the region.
    seconds : float
        Time spent in the method so far.
    gradient_calls, value_calls, oracle_calls : int
        Numbers of evaluations of the gradient and of f, and of calls of the oracle.
    due : callable
        True once the time is up or Ctrl-C was pressed: a long step asks, and ends with what it has.
    spent : bool
        True if the method says that it makes no more progress.
    remark : str
        Message of the method to whoever reads the result.
    memory, oracle_memory : memory
        Memories of the method, and of the region's oracle, between steps.
    active_set : ActiveSet or None
        The atoms of which x is a combination, where the method keeps them (not a copy).
    """

    def __init__(
        self, problem: Problem, x: Point, memory: M, active_set: ActiveSet | None = None
    ) -> None:
        objective = problem.objective
        self.problem = problem
        self.iterate = Iterate(problem, x)
        self.memory = memory
        self.oracle_memory = problem.region.oracle_memory(objective.shape, objective.dtype)
        self.active_set = active_set
        self.k = 0
        self.value = math.inf
        self.first_value = self.first_gap = self.start_value = math.nan
        self._at_start = problem.is_start(x)
        self.above = 0.0  # f(x) minus the model's constant term
        self.model_gap = self.gap = math.inf
        self.lower_bound = objective.least if objective.convex else -math.inf
        self.oracle_bound = -math.inf
        self.oracle_error = 0.0  # how far above the minimum <g, s> may be, at this point
        self.seen = 0.0  # largest |f(x)| + |f(x) - c| + |<g, s>| so far: the scale of rounding
        self.certified = self.convex = objective.convex
        self.tangent = True
        self.step = math.nan
        self.cuts = 0
        self.limit = 1.0  # the largest step that the region and the domain of f allow
        self.seconds = 0.0
        self.due: Callable[[], bool] = due
        self.spent, self.remark = False, ""
        self.gradient_calls = self.value_calls = self.oracle_calls = 0
        self.gradient = objective.new_gradient()
        self.atom: Atom = Vertex(0, 0.0)
        self.direction = SearchDirection(-1.0, (), 0.0, 1.0, toward=True)
        self._loops = objective.loops
        self.errors = Rounding(problem)

    # Buffers are made when they are first asked for: a short run never does

    @cached_property
    def atom_image(self) -> Array:
        """Image of the atom that was last aimed at; of x before the first one."""
        return self.iterate.image.copy()

    @cached_property
    def _slope(self) -> Array:
        """Derivative phi' at the last point where f was linearized."""
        return self.problem.objective.new_image()

    @cached_property
    def _trial(self) -> Array:
        """Buffer for the image of a trial point."""
        return self.problem.objective.new_image()

    @cached_property
    def _direction_image(self) -> Array:
        """Buffer for dz = A d."""
        return self.problem.objective.new_image()

    @property
    def x(self) -> Point:
        """Current point, as a new array (or factored matrix)."""
        return self.problem.region.snap(self.problem.objective.returned(self.iterate.here()))

    def made_of(self) -> ActiveSet | None:
        """Copy of the atoms of which x is a combination; None where the method keeps none."""
        if self.active_set is None:
            return None
        found = self.active_set.copy()
        found.drop()
        return found

    def value_here(self) -> float:
        """Value of f at the current point; no pass over the data."""
        self.value_calls += 1
        return self.problem.objective.value(self.iterate.image)

    def linearize(self, image: Array, out: Array) -> tuple[float, float]:
        """Write the gradient at the point with this image; return f and <gradient, point>."""
        objective = self.problem.objective
        self.gradient_calls += 1
        if objective.identity:
            self._slope = out
        return objective.evaluate(image, self._slope, out)

    def ask(self, *, tangent: bool, between: int) -> tuple[float, float]:
        """Ask the region for an atom s; return <g, s> and a bound on its excess over the minimum.

        After `between` quick calls a region that bounds its error at a cost does so.
        """
        self.oracle_calls += 1
        g = self.problem.objective.covector(self.gradient)
        share = 1.0 if tangent else 0.1  # of the usual error: a mean of tangents moves slowly
        accuracy = Accuracy(self.above, self.shown, share, between)
        self.atom, support, error = self.problem.region.inexact_lmo(g, self.oracle_memory, accuracy)
        return support, error

    def aim_at_atom(self) -> None:
        """Set the direction d = s - x to the oracle's atom s, and compute the image of s."""
        self.problem.objective.image_of(self.atom, self.atom_image)
        self.direction = SearchDirection(
            -1.0, ((1.0, self.atom),), -self.model_gap, 1.0, toward=True
        )

    def set_direction(self, direction: SearchDirection, image: Array) -> None:
        """Set a direction d other than s - x, with its image dz = A d."""
        self.direction = direction
        self._direction_image[:] = image

    def direction_image(self) -> Array:
        """Image dz = A d of the direction, in a buffer that the next call overwrites."""
        if self.direction.toward:
            self._loops.subtract(self._direction_image, self.atom_image, self.iterate.image)
        return self._direction_image

    def limit_step(self) -> float:
        """Set and return `limit`, the largest step along d in the region and the domain of f."""
        objective, largest = self.problem.objective, self.direction.largest
        if not objective.everywhere:
            largest = objective.max_step(self.iterate.image, self.direction_image(), largest)
        self.limit = largest
        return largest

    def trial_value(self, gamma: float) -> float:
        """Value of f at x + gamma d, without moving."""
        self.value_calls += 1
        if self.direction.toward:
            self._loops.blend(self._trial, self.iterate.image, gamma, self.atom_image)
        else:
            self._loops.ahead(self._trial, self.iterate.image, gamma, self._direction_image)
        return self.problem.objective.value(self._trial)

    def trial_slope(self, gamma: float) -> tuple[float, float]:
        """Value of f, and its slope along d, at x + gamma d, without moving."""
        return self.line(self.direction_image())(gamma)[:2]

    def line(self, dz: Array, z: Array | None = None, part: Objective | None = None) -> Along:
        """Line search oracle t -> value, slope, curvature of f at z + t dz; trials are counted.

        It starts at the current point unless another z is given; `part` is f on the entries that
        z has, where these are not all. For a plain function the slope of a trial is a gradient.
        """
        expensive = not self.problem.objective.cheap_line_search
        objective = self.problem.objective if part is None else part
        start = self.iterate.image if z is None else z

        def along(t: float) -> tuple[float, float, float | None]:
            self.value_calls += 1
            self.gradient_calls += expensive
            return objective.along(start, dz, t)

        return along

    def line_search(self, dz: Array, largest: float, z: Array | None = None) -> float:
        """Minimizer t in [0, largest] of f(z + t dz); no pass over the data."""
        return newton(self.line(dz, z), largest, exact=self.problem.objective.quadratic)

    @property
    def rounding(self) -> float:
        """Bound on what rounding may add to a value of f near this one."""
        size, fall = abs(self.value), FALL * (self.first_value - self.value)
        return 4.0 * self.errors.eps * (fall if fall > size else size)

    def enough(self, tolerance: float) -> float:
        """Gap at which a relative tolerance is met (`core/tolerance.py`)."""
        return enough(tolerance, self.value, *self.levels(), self.errors.eps)

    def met(self, tolerance: float) -> bool:
        """True if the gap meets a relative tolerance.

        f elsewhere, which may cost an oracle call, is computed only where it decides.
        """
        known = min(tolerance, EXACT * self.errors.eps) * abs(self.value)
        return self.gap <= known or self.gap <= self.enough(tolerance)

    def levels(self) -> tuple[float, float, float]:
        """Reference values: f at the region's own start, phi(0) where it matters, the first gap."""
        if math.isnan(self.start_value):
            known = self.problem.start_value
            self.start_value = self.first_value if math.isnan(known) else known
        matters = FALL * (self.start_value - self.value) > abs(self.value)
        null = self.problem.null_value if matters else math.inf
        return self.start_value, null, self.first_gap

    def look_far(self, value: float) -> bool:
        """Measure the fall of f from farther away where f is rounding; True if that changes it."""
        known = self.problem.reference_for(value)
        if math.isnan(known) or known == self.levels()[0]:
            return False
        self.start_value = known
        return True

    def go(self, gamma: float) -> None:
        """Move: x <- x + gamma d, and z along with it."""
        direction = self.direction
        if direction.toward:
            self.iterate.move(self.atom, self.atom_image, gamma)
            return
        terms = [(gamma * weight, atom) for weight, atom in direction.terms]
        self.iterate.shift(1.0 + gamma * direction.own, terms, self._direction_image, gamma)

    def take_over(self, begun: State) -> None:
        """Go to the point at which another method begins; bounds, counts and time stay.

        What belongs to the point comes from `begun`, which has just been evaluated there; what
        belongs to the run (the best bound, first values, certificates) stays as it is.
        """
        self.iterate.jump(begun.iterate.point.array(), begun.iterate.image)
        self.active_set = begun.active_set
        self.value, self.above = begun.value, begun.above
        self.gradient[:] = begun.gradient
        self.atom, self.step = begun.atom, 0.0
        self.gradient_calls += begun.gradient_calls
        self.value_calls += begun.value_calls
        self.oracle_calls += begun.oracle_calls
        self.k += 1
        self.certify(begun.above - begun.model_gap, begun.oracle_error)

    def leap(self, gamma: float) -> None:
        """Step x <- (1 - gamma) x + gamma s to the oracle's dense atom; take the tangent there."""
        room, self.gradient_calls = self._slope, self.gradient_calls + 1
        pair = self.iterate.leap(self.atom, gamma, room, self.gradient)
        self.value, self.above = pair

    @property
    def descent(self) -> float:
        """Descent -<g, d> of the model along the direction, >= 0."""
        return max(-self.direction.slope, 0.0)

    def slope_behind(self) -> float:
        """Slope <grad f(x), d> of f at x along the last direction, for a tangent just taken.

        One product with an image, and no pass over the data.
        """
        if not self.direction.toward:
            return float(self._slope.dot(self._direction_image))
        if self.step == 1.0:  # x is the last atom: the direction is x minus the point before
            return self.above - float(self._slope.dot(self.iterate.previous_image))
        return (float(self._slope.dot(self.atom_image)) - self.above) / (1.0 - self.step)

    def blend_image(self, gamma: float) -> Array:
        """Image (1 - gamma) z + gamma As toward the last atom s, in a buffer; less where f ends."""
        if not self.problem.objective.everywhere:
            self._loops.subtract(self._trial, self.atom_image, self.iterate.image)
            gamma = self.problem.objective.max_step(self.iterate.image, self._trial, gamma)
        self._loops.blend(self._trial, self.iterate.image, gamma, self.atom_image)
        return self._trial

    def certify(self, support: float, error: float = 0.0) -> None:
        """Set the gap f(x) - c - <g, s>, where <g, s> is the minimum over C up to `error`.

        The model c + <g, v> lies below f, so f(x) - min over the region bounds the error;
        a bound found earlier stays one. An infinite `error` says that nothing new is known.
        """
        self._certify(support, error)
        if math.isnan(self.first_gap):
            self.first_value, self.first_gap = self.value, self.gap
            if self._at_start:
                self.start_value = self.value

    def _certify(self, support: float, error: float) -> None:
        """Set gap and lower bound, with an allowance for rounding."""
        self.model_gap = self.above - support
        self.oracle_error = error = error if error >= 0.0 else math.inf  # NaN bounds nothing
        if not math.isfinite(self.value + self.model_gap):
            self.gap = math.inf  # nothing to learn here; the loop ends the run
            return
        if not self.certified:
            self.gap = max(self.model_gap, 0.0) + error
            return
        errors = self.errors
        noise = errors.cancelling(self._slope, self.value)
        numbers = (self.value, self.above, support, error + errors.lost, self.lower_bound)
        self.oracle_bound = max(self.oracle_bound, self.value - self.model_gap - error)
        self.seen = max(self.seen, abs(self.value) + abs(self.above) + abs(support))
        gap, self.lower_bound = certify(*numbers, errors.eps, noise, self.seen)
        if gap >= 0.0:
            self.gap = gap
            return
        # a negative gap beyond rounding: f(x) is below its own minorant, so f is not convex
        self.refute(convex=not math.isfinite(noise))

    def refute(self, *, convex: bool = False) -> None:
        """Certify nothing from here on: f was found below one of its tangents."""
        self.certified, self.convex, self.lower_bound = False, convex, -math.inf
        self.gap = max(self.model_gap, 0.0) + self.oracle_error

    @property
    def shown(self) -> float:
        """Gap f(x) - (best bound of an oracle call), without f's own bound; infinite at first."""
        return self.value - self.oracle_bound

    @property
    def cancelling(self) -> float:
        """Sum of the sizes of terms that may cancel in f and in products with the gradient."""
        return self.errors.cancelling(self._slope, self.value)

    def floor(self, x: Point) -> float:
        """Gap that rounding of x, its gradient and Q may leave at a minimizer."""
        return self.errors.floor(x, self._slope, self.cancelling)

    @property
    def gain(self) -> float:
        """Error of products with A, over eps and the size of phi' (`Rounding.gain`)."""
        if math.isnan(self.errors.gain):
            self.errors.cancelling(self._slope, self.value)
        return self.errors.gain

    @gain.setter
    def gain(self, gain: float) -> None:
        self.errors.gain = gain

    NUMBERS = (
        *("k", "value", "above", "model_gap", "gap", "lower_bound", "oracle_bound"),
        *("first_value", "first_gap", "start_value"),
        *("certified", "convex", "step", "cuts", "seconds"),
        *("gradient_calls", "value_calls", "oracle_calls", "gain"),
    )

    def pack(self) -> dict[str, Array]:
        """Arrays from which a later process goes on bit for bit."""
        arrays: dict[str, Image] = {f"number.{name}": getattr(self, name) for name in self.NUMBERS}
        for name in ("iterate", "atom", "memory", "oracle_memory"):
            arrays.update(grouped(name, getattr(self, name).pack()))
        atom_image = self.problem.objective.stored(self.atom_image)
        arrays.update(gradient=self.gradient, atom_image=atom_image)
        return {name: np.asarray(to_host(array)) for name, array in arrays.items()}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Restore the state from the arrays of `pack`."""
        for name in self.NUMBERS:
            setattr(self, name, arrays[f"number.{name}"].item())
        for name in ("iterate", "memory", "oracle_memory"):
            getattr(self, name).restore(group(name, arrays))
        self.atom = unpack_atom(group("atom", arrays))
        self.gradient[:] = to_same_device(self.gradient, arrays["gradient"])
        self.atom_image[:] = self.problem.objective.recalled(arrays["atom_image"])

    def __repr__(self) -> str:
        bound = "certified gap" if self.certified else "gap (no certificate)"
        bound = bound if self.convex else "stationarity gap (no certificate)"
        return f"State(k={self.k}, value={self.value:.6g}, {bound}={self.gap:.3g})"
