"""Conditional gradient sliding: few gradients, many oracle calls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import REFRESH, OwnSteps, beyond, check_accepted
from frankwolfe.methods.parts.models import Mean

__all__ = ["Sliding", "sliding"]


@dataclass(slots=True)
class _Projection(Memory):
    """Inner problem: minimize <g, u> + beta/2 |u - x_{k-1}|^2 over C, up to a gap of eta."""

    smoothness: float
    diameter: float
    gradient: Array  # g, at z_k
    center: Array  # x_{k-1}
    point: Array  # u
    image: Array  # of x_{k-1}
    oracle: Memory  # of the region, for the inner problem
    mean: Mean  # of the tangents at z_1, ..., z_k
    outer: int = 1  # k
    value: float = 0.0  # f(z_k)
    inner: float = 0.0  # <g, z_k>

    @property
    def gamma(self) -> float:
        """Outer step size gamma_k = 3/(k+2)."""
        return 3.0 / (self.outer + 2.0)

    @property
    def beta(self) -> float:
        """Proximal weight beta_k = 3L/(k+1)."""
        return 3.0 * self.smoothness / (self.outer + 1.0)

    @property
    def eta(self) -> float:
        """Gap to which the inner problem is solved, eta_k = L D^2 / (k (k+1))."""
        k = self.outer
        return self.smoothness * (self.diameter * self.diameter) / (k * (k + 1.0))

    def slope(self) -> Array:
        """Gradient g + beta (u - x_{k-1}) of the inner problem at u."""
        return self.gradient + self.beta * (self.point - self.center)

    def step(self, atom: Atom, gap: float) -> None:
        """Exact line search of the inner problem from u toward the atom, with the gap `gap`."""
        toward = -self.point
        atom.add_to(toward, 1.0)
        curvature = self.beta * float(toward.dot(toward))
        alpha = min(1.0, gap / curvature) if curvature > 0.0 else 1.0
        self.point *= 1.0 - alpha
        atom.add_to(self.point, alpha)


@dataclass(frozen=True)
class Sliding(OwnSteps):
    """Conditional gradient sliding; made by :func:`sliding`."""

    name: str = "conditional gradient sliding"
    reference: str = references.SLIDING
    monotone = False

    def accepts(self, problem: Problem) -> str | None:
        """None for vectors whose smoothness constant and diameter are known; else why not."""
        if not isinstance(problem.objective.shape, int):
            return (
                "conditional gradient sliding projects vectors, not matrices: use frank_wolfe() "
                "or hybrid()."
            )
        if not problem.objective.everywhere:
            return beyond(self.name)
        if problem.smoothness is None:
            return (
                "conditional gradient sliding needs a smoothness constant: pass "
                "Function(..., smoothness=L), or use frank_wolfe(Backtracking()), which finds one."
            )
        try:
            _ = problem.diameter
        except InvalidInput as unknown:
            return str(unknown)
        return None

    def init(self, problem: Problem, x0: Start = None) -> State[_Projection]:
        check_accepted(self, problem)
        objective, smoothness = problem.objective, problem.smoothness
        assert smoothness is not None
        x = problem.start(x0)
        inner = _Projection(
            *(smoothness, problem.diameter, np.empty_like(x), x.copy(), x.copy()),
            objective.new_image(),
            problem.region.oracle_memory(objective.shape, objective.dtype),
            Mean.empty(problem),
        )
        state = State(problem, x, inner)
        inner.image[:] = state.iterate.image
        self._linearize(state, inner)  # z_1 = x_0, for gamma_1 = 1
        self._certify(state, inner, inner.value)
        return state

    def advance(self, state: State[_Projection]) -> None:
        """Make one step of the inner problem or, where that is solved, one of the outer method."""
        inner = state.memory
        g = inner.slope()
        accuracy = Accuracy(0.0, np.inf, 1.0, 0)
        atom, support, _ = state.problem.region.inexact_lmo(g, inner.oracle, accuracy)
        state.oracle_calls += 1
        here = float(g.dot(inner.point))
        rounding = 8.0 * float(np.finfo(g.dtype).eps) * (abs(here) + abs(support))
        state.step = 0.0
        if here - support > max(inner.eta, rounding):  # eta falls like 1/k^2, rounding does not
            inner.step(atom, here - support)
        else:
            self._move(state, inner)
        state.k += 1

    def _move(self, state: State, inner: _Projection) -> None:
        """Outer step y_k <- (1 - gamma_k) y_{k-1} + gamma_k x_k; its gap, and the next gradient."""
        gamma = state.step = inner.gamma
        inner.center[:] = inner.point  # x_k
        state.problem.objective.image(inner.center, inner.image)
        iterate = state.iterate
        iterate.shift(1.0 - gamma, (), inner.image - iterate.image, gamma)
        iterate.point.add(gamma, inner.center)
        if inner.outer % REFRESH == 0:
            iterate.refresh()
        self._certify(state, inner, state.value_here())
        inner.outer += 1
        self._linearize(state, inner)

    def _linearize(self, state: State, inner: _Projection) -> None:
        """Take the tangent of f at z_k = (1 - gamma_k) y_{k-1} + gamma_k x_{k-1}."""
        image = state.iterate.image + inner.gamma * (inner.image - state.iterate.image)
        inner.value, inner.inner = state.linearize(image, inner.gradient)

    def _certify(self, state: State, inner: _Projection, value: float) -> None:
        """Set value and gap at y_k, by the mean of the tangents at z_1, ..., z_k."""
        mean = inner.mean
        mean.fresh[:] = inner.gradient
        mean.take(inner.value, inner.inner, inner.gamma)
        state.value, state.tangent = value, False
        mean.show(state)
        support, error = state.ask(tangent=False, between=0)
        state.certify(support, error)


def sliding() -> Sliding:
    r"""Conditional gradient sliding: an accelerated method whose projections are FW runs.

    .. code-block:: text

        for k = 1, 2, ...        gamma = 3/(k+2),  beta = 3L/(k+1),  eta = L D^2 / (k(k+1))
            z_k <- (1 - gamma) y_{k-1} + gamma x_{k-1}
            x_k <- argmin over C of <grad f(z_k), u> + beta/2 |u - x_{k-1}|^2,
                   by Frank-Wolfe steps from x_{k-1} until the inner gap is at most eta
            y_k <- (1 - gamma) y_{k-1} + gamma x_k

    For an error eps it needs :math:`O(1/\sqrt\varepsilon)` gradients and, like Frank-Wolfe,
    :math:`O(1/\varepsilon)` oracle calls: for objectives whose gradient is expensive. An iteration
    here is one oracle call of the inner problem, so y moves in some of them only (the rule
    ``Settled`` does not suit it); ``njev`` counts the gradients. The gap is that of the averaged
    tangents at the points z, and costs one call more whenever y moves. L and the diameter D
    must be known, and the constants made of them are cautious: on problems of a few hundred
    variables it was mostly no better than :func:`frank_wolfe`, gradient for gradient.

    References
    ----------
    G. Lan and Y. Zhou, *Conditional Gradient Sliding for Convex Optimization*, SIAM Journal
    on Optimization 26(2), 2016, with the constants that need no number of steps in advance.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [1.0, 2.0, 3.0], reduction="sum")
    >>> result = fw.minimize(f, fw.L2Ball(1.0), method=fw.methods.sliding(), tol=1e-4)
    >>> result.success, result.certified, result.njev < result.nlmo
    (True, True, True)
    """
    return Sliding()
