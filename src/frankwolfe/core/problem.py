"""A problem min f(x) over x in C: an objective and a region that fit together."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import ReferenceType, ref

import numpy as np

from frankwolfe.base.arrays import Array, Point
from frankwolfe.base.checks import quiet
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.registry import listed
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.objective import Objective
from frankwolfe.core.region import Region
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.core.tolerance import enough, reference

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from frankwolfe.core.low_rank import FactoredMatrix

__all__ = ["Problem", "Start"]

Start: TypeAlias = "ArrayLike | FactoredMatrix | ActiveSet | None"
"""A start x0: a point, atoms with weights, or None for the region's own."""

# Spacing of floating-point numbers in the region, as a share of the region's size:
MAX_SINGLE_SPACING = 1e-6  # farther apart, x and z are kept in double precision
MAX_DOUBLE_SPACING = 1e-4  # farther apart, no digits are left for an answer: refuse
MAX_VIOLATION = 1e-3  # of the region's size; a point farther out has not left it by rounding

MAX_SINGLE_ERROR = 1e-2  # rounding of f in single precision, as a share of f or of its fall
MAX_COPIED_ENTRIES = 20_000_000  # of A; a copy in double precision takes 8 bytes each (160 MB)


class Problem:
    """Minimize `objective` over `region`.

    Parameters
    ----------
    objective : Objective
        f(x) = phi(Ax).
    region : Region
        A compact convex set.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> problem = fw.Problem(fw.SquaredError(np.eye(3), [1.0, 2.0, 3.0]), fw.L1Ball(2.0))
    >>> problem.n, problem.diameter
    (3, 4.0)
    """

    def __init__(self, objective: Objective, region: Region) -> None:
        if not isinstance(objective, Objective):
            raise InvalidInput(
                "objective must be one of frankwolfe's "
                f"({_names(Objective)}), "
                f"got {type(objective).__name__}."
            )
        if not isinstance(region, Region):
            raise InvalidInput(
                "region must be one of frankwolfe's "
                f"({_names(Region)}), "
                f"got {type(region).__name__}."
            )
        objective = objective.over(region.dimension, region.snap)
        region.check_dimension(objective.shape)
        self.objective: Final = _precise(objective, region)
        self.region: Final = region
        self._started: ReferenceType[Point] | None = None  # the last own start, for `is_start`

    def __repr__(self) -> str:
        return f"Problem({self.objective!r}, {self.region!r})"

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.objective.n

    @property
    def diameter(self) -> float:
        """Diameter D of the region in the 2-norm."""
        return self.region.diameter(self.objective.shape)

    @property
    def smoothness(self) -> float | None:
        """Lipschitz constant L of the gradient in the 2-norm, from above."""
        return self.objective.smoothness

    @property
    def nearness(self) -> float:
        """Largest violation allowed of a start, relative to the region's size."""
        dtype = self.objective.dtype
        near = 8.0 * self.region.resolution(self.objective.shape, dtype)
        return max(near, 2.0 * self.region.exactness, 1e-9 if dtype.itemsize == 8 else 1e-5)

    def start(self, x0: Start = None) -> Point:
        """Start of a run: a checked copy of `x0`, or the region's own point."""
        if x0 is None:
            return self._own_start()
        x = self.objective.read_point(_point(x0))
        self._check_start(x, x0)
        return x

    def check_start(self, x0: Start) -> None:
        """Raise InvalidInput unless `x0` is a start; nothing is copied.

        Atoms that a run over the region hands over to another method lie in it, and so does what
        they combine to: to find that out again may cost as much as a whole run.
        """
        self._check_start(self.objective.seen_point(_point(x0)), x0)

    def _check_start(self, x: Point, x0: Start) -> None:
        """Raise InvalidInput unless x, read from `x0`, lies in the region and f is finite there."""
        own = getattr(x0, "source", None) is self.region
        outside = 0.0 if own else self.region.violation(x)
        if not outside <= self.nearness:
            far = f" by {outside:.2g} of the region's size" if math.isfinite(outside) else ""
            raise InvalidInput(
                f"x0 must lie in the region {self.region!r}, but it is outside{far}: "
                "scale or project it."
            )
        if not self.in_domain(x):
            raise InvalidInput(
                f"x0 must lie where f is finite ({self.objective.where}), but it does not: "
                "move it toward the middle of the region, region.middle(n)."
            )

    def _own_start(self) -> Point:
        """Copy of the region's start, or of its middle where f is not finite at the start."""
        x = self.objective.read_point(self._place_to_start())
        self._started = ref(x)
        return x

    def _place_to_start(self) -> Point:
        """The region's own start, not copied: it may be an array that the region keeps."""
        shape = self.objective.shape
        for make in (self.region.start, self.region.middle):
            x = self.objective.seen_point(make(shape))
            if self.in_domain(x):
                return x
        raise InvalidInput(
            f"f is not finite at the start of {self.region!r}, nor in its middle: pass x0, a "
            f"point of the region where {self.objective.where}."
        )

    def is_start(self, x: Point) -> bool:
        """True if x is the very array that `start()` made last, without a start of the caller's."""
        return self._started is not None and self._started() is x

    @cached_property
    def standard_form(self) -> StandardForm | None:
        """The region by equations, bounds and norms, made once; None where it has no such form."""
        formulation = self.region.formulation
        return None if formulation is None else formulation.standard_form(self.n)

    @cached_property
    def start_value(self) -> float:
        """f at the region's own start; NaN where that is not finite, or f a plain `Function`.

        A function of the caller's is called at the points of a run alone: it may be expensive.
        """
        if self.objective.opaque:
            return math.nan
        try:
            value = self.objective.value(self.objective.image_at(self._place_to_start()))
        except InvalidInput:
            return math.nan
        return value if math.isfinite(value) else math.nan

    @cached_property
    def null_value(self) -> float:
        """phi(0), the loss of the model that predicts nothing; infinite where that is no number."""
        objective = self.objective
        if objective.identity or not objective.everywhere:
            return math.inf
        with quiet():
            value = objective.value(objective.zero_image())
        return value if math.isfinite(value) else math.inf

    @cached_property
    def far_value(self) -> float:
        """Largest f of two points on opposite sides of the region; NaN where it is unknown."""
        objective = self.objective
        if objective.opaque:
            return math.nan
        z, g = objective.new_image(), objective.new_gradient()
        g[:] = np.arange(1.0, g.size + 1.0)  # no two entries alike: the vertex is the only answer
        values = [math.nan]
        for side in (g, -g):
            with quiet():
                objective.image_of(self.region.probe(objective.covector(side)), z)
                if objective.in_domain(z):
                    values.append(objective.value(z))
        return float(np.fmax.reduce(values))

    def reference_for(self, value: float) -> float:
        """Value of f from which the fall to `value` counts: at the start, or farther away.

        The latter where start and `value` differ by rounding alone (`core/tolerance.py`).
        """
        eps, null = float(np.finfo(self.objective.dtype).eps), self.null_value
        if 0.0 < eps * null < abs(value) and null < math.inf:
            return self.start_value  # of a size that phi(0) tells: the oracle need not be asked
        return reference(value, self.start_value, null, self.far_value, eps)

    def value(self, x: Point) -> float:
        """f(x) for x in the region up to rounding; infinity elsewhere, and where f is no number."""
        if not self.region.violation(x) <= MAX_VIOLATION or not self.in_domain(x):
            return math.inf
        value = self.objective.value(self.objective.image_at(x))
        return value if math.isfinite(value) else math.inf

    def enough(self, tolerance: float, value: float, first_gap: float) -> float:
        """Gap at which a relative tolerance is met where f is `value`."""
        start = self.reference_for(value)
        start = value if math.isnan(start) else start
        eps = float(np.finfo(self.objective.dtype).eps)
        return enough(tolerance, value, start, self.null_value, first_gap, eps)

    def in_domain(self, x: Point) -> bool:
        """True if f is finite at x."""
        if self.objective.everywhere:
            return True
        z = self.objective.new_image()
        self.objective.image(x, z)
        return self.objective.in_domain(z)


