"""Primal-dual interior points with the oracle's certificate: few steps, whatever the scaling."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.blas import one_thread
from frankwolfe.base.memory import Memory
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import OwnSteps, beyond, check_accepted, without_curvature
from frankwolfe.methods.program import program_of
from frankwolfe.subproblems.interior.inside import Inside, begin
from frankwolfe.subproblems.interior.path import advance

__all__ = ["InteriorPoint", "interior_point"]

MAX_ENTRIES = 10_000_000  # of the images of all atoms, kept dense in double precision: 80 MB
MAX_WORK = 2e9  # multiplications of one step, about
# Where complementarity is less than this share of the gap for so many steps, the gap is rounding:
MIN_PATH_SHARE = 1e-6
PATIENCE, BALL_PATIENCE = 10, 30  # more for balls, whose conditions are not linear
EQUATION_TOL = {4: 1e-6, 8: 1e-12}  # relative residual of equations, by the bytes of an entry of x


class CentralPath(Memory):
    """Point on the central path; the program is computed again after a restore."""

    __slots__ = ("at", "best", "ended", "program", "stale", "tol")

    def __init__(self, problem: Problem, frame: StandardForm) -> None:
        self.program = program_of(problem, frame)
        self.at = begin(self.program)
        self.ended = False
        self.best, self.stale = math.inf, 0
        # as a share of the sizes at hand, where all coefficients are off their bounds
        sizes = np.abs(frame.start) + np.minimum(self.at.low, self.at.high)
        share = EQUATION_TOL[problem.objective.dtype.itemsize]
        self.tol = share * (np.abs(frame.equations) @ sizes)
        self.tol += 2.0 * self._off(self.at)

    def go_on(self) -> None:
        """Step to the next point, unless rounding has ended the path."""
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
        """Absolute residual of each equation of the region."""
        frame = self.program.frame
        return np.abs(frame.equations @ at.y(frame) - frame.totals)

    @property
    def holds(self) -> bool:
        """True if the point is in the region: a step by a singular system may leave it."""
        return bool((self._off(self.at) <= self.tol).all())

    def see(self, gap: float) -> bool:
        """True at the end of the path: the gap is rounding, and no longer follows mu."""
        gap = max(gap, 0.0)
        follows = MIN_PATH_SHARE * gap <= self.at.total() or gap < 0.9 * self.best
        self.stale = 0 if follows else self.stale + 1
        self.best = min(gap, self.best)
        return self.ended or self.stale >= (BALL_PATIENCE if self.program.frame.balls else PATIENCE)

    def pack(self) -> dict[str, Array]:
        numbers = {"ended": self.ended, "best": self.best, "stale": self.stale}
        return {**self.at.pack(), **{name: np.asarray(v) for name, v in numbers.items()}}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        self.at.restore(arrays)
        self.ended, self.stale = bool(arrays["ended"]), int(arrays["stale"])
        self.best = float(arrays["best"])


@dataclass(frozen=True)
class InteriorPoint(OwnSteps):
    """Interior points over a region's standard form; made by `interior_point`."""

    name: str = "interior-point FW"
    reference: str = references.MEHROTRA

    def accepts(self, problem: Problem) -> str | None:
        """None if f has a Hessian, the region a standard form, and both are small; else why not."""
        refusal = without_curvature(self.name, problem)
        if refusal is not None:
            return refusal
        objective, region = problem.objective, problem.region
        if not objective.everywhere:
            return beyond(self.name)
        if region.formulation is None:
            return (
                f"{self.name} needs a region that is given by bounds, sums or norms, not "
                f"{region!r}: use fully_corrective() or working_set()."
            )
        entries = objective.m * objective.n
        work = entries * min(objective.m, objective.n)
        if entries > MAX_ENTRIES or work > MAX_WORK:
            return (
                f"{self.name} keeps {objective.m} x {objective.n} images and a matrix of the "
                "smaller side: use working_set() or fully_corrective() for problems so large."
            )
        frame = problem.standard_form
        if frame is None or not frame.atoms:  # one point
            return f"{self.name} needs a region with an inside, not {region!r}: use frank_wolfe()."
        return None

    def init(self, problem: Problem, x0: Start = None) -> State:
        check_accepted(self, problem)
        if x0 is not None:
            problem.check_start(x0)  # and not needed
        frame = problem.standard_form
        assert frame is not None
        path = CentralPath(problem, frame)
        return self.begin(
            problem, path.at.point(path.program).astype(problem.objective.dtype), path
        )

    def advance(self, state: State[CentralPath]) -> None:
        """Make one step along the path, then evaluate."""
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
    >>> result = fw.minimize(f, fw.KSparse(5, 1.0), method=fw.methods.interior_point(), tol=1e-8)
    >>> result.success, result.nit < 60
    (True, True)
    """
    return InteriorPoint()
