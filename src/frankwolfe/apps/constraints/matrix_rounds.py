"""Rounds of the method of multipliers for matrices: short runs, and bounds of their own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from frankwolfe.apps.constraints.augmented_cells import AugmentedCells
from frankwolfe.apps.constraints.evidence import ROUNDING, Evidence
from frankwolfe.apps.constraints.rounds import Options, Rounds, Seen
from frankwolfe.base.arrays import Array
from frankwolfe.core.low_rank import FactoredMatrix
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

STEPS = 8  # of one round, at most
FEW, MANY = 60, 1500  # products of the oracle within a round, and for a bound
FULL = 9_000_000  # entries up to which the matrix of a bound is decomposed in full
QUICK, HARD = 40_000, 1_000_000  # the same for atoms, and where short searches do not do
TIRED = 4  # of them in a row that do not halve the gap


class Found(StoppingRule):
    """Stop where the atom that was found promises little: no bound is asked for."""

    def __init__(self, gap: float) -> None:
        self.gap = gap

    def check(self, state: State, history: History) -> Stop | None:
        if state.k and state.model_gap <= self.gap:
            return Stop(Status.CONVERGED, "", True)
        return None


class MatrixEvidence(Evidence):
    """Where the oracle is a search for an eigenvector, whose bound is dear.

    A bound is made by a long search, or in full where the matrix is not large.
    """

    def __init__(self, problem: Problem, rows: Any, region: MatrixRegion) -> None:
        super().__init__(problem, rows)
        self.careful = region.searching(MANY, FULL)

    def tangent(self, f: Any, x: Any, error: float) -> None:
        """The bound of the tangent of the Lagrangian at x."""
        z, slope = f.image_at(x), f.new_image()
        value, inner = f.linearize(z, slope)
        least, reach = self._searched(f.covector(slope), error)
        rounding = ROUNDING * (
            abs(value) + 2.0 * f.offset + float(np.abs(slope) @ np.abs(z)) + reach
        )
        self.bound = max(self.bound, float(value - inner + least - rounding))

    def _searched(self, g: Any, error: float) -> tuple[float, float]:
        memory = self.careful.oracle_memory(g.shape, g.dtype)
        wanted = Accuracy(0.0, math.inf, 0.0, 0, error)
        _, least, off = self.careful.inexact_lmo(g, memory, wanted)
        self.failure = min(self.failure + memory.failure_probability, 1.0)
        return least - off, g.frobenius() * self.careful.diameter(g.shape)

    def least(self, g: Any, hoped: float) -> tuple[float, float]:
        atom = self.problem.region.ask(g)
        found = atom.dot(g)
        if found <= hoped:  # and the least is below what was found
            return -math.inf, 0.0
        return self._searched(g, 0.25 * (found - hoped))


class MatrixRounds(Rounds):
    """Where the oracle is a search for an eigenvector, and factors are not dear.

    A round is a few steps with a short search. A bound is made where the point is nearly feasible.
    """

    known: MatrixEvidence

    def __init__(self, problem: Problem, rows: Any, options: Options) -> None:
        region = problem.region
        assert isinstance(region, MatrixRegion)
        self.small = problem.n <= region.exact_below
        self.whole = region
        quick = region if self.small else region.searching(FEW, QUICK)
        super().__init__(Problem(problem.objective, quick), rows, options)
        self.shortest, self.tired, self.few = math.inf, 0, FEW

    def pack(self, start: Any) -> dict[str, Array]:
        search = np.array([self.shortest, self.tired, self.few])
        return {**super().pack(start), "search": search}

    def restore(self, arrays: Mapping[str, Array]) -> Any:
        shortest, tired, few = arrays["search"].tolist()
        self.shortest, self.tired = shortest, int(tired)
        if few > FEW:
            self._search_for(int(few))
        return super().restore(arrays)

    def evidence(self) -> Evidence:
        return MatrixEvidence(self.problem, self.rows, self.whole)

    def _augmented(self, y: Array, rho: float) -> Any:
        return AugmentedCells(self.problem.objective, self.rows, y, rho)  # type: ignore[arg-type]

    def _end(self, g: Array, sign: float) -> tuple[float, Array]:
        covector = self.problem.objective.covector
        s: Any = self.problem.region.ask(covector(sign * g))
        x = FactoredMatrix(s.u[None, :], np.array([s.scale]), s.v[None, :])
        return s.dot(covector(g)), self.rows.apply(x)

    def _rule(self, gap: float, method: Method) -> StoppingRule:
        if self.small:  # bounds cost little
            return super()._rule(gap, method)
        return Found(gap) | Iterations(max(min(self.left, STEPS), 1))

    def _settled(self, result: Result, small: float) -> bool:
        if self.small:
            return result.nit > 0 and super()._settled(result, small)
        return result.status not in (Status.MAX_ITERATIONS, Status.STALLED)

    def _learn(self, f: Any, seen: Seen) -> None:
        known = self.known
        known.take(seen.result)
        if self.small or self.short(seen) <= 1.0:
            return
        above = known.best - seen.result.fun  # the Lagrangian is above its bounds
        if seen.feasible or above <= 0.5 * seen.wanted:
            known.tangent(f, seen.result.x, 0.25 * seen.wanted)
            short = self.short(seen)
            if short <= 0.5 * self.shortest:
                self.tired = 0
            else:
                self.tired += 1
                self._search_longer()
            self.shortest = min(self.shortest, short)

    def _search_longer(self) -> None:
        """A bound that is no better may be far below what short searches find."""
        if self.few < MANY:
            self.tired = 0
            self._search_for(min(4 * self.few, MANY))

    def _search_for(self, products: int) -> None:
        self.few = products
        self.problem = Problem(self.problem.objective, self.whole.searching(products, HARD))

    def _verdict(self, seen: Seen) -> Status | None:
        status = super()._verdict(seen)
        return Status.STALLED if status is None and self.tired >= TIRED else status

    def _of_nearest(self) -> Array:
        f = AugmentedCells(
            TraceProduct.zero(self.problem.objective.shape),  # type: ignore[arg-type]
            self.rows,  # type: ignore[arg-type]
            np.zeros(self.rows.rows),
            1.0,
        )
        x = None
        for _ in range(STEPS):
            x = self._run(f, 0.25 * self.slight**2, x).x
        return f.next_multipliers(x)
