"""Quasi-Newton steps over a Euclidean ball: a model of a few pairs is minimized over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.blas import one_thread
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.memory import Memory
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import OwnSteps, beyond, check_accepted, without_curvature
from frankwolfe.methods.chain import Chain, Progress, Stage
from frankwolfe.methods.second_order import second_order
from frankwolfe.regions.balls.norm_ball import NormBall
from frankwolfe.subproblems.quadratics.bfgs_over_ball import BasedModel
from frankwolfe.subproblems.quadratics.limited import LimitedModel, tells

__all__ = ["QuasiNewton", "quasi_newton"]

BUNDLE = 25  # quasi-Newton steps between two evaluations
LESS = 5e-3  # of the gap, at which a bundle ends
FAR = 1e-4  # the same for the first one: an evaluation costs as much as a step
DESCENT = 1e-4  # of the slope, what a step must bring
CLOSE = 1e-2  # of what a step should bring, to which its value is computed
TRIALS = 12  # steps tried along a direction
EARLY = 8  # steps before a rough Hessian
EACH = 10  # observations for each variable, of which that is made
WORTH = 6  # n^2 over the number of observations up to which it costs a few steps
FLAT = 1e-6  # of its largest eigenvalue, the least
LARGE = 20_000_000  # multiplications of a product from which on threads pay
SHARE = 8  # a Hessian is worth its cost after one step for so many variables


@dataclass(slots=True)
class _Pairs(Memory):
    """The last steps and changes of the gradient, oldest first, and how many steps there were.

    Where these were `slow`, also the eigenvalues and eigenvectors of a rough Hessian.
    """

    steps: Array
    changes: Array
    values: Array
    vectors: Array
    count: int = 0
    stuck: bool = False
    slow: bool = False

    def restore(self, arrays: Mapping[str, Array]) -> None:
        Memory.restore(self, arrays)
        n = self.steps.shape[-1]
        if self.vectors.shape != (self.values.size, n) or self.values.size not in (0, n):
            raise ValueError("the eigenvectors have another size")

    def learn(self, rough: Array | None) -> None:
        """Begin again from a Hessian that is nearly right, where there is one."""
        if rough is None:
            return
        values, self.vectors = np.linalg.eigh(rough)
        self.values = np.maximum(values, max(FLAT * float(values[-1]), 1e-300))
        self.steps, self.changes = self.steps[:0], self.changes[:0]

    def model(self, curvature: Callable[[], float]) -> LimitedModel | BasedModel:
        """What is known of f's second derivative; `curvature` where that is nothing."""
        if self.values.size:
            return BasedModel(self.steps, self.changes, self.values, self.vectors)
        return LimitedModel(self.steps, self.changes, 1.0 if len(self.steps) else curvature())

    def add(self, step: Array, change: Array, most: int) -> None:
        """One more pair, where it tells of curvature; the oldest of too many goes."""
        self.count += 1
        if tells(step, change):
            self.steps = np.vstack([self.steps, step])[-most:]
            self.changes = np.vstack([self.changes, change])[-most:]


@dataclass(eq=False)
class _Place:
    """A point with its image, value and gradient, in double precision but for the image."""

    x: Array  # as seen from the ball's centre
    z: Array
    value: float
    g: Array

    def gap(self, radius: float) -> float:
        """The Frank-Wolfe gap."""
        return radius * float(np.linalg.norm(self.g)) + float(self.g @ self.x)


@dataclass(frozen=True)
class QuasiNewton(OwnSteps):
    """See :func:`quasi_newton`."""

    pairs: int
    name: str = "quasi-Newton FW"
    reference: str = references.QUASI_NEWTON
    patience = 10

    def accepts(self, problem: Problem) -> str | None:
        """None over a Euclidean ball, for an f with second derivatives, finite everywhere."""
        if not problem.region.trust_region:
            return (
                "quasi_newton() takes steps over a Euclidean ball (L2Ball): use working_set() or "
                "fully_corrective() elsewhere."
            )
        refusal = without_curvature(self.name, problem)
        return refusal or (None if problem.objective.everywhere else beyond(self.name))

    def init(self, problem: Problem, x0: Any = None) -> State[_Pairs]:
        check_accepted(self, problem)
        none = np.zeros((0, problem.n))
        memory = _Pairs(none, none.copy(), np.zeros(0), none.copy())
        return self.begin(problem, problem.start(x0), memory)

    def advance(self, state: State[_Pairs]) -> None:
        """A bundle of steps, then evaluate."""
        memory = state.memory
        with _threads(state.problem):
            there = self._bundle(state)
        memory.stuck = there is None
        if there is None:
            state.aim_at_atom()
            state.step = state.line_search(state.direction_image(), 1.0)
            state.go(state.step)
        else:
            x = _ball(state).to_center(there.x).astype(state.gradient.dtype)
            state.iterate.jump(x, there.z)
        state.k += 1
        self.evaluate(state)

    def _bundle(self, state: State[_Pairs]) -> _Place | None:
        """Quasi-Newton steps until the gap is much less, or enough of them; None for none."""
        radius, memory, search = _ball(state).radius, state.memory, _Search(state)
        step = _thinning(state.problem)
        if memory.slow and step:
            memory.learn(search.objective.rough_hessian(search.z, step))
        here = first = search.start()
        enough = (LESS if memory.count else FAR) * first.gap(radius)
        memory.slow = False
        for _ in range(BUNDLE if memory.count or not step else EARLY):
            model = memory.model(lambda: search.curvature(first))
            there = search.step(here, model, radius)
            if there is None:
                break
            memory.add(there.x - here.x, there.g - here.g, self.pairs)
            here = there
            if not here.gap(radius) > enough:
                break
        else:
            memory.slow = True
        return None if here is first else here


