"""Fully corrective methods: all weights are chosen anew between oracle calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe import references
from frankwolfe.checks import at_least_one
from frankwolfe.method import FrankWolfe, OwnSteps, check_accepted, without_curvature
from frankwolfe.parts.directions import start_atoms
from frankwolfe.pool import Pool
from frankwolfe.problem import Problem
from frankwolfe.state import State

__all__ = ["Corrective", "fully_corrective", "working_set"]

LOOK = FrankWolfe()
SHARE = 1e-3  # of the gap, to which the restricted problem is solved
FIRST = 25  # vertices taken in by the first look; twice as many by each one after it
NEWTON = 50  # steps on one restricted problem, at most


@dataclass(frozen=True)
class Corrective(OwnSteps):
    """See :func:`fully_corrective` and :func:`working_set`."""

    several: int
    name: str
    reference: str
    patience = 5

    def accepts(self, problem: Problem) -> str | None:
        """None where second derivatives are at hand, and the region's vertices fit."""
        refusal = without_curvature(self.name, problem)
        if refusal is not None:
            return refusal
        if self.several > 1 and not problem.region.sparse_atoms:
            return (
                f"{self.name} needs a region whose vertices are single coordinates, such as "
                f"L1Ball or Simplex, not {problem.region!r}: use fully_corrective() or "
                "blended_pairwise()."
            )
        return None

    def init(self, problem: Problem, x0: Any = None) -> State:
        """The state at the start, looked at."""
        check_accepted(self, problem)
        pool = Pool(problem.objective)
        x = start_atoms(problem, x0, pool.kept)
        state = State(problem, x, {**LOOK.memory(problem), "direction": pool})
        LOOK.look(state)
        return state

    def advance(self, state: State) -> None:
        """More atoms, all weights anew, then look."""
        pool = state.memory["direction"]
        assert isinstance(pool, Pool)
        region = state.problem.region
        support = int(np.count_nonzero(pool.weights))
        if len(pool.kept) > 3 * max(self.several, support):
            pool.keep(pool.weights > 0.0)
        # few at first, for an easy problem needs no more
        count = min(self.several, FIRST * 2 ** min(state.k, 20))
        count = max(count, support) if self.several > 1 else 1
        atoms = [state.atom] if count == 1 else region.several(state.gradient, count)
        pool.add([atom for atom in atoms if atom.dot(state.gradient) < state.above])
        rounding = 1e-15 * (abs(state.value) + abs(state.above))
        enough = max(SHARE * state.model_gap, rounding)
        image = pool.correct(state.iterate.image, enough, NEWTON, state.count_trial)
        state.iterate.jump(pool.kept.point(), image)
        state.step = 1.0
        state.k += 1
        LOOK.look(state)


def fully_corrective() -> Corrective:
    r"""Fully corrective Frank-Wolfe: f is minimized over the hull of the atoms seen.

    .. code-block:: text

        for k = 0, 1, ...
            s <- argmin over C of <grad f(x_k), s>,    S <- S + {s}
            x_{k+1} <- argmin over the hull of S of f,  S <- atoms with weight

    The restricted problem is solved by Newton's method; its quadratic models by an active-set
    method over the simplex of weights (P. Wolfe's nearest-point algorithm). Neither touches A.

    References
    ----------
    C. A. Holloway, *An extension of the Frank and Wolfe method of feasible directions*, 1974;
    S. Lacoste-Julien and M. Jaggi, *On the Global Linear Convergence of Frank-Wolfe
    Optimization Variants*, NeurIPS 2015.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(3), [0.6, 0.3, -0.4], reduction="sum")
    >>> result = fw.minimize(f, fw.Simplex(), method=fw.fully_corrective(), tol=1e-12)
    >>> result.x.round(6), result.nit
    (array([0.65, 0.35, 0.  ]), 1)
    """
    return Corrective(1, "fully corrective FW", references.AWAY)


def working_set(several: int = 100) -> Corrective:
    r"""A fully corrective method that takes in many vertices at once.

    .. code-block:: text

        for k = 0, 1, ...
            S <- S + the best vertices for grad f(x_k), several hundred of them
            x_{k+1} <- argmin over the hull of S of f

    For regions whose vertices are single coordinates (L1Ball, Simplex, UnitSimplex): one
    gradient gives the best vertices at once, and each needs one column of A. A run looks at
    all of A a handful of times.

    Parameters
    ----------
    several : int
        Vertices taken in at a time, after some looks with fewer; as many as have weight where
        these are more.

    References
    ----------
    M. Massias, A. Gramfort and J. Salmon, *Celer: a Fast Solver for the Lasso with Dual
    Extrapolation*, ICML 2018, for working sets of that kind; see :func:`fully_corrective`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> A = rng.standard_normal((100, 1000))
    >>> f = fw.SquaredError(A, A[:, :5].sum(axis=1))
    >>> result = fw.minimize(f, fw.L1Ball(4.0), method=fw.working_set(), tol=1e-12)
    >>> result.success, result.nit < 10
    (True, True)
    """
    return Corrective(at_least_one("several", several), "working-set FW", references.AWAY)
