"""Steps along a path through the inside of the region: slow to start, and never stuck."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.blas import one_thread
from frankwolfe.base.memory import Memory
from frankwolfe.core.problem import Problem
from frankwolfe.core.standard_form.form import Frame
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import OwnSteps, beyond, check_accepted, without_curvature
from frankwolfe.methods.program import program_of
from frankwolfe.regions import Region
from frankwolfe.subproblems.interior.inside import Inside, begin
from frankwolfe.subproblems.interior.path import advance

__all__ = ["InteriorPoint", "interior_point"]

ENTRIES = 10_000_000  # of the images of all atoms
WORK = 2e9  # operations of one step, about
FOLLOWS = 1e-6  # a gap of which the path says less than this share is rounding, after
STALE, CURVED = 10, 30  # steps; more where balls have conditions that are not linear
OFF = {4: 1e-6, 8: 1e-12}  # how far equations may be off, by the bytes of an entry of x


class Path(Memory):
    """The point on the path; what the problem says is computed again."""

    __slots__ = ("at", "best", "ended", "program", "stale", "tol")

    def __init__(self, problem: Problem, frame: Frame) -> None:
        self.program = program_of(problem, frame)
        self.at = begin(self.program)
        self.ended = False
        self.best, self.stale = math.inf, 0
        # as a share of the sizes at hand, where all coefficients are off their bounds
        sizes = np.abs(frame.start) + np.minimum(self.at.low, self.at.high)
        self.tol = OFF[problem.objective.dtype.itemsize] * (np.abs(frame.equations) @ sizes)
        self.tol += 2.0 * self._off(self.at)

    def go_on(self) -> None:
        """To the next point, unless rounding has ended the path."""
        if self.ended:
            return
        try:
            with one_thread(), np.errstate(all="ignore"):  # an infinite distance has no product
                ahead = advance(self.program, self.at)
        except np.linalg.LinAlgError:
            self.ended = True
            return
        finite = all(np.isfinite(v).all() for _, v in ahead.pairs()) and np.isfinite(ahead.u).all()
        self.ended = not finite or ahead.step <= 1e-12
        if not self.ended:
            self.at = ahead

    def _off(self, at: Inside) -> Array:
        """How far each equation of the region is from holding."""
        frame = self.program.frame
        return np.abs(frame.equations @ at.y(frame) - frame.totals)

    @property
    def holds(self) -> bool:
        """Whether the point is in the region: where systems are singular, a step may leave it."""
        return bool((self._off(self.at) <= self.tol).all())

    def see(self, gap: float) -> bool:
        """Whether the path is at its end: the gap is rounding, and does not follow it any more."""
        gap = max(gap, 0.0)
        follows = FOLLOWS * gap <= self.at.total() or gap < 0.9 * self.best
        self.stale = 0 if follows else self.stale + 1
        self.best = min(gap, self.best)
        return self.ended or self.stale >= (CURVED if self.program.frame.balls else STALE)

    def pack(self) -> dict[str, Array]:
        numbers = {"ended": self.ended, "best": self.best, "stale": self.stale}
        return {**self.at.pack(), **{name: np.asarray(v) for name, v in numbers.items()}}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        self.at.restore(arrays)
        self.ended, self.stale = bool(arrays["ended"]), int(arrays["stale"])
        self.best = float(arrays["best"])


@dataclass(frozen=True)
class InteriorPoint(OwnSteps):
    """See :func:`interior_point`."""

    name: str = "interior-point FW"
    reference: str = references.MEHROTRA

    def accepts(self, problem: Problem) -> str | None:
        """None where f has second derivatives, the region has a frame, and both are small."""
        refusal = without_curvature(self.name, problem)
        if refusal is not None:
            return refusal
        objective, region = problem.objective, problem.region
        if not objective.everywhere:
            return beyond(self.name)
        if not region.offers(Region.frame):
            return (
                f"{self.name} needs a region that is given by bounds, sums or norms, not "
                f"{region!r}: use fully_corrective() or working_set()."
            )
        entries = objective.m * objective.n
        work = entries * min(objective.m, objective.n)
        if entries > ENTRIES or work > WORK:
            return (
                f"{self.name} keeps {objective.m} x {objective.n} images and a matrix of the "
                "smaller side: use working_set() or fully_corrective() for problems so large."
            )
        frame = problem.standard_form
        if frame is None or not frame.atoms:  # one point
            return f"{self.name} needs a region with an inside, not {region!r}: use frank_wolfe()."
        return None

    def init(self, problem: Problem, x0: Any = None) -> State:
        check_accepted(self, problem)
        if x0 is not None:
            problem.check_start(x0)  # and not needed
        frame = problem.standard_form
        assert frame is not None
        path = Path(problem, frame)
        return self.begin(
            problem, path.at.point(path.program).astype(problem.objective.dtype), path
        )

    def advance(self, state: State[Path]) -> None:
        """One step along the path, then evaluate."""
        path = state.memory
        path.go_on()
        state.step = 0.0 if path.ended else path.at.step
        if path.holds:
            x = path.at.point(path.program).astype(state.gradient.dtype)
            state.iterate.jump(state.problem.region.inside(x))
        state.k += 1
        self.evaluate(state)
        state.spent = path.see(state.model_gap)


def interior_point() -> InteriorPoint:
    r"""A path through the inside of the region, with the oracle's certificate at each point.

    .. code-block:: text

        x <- a point inside, with a multiplier for every bound
        for k = 0, 1, ...
            the products of distances to bounds with their multipliers, mean mu
            solve the conditions of optimality to first order, with all products sigma mu
            go as far as nothing becomes negative

    Where columns differ in scale by many powers of ten, or a loss bends in narrow places only,
    methods that go from vertex to vertex may need more steps than there is time for; this one
    needs 10 to 60, whatever the scale. A step costs as much as a Newton step, on the smaller side
    of the data. The region is taken by its bounds, sums and norms: balls of any norm, boxes,
    simplices, hypersimplices, KSparse, Birkhoff, hulls by their weights, and products of these.
    A start is not used. The points are inside, so that nothing in x is exactly zero or on a bound.

    References
    ----------
    S. Mehrotra, *On the Implementation of a Primal-Dual Interior Point Method*, SIAM Journal on
    Optimization 2, 1992; S. Portnoy and R. Koenker, *The Gaussian Hare and the Laplacian
    Tortoise*, Statistical Science 12, 1997, for quantile regression.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> A, b = rng.standard_normal((40, 14)) * np.geomspace(1e-4, 1e4, 14), rng.standard_normal(40)
    >>> f = fw.SquaredError(A, b)
    >>> result = fw.minimize(f, fw.KSparse(5, 1.0), method=fw.interior_point(), tol=1e-8)
    >>> result.success, result.nit < 60
    (True, True)
    """
    return InteriorPoint()
