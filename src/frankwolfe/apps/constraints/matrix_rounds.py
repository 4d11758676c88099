"""Rounds of the method of multipliers for matrices: short runs, and separate bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.augmented_cells import AugmentedCells
from frankwolfe.apps.constraints.evidence import BOUND_ROUNDING, Evidence
from frankwolfe.apps.constraints.rounds import Lagrangian, Options, Rounds, Seen
from frankwolfe.base.arrays import Array, Point
from frankwolfe.core.gradients import MatrixGradient
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.objective import Covector
from frankwolfe.core.problem import Problem
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.core.state import State
from frankwolfe.methods.base import Method
from frankwolfe.objectives.trace_product import TraceProduct
from frankwolfe.regions.matrices.spectral import MatrixRegion
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.run import History
from frankwolfe.solver.stopping import Iterations, Stop, StoppingRule

__all__ = ["MatrixRounds"]

MAX_ROUND_STEPS = 8  # of one round: multipliers move often, since factors are cheap
FIRST_PRODUCTS = 60  # of the eigenvector search within a round
MAX_PRODUCTS = 1500  # of the search that makes a bound
MAX_FULL_ENTRIES = 9_000_000  # above, the matrix of a bound is searched, not decomposed (3000 rows)
MAX_QUICK_ENTRIES = 40_000  # above, atoms are searched, not decomposed (200 rows)
MAX_HARD_ENTRIES = 1_000_000  # the limit for atoms once short searches have failed (1000 rows)
MAX_TIRED_SEARCHES = 4  # bounds in a row that do not halve the gap, before the rounds end


class Found(StoppingRule):
    """Stop when the gap of the atom found is small; no bound is asked for."""

    def __init__(self, gap: float) -> None:
        self.gap = gap

    def check(self, state: State, history: History) -> Stop | None:
        if state.k and state.model_gap <= self.gap:
            return Stop(Status.CONVERGED, "", True)
        return None


class MatrixEvidence(Evidence):
    """Evidence if the oracle searches for an eigenvector, whose bound is costly.

    A bound is made by a long search, or by a full decomposition if the matrix is not large.
    """

    def __init__(self, problem: Problem, rows: Affine, region: MatrixRegion) -> None:
        super().__init__(problem, rows)
        self.careful = region.searching(MAX_PRODUCTS, MAX_FULL_ENTRIES)

    def tangent(self, f: Lagrangian, x: FactoredMatrix, error: float) -> None:
        """Take the lower bound by the tangent of the Lagrangian at x."""
        z, slope = f.image_at(x), f.new_image()
        value, inner = f.linearize(z, slope)
        least, reach = self._searched(f.covector(slope), error)
        rounding = BOUND_ROUNDING * (
            abs(value) + 2.0 * f.offset + float(np.abs(slope) @ np.abs(z)) + reach
        )
        self.bound = max(self.bound, float(value - inner + least - rounding))

    def _searched(self, g: MatrixGradient, error: float) -> tuple[float, float]:
        """Lower bound on <g, V> by a long search, and an upper one on |<g, V>|."""
        memory = self.careful.oracle_memory(g.shape, g.dtype)
        wanted = Accuracy(0.0, math.inf, 0.0, 0, error)
        _, least, off = self.careful.inexact_lmo(g, memory, wanted)
        self.failure = min(self.failure + memory.failure_probability, 1.0)
        return least - off, g.frobenius() * self.careful.diameter(g.shape)

    def least(self, g: Covector, hoped: float) -> tuple[float, float]:
        atom = self.problem.region.ask(g)
        found = atom.dot(g)
        if found <= hoped:  # and the least is below what was found
            return -math.inf, 0.0
        return self._searched(g, 0.25 * (found - hoped))


class MatrixRounds(Rounds):
    """Rounds if the oracle searches for an eigenvector, and factors are cheap.

    A round is a few steps with a short search; a bound is made once the point is nearly feasible.
    """

    known: MatrixEvidence

    def __init__(self, problem: Problem, rows: Affine, options: Options) -> None:
        region = problem.region
        assert isinstance(region, MatrixRegion)
        self.small = problem.n <= region.exact_below
        self.whole = region
        quick = region if self.small else region.searching(FIRST_PRODUCTS, MAX_QUICK_ENTRIES)
        super().__init__(Problem(problem.objective, quick), rows, options)
        self.shortest, self.tired, self.few = math.inf, 0, FIRST_PRODUCTS

    def pack(self, start: Point) -> dict[str, Array]:
        search = np.array([self.shortest, self.tired, self.few])
        return {**super().pack(start), "search": search}

    def restore(self, arrays: Mapping[str, Array]) -> Point:
        shortest, tired, few = arrays["search"].tolist()
        self.shortest, self.tired = shortest, int(tired)
        if few > FIRST_PRODUCTS:
            self._search_for(int(few))
        return super().restore(arrays)

    def evidence(self) -> Evidence:
        return MatrixEvidence(self.problem, self.rows, self.whole)

    def _augmented(self, y: Array, rho: float) -> AugmentedCells:
        return AugmentedCells(self.problem.objective, self.rows, y, rho)  # type: ignore[arg-type]

    def _end(self, g: Array, sign: float) -> tuple[float, Array]:
        covector = self.problem.objective.covector
        s: Any = self.problem.region.ask(covector(sign * g))
        x = FactoredMatrix(s.u[None, :], np.array([s.scale]), s.v[None, :])
        return s.dot(covector(g)), self.rows.apply(x)

    def _rule(self, gap: float, method: Method) -> StoppingRule:
        if self.small:  # bounds cost little
            return super()._rule(gap, method)
        return Found(gap) | Iterations(max(min(self.left, MAX_ROUND_STEPS), 1))

    def _settled(self, result: Result, small: float) -> bool:
        if self.small:
            return result.nit > 0 and super()._settled(result, small)
        return result.status not in (Status.MAX_ITERATIONS, Status.STALLED)

    def _update_bounds(self, f: Lagrangian, seen: Seen) -> None:
        known = self.known
        known.take(seen.result)
        if self.small or self.optimality_ratio(seen) <= 1.0:
            return
        above = known.best - seen.result.fun  # the Lagrangian is above its bounds
        if seen.feasible or above <= 0.5 * seen.wanted:
            known.tangent(f, seen.result.x, 0.25 * seen.wanted)
            short = self.optimality_ratio(seen)
            if short <= 0.5 * self.shortest:
                self.tired = 0
            else:
                self.tired += 1
                self._search_longer()
            self.shortest = min(self.shortest, short)

    def _search_longer(self) -> None:
        """Use more products in each search, since short ones may miss the least eigenvalue."""
        if self.few < MAX_PRODUCTS:
            self.tired = 0
            self._search_for(min(4 * self.few, MAX_PRODUCTS))

    def _search_for(self, products: int) -> None:
        """Let the oracle of the runs use so many products."""
        self.few = products
        region = self.whole.searching(products, MAX_HARD_ENTRIES)
        self.problem = Problem(self.problem.objective, region)

    def _verdict(self, seen: Seen) -> Status | None:
        status = super()._verdict(seen)
        return Status.STALLED if status is None and self.tired >= MAX_TIRED_SEARCHES else status

    def _of_nearest(self) -> Array:
        f = AugmentedCells(
            TraceProduct.zero(self.problem.objective.shape),  # type: ignore[arg-type]
            self.rows,  # type: ignore[arg-type]
            np.zeros(self.rows.rows),
            1.0,
        )
        x = None
        for _ in range(MAX_ROUND_STEPS):
            x = self._run(f, 0.25 * self.feasibility_tol**2, x).x
        return f.next_multipliers(x)