def _point(x0: Start) -> Point:
    """The combination of atoms that are given; any other start as it is."""
    return x0.point() if isinstance(x0, ActiveSet) else x0


def _precise(objective: Objective, region: Region) -> Objective:
    """The objective, in double precision where single cannot tell points of the region apart.

    Far from zero, relative to the region's size, or where its size is very large or very small,
    rounding alone would lead out of it.
    """
    shape = objective.shape
    narrow = objective.dtype.itemsize < 8
    if narrow and _unresolved(objective, region):
        objective = objective.in_double() or objective
    elif narrow and region.resolution(shape, objective.dtype) > MAX_SINGLE_SPACING:
        wide = objective.in_double()
        if wide is None:
            raise InvalidInput(
                f"the points of the region {region!r} cannot be told apart in single precision: "
                "pass the data in double precision."
            )
        objective = wide
    apart = region.resolution(shape, objective.dtype)
    if not apart <= MAX_DOUBLE_SPACING:
        raise InvalidInput(
            f"the points of the region {region!r} cannot be told apart in double precision"
            + (f", where numbers are {apart:.1g} of its size apart" if apart < math.inf else "")
            + ": move it toward zero (x - center for x), or scale x."
        )
    return objective


def _unresolved(objective: Objective, region: Region) -> bool:
    """True if rounding of products with A in single precision is a large part of f."""
    products = objective.rounding
    if (
        products is None
        or objective.matrix
        or objective.m * objective.n > MAX_COPIED_ENTRIES
        or not objective.everywhere
    ):
        return False
    eps = float(np.finfo(objective.dtype).eps)
    z, slope = objective.new_image(), objective.new_image()
    with quiet():
        objective.image(objective.read_point(region.start(objective.n)), z)
        value, _ = objective.linearize(z, slope)
        size = products.size(slope, value)
        fall = value - objective.least
        fall = fall if fall < math.inf else _objective_range(objective, region, slope)
        for sharp in (False, True):  # the sharp one reads all of A
            gain = products.gain(lambda weights: region.reach(weights, objective.n), sharp=sharp)
            if 8.0 * eps * gain * (size + eps * gain) <= MAX_SINGLE_ERROR * max(fall, abs(value)):
                return False
    return True


def _objective_range(objective: Objective, region: Region, slope: Array) -> float:
    """Range max - min over the region of the tangent with phi' = `slope`."""
    g = objective.new_gradient()
    objective.gradient(slope, g)
    toward, away = (region.probe(side).dense(objective.n) for side in (g, -g))
    return float(g @ (away - toward))


def _names(base: type) -> str:
    """Names of the classes below `base` that rooms have listed, for an error message."""
    return ", ".join(kind.__name__ for kind in listed(base))
