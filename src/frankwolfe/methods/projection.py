"""Euclidean projection as a method: the nearest point in closed form, with a certificate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Dense
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import OwnSteps, check_accepted

__all__ = ["ProjectionMethod", "projection"]


@dataclass(frozen=True)
class ProjectionMethod(OwnSteps):
    """Euclidean projection onto the region; made by :func:`~frankwolfe.methods.projection`."""

    name: str = "nearest point"
    reference: str = references.CONDAT
    patience = 3

    def accepts(self, problem: Problem) -> str | None:
        """None if f is a squared distance and the region can project; else why not."""
        if problem.objective.distance_to() is None:
            return (
                f"projection() minimizes a squared distance, SquaredError with the identity for "
                f"A, not {problem.objective!r}: use working_set() or method=None."
            )
        if problem.region.projection is None:
            return (
                f"projection() needs a region that can project, which "
                f"{type(problem.region).__name__} cannot: use blended_pairwise() or method=None."
            )
        return None

    def init(self, problem: Problem, x0: Start = None) -> State:
        """Make the state at the nearest point; a start is checked, but not needed."""
        check_accepted(self, problem)
        if x0 is not None:
            problem.check_start(x0)
        distance, projection = problem.objective.distance_to(), problem.region.projection
        assert distance is not None
        assert projection is not None
        target, scale = distance
        found = projection.project(target)
        state = State(problem, _own(found.x, target), Memory())
        if found.bound is None:
            self.evaluate(state)
        else:  # without the oracle, which would cost more than the point
            self.model.update(state, state.memory)
            state.atom = Dense(found.x)
            state.oracle_calls += 1  # the dual answers for it
            state.certify(found.bound(state.gradient, scale))
        return state

    def advance(self, state: State) -> None:
        """Evaluate again: the point is the answer already."""
        state.iterate.jump(state.x, state.iterate.image)
        state.step = 0.0
        state.k += 1
        self.evaluate(state)


def _own(x: Array, target: Array) -> Array:
    """Return x if it shares no memory with the target, else a copy: a state owns its point."""
    return x if x.flags.carray and not np.may_share_memory(x, target) else x.copy()


def projection() -> ProjectionMethod:
    r"""The projection itself, where f is a squared distance and the region knows how.

    .. code-block:: text

        x <- argmin over C of |x - p|^2            (by sorting out, scaling, or a small dual)
        s <- argmin over C of <x - p, s>           a certificate, as for every other method

    For SquaredError with the identity (``scipy.sparse.identity(n)``) over balls of the 1-, 2-
    and infinity-norm, group balls, boxes, simplices, hypersimplices, KSparse and Birkhoff. What
    is left for the loop is the certificate: the gap of the point found, by one oracle call, or
    for Birkhoff by the dual.

    References
    ----------
    L. Condat, *Fast projection onto the simplex and the l1 ball*, Mathematical Programming,
    2016, for the level of a simplex by passes over fewer and fewer entries.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, frankwolfe as fw
    >>> f = fw.SquaredError(sp.identity(3), [0.6, 0.3, -0.4], reduction="sum")
    >>> result = fw.minimize(f, fw.Simplex(), method="projection")
    >>> result.x, result.nit, bool(result.gap < 1e-13)
    (array([0.65, 0.35, 0.  ]), 0, True)
    """
    return ProjectionMethod()
