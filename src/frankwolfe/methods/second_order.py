"""Second-order conditional gradients: a quadratic model is minimized over the region."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.blas import one_thread
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.memory import Memory
from frankwolfe.base.roots import Along, full_or_newton
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import (
    Method,
    OwnSteps,
    check_accepted,
    value_rounding,
    without_curvature,
)
from frankwolfe.methods.corrective.corrective import fully_corrective, working_set
from frankwolfe.methods.corrective.model import over_vertices
from frankwolfe.methods.interior import interior_point
from frankwolfe.objectives import Quadratic

__all__ = ["ModelSteps", "SecondOrder", "second_order"]

MAX_VARIABLES = 2000  # a Hessian has n^2 numbers (32 MB), and costs n columns of a pass
MAX_VARIABLES_AT_ONCE = 200  # up to it the model is minimized in the weights of all vertices
PATIENCE = 30  # steps on one model without a smaller gap
MODEL_GAP = 0.01  # gap to which the model is minimized, as a share of that of f


class ModelSteps(OwnSteps):
    """Base of methods that step toward the minimizer of a quadratic model over the region."""

    inner_steps: int

    @abstractmethod
    def hessian(self, state: State) -> Array:
        """Hessian of the model at the current point."""

    @abstractmethod
    def search(self, along: Along, upper: float) -> float:
        """Step size in [0, upper] toward the model's minimizer."""

    def enough(self, gap: float, fall: float) -> float:
        """Gap to which the model is minimized, by the gap of f and the fall of the model so far."""
        return MODEL_GAP * gap

    def advance(self, state: State) -> None:
        """Minimize the model, search toward its minimizer, then evaluate."""
        x = state.x
        if state.model_gap <= 0.5 * state.gap:  # the rest is rounding, and hides any progress
            state.step = 0.0
            state.iterate.jump(x)
        else:
            with one_thread():
                H = self.hessian(state)
                y = self._minimizer(state, H, x)
            self._go(state, np.asarray(y, dtype=state.problem.objective.dtype))
        state.k += 1
        self.evaluate(state)

    def _go(self, state: State, y: Array) -> None:
        """Move toward the model's minimizer y by a line search."""
        objective, z = state.problem.objective, state.iterate.image
        ahead = np.empty_like(z)
        objective.image(y, ahead)
        dz = ahead - z
        t = state.step = self.search(state.line(dz), objective.max_step(z, dz, 1.0))
        state.iterate.approach(y, ahead, t)

    def _minimizer(self, state: State, H: Array, x: Array) -> Array:
        """Approximate minimizer of <g, y> + (y - x)' H (y - x) / 2 over the region."""
        g = state.gradient.astype(np.float64)
        region = state.problem.region
        quick = region.quadratics
        y = None if quick is None else quick.quadratic_step(H, g, x)
        if y is None and region.sparse_atoms and x.size <= MAX_VARIABLES_AT_ONCE:
            y = over_vertices(region, H, g, x.astype(np.float64), MODEL_GAP * state.model_gap)
            state.oracle_calls += 1
        if y is not None:
            return y
        problem = Problem(Quadratic(0.5 * (H + H.T), g - H @ x, convex=True), region)
        here = problem.objective(x)
        first: Method = working_set() if region.sparse_atoms else interior_point()
        y, lowest = x, here
        for inner in (first, fully_corrective()):
            if inner.accepts(problem) is not None:
                continue
            now = self._model_state(inner, problem, y, here, state)
            if now.value < lowest or y is x:
                y, lowest = region.inside(np.asarray(now.x)), now.value
            if lowest < here or now.gap <= MODEL_GAP * state.model_gap:  # a path may end before
                break
        return y

    def _model_state(
        self, inner: Method, problem: Problem, start: Array, here: float, state: State
    ) -> State:
        """Run a method on the model, whose value at x is `here`, until its gap is small enough."""
        inside = problem.region.contains(start)  # in single precision it may be just outside
        now = inner.init(problem, start if inside else None)
        rounding = value_rounding(state)
        best, since = now.gap, 0
        while now.k < self.inner_steps and not now.spent:
            enough = self.enough(state.model_gap, here - now.value)
            minimal = now.gap <= rounding or (now.gap <= enough and now.value < here)
            if minimal or state.due() or since == PATIENCE:
                break
            inner.advance(now)
            best, since = (now.gap, 0) if now.gap < best else (best, since + 1)
        state.oracle_calls += now.oracle_calls
        return now


@dataclass(frozen=True)
class SecondOrder(ModelSteps):
    """Second-order conditional gradients; made by :func:`~frankwolfe.methods.second_order`."""

    inner_steps: int
    name: str = "second-order FW"
    reference: str = references.NEWTON_FW
    patience = 5

    def accepts(self, problem: Problem) -> str | None:
        """None if f has second derivatives and few variables; else why not."""
        objective = problem.objective
        refusal = without_curvature(self.name, problem)
        if refusal is not None:
            return refusal
        if objective.n > MAX_VARIABLES:
            return (
                f"second_order() forms a Hessian of {objective.n} x {objective.n}, and takes at "
                f"most {MAX_VARIABLES} variables: use working_set() or fully_corrective()."
            )
        return None

    def init(self, problem: Problem, x0: Start = None) -> State:
        check_accepted(self, problem)
        return self.begin(problem, problem.start(x0), Memory())

    def hessian(self, state: State) -> Array:
        second = state.problem.objective.second_order
        assert second is not None  # `accepts` has asked
        return second.full_hessian(state.iterate.image)

    def search(self, along: Along, upper: float) -> float:
        return full_or_newton(along, upper)


def second_order(inner_steps: int = 200) -> SecondOrder:
    r"""Second-order conditional gradients, for few variables and much data.

    .. code-block:: text

        for k = 0, 1, ...
            H <- Hessian of f at x_k                       (one pass over the data)
            y <- argmin over C of <g, y> + (y - x_k)' H (y - x_k) / 2
            x_{k+1} <- x_k + gamma (y - x_k)               (line search)

    The model is minimized without touching the data: over the ball of a norm by Newton's method
    on its conditions, where vertices are coordinates by a working set, elsewhere by interior
    points or, where the region is known by its oracle alone, by a corrective method. The number
    of steps does not depend on how badly the data are scaled.

    Parameters
    ----------
    inner_steps : int
        Most steps on one model.

    References
    ----------
    A. Carderera and S. Pokutta, *Second-order Conditional Gradient Sliding*, 2020;
    D. Liu, V. Cevher and Q. Tran-Dinh, *A Newton Frank-Wolfe Method for Constrained
    Self-Concordant Minimization*, Journal of Global Optimization, 2022.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> A, b = fw.datasets.pima().paper()
    >>> f = fw.Huber(A, b, delta=0.5)
    >>> result = fw.minimize(f, fw.L2Ball(35.0), method=fw.methods.second_order(), tol=1e-10)
    >>> result.success, result.nit < 15
    (True, True)
    """
    return SecondOrder(at_least_one("inner_steps", inner_steps))
