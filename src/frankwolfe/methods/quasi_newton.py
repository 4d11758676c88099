"""Limited-memory quasi-Newton conditional gradients over a Euclidean ball."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.blas import one_thread
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.memory import Memory
from frankwolfe.core.objective import Objective
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import OwnSteps, beyond, check_accepted, without_curvature
from frankwolfe.methods.chain import Chain, ChainProgress, Stage
from frankwolfe.methods.second_order import second_order
from frankwolfe.regions.balls.norm_ball import NormBall
from frankwolfe.subproblems.quasi_newton import BasedModel, LimitedModel, tells

__all__ = ["QuasiNewton", "quasi_newton"]

MAX_BUNDLE = 25  # quasi-Newton steps between two evaluations, each of which costs like a step
BUNDLE_GAP = 5e-3  # gap at which a bundle ends, as a share of its first one
FIRST_BUNDLE_GAP = 1e-4  # smaller for the first bundle, of which much is to be had
SUFFICIENT_DECREASE = 1e-4  # of the slope times the step (Armijo)
VALUE_ACCURACY = 1e-2  # error of a trial's value, as a share of the decrease that is promised
MAX_TRIALS = 12  # step sizes tried along a direction
STEPS_BEFORE_HESSIAN = 8  # quasi-Newton steps before a rough Hessian is thought of
ROWS_PER_VARIABLE = 10  # observations in the rough Hessian, for each variable
MAX_HESSIAN_COST = 6  # n^2 over the number of observations: up to it, it costs a few steps
MIN_EIGENVALUE = 1e-6  # of the rough Hessian, as a share of its largest
MIN_THREADED_WORK = 20_000_000  # multiplications of a product; below, starting threads costs more
VARIABLES_PER_STEP = 8  # after n / 8 steps have not sufficed a Hessian is worth its cost


@dataclass(slots=True)
class _Pairs(Memory):
    """Limited memory: the last steps and changes of the gradient, oldest first.

    After `slow` steps also the eigenvalues and eigenvectors of a rough Hessian.
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
        """Begin anew from a rough Hessian, where there is one: the pairs correct it."""
        if rough is None:
            return
        values, self.vectors = np.linalg.eigh(rough)
        self.values = np.maximum(values, max(MIN_EIGENVALUE * float(values[-1]), 1e-300))
        self.steps, self.changes = self.steps[:0], self.changes[:0]

    def model(self, curvature: Callable[[], float]) -> LimitedModel | BasedModel:
        """Quadratic model of f by the pairs; `curvature` gives its scale where there are none."""
        if self.values.size:
            return BasedModel(self.steps, self.changes, self.values, self.vectors)
        return LimitedModel(self.steps, self.changes, 1.0 if len(self.steps) else curvature())

    def add(self, step: Array, change: Array, most: int) -> None:
        """Add a pair if its curvature is positive enough; of more than `most` the oldest goes."""
        self.count += 1
        if tells(step, change):
            self.steps = np.vstack([self.steps, step])[-most:]
            self.changes = np.vstack([self.changes, change])[-most:]


@dataclass(eq=False)
class _Evaluated:
    """Point with its image, value and gradient; double precision but for the image."""

    x: Array  # as seen from the ball's centre
    z: Array
    value: float
    g: Array

    def gap(self, radius: float) -> float:
        """Frank-Wolfe gap <g, x> + R |g| over the ball."""
        return radius * float(np.linalg.norm(self.g)) + float(self.g @ self.x)


@dataclass(frozen=True)
class QuasiNewton(OwnSteps):
    """Limited-memory quasi-Newton steps over a ball; made by `quasi_newton`."""

    pairs: int
    name: str = "quasi-Newton FW"
    reference: str = references.QUASI_NEWTON
    patience = 10

    def accepts(self, problem: Problem) -> str | None:
        """None for a Euclidean ball and a twice differentiable f without domain; else why not."""
        if not problem.region.trust_region:
            return (
                "quasi_newton() takes steps over a Euclidean ball (L2Ball): use working_set() or "
                "fully_corrective() elsewhere."
            )
        refusal = without_curvature(self.name, problem)
        return refusal or (None if problem.objective.everywhere else beyond(self.name))

    def init(self, problem: Problem, x0: Start = None) -> State[_Pairs]:
        check_accepted(self, problem)
        none = np.zeros((0, problem.n))
        memory = _Pairs(none, none.copy(), np.zeros(0), none.copy())
        return self.begin(problem, problem.start(x0), memory)

    def advance(self, state: State[_Pairs]) -> None:
        """Make a bundle of steps, then evaluate."""
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

    def _bundle(self, state: State[_Pairs]) -> _Evaluated | None:
        """Make quasi-Newton steps until the gap is much smaller; None if not one was possible."""
        radius, memory, search = _ball(state).radius, state.memory, _Search(state)
        step = _thinning(state.problem)
        if memory.slow and step:
            memory.learn(_rough_hessian(search.objective, search.z, step))
        here = first = search.start()
        enough = (BUNDLE_GAP if memory.count else FIRST_BUNDLE_GAP) * first.gap(radius)
        memory.slow = False
        for _ in range(MAX_BUNDLE if memory.count or not step else STEPS_BEFORE_HESSIAN):
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


