"""Which method a problem gets where the caller names none."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.problem import Problem
from frankwolfe.methods import (
    METHODS,
    afw,
    blended_conditional_gradients,
    blended_pairwise,
    decomposition_invariant,
    frank_wolfe,
    pairwise,
    partan,
)
from frankwolfe.methods.base import Method, without_curvature
from frankwolfe.methods.bfgs import bfgs
from frankwolfe.methods.corrective.corrective import WorkingSet, fully_corrective, working_set
from frankwolfe.methods.corrective.squares import squares
from frankwolfe.methods.frank_wolfe import FrankWolfe
from frankwolfe.methods.interior import InteriorPoint, interior_point
from frankwolfe.methods.matrix.hybrid import hybrid
from frankwolfe.methods.matrix.interior import matrix_interior
from frankwolfe.methods.parts.base import Step
from frankwolfe.methods.parts.steps import Backtracking, ExactLineSearch
from frankwolfe.methods.projection import ProjectionMethod, projection
from frankwolfe.methods.quasi_newton import QuasiNewton, quasi_newton
from frankwolfe.methods.relay import relay
from frankwolfe.methods.second_order import second_order
from frankwolfe.methods.watchful import Leg, Watchful
from frankwolfe.regions import Region

__all__ = ["best_for", "named"]

STEPS = 150  # in which a method with cheap steps has to halve the gap
NEWTON = 12  # the same for one that uses second derivatives
LONG = 2000  # and for slow steps that go on after all else
BRIEF = 6  # and for cheap steps before a Hessian is formed
PATH = 100  # and for interior points, which say themselves when they are at their end
MANY = 100  # variables from which on, where rows are few, parts of a region are too wide
NARROW = 1000  # variables up to which interior points are quicker than oracles that cost much
ATOMS, IMAGES = 500, 2e8  # images of so many atoms are kept where they are so many numbers at most
FEW = 50  # variables up to which a Hessian costs little
SOME = 200  # the same where the data are sparse, and one costs little more than a gradient


OTHERS = (Leg(interior_point(), PATH, final=True), Leg(fully_corrective(), STEPS))
SLOW = {
    "relay": Leg(relay(), LONG),
    "pairs, exact": Leg(blended_pairwise(ExactLineSearch()), LONG),
    "pairs, backtracking": Leg(blended_pairwise(Backtracking()), LONG),
    "AFW": Leg(afw(), LONG),
}


def best_for(problem: Problem, *, patient: bool = True) -> Method:
    """The default method for a problem, by what its two sides say of themselves.

    - Matrix completion over the nuclear ball or a spectraplex: the hybrid with a local search on
      the factors; where it stalls over a small spectraplex, interior points.
    - A squared distance (SquaredError with the identity) over a region that can project: that
      point.
    - Vertices that are single coordinates (L1Ball, simplices), boxes (Box, LInfBall) and the
      GroupBall: the working-set method, which reads all the data a handful of times;
      second-order steps where vertices are coordinates, there are few variables and the data
      are sparse.
    - KSparse, hypersimplices and the CappedSimplex: a few decomposition-invariant steps, and the
      working-set method where these do not do; fully corrective steps where rows are few and
      vertices have many entries.
    - Other polytopes: fully corrective steps; interior points where there are few variables, and
      the oracle is a linear program. Blended pairwise steps, or decomposition-invariant ones, where
      there are so many rows that the images of atoms are not to be kept.
    - The ball of a norm: second-order steps for few variables (some more where the data are
      sparse), however badly they are scaled;
      quasi-Newton steps where an observation has several predictions (Multinomial), or the
      data are on a device;
      elsewhere PARTAN first, then boosted and second-order steps (relay). The fully corrective
      method over other curved regions with flat faces.

    - Where such a method has not halved the certified gap for a number of steps, interior points
      go on, or fully corrective steps where the region is known by its oracle alone
      (:class:`~frankwolfe.methods.watchful.Watchful`): columns of very different scale, or losses
      with narrow bends, are no harder for these. They begin over wide boxes, where rows are few,
      and over products with curved parts.
    - Last, where `patient`, many cheap steps, which factor no matrix: blended pairwise steps over
      other polytopes, AFW over other regions, PARTAN and boosted ones over the ball of a norm.

    Without second derivatives (a plain function): blended pairwise steps over a polytope,
    decomposition-invariant ones over a box, AFW where a curved region has flat faces,
    Frank-Wolfe elsewhere, with backtracking; pairwise steps where f is not finite everywhere
    and the region has flat faces. Where these stall and variables are few, steps on a model
    learned from the gradients go on (:func:`~frankwolfe.bfgs`). Without convexity: Frank-Wolfe
    with a line search.

    Rounds of an outer method are not patient: it can change the problem instead.
    ``docs/methods.md`` has the measurements.
    """
    first = _first_for(problem)
    if isinstance(first, ProjectionMethod):
        rest = Leg(fully_corrective(), NEWTON), *OTHERS  # where the nearest point was not found
        return Watchful((Leg(first, 0), *rest)) if problem.region.iterates_to_project else first
    if matrix_interior().accepts(problem) is None:
        return Watchful((Leg(first, NEWTON), Leg(matrix_interior(), PATH)))
    if without_curvature("", problem) is not None:
        learning = Leg(bfgs(), STEPS, inward=True), Leg(squares(), STEPS)
        if problem.objective.twice_differentiable or squares().accepts(problem) is not None:
            return first
        # the first again, for functions with bends that no quadratic model has
        return Watchful((Leg(first, STEPS), *learning, Leg(first, LONG)))
    if isinstance(first, InteriorPoint):
        return Watchful((Leg(first, PATH), OTHERS[1]))
    last = (_slow(problem),) if patient else ()
    return Watchful((*_legs(first, problem.region), *OTHERS, *last))


def _slow(problem: Problem) -> Leg:
    """Many cheap steps, which need no Hessian, after all else; no plateau of the gap ends them."""
    if problem.region.offers(Region.quadratic_step):
        return SLOW["relay"]
    step = "exact" if problem.objective.cheap_line_search else "backtracking"
    return SLOW["pairs, " + step] if problem.region.polytope else SLOW["AFW"]


def _legs(first: Method, region: Region) -> tuple[Leg, ...]:
    """The one that begins, with its patience; before parts of faces, steps that cost little."""
    if isinstance(first, WorkingSet) and _has_other_faces(region):
        return Leg(decomposition_invariant(), BRIEF), Leg(first, NEWTON)
    cheap = isinstance(first, (FrankWolfe, QuasiNewton))
    return (Leg(first, STEPS if cheap else NEWTON),)


def _first_for(problem: Problem) -> Method:
    """The one that begins."""
    objective, region = problem.objective, problem.region
    if objective.most_terms:  # a factored matrix
        free = region.factoring is not None
        return hybrid() if free else frank_wolfe(ExactLineSearch())
    if objective.distance_to() is not None and region.offers(Region.project):
        return projection()
    step = ExactLineSearch() if objective.cheap_line_search else Backtracking()
    if not objective.convex:
        return frank_wolfe(step)
    if not objective.everywhere:
        return pairwise(step) if region.flat_faces else frank_wolfe(step)
    if region.offers(Region.part) and working_set().accepts(problem) is None:
        return _in_parts(problem)
    return _over_polytope(problem, step) if region.polytope else _over_curved(problem, step)


def _in_parts(problem: Problem) -> Method:
    """Over a region that offers parts of itself; where rows are few, parts may be too wide."""
    region, rows = problem.region, problem.objective.m
    if problem.n < max(2 * rows, MANY):
        return working_set()
    if region.boxlike:
        return interior_point() if interior_point().accepts(problem) is None else working_set()
    wide = _has_other_faces(region) and _entries(region, problem.n) > MANY
    return fully_corrective() if wide else working_set()


def _has_other_faces(region: Region) -> bool:
    """Whether its vertices have many entries, chosen together, and faces are cheap."""
    return region.many_vertices and region.vertex_faces and not region.boxlike


def _entries(region: Region, n: int) -> int:
    """How many entries a vertex has."""
    return int(np.count_nonzero(region.ask(-np.ones(n)).dense(n)))


def _over_curved(problem: Problem, step: Step) -> Method:
    objective, region = problem.objective, problem.region
    twice, few = objective.twice_differentiable, SOME if objective.sparse else FEW
    if not region.strictly_convex:
        if region.blocks and interior_point().accepts(problem) is None:
            return interior_point()
        return fully_corrective() if twice else afw()
    if region.trust_region and twice and problem.n <= few:
        return second_order()
    if not twice:
        return frank_wolfe(step)
    several = objective.intercepts > 1 or not objective.place.here  # trials cost as much as steps
    if region.trust_region and several and objective.everywhere:  # a step is one of L-BFGS
        return quasi_newton()
    return relay() if region.offers(Region.quadratic_step) else partan()


def _over_polytope(problem: Problem, step: Step) -> Method:
    objective, region = problem.objective, problem.region
    if region.sparse_atoms and objective.twice_differentiable:
        few = objective.sparse and problem.n <= SOME
        return second_order() if few else working_set()
    if objective.intercepts > 1 and interior_point().accepts(problem) is None:
        return interior_point()  # a line search over several predictions costs as much as a step
    if objective.twice_differentiable and objective.m * min(problem.n, ATOMS) <= IMAGES:
        dear = region.costly_oracle and problem.n <= NARROW
        inside = dear and interior_point().accepts(problem) is None
        return interior_point() if inside else fully_corrective()
    if not (region.many_vertices and region.vertex_faces):
        return blended_pairwise(step)
    return blended_conditional_gradients(step) if region.costly_faces else decomposition_invariant()


def named(name: str) -> Method:
    """The method of that name, with its default parameters."""
    if name not in METHODS:
        raise InvalidInput(f"method must be one of {', '.join(sorted(METHODS))}, got {name!r}.")
    return METHODS[name]()
