"""Whether the same call gives the same bits, however the memory lies: small runs, a disturbed heap.

    python benchmarks/studies/same_bits.py [--runs 100000] [--seed 0] [--only WORD]

Every loss and region of the registries by the default and one method in turn, each problem made
anew. Between two runs blocks of memory come and go, filled with NaN: what a run allocates lies
elsewhere each time, and a number that is read before it was written shows. x, value, gap, bound
and the number of steps must be those of the first run. Prints what differs, and ends in 1 if
anything does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import numpy as np
from common import parser

import frankwolfe as fw
from frankwolfe.objectives import DOMAIN_OBJECTIVES, OBJECTIVES
from frankwolfe.regions import REGIONS

N, ROWS = 6, 200
STEPS = 10
SLOW = ("oracle_region",)  # asks a solver
METHODS = (None, "frank_wolfe", "jacobi", "pairwise", "fully_corrective", "second_order")


class Heap:
    """Blocks of memory that come and go."""

    def __init__(self, seed: int, count: int = 400) -> None:
        self._rng = np.random.default_rng(seed)
        self._blocks = [self._block() for _ in range(count)]

    def _block(self) -> np.ndarray:
        return np.full(int(2.0 ** self._rng.uniform(0.0, 9.0)), np.nan)

    def disturb(self) -> None:
        """Exchange some of the blocks."""
        for place in self._rng.integers(0, len(self._blocks), int(self._rng.integers(1, 60))):
            self._blocks[place] = self._block()


class Case:
    """A problem and a method, made anew for each run."""

    def __init__(self, region: str, which: int, objective: str, method: str | None) -> None:
        self.region, self.which, self.objective = region, which, objective
        self.method = None if method is None else fw.methods.METHODS[method]()
        self.name = f"{objective} over {region} {which} by {method or 'the default'}"

    def run(self) -> bytes | None:
        """All that the run says, as bytes; None where method and problem do not go together."""
        region = REGIONS[self.region].examples(N, np.random.default_rng(1))[self.which]
        n = N if region.dimension is None else region.dimension
        f = _objective(self.objective, n, np.random.default_rng(2))
        try:
            result = fw.minimize(f, region, method=self.method, tol=1e-9, max_iter=STEPS)
        except fw.InvalidInput:
            return None
        numbers = (result.fun, result.gap, result.lower_bound, float(result.nit))
        return np.array(numbers).tobytes() + np.asarray(result.x).tobytes()


def _objective(name: str, n: int, rng: np.random.Generator) -> fw.Objective:
    """The registry's example; a loss of a linear prediction with more rows than that has."""
    kind: Any = {**OBJECTIVES, **DOMAIN_OBJECTIVES}[name]
    if not kind.short:
        return kind.example(n, rng)
    return kind(rng.standard_normal((ROWS, n)), rng.integers(0, 2, ROWS))


def cases(word: str) -> Iterator[Case]:
    """Every region and objective, with methods in turn."""
    methods = cycle(METHODS)
    for region, kind in REGIONS.items():
        for which in range(len(kind.examples(N, np.random.default_rng(1)))):
            for objective in (*OBJECTIVES, *DOMAIN_OBJECTIVES):
                case = Case(region, which, objective, next(methods))
                if region not in SLOW and word in case.name:
                    yield case


def differing(runs: int, seed: int = 0, word: str = "") -> list[str]:
    """A line for each run whose bits are not those of the first run of its case."""
    heap, found = Heap(seed), []
    first = [(case, bits) for case in cases(word) if (bits := case.run()) is not None]
    for k, place in enumerate(np.random.default_rng(seed).integers(0, len(first), runs)):
        heap.disturb()
        case, bits = first[place]
        if case.run() != bits:
            found.append(f"run {k}: {case.name}")
    return found


def main() -> None:
    """Print what differs."""
    line = parser(__doc__)
    line.add_argument("--runs", type=int, default=100_000)
    line.add_argument("--seed", type=int, default=0)
    line.add_argument("--only", default="", metavar="WORD", help="cases whose name has it")
    options = line.parse_args()
    found = differing(options.runs, options.seed, options.only)
    print(*found, sep="\n")
    print(f"{len(found)} of {options.runs:,} runs differ (seed {options.seed})")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