def _threads(problem: Problem) -> AbstractContextManager[object]:
    """Context in which BLAS has all threads for large products, and one for small ones."""
    work = problem.objective.m * problem.n // max(problem.objective.intercepts, 1)
    return nullcontext() if work >= MIN_THREADED_WORK else one_thread()


def _thinning(problem: Problem) -> int:
    """Stride q of a rough Hessian of every q-th observation; 0 where that costs too much."""
    observations = problem.objective.m // max(problem.objective.intercepts, 1)
    worth = problem.objective.intercepts > 1 and problem.n**2 <= MAX_HESSIAN_COST * observations
    return observations // (ROWS_PER_VARIABLE * problem.n) if worth else 0


def _rough_hessian(objective: Objective, z: Array, step: int) -> Array | None:
    """Hessian of every `step`-th observation; None where rows cannot be taken at little cost."""
    thin = objective.thinned(step, z)
    if thin is None:
        return None
    assert thin.objective.second_order is not None  # `accepts` has asked
    return thin.objective.second_order.full_hessian(z[thin.entries])


def _ball(state: State) -> NormBall:
    """Region of the run, a Euclidean ball (see `accepts`)."""
    region = state.problem.region
    assert isinstance(region, NormBall)
    return region


class _Search:
    """Line searches toward the minimizers of quadratic models, with their buffers."""

    def __init__(self, state: State) -> None:
        self.state, self.objective = state, state.problem.objective
        self.z = state.iterate.image
        self.near = self.objective.near(state.iterate.image, state.value)
        self.slope, self.dz = self.objective.new_image(), self.objective.new_image()

    def _image(self, d: Array) -> Array:
        """Image A d, in a buffer that the next call overwrites."""
        self.objective.image(d.astype(self.objective.dtype), self.dz)
        return self.dz

    def curvature(self, here: _Evaluated) -> float:
        """Curvature of f along the gradient: the scale of a model without pairs."""
        bend = self.objective.along(here.z, self._image(here.g), 0.0)[2]
        return max(float(bend or 0.0) / max(float(here.g @ here.g), 1e-300), 1e-300)

    def start(self) -> _Evaluated:
        """Current point of the run, as seen from the centre of the ball."""
        state = self.state
        x = _ball(state).from_center(state.x).astype(np.float64)
        g = state.gradient.astype(np.float64)
        return _Evaluated(x, state.iterate.image.copy(), state.value, g)

    def step(
        self, here: _Evaluated, model: LimitedModel | BasedModel, radius: float
    ) -> _Evaluated | None:
        """Search toward the model's minimizer for sufficient decrease; None if there is none."""
        d = model.over_ball(here.x, here.g, radius) - here.x
        fall = -float(here.g @ d)
        promise = fall - 0.5 * float(d @ model.times(d))
        if not promise > self.state.rounding * 1e-2:
            return None
        dz, t = self._image(d), 1.0
        self.state.gradient_calls += 1
        for _ in range(MAX_TRIALS):
            z = here.z + (dz if t == 1.0 else self.objective.dtype.type(t) * dz)
            value = self.near(z, self.slope, VALUE_ACCURACY * t * promise)
            if value <= here.value - SUFFICIENT_DECREASE * t * fall:
                return _Evaluated(here.x + t * d, z, value, self._gradient())
            behind = float(self.slope.astype(np.float64) @ dz)  # f's slope there; it was -fall
            secant = t * fall / (behind + fall) if behind > -fall else 0.5 * t
            t = min(max(0.1 * t, secant), 0.5 * t)
            self.state.value_calls += 1
        return None

    def _gradient(self) -> Array:
        """Gradient at the last trial, in double precision."""
        out = np.empty(self.objective.n, dtype=self.objective.dtype)
        self.objective.gradient(self.slope, out)
        return out.astype(np.float64)


@dataclass(frozen=True)
class _HessianPays:
    """Ends when the steps so far have cost as much as a Hessian, or none can be taken."""

    stalled = False

    def over(self, state: State, progress: ChainProgress) -> bool:
        memory = progress.inner
        assert isinstance(memory, _Pairs)
        return memory.stuck or memory.count >= max(
            MAX_BUNDLE, state.problem.n // VARIABLES_PER_STEP
        )


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
    objective minimizes out (`Profiled`) is followed from step to step, and found afresh
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
    >>> result = fw.minimize(f, fw.L2Ball(10.0), method=fw.methods.quasi_newton(), tol=1e-8)
    >>> result.success, result.nit < 20
    (True, True)
    """
    method = QuasiNewton(at_least_one("pairs", pairs))
    stages = Stage(method, _HessianPays()), Stage(second_order(), in_place=True)
    return Chain(stages, patience=method.patience)
