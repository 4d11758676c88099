"""Rounds for functions of a matrix that is never formed: short runs, and separate bounds.

Where the oracle searches for an eigenvector, a step on factors is cheap and a bound is costly. So
a run is a few steps with a short search, and a long search, or a full decomposition if the matrix
is not large, makes a bound once the point is nearly feasible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from frankwolfe.apps.constraints.affine_cells import CellAffine
from frankwolfe.apps.constraints.augmented_cells import AugmentedCells
from frankwolfe.apps.constraints.evidence import Evidence
from frankwolfe.apps.constraints.feasible import holds, with_diagonal
from frankwolfe.apps.constraints.formulation import (
    Formulation,
    Lagrangian,
    LinearBound,
    RoundOutcome,
    run_rule,
)
from frankwolfe.apps.constraints.policy import POLICY
from frankwolfe.base import Array, Memory, Point
from frankwolfe.core import (
    Accuracy,
    Covector,
    FactoredMatrix,
    MatrixGradient,
    Problem,
    RankOne,
    State,
)
from frankwolfe.methods import Method
from frankwolfe.objectives import OverCells, TraceProduct
from frankwolfe.regions import MatrixRegion
from frankwolfe.solver import History, Iterations, Result, Status, Stop, StoppingRule

__all__ = ["AtomGap", "MatrixFormulation", "Search"]


class AtomGap(StoppingRule):
    """Stop when the gap of the atom found is small; no bound is asked for."""

    def __init__(self, gap: float) -> None:
        self.gap = gap

    def check(self, state: State, history: History) -> Stop | None:
        if state.k and state.model_gap <= self.gap:
            return Stop(Status.CONVERGED, "", True)
        return None


@dataclass(slots=True)
class Search(Memory):
    """Length of the searches for an eigenvector, and what bounds they have led to.

    Attributes
    ----------
    products : int
        Products with a vector in each search of a run.
    ratio : float
        Best optimality ratio after a bound.
    tired : int
        Bounds since that was halved, or since searches became longer.
    """

    products: int = POLICY.first_products
    ratio: float = math.inf
    tired: int = 0

    def see(self, ratio: float) -> None:
        """Note the optimality ratio after a bound; where it stays, search longer from now on."""
        if ratio <= POLICY.ratio_decrease * self.ratio:
            self.tired = 0
        else:
            self.tired += 1
            self.lengthen()
        self.ratio = min(self.ratio, ratio)

    def lengthen(self) -> None:
        """Use more products in each search, since short ones may miss the least eigenvalue."""
        if self.products < POLICY.max_products:
            self.tired = 0
            self.products = min(POLICY.products_increase * self.products, POLICY.max_products)


class MatrixFormulation(Formulation):
    """A function of the cells of a matrix under linear constraints on its cells."""

    nearest_runs = POLICY.round_steps
    rows: CellAffine

    def __init__(self, problem: Problem, rows: CellAffine) -> None:
        region = cast(MatrixRegion, problem.region)
        self.objective, self.rows, self.region = cast(OverCells, problem.objective), rows, region
        self.decomposed = problem.n <= region.exact_below  # so that bounds cost little
        self.memory: Search = Search()
        self.quick = self.problem.region
        self.careful = region.searching(POLICY.max_products, POLICY.max_full_entries)

    @property
    def problem(self) -> Problem:
        if self.decomposed:
            return Problem(self.objective, self.region)
        products = self.memory.products
        first = products == POLICY.first_products
        entries = POLICY.max_quick_entries if first else POLICY.max_hard_entries
        return Problem(self.objective, self.region.searching(products, entries))

    @property
    def exhausted(self) -> bool:
        return self.memory.tired >= POLICY.max_tired_searches

    def lagrangian(self, y: Array, rho: float) -> Lagrangian:
        return AugmentedCells(self.objective, self.rows, y, rho)

    def squared_distance(self) -> Lagrangian:
        nothing = TraceProduct.zero(self.rows.shape)
        return AugmentedCells(nothing, self.rows, np.zeros(self.rows.rows), 1.0)

    def extreme(self, g: Array, sign: float) -> tuple[float, Array]:
        covector = self.problem.objective.covector
        s = cast(RankOne, self.quick.ask(covector(sign * g)))
        x = FactoredMatrix(s.u[None, :], np.array([s.scale]), s.v[None, :])
        return s.dot(covector(g)), self.rows.apply(x)

    def rule(self, gap: float, steps: int, method: Method) -> StoppingRule:
        if self.decomposed:
            return run_rule(gap, steps, method)
        return AtomGap(gap) | Iterations(max(min(steps, POLICY.round_steps), 1))

    def penalty_shows(self, result: Result, small: float) -> bool:
        if self.decomposed:
            return result.nit > 0 and result.gap <= small
        return result.status not in (Status.MAX_ITERATIONS, Status.STALLED)

    def least(self, g: Covector, hoped: float) -> LinearBound:
        found = self.quick.ask(g).dot(g)
        if found <= hoped:  # and the least is below what was found
            return LinearBound(-math.inf, 0.0)
        return self._searched(g, POLICY.bound_error * (found - hoped))

    def _searched(self, g: MatrixGradient, error: float) -> LinearBound:
        """Bounds on <g, V> by a long search."""
        memory = self.careful.oracle_memory(g.shape, g.dtype)
        wanted = Accuracy(0.0, math.inf, 0.0, 0, error)
        _, least, off = self.careful.inexact_lmo(g, memory, wanted)
        reach = g.frobenius() * self.careful.diameter(g.shape)
        return LinearBound(least - off, reach, memory.failure_probability)

    def feasible_point(self, result: Result) -> Point:
        x = result.x
        return x if holds(self.rows, x) else with_diagonal(self.region, self.rows, x)

    def update_bounds(self, known: Evidence, f: Lagrangian, seen: RoundOutcome) -> None:
        known.take(seen.result)
        if self.decomposed or known.ratio_at(seen) <= 1.0:
            return
        above = known.best - seen.result.fun  # the Lagrangian is above its bounds
        if seen.feasible or above <= POLICY.tangent_gap * seen.wanted:
            self.take_tangent(known, f, seen.result.x, POLICY.bound_error * seen.wanted)
            self.memory.see(known.ratio_at(seen))

    def take_tangent(self, known: Evidence, f: Lagrangian, x: FactoredMatrix, error: float) -> None:
        """Take the lower bound by the tangent of the Lagrangian at x."""
        z, slope = f.image_at(x), f.new_image()
        value, inner = f.linearize(z, slope)
        least, reach, failure = self._searched(f.covector(slope), error)
        known.failure = min(known.failure + failure, 1.0)
        rounding = POLICY.bound_rounding * (
            abs(value) + 2.0 * f.offset + float(np.abs(slope) @ np.abs(z)) + reach
        )
        known.bound = max(known.bound, float(value - inner + least - rounding))
