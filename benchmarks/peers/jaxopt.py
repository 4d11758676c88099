"""jaxopt in double precision: projected gradient in one compiled loop, and its projections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from suite.problem import Problem

from peers.base import Budget, Solver


def _projection(problem: Problem) -> Callable[[Any, Any], Any]:
    import jax.numpy as jnp
    from jaxopt import projection

    region = problem.region
    if region.name == "l2":
        return lambda x, _: projection.projection_l2_ball(x, region.radius)
    if region.name == "l1":
        return lambda x, _: projection.projection_l1_ball(x, region.radius)
    if region.name == "simplex":
        return lambda x, _: projection.projection_simplex(x, region.radius)
    if region.name == "ksparse":  # the l1 bound binds at the optimum, as a box section has it
        box = (jnp.zeros(problem.n), jnp.full(problem.n, region.radius), jnp.ones(problem.n))
        total = region.k * region.radius
        return lambda x, _: (
            jnp.sign(x) * projection.projection_box_section(jnp.abs(x), (*box, total))
        )
    k = region.k
    return lambda x, _: projection.projection_birkhoff(x.reshape(k, k)).ravel()


def _data(problem: Problem) -> Any:
    """The matrix on the device; an argument, since a constant would be folded in compiling."""
    import jax.numpy as jnp
    from jax.experimental.sparse import BCSR

    if sp.issparse(problem.A):
        return BCSR.from_scipy_sparse(problem.A)
    return None if problem.A is None else jnp.asarray(problem.A)


def _function(problem: Problem) -> Callable[[Any, Any], Any]:
    import jax
    import jax.numpy as jnp

    loss = problem.loss
    b, w = jnp.asarray(loss.b), loss.weight

    def f(x: Any, A: Any) -> Any:
        z = x if A is None else A @ x
        if loss.name == "logistic":
            return w * jnp.sum(jax.nn.softplus(-b * z))
        r = z - b
        if loss.name == "squares":
            return 0.5 * w * jnp.vdot(r, r)
        c = jnp.clip(r, -loss.delta, loss.delta)
        return w * jnp.sum(c * (2 * r - c))

    return f


class Projected(Solver):
    """Accelerated projected gradient, jitted whole: line search, or the step 1/L."""

    package = "jaxopt"
    budget = "iterations"
    compiles = True

    def __init__(self, *, fixed: bool) -> None:
        self.fixed = fixed
        self.name = "jaxopt PG, 1/L" if fixed else "jaxopt PG"

    def skip(self, problem: Problem) -> str | None:
        if problem.region.name in {"nuclear", "birkhoff"}:
            return f"no cheap projection onto {problem.region.name}"
        return None

    def prepare(self, problem: Problem) -> None:
        import jax
        import jaxopt

        jax.config.update("jax_enable_x64", True)
        step = 1.0 / problem.lipschitz if self.fixed else 0.0
        solver = jaxopt.ProjectedGradient(
            _function(problem), _projection(problem), stepsize=step, tol=0.0, implicit_diff=False
        )

        def loop(x: Any, A: Any, count: Any) -> Any:
            def once(_: Any, pair: Any) -> Any:
                return tuple(solver.update(*pair, None, A))

            return jax.lax.fori_loop(0, count, once, (x, solver.init_state(x, None, A)))[0]

        self.loop = jax.jit(loop)
        self.x0, self.A = jax.numpy.asarray(problem.x0), _data(problem)

    def run(self, problem: Problem, budget: Budget) -> Any:
        return np.asarray(self.loop(self.x0, self.A, budget.iterations))


class Projection(Solver):
    """Its projection alone, where the problem is one."""

    name = "jaxopt projection"
    package = "jaxopt"
    compiles = True
    tolerances = (1e-10,)

    def skip(self, problem: Problem) -> str | None:
        if problem.A is not None or problem.cells is not None:
            return "for projections"
        return None

    def prepare(self, problem: Problem) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        project = _projection(problem)
        self.project = jax.jit(lambda p: project(p, None))
        self.p = jax.numpy.asarray(problem.loss.b)

    def run(self, problem: Problem, budget: Budget) -> Any:
        return np.asarray(self.project(self.p))


SOLVERS = (Projected(fixed=False), Projected(fixed=True), Projection())
