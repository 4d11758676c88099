"""The default method of a problem: two ordered tables, one for who begins and one for who follows.

``docs/choose_method.md`` is generated from them (``docs/default_tables.py``), and
``tests/methods/test_default_tables.py`` walks each row with a problem that meets it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.problem import Problem
from frankwolfe.core.region_abilities import Projector
from frankwolfe.methods import (
    METHODS,
    blended_conditional_gradients,
    blended_pairwise,
    decomposition_invariant,
    pairwise,
    partan,
)
from frankwolfe.methods.base import Method, without_curvature
from frankwolfe.methods.bfgs import bfgs
from frankwolfe.methods.chain import Chain, Halving, Stage
from frankwolfe.methods.classic import afw, frank_wolfe
from frankwolfe.methods.corrective.corrective import fully_corrective, working_set
from frankwolfe.methods.corrective.squares import squares
from frankwolfe.methods.interior import interior_point
from frankwolfe.methods.matrix.hybrid import hybrid
from frankwolfe.methods.matrix.interior import matrix_interior
from frankwolfe.methods.parts.base import Step
from frankwolfe.methods.parts.steps import Backtracking, ExactLineSearch
from frankwolfe.methods.projection import projection
from frankwolfe.methods.quasi_newton import quasi_newton
from frankwolfe.methods.relay import relay
from frankwolfe.methods.second_order import second_order

__all__ = ["FIRST", "NEXT", "POLICY", "Policy", "best_for", "named", "rows_for"]


@dataclass(frozen=True)
class Policy:
    """Thresholds of the default choice, each with its unit and its reason.

    They were set by trying a few values each on the 38 problems of
    ``benchmarks/studies/methods.py`` and on random problems of other sizes
    (``benchmarks/studies/random_problems.py``); ``docs/methods.md`` has what the default then
    takes beside every other method. None of them is sharp: half or twice as much changes times
    by less than the methods on both sides differ.

    Attributes
    ----------
    cheap_patience : int
        Iterations in which a method with cheap steps has to halve the gap; pairwise steps may
        need a hundred on a long face, and a step costs a few passes over z.
    newton_patience : int
        The same for a method with second derivatives, which halves the gap in a step or two, or
        is in trouble.
    last_patience : int
        The same for the cheap steps after all else: nobody follows, so they may be slow.
    brief_patience : int
        The same for cheap steps before a Hessian is formed: where they do, they do at once.
    path_patience : int
        The same for interior points, which say themselves when they are at their end.
    wide_variables : int
        Variables, and entries of a vertex, from which a problem restricted to some variables is
        as large as the whole one where observations are few.
    path_variables : int
        Variables up to which interior points, whose steps cost the cube of the smaller side,
        are quicker than many calls of an oracle that is a linear program.
    atoms : int
        Number of atoms whose images a corrective method is taken to keep.
    images : float
        Numbers in those images up to which they are kept: 1.6 GB in double precision.
    hessian_variables : int
        Variables up to which a Hessian of dense data costs little beside a few gradients.
    sparse_hessian_variables : int
        The same for sparse data, whose Hessian costs little more than one gradient.
    """

    cheap_patience: int = 150
    newton_patience: int = 12
    last_patience: int = 2000
    brief_patience: int = 6
    path_patience: int = 100
    wide_variables: int = 100
    path_variables: int = 1000
    atoms: int = 500
    images: float = 2e8
    hessian_variables: int = 50
    sparse_hessian_variables: int = 200


POLICY = Policy()


class Facts:
    """Properties of a problem that the rows of the tables ask for; each is found once."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.objective, self.region = problem, problem.objective, problem.region
        self.n, self.rows = problem.n, problem.objective.m

    @cached_property
    def step(self) -> Step:
        """The best step rule without curvature: a line search where its trials cost little."""
        return ExactLineSearch() if self.objective.cheap_line_search else Backtracking()

    @cached_property
    def twice(self) -> bool:
        """True if second derivatives are at hand."""
        return self.objective.second_order is not None

    @cached_property
    def curved(self) -> bool:
        """True for a convex f of a vector with second derivatives."""
        return without_curvature("", self.problem) is None

    @cached_property
    def nearest(self) -> Projector | None:
        """Projection onto the region, if f is a squared distance; else None."""
        return None if self.objective.distance_to() is None else self.region.projection

    @cached_property
    def restricts(self) -> bool:
        """True if the region can be restricted to some of its variables, for a working set."""
        known = self.region.restriction is not None
        return known and working_set().accepts(self.problem) is None

    @cached_property
    def path(self) -> bool:
        """True if interior points take the problem."""
        return interior_point().accepts(self.problem) is None

    @cached_property
    def wide(self) -> bool:
        """True if there are far more variables than observations."""
        return self.n >= max(2 * self.rows, POLICY.wide_variables)

    @cached_property
    def costly_faces(self) -> bool:
        """True if a vertex of a face costs about as much as a costly oracle."""
        return self.region.faces is not None and self.region.faces.costly_faces

    @cached_property
    def other_faces(self) -> bool:
        """True if vertices have many entries, chosen together, and faces are cheap."""
        region = self.region
        return region.many_vertices and region.faces is not None and not self.boxlike

    @cached_property
    def boxlike(self) -> bool:
        """True if entries have bounds of their own."""
        return self.region.entry_bounds is not None

    @cached_property
    def long_vertices(self) -> bool:
        """True if a vertex has many entries."""
        vertex = self.region.ask(-np.ones(self.n)).dense(self.n)
        return int(np.count_nonzero(vertex)) > POLICY.wide_variables

    @cached_property
    def coordinates(self) -> bool:
        """True if vertices are single coordinates and second derivatives are at hand."""
        return self.region.polytope and self.region.sparse_atoms and self.twice

    @cached_property
    def factored(self) -> bool:
        """True if x is a matrix kept as its factors."""
        return self.objective.factors is not None

    @cached_property
    def scores(self) -> bool:
        """True if an observation has several scores: a line search costs as much as a step."""
        return self.objective.intercepts > 1

    @cached_property
    def few(self) -> bool:
        """True if there are so few variables that a Hessian costs little."""
        most = POLICY.hessian_variables
        return self.n <= (POLICY.sparse_hessian_variables if self.objective.sparse else most)

    @cached_property
    def keeps_images(self) -> bool:
        """True if the images of all atoms of a corrective method can be kept."""
        return self.rows * min(self.n, POLICY.atoms) <= POLICY.images

    @cached_property
    def dear_trials(self) -> bool:
        """True if trials of a line search cost as much as steps: several scores, or a device."""
        return self.scores or not self.objective.place.here

    @cached_property
    def path_for_oracle(self) -> bool:
        """True if the oracle is a program of its own, and interior points are quicker."""
        return self.region.costly_oracle and self.n <= POLICY.path_variables and self.path


