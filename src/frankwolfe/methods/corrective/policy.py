"""Thresholds of the corrective methods, and the rule by which their Newton steps end."""

from __future__ import annotations

import math
from dataclasses import dataclass

from frankwolfe.core.state import State
from frankwolfe.methods.base import value_rounding

__all__ = ["POLICY", "CorrectivePolicy", "Stalling", "wanted_gap"]


@dataclass(frozen=True)
class CorrectivePolicy:
    """Thresholds of corrective steps, restricted problems and their quadratic models.

    Attributes
    ----------
    restricted_gap : float
        Gap to which a restricted problem is solved, as a share of the whole gap: the next oracle
        call changes the problem, so that more digits would be lost.
    newton_steps : int
        Newton steps on one restricted problem, at most.
    min_newton_steps : int
        Newton steps that are made even where each costs much.
    newton_work : float
        Operations of all Newton steps on one restricted problem: a few seconds.
    gap_left, stalled_steps : float, int
        So many steps in a row that each leave more than this share of the gap have reached
        rounding.
    first_atoms : int
        Vertices taken in by the first step, twice as many by each one after it: an easy problem
        needs no more. Tried on ``benchmarks/problems.py`` and random problems of other sizes
        (``docs/methods.md``).
    distant_first_atoms, distant_factor : int
        First vertices, and factor on `several`, where the data are on workers and each round
        costs a message.
    max_atoms : int
        Atoms of one restricted problem. Their Hessian has 72 MB, and a factorization takes some
        seconds; from about here on pairwise steps are quicker.
    drawn_share : float
        Share of their distance from x to which atoms too far for their weights are drawn.
    first_groups : int
        Groups or variables taken in by the first step, twice as many by each one after it.
    max_variables : int
        Variables of one restricted problem: its Hessian has 32 MB.
    movable_left : float
        Share of the movable variables below which a step of all variables has to bring them.
    min_promise : float
        Decrease over |f| below which values cannot check a step: the full step is best.
    ridge : float
        Share of the mean curvature added to the diagonal: it holds back flat directions.
    pivots_per_atom : int
        Pivots of the active-set method for each atom; the next Newton step goes on from there.
    pivot_work : float
        Operations of all pivots on one model: a second.
    min_curvature : float
        Curvature over the spread of the slopes; less is rounding, and counts as none.
    weight_loss : float
        What rounding may leave of |sum of weights - 1| before an answer is dropped.
    curvature_ratio : float
        Ratio of the diagonal of H above which each weight is scaled by itself.
    min_decrease : float
        Share of the gap by which ten quasi-Newton steps on roots of weights have to lower f.
    """

    restricted_gap: float = 1e-3
    newton_steps: int = 50
    min_newton_steps: int = 3
    newton_work: float = 5e9
    gap_left: float = 0.9
    stalled_steps: int = 5
    first_atoms: int = 12
    distant_first_atoms: int = 100
    distant_factor: int = 10
    max_atoms: int = 3000
    drawn_share: float = 1e-2
    first_groups: int = 25
    max_variables: int = 2000
    movable_left: float = 0.9
    min_promise: float = 1e-13
    ridge: float = 1e-13
    pivots_per_atom: int = 20
    pivot_work: float = 1e9
    min_curvature: float = 1e-20
    weight_loss: float = 1e-6
    curvature_ratio: float = 1e4
    min_decrease: float = 1e-6


POLICY = CorrectivePolicy()


class Stalling:
    """Count of Newton steps in a row that leave nearly the whole gap."""

    __slots__ = ("best", "steps")

    def __init__(self) -> None:
        self.best, self.steps = math.inf, 0

    def after(self, gap: float) -> bool:
        """True if steps no longer help; `gap` is that of the last point."""
        if gap < POLICY.gap_left * self.best:
            self.best, self.steps = gap, 0
        else:
            self.steps += 1
        return self.steps == POLICY.stalled_steps


def wanted_gap(state: State) -> float:
    """Gap to which a restricted problem at `state` is solved."""
    return max(POLICY.restricted_gap * state.model_gap, value_rounding(state))
