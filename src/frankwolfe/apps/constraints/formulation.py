"""What rounds need to know of a problem: the pieces that differ between vectors and matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.augmented import Augmented
from frankwolfe.apps.constraints.augmented_cells import AugmentedCells
from frankwolfe.apps.constraints.policy import POLICY
from frankwolfe.base import Array, Memory, Point
from frankwolfe.core import Covector, Problem
from frankwolfe.methods import Method
from frankwolfe.solver import Gap, Iterations, Result, Spent, Stalled, StoppingRule

if TYPE_CHECKING:  # it holds a formulation itself
    from frankwolfe.apps.constraints.evidence import Evidence

__all__ = ["Formulation", "Lagrangian", "LinearBound", "RoundOutcome", "run_rule"]

Lagrangian: TypeAlias = Augmented | AugmentedCells
"""The augmented Lagrangian of a function of a vector, or of a matrix."""


class LinearBound(NamedTuple):
    """Bounds on a linear function v -> <g, v> over the region."""

    least: float  # lower bound on the function
    reach: float  # upper bound on Σ_j |g_j v_j|, of which rounding is a share
    failure: float = 0.0  # probability that `least` is none


class RoundOutcome(NamedTuple):
    """Point, violations and multipliers that a round has led to."""

    result: Result
    value: float
    off: Array  # distance of each row from its bounds
    multipliers: Array
    wanted: float  # the gap that is asked for
    feasible: bool  # up to the tolerance

    @property
    def violated(self) -> float:
        """Largest violation of a row."""
        return float(np.abs(self.off).max())


class Formulation(Protocol):
    """A problem and its constraints in the form that rounds ask for.

    Attributes
    ----------
    rows : Affine
        The constraints, rows of the norm one.
    memory : Memory
        What changes from round to round, for checkpoints.
    nearest_runs : int
        Runs, each from the point of the last, that find the region's nearest point to the bounds.
    """

    rows: Affine
    memory: Memory
    nearest_runs: int

    @property
    def problem(self) -> Problem:
        """The problem without constraints, over the region as the next run asks it."""

    @property
    def exhausted(self) -> bool:
        """True if further rounds would not improve the bound."""

    def lagrangian(self, y: Array, rho: float) -> Lagrangian:
        """Augmented Lagrangian for multipliers y and penalty rho."""

    def squared_distance(self) -> Lagrangian:
        """½ dist²(Ax, [l, u]), which is the augmented Lagrangian for f = 0, y = 0 and ρ = 1."""

    def extreme(self, g: Array, sign: float) -> tuple[float, Array]:
        """Return <g, s> and As at the minimizer s of sign * <g, s> over the region."""

    def rule(self, gap: float, steps: int, method: Method) -> StoppingRule:
        """Stopping rule of one run, for a gap and the steps that are left."""

    def penalty_shows(self, result: Result, small: float) -> bool:
        """True if a run was so exact that its violation is due to the penalty.

        The Lagrangian rises by ρ/2 times the squared violation: a gap that is `small` beside that
        does not explain it.
        """

    def least(self, g: Covector, hoped: float) -> LinearBound:
        """Bounds on <g, v> over the region; not tight if below what is `hoped` for."""

    def feasible_point(self, result: Result) -> Point:
        """A feasible point of the region near that of a run; None if none was found."""

    def update_bounds(self, known: Evidence, f: Lagrangian, seen: RoundOutcome) -> None:
        """Take the lower bounds that a round has shown."""


def run_rule(gap: float, steps: int, method: Method) -> StoppingRule:
    """Stopping rule of a run that makes its own bounds."""
    patience: int = getattr(method, "patience", 0)
    calm = Stalled(patience=patience, tolerance=POLICY.stalled) if patience else Spent()
    return Gap(gap) | Iterations(max(steps, 1)) | calm
