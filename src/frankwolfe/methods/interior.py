"""Steps along a path through the inside of the region: slow to start, and never stuck."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import OwnSteps, beyond, check_accepted, without_curvature
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.blas import one_thread
from frankwolfe.numerics.checks import is_sparse
from frankwolfe.numerics.interior.conjugate import Conjugate
from frankwolfe.numerics.interior.frame import Frame
from frankwolfe.numerics.interior.path import Curved, Program, advance, begin
from frankwolfe.numerics.memory import Memory
from frankwolfe.numerics.products import as_columns
from frankwolfe.numerics.terms import SQUARED
from frankwolfe.objectives import Objective
from frankwolfe.regions import Region

__all__ = ["InteriorPoint", "interior_point"]

EPS = 2.0**-52
ENTRIES = 10_000_000  # of the images of all atoms
WORK = 2e9  # operations of one step, about
FOLLOWS = 1e-6  # a gap of which the path says less than this share is rounding, after
STALE, CURVED = 10, 30  # steps; more where balls have conditions that are not linear


class Path(Memory):
    """The point on the path; what the problem says is computed again."""

    __slots__ = ("at", "best", "ended", "program", "stale")

    def __init__(self, problem: Problem, frame: Frame) -> None:
        self.program = _program(problem, frame)
        self.at = begin(self.program)
        self.ended = False
        self.best, self.stale = math.inf, 0

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


def _program(problem: Problem, frame: Frame) -> Program:
    objective, points = problem.objective, as_columns(frame.atoms, problem.n)
    images = objective.images(frame.atoms)
    F = np.asarray(images.toarray() if is_sparse(images) else images, dtype=np.float64)
    terms = objective.conjugate()
    if terms is None and objective.quadratic:
        return _squares(objective, points, frame)
    if terms is None:
        curved = _curved(objective, F)
        rows, free = np.empty((0, F.shape[1])), np.empty((0, 0))
        empty = np.empty(0)
        linear = np.zeros(F.shape[1])
        return Program(frame, points, _image(objective), rows, free, linear, None, curved, empty)
    loss, free = terms
    there = loss.weight > 0.0
    loss = Conjugate(loss.code, loss.delta, loss.b[there], loss.weight[there])
    start = np.asarray(points @ frame.plan.gather(frame.start))
    first = np.empty(objective.m, dtype=objective.dtype)
    z = _image(objective)(start if frame.center is None else start + frame.center)
    objective.linearize(z.astype(objective.dtype), first)

    def image(x: Array) -> Array:
        return _image(objective)(x)[there]

    slopes = first[there].astype(np.float64)
    linear = np.zeros(F.shape[1])
    return Program(frame, points, image, F[there], free[there], linear, loss, None, slopes)


def _squares(objective: Objective, points: Any, frame: Frame) -> Program:
    """A quadratic as a sum of squares and a linear term: H = B'B, each column in its own unit."""
    zero = np.zeros(objective.m, dtype=objective.dtype)
    slope, c = np.empty_like(zero), np.empty(objective.n, dtype=objective.dtype)
    objective.linearize(zero, slope)
    objective.gradient(slope, c)
    H = np.asarray(objective.full_hessian(zero), dtype=np.float64)
    units = np.sqrt(np.maximum(np.diagonal(H), 0.0))
    over = 1.0 / np.where(units > 0.0, units, 1.0)
    values, vectors = np.linalg.eigh(0.5 * (H + H.T) * over[:, None] * over)
    there = values > EPS * objective.n * float(values[-1])
    B = np.sqrt(values[there])[:, None] * vectors[:, there].T * units
    start = np.asarray(points @ frame.plan.gather(frame.start))
    start = start if frame.center is None else start + frame.center
    loss = Conjugate(SQUARED, 1.0, np.zeros(B.shape[0]), np.ones(B.shape[0]))
    linear = np.asarray(points.T @ c.astype(np.float64))
    free, rows = np.empty((B.shape[0], 0)), np.asarray((points.T @ B.T).T)
    return Program(frame, points, lambda x: B @ x, rows, free, linear, loss, None, B @ start)


def _image(objective: Objective) -> Callable[[Array], Array]:
    def image(x: Array) -> Array:
        z = np.empty(objective.m, dtype=objective.dtype)
        objective.image(x.astype(objective.dtype), z)
        return z.astype(np.float64)

    return image


def _curved(objective: Objective, F: Array) -> Curved:
    """f in the coefficients, by derivatives."""

    def image(x: Array) -> Array:
        return _image(objective)(x).astype(objective.dtype)

    def gradient(x: Array) -> Array:
        z = image(x)
        slope = np.empty_like(z)
        objective.linearize(z, slope)
        return np.asarray(F.T @ slope, dtype=np.float64)

    def hessian(x: Array) -> Array:
        H = objective.hessian(image(x), F, F)
        return 0.5 * (H + H.T)

    return Curved(lambda x: objective.value(image(x)), gradient, hessian, objective.quadratic)


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
        if region.frame(problem.n) is None:
            return f"{self.name} needs a region with an inside, not {region!r}: use frank_wolfe()."
        return None

    def init(self, problem: Problem, x0: Any = None) -> State:
        check_accepted(self, problem)
        if x0 is not None:
            problem.start(x0)  # checked, and not needed
        frame = problem.region.frame(problem.n)
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
        state.iterate.jump(
            state.problem.region.snap(path.at.point(path.program).astype(state.gradient.dtype))
        )
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