@dataclass(frozen=True)
class First:
    """A row of the first table: the method that begins, and how long it may go without progress.

    Attributes
    ----------
    where : str
        The condition in words, for the page.
    holds : callable
        The condition.
    method : callable
        Makes the method from the facts.
    patience : int
        Iterations in which it has to halve the gap.
    before : callable, optional
        A method whose few cheap steps are tried before.
    inside : bool
        Whether the method is interior points, after which corrective steps alone are left.
    """

    where: str
    holds: Callable[[Facts], object]
    method: Callable[[Facts], Method]
    patience: int = POLICY.newton_patience
    before: Callable[[], Method] | None = None
    inside: bool = False

    def stages(self, facts: Facts) -> tuple[Stage, ...]:
        """The method as the first stage of a chain."""
        stage = Stage(self.method(facts), Halving(self.patience))
        if self.before is None:
            return (stage,)
        return Stage(self.before(), Halving(POLICY.brief_patience)), stage


@dataclass(frozen=True)
class Next:
    """A row of the second table: the stages that follow where the first method stalls.

    Attributes
    ----------
    where : str
        The condition in words, for the page.
    holds : callable
        The condition on the facts and the row that begins.
    stages : callable
        Makes the stages from the facts and the row that begins.
    last : callable, optional
        Makes the method of the last stage from the facts: cheap steps that may go on long, which
        a caller leaves out who can change the problem instead.
    """

    where: str
    holds: Callable[[Facts, First], object]
    stages: Callable[[Facts, First], tuple[Stage, ...]]
    last: Callable[[Facts], Method] | None = None


