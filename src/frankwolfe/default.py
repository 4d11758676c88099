"""Which method a problem gets where the caller names none."""

from __future__ import annotations

from frankwolfe.errors import InvalidInput
from frankwolfe.hybrid import hybrid
from frankwolfe.method import Method
from frankwolfe.methods import METHODS
from frankwolfe.objectives import Completion
from frankwolfe.parts.steps import Backtracking, ExactLineSearch
from frankwolfe.problem import Problem
from frankwolfe.recipes import afw, frank_wolfe, pairwise
from frankwolfe.regions import NuclearBall

__all__ = ["best_for", "named"]


def best_for(problem: Problem) -> Method:
    """The default method for a problem.

    Over a polytope, AFW: a line search without away steps zigzags there, 2/(k+2) and AFW
    reach the same values, and AFW's averaged tangents certify them with a gap about ten
    times smaller; pairwise steps where f is not finite everywhere, since the line search then
    sees how far it is. For matrix completion over the nuclear ball, the hybrid with a local search
    on the factors. Elsewhere Frank-Wolfe with an exact line search where that needs no pass
    over the data, and with backtracking for a plain function.
    """
    if not problem.objective.everywhere and problem.region.polytope:
        return pairwise()
    if problem.region.polytope:
        return afw()
    if isinstance(problem.objective, Completion) and isinstance(problem.region, NuclearBall):
        return hybrid()
    if problem.objective.cheap_line_search:
        return frank_wolfe(ExactLineSearch())
    return frank_wolfe(Backtracking())


def named(name: str) -> Method:
    """The method of that name, with its default parameters."""
    if name not in METHODS:
        raise InvalidInput(f"method must be one of {', '.join(sorted(METHODS))}, got {name!r}.")
    return METHODS[name]()
