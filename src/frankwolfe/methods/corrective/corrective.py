"""Fully corrective Frank-Wolfe and working sets: each step minimizes over all atoms kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from frankwolfe.base.checks import at_least_one
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import REFRESH, OwnSteps, check_accepted, without_curvature
from frankwolfe.methods.corrective.policy import POLICY, wanted_gap
from frankwolfe.methods.corrective.pool import Pool
from frankwolfe.methods.corrective.restricted import RestrictedVariables, restricted_step
from frankwolfe.methods.parts.directions import start_atoms

__all__ = ["Corrective", "WorkingSet", "fully_corrective", "working_set"]


class AtomBudget(NamedTuple):
    """Number of atoms that step k takes in: first * growth^k, at most `most`."""

    most: int
    first: int
    growth: int


@dataclass(frozen=True)
class Corrective(OwnSteps):
    """Corrective steps over a pool of atoms; made by `fully_corrective`."""

    several: int
    name: str
    reference: str
    patience = 5

    def accepts(self, problem: Problem) -> str | None:
        """None for a convex f of a vector with second derivatives; else why not."""
        return without_curvature(self.name, problem)

    def init(self, problem: Problem, x0: Start = None) -> State:
        check_accepted(self, problem)
        pool = Pool(problem.objective)
        x = start_atoms(problem, x0, pool.kept)
        pool.open()
        return self.begin(problem, x, pool, pool.kept)

    def _budget(self, state: State) -> AtomBudget:
        """Schedule of atoms to take in: few at first, for an easy problem needs no more."""
        if self.several == 1:
            return AtomBudget(1, 1, 1)
        if state.problem.objective.distant:  # each time costs a round: many at once
            most = POLICY.distant_factor * self.several
            return AtomBudget(most, POLICY.distant_first_atoms, 4)
        return AtomBudget(self.several, POLICY.first_atoms, 2)

    def advance(self, state: State[Pool]) -> None:
        """Take in atoms, minimize over all weights, then evaluate."""
        pool, region, before = state.memory, state.problem.region, state.value
        # vertices must stay what they are; other atoms come closer when f has not fallen
        vertices = region.polytope and region.formulation is not None
        if state.step == 0.0 and not vertices:
            pool.draw_together(POLICY.drawn_share)
        support = int(np.count_nonzero(pool.kept.weights))
        room = self._budget(state)
        if len(pool.kept) > 3 * max(room.most, support):
            pool.keep(pool.kept.weights > 0.0)
        count = min(room.most, room.first * room.growth ** min(state.k, 20))
        count = max(count, support) if self.several > 1 else 1
        if max(len(pool.kept) + count, 2 * support) > POLICY.max_atoms:
            if not state.spent:  # a chain of methods then hands over to its next one
                state.spent, state.step = True, 0.0
                state.k += 1
                return
            pool.condense()
            count = min(count, POLICY.max_atoms)
        atoms = [state.atom] if count == 1 else region.several(state.gradient, count)
        pool.add([atom for atom in atoms if atom.dot(state.gradient) < state.above])
        image = pool.correct(state.iterate.image, wanted_gap(state), state.line, state.due)
        state.iterate.jump(pool.kept.point(), image)
        state.k += 1
        self.evaluate(state)
        state.step = 1.0 if vertices or state.value < before else 0.0


@dataclass(frozen=True)
class WorkingSet(OwnSteps):
    """Corrective steps in a working set; made by :func:`~frankwolfe.methods.working_set`."""

    several: int
    name: str = "working-set FW"
    reference: str = references.AWAY
    patience = 5

    def accepts(self, problem: Problem) -> str | None:
        """None for a twice differentiable f over a region that can be restricted; else why not."""
        refusal, region = without_curvature(self.name, problem), problem.region
        if refusal is not None or region.sparse_atoms:
            return refusal
        restriction = region.restriction
        if restriction is None:
            return (
                f"{self.name} needs a region whose vertices are single coordinates, such as "
                "L1Ball or Simplex, or a Box, GroupBall, Hypersimplex or KSparse, not "
                f"{region!r}: use fully_corrective() or blended_pairwise()."
            )
        if restriction.together > POLICY.max_variables:
            return (
                f"{self.name} forms the Hessian of a group, and takes groups of at most "
                f"{POLICY.max_variables} variables: use fully_corrective()."
            )
        return None

    def init(self, problem: Problem, x0: Start = None) -> State:
        check_accepted(self, problem)
        if problem.region.sparse_atoms:
            return self._vertices.init(problem, x0)
        return self.begin(problem, problem.start(x0), RestrictedVariables(problem.objective))

    def advance(self, state: State) -> None:
        """Make a corrective step, then evaluate."""
        if state.problem.region.sparse_atoms:
            self._vertices.advance(state)
            return
        restricted_step(state, self.several)
        state.k += 1
        if state.k % REFRESH == 0:
            state.iterate.refresh()
        self.evaluate(state)

    @property
    def _vertices(self) -> Corrective:
        """Method for regions whose vertices are single coordinates."""
        return Corrective(self.several, self.name, self.reference)


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
    >>> result = fw.minimize(f, fw.Simplex(), method=fw.methods.fully_corrective(), tol=1e-12)
    >>> result.x.round(6), result.nit
    (array([0.65, 0.35, 0.  ]), 1)
    """
    return Corrective(1, "fully corrective FW", references.AWAY)


def working_set(several: int = 100) -> WorkingSet:
    r"""A fully corrective method in a few vertices, variables or groups at once.

    .. code-block:: text

        for k = 0, 1, ...
            S <- S + the best for grad f(x_k), several hundred of them
            x_{k+1} <- argmin of f over what S spans of the region

    One gradient says which are best, and each needs one column of A: the restricted problem is
    solved by Newton's method without touching the rest, and a run reads all of A a handful
    of times. What S holds, and how its quadratic models are minimized:

    - Vertices that are single coordinates (L1Ball, Simplex, UnitSimplex): vertices, whose hull
      is searched by an active-set method.
    - Box, LInfBall: variables that can move, which the gradient does not hold on a bound, while
      the others stay; by projected Newton steps. As long as they are many, steps of all
      variables against the gradient, cut at the bounds, put most of them there; with more than
      2000 that can move there are only such steps.
    - GroupBall: groups, those that are not zero and the best others; by Newton's method on the
      sphere.
    - Hypersimplices, CappedSimplex, KSparse: entries between their bounds, and the best of those
      that leave one; by an active-set method that knows of their sum.

    Parameters
    ----------
    several : int
        Vertices or groups taken in at a time, after some steps with fewer; as many as have
        weight where these are more. Over a box, the number of variables that are few.

    References
    ----------
    M. Massias, A. Gramfort and J. Salmon, *Celer: a Fast Solver for the Lasso with Dual
    Extrapolation*, ICML 2018, for working sets of that kind; D. P. Bertsekas, *Projected Newton
    Methods for Optimization Problems with Simple Constraints*, SIAM Journal on Control and
    Optimization 20, 1982, for boxes; see :func:`~frankwolfe.methods.fully_corrective`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> A = rng.standard_normal((100, 400))
    >>> f = fw.SquaredError(A, A[:, :5].sum(axis=1))
    >>> regions = fw.L1Ball(4.0), fw.Box(0.0, 0.8), fw.GroupBall(np.arange(400) // 5, 2.0)
    >>> results = [fw.minimize(f, r, method=fw.methods.working_set(), tol=1e-12) for r in regions]
    >>> [(result.success, result.nit < 10) for result in results]
    [(True, True), (True, True), (True, True)]
    """
    return WorkingSet(at_least_one("several", several))