# A method is frozen, and one serves all runs: putting its parts together takes a while beside a
# run of half a millisecond.
_relay: Callable[[], Method] = cache(relay)
_afw: Callable[[], Method] = cache(afw)
_partan: Callable[[], Method] = cache(partan)
_quasi_newton: Callable[[], Method] = cache(quasi_newton)
_blended_pairwise: Callable[..., Method] = cache(blended_pairwise)

CHEAP, PATH = POLICY.cheap_patience, POLICY.path_patience

# The first row that holds is taken: each speaks of what the rows above it have left.
FIRST = (
    First(
        "completion over a set whose matrices are products of free factors",
        lambda p: p.factored and p.region.factoring is not None,
        lambda p: hybrid(),
    ),
    First(
        "completion over another set of matrices",
        lambda p: p.factored,
        lambda p: frank_wolfe(ExactLineSearch()),
        CHEAP,
    ),
    First(
        "a squared distance over a set that finds nearest points",
        lambda p: p.nearest is not None,
        lambda p: projection(),
        0,  # it is there at the first point, or not at all
    ),
    First(
        "f is not convex",
        lambda p: not p.objective.convex,
        lambda p: frank_wolfe(p.step),
        CHEAP,
    ),
    First(
        "f is not finite everywhere, over a set with flat faces",
        lambda p: not p.objective.everywhere and p.region.flat_faces,
        lambda p: pairwise(p.step),
        CHEAP,
    ),
    First(
        "f is not finite everywhere, over another set",
        lambda p: not p.objective.everywhere,
        lambda p: frank_wolfe(p.step),
        CHEAP,
    ),
    First(
        "a box, with many more variables than observations",
        lambda p: p.restricts and p.wide and p.boxlike and p.path,
        lambda p: interior_point(),
        PATH,
        inside=True,
    ),
    First(
        "vertices with many entries chosen together, and many more variables than observations",
        lambda p: p.restricts and p.wide and p.other_faces and p.long_vertices,
        lambda p: fully_corrective(),
    ),
    First(
        "vertices with several entries chosen together (k-sparse sets, hypersimplices)",
        lambda p: p.restricts and p.other_faces,
        lambda p: working_set(),
        before=decomposition_invariant,
    ),
    First(
        "sets that can be restricted to some variables (boxes, groups)",
        lambda p: p.restricts,
        lambda p: working_set(),
    ),
    First(
        "vertices that are coordinates, sparse data, few variables",
        lambda p: p.coordinates and p.objective.sparse and p.few,
        lambda p: second_order(),
    ),
    First(
        "vertices that are coordinates (l1 ball, simplices)",
        lambda p: p.coordinates,
        lambda p: working_set(),
    ),
    First(
        "another polytope, several scores an observation",
        lambda p: p.region.polytope and p.scores and p.path,
        lambda p: interior_point(),
        PATH,
        inside=True,
    ),
    First(
        "another polytope, an expensive oracle, few variables",
        lambda p: p.region.polytope and p.twice and p.keeps_images and p.path_for_oracle,
        lambda p: interior_point(),
        PATH,
        inside=True,
    ),
    First(
        "another polytope",
        lambda p: p.region.polytope and p.twice and p.keeps_images,
        lambda p: fully_corrective(),
    ),
    First(
        "a polytope, no second derivatives or too many observations, active sets stay short",
        lambda p: p.region.polytope and not (p.region.many_vertices and p.region.faces),
        lambda p: _blended_pairwise(p.step),
        CHEAP,
    ),
    First(
        "a polytope, no second derivatives, a vertex of a face costs as much as the oracle",
        lambda p: p.region.polytope and p.costly_faces,
        lambda p: blended_conditional_gradients(p.step),
        CHEAP,
    ),
    First(
        "a polytope, no second derivatives, active sets grow long and faces are cheap",
        lambda p: p.region.polytope,
        lambda p: decomposition_invariant(),
        CHEAP,
    ),
    First(
        "a product with curved parts",
        lambda p: not p.region.strictly_convex and p.region.blocks and p.path,
        lambda p: interior_point(),
        PATH,
        inside=True,
    ),
    First(
        "a curved set with flat faces",
        lambda p: not p.region.strictly_convex and p.twice,
        lambda p: fully_corrective(),
    ),
    First(
        "a curved set with flat faces, no second derivatives",
        lambda p: not p.region.strictly_convex,
        lambda p: _afw(),
        CHEAP,
    ),
    First(
        "a Euclidean ball, few variables",
        lambda p: p.region.trust_region and p.twice and p.few,
        lambda p: second_order(),
    ),
    First(
        "a strictly convex set, no second derivatives",
        lambda p: not p.twice,
        lambda p: frank_wolfe(p.step),
        CHEAP,
    ),
    First(
        "a Euclidean ball, several scores an observation or data on a device",
        lambda p: p.region.trust_region and p.dear_trials and p.objective.everywhere,
        lambda p: _quasi_newton(),
        CHEAP,
    ),
    First(
        "the ball of a norm over which quadratics are minimized (l2, lp, ellipsoids)",
        lambda p: p.region.quadratics is not None,
        lambda p: _relay(),
    ),
    First("another strictly convex set", lambda p: True, lambda p: _partan(), CHEAP),
)