def _threads(problem: Problem) -> AbstractContextManager[Any]:
    """BLAS on as many threads as it has for large products, which our loops leave to it."""
    work = problem.objective.m * problem.n // max(problem.objective.intercepts, 1)
    return nullcontext() if work >= LARGE else one_thread()


def _thinning(problem: Problem) -> int:
    """Of how many observations one is taken for a rough Hessian; 0 where it costs too much."""
    observations = problem.objective.m // max(problem.objective.intercepts, 1)
    worth = problem.objective.intercepts > 1 and problem.n**2 <= WORTH * observations
    return observations // (EACH * problem.n) if worth else 0


def _ball(state: State) -> NormBall:
    """The region, which is a Euclidean ball (see `accepts`)."""
    region = state.problem.region
    assert isinstance(region, NormBall)
    return region


class _Search:
    """Steps from one point to the next, with f and its gradient where they lead."""

    def __init__(self, state: State) -> None:
        self.state, self.objective = state, state.problem.objective
        self.z = state.iterate.image
        self.near = self.objective.near(state.iterate.image, state.value)
        self.slope, self.dz = self.objective.new_image(), self.objective.new_image()

    def _image(self, d: Array) -> Array:
        self.objective.image(d.astype(self.objective.dtype), self.dz)
        return self.dz

    def curvature(self, here: _Place) -> float:
        """f's along the gradient, for want of pairs."""
        bend = self.objective.along(here.z, self._image(here.g), 0.0)[2]
        return max(float(bend or 0.0) / max(float(here.g @ here.g), 1e-300), 1e-300)

    def start(self) -> _Place:
        """Where the run stands."""
        state = self.state
        x = _ball(state).from_center(state.x).astype(np.float64)
        return _Place(x, state.iterate.image.copy(), state.value, state.gradient.astype(np.float64))

    def step(self, here: _Place, model: LimitedModel | BasedModel, radius: float) -> _Place | None:
        """A point toward the model's minimizer at which f is low enough; None if there is none."""
        d = model.over_ball(here.x, here.g, radius) - here.x
        fall = -float(here.g @ d)
        promise = fall - 0.5 * float(d @ model.times(d))
        if not promise > self.state.rounding * 1e-2:
            return None
        dz, t = self._image(d), 1.0
        self.state.gradient_calls += 1
        for _ in range(TRIALS):
            z = here.z + (dz if t == 1.0 else self.objective.dtype.type(t) * dz)
            value = self.near(z, self.slope, CLOSE * t * promise)
            if value <= here.value - DESCENT * t * fall:
                return _Place(here.x + t * d, z, value, self._gradient())
            behind = float(self.slope.astype(np.float64) @ dz)  # f's slope there; it was -fall
            secant = t * fall / (behind + fall) if behind > -fall else 0.5 * t
            t = min(max(0.1 * t, secant), 0.5 * t)
            self.state.value_calls += 1
        return None

    def _gradient(self) -> Array:
        out = np.empty(self.objective.n, dtype=self.objective.dtype)
        self.objective.gradient(self.slope, out)
        return out.astype(np.float64)


@dataclass(frozen=True)
class _HessianPays:
    """Ends when the steps so far have cost as much as a Hessian, or none can be taken."""

    stalled = False

    def over(self, state: State, progress: Progress) -> bool:
        memory = progress.inner
        assert isinstance(memory, _Pairs)
        return memory.stuck or memory.count >= max(BUNDLE, state.problem.n // SHARE)


def quasi_newton(pairs: int = 8) -> Chain:
    r"""Quasi-Newton conditional gradients over a Euclidean ball, for many variables.

    .. code-block:: text

        for k = 0, 1, ...
            repeat 25 times, or until the gap is much less:
                B <- BFGS matrix of the last pairs of steps and changes of the gradient
                y <- argmin over C of <g, y> + (y - x)' B (y - x) / 2
                x <- x + t (y - x)                  (t = 1, less where f does not fall)
            x_{k+1} <- x, with its certificate
            where the gap is not much less: B begins anew from the Hessian of some of the rows
        after as many steps as a Hessian costs: steps of second_order()

    A step costs two products with the data, as one of L-BFGS without constraints; the ball
    is in the model, which is minimized over it by one equation in one unknown. What the
    objective minimizes out (:class:`Profiled`) is followed from step to step, and found afresh
    where a certificate is made. With many more observations than variables a Hessian of ten
    observations for each variable costs as much as a few steps, and where the first eight of them
    are slow it is made: the pairs then correct that one.

    Parameters
    ----------
    pairs : int
        Pairs that are kept.

    References
    ----------
    M. Schmidt, E. van den Berg, M. Friedlander and K. Murphy, *Optimizing Costly Functions with
    Simple Constraints: A Limited-Memory Projected Quasi-Newton Algorithm*, AISTATS 2009.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> A = rng.standard_normal((400, 30))
    >>> f = fw.Profiled(fw.Multinomial(A, np.argmax(A[:, :5], axis=1)))
    >>> result = fw.minimize(f, fw.L2Ball(10.0), method=fw.quasi_newton(), tol=1e-8)
    >>> result.success, result.nit < 20
    (True, True)
    """
    method = QuasiNewton(at_least_one("pairs", pairs))
    stages = Stage(method, _HessianPays()), Stage(second_order(), in_place=True)
    return Chain(stages, patience=method.patience)