# After the first: interior points where they take the problem, which end the chain; corrective
# steps where the region is known by its oracle alone.
OTHERS = (
    Stage(interior_point(), Halving(PATH), final=True),
    Stage(fully_corrective(), Halving(CHEAP)),
)

NEXT = (
    Next(
        "a nearest point that is found by an iteration with a budget",
        lambda p, first: p.nearest is not None and p.nearest.iterates,
        lambda p, first: (
            Stage(fully_corrective(), Halving(POLICY.newton_patience)),
            *OTHERS,
        ),
    ),
    Next(
        "a nearest point that is found directly",
        lambda p, first: p.nearest is not None,
        lambda p, first: (),
    ),
    Next(
        "completion over a small spectraplex",
        lambda p, first: p.factored and matrix_interior().accepts(p.problem) is None,
        lambda p, first: (Stage(matrix_interior(), Halving(PATH)),),
    ),
    Next(
        "a plain function: curvature is learned from gradients, the first goes on last",
        lambda p, first: not p.curved and not p.twice and squares().accepts(p.problem) is None,
        lambda p, first: (
            Stage(bfgs(), Halving(CHEAP), inward=True),
            Stage(squares(), Halving(CHEAP)),
            # again, for functions with edges that no quadratic model has
            Stage(first.method(p), Halving(POLICY.last_patience)),
        ),
    ),
    Next(
        "f is not convex, or x is a matrix",
        lambda p, first: not p.curved,
        lambda p, first: (),
    ),
    Next(
        "interior points began",
        lambda p, first: first.inside,
        lambda p, first: OTHERS[1:],
    ),
    Next(
        "the ball of a norm",
        lambda p, first: p.region.quadratics is not None,
        lambda p, first: OTHERS,
        lambda p: _relay(),
    ),
    Next(
        "a polytope",
        lambda p, first: p.region.polytope,
        lambda p, first: OTHERS,
        lambda p: _blended_pairwise(p.step),
    ),
    Next("elsewhere", lambda p, first: True, lambda p, first: OTHERS, lambda p: _afw()),
)


def rows_for(problem: Problem) -> tuple[Facts, First, Next]:
    """The rows of both tables that a problem meets, and the facts that decide."""
    facts = Facts(problem)
    first = next(row for row in FIRST if row.holds(facts))
    return facts, first, next(row for row in NEXT if row.holds(facts, first))


def best_for(problem: Problem, *, patient: bool = True) -> Method:
    """The default method of a problem: a chain by the first rows of both tables that it meets.

    Where a method has not halved the certified gap for a number of steps, the next one of the
    chain goes on from its point (:class:`~frankwolfe.methods.chain.Chain`): columns of very
    different scale, or losses with narrow bends, are no harder for interior points. Last, where
    `patient`, come many cheap steps, which factor no matrix; rounds of an outer method are not
    patient, since it can change the problem instead.

    [How to choose a method](choose_method.md) shows the tables.
    """
    facts, first, after = rows_for(problem)
    rest = after.stages(facts, first)
    if not rest:
        return first.method(facts)
    if after.last is not None and patient:
        rest = *rest, Stage(after.last(facts), Halving(POLICY.last_patience))
    return Chain((*first.stages(facts), *rest))


def named(name: str) -> Method:
    """The method of that name, with its default parameters."""
    if name not in METHODS:
        raise InvalidInput(f"method must be one of {', '.join(sorted(METHODS))}, got {name!r}.")
    return METHODS[name]()
