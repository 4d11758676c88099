"""Small runs that must give the same bits, on a disturbed heap or in two checkouts.

    python benchmarks/studies/same_bits.py [--runs 100000] [--seed 0] [--only WORD]
    PYTHONPATH=CHECKOUT/src python benchmarks/studies/same_bits.py --hashes FILE [--only WORD]

Without --hashes the same calls are repeated on a disturbed heap: every loss and region of the
registries, by the default and a few methods in turn, each problem built anew. Between two runs
blocks of memory filled with NaN are allocated and freed, so that a run's arrays lie elsewhere each
time and a number that is read before it is written shows. x, value, gap, bound and number of steps
must be those of the first run. Prints what differs, and exits with 1 if anything does.

With --hashes one line a run goes to FILE: its name, the SHA-256 of these numbers, value, gap and
steps. Every loss and region is run by the default and by some of the registered methods, every
region of matrices by all of them. Which ones depends on names alone, so `diff` compares the files
of two checkouts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from hashlib import sha256
from itertools import cycle
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from common import parser

import frankwolfe as fw
from frankwolfe.objectives import DOMAIN_OBJECTIVES, OBJECTIVES
from frankwolfe.regions import MATRIX_REGIONS, REGIONS

N, ROWS = 6, 200
STEPS = 10
SLOW = ("oracle_region",)  # asks a solver
METHODS = (None, "frank_wolfe", "jacobi", "pairwise", "fully_corrective", "second_order")
PICKED_OF = 16  # --hashes: one method of so many is run on a loss and a region
CELL_LOSSES = ("huber", "squared", "logistic")


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
    """Problem and method, built anew for each run."""

    def __init__(self, region: str, which: int, objective: str, method: str | None) -> None:
        self.region, self.which, self.objective = region, which, objective
        self.method = None if method is None else fw.methods.METHODS[method]()
        self.name = f"{objective} over {region} {which} by {method or 'the default'}"

    def solve(self) -> fw.Result:
        """The result of a few steps."""
        region = _examples(self.region)[self.which]
        f = _objective(self.objective, region, np.random.default_rng(2))
        return fw.minimize(f, region, method=self.method, tol=1e-9, max_iter=STEPS)

    def run(self) -> bytes | None:
        """Numbers of the result as bytes; None where method and problem do not go together."""
        try:
            return numbers(self.solve())
        except fw.InvalidInput:
            return None


def numbers(result: fw.Result) -> bytes:
    """Value, gap, bound, steps and x as bytes."""
    x: Any = result.x
    scalars = (result.fun, result.gap, result.lower_bound, float(result.nit))
    dense = x.toarray() if hasattr(x, "toarray") else np.asarray(x)
    return np.array(scalars).tobytes() + dense.tobytes()


def _examples(region: str) -> list[Any]:
    """The registry's examples of a region."""
    return {**REGIONS, **MATRIX_REGIONS}[region].examples(N, np.random.default_rng(1))


def _objective(name: str, region: fw.Region, rng: np.random.Generator) -> fw.Objective:
    """The registry's example; a loss of a linear prediction with more rows than that has."""
    if region.matrix:
        return _completion(name, region, rng)
    n = N if region.dimension is None else region.dimension
    kind: Any = {**OBJECTIVES, **DOMAIN_OBJECTIVES}[name]
    if not kind.short:
        return kind.example(n, rng)
    return kind(rng.standard_normal((ROWS, n)), rng.integers(0, 2, ROWS))


def _completion(loss: str, region: Any, rng: np.random.Generator) -> fw.Objective:
    """A loss over some cells of a matrix."""
    shape = region.shape or ((N, N) if isinstance(region, fw.Spectraplex) else (N, N + 2))
    cells = np.nonzero(rng.random(shape) < 0.6)
    return fw.Completion(
        (*cells, np.sign(rng.standard_normal(cells[0].size))), shape=shape, loss=loss
    )


def cases(word: str) -> Iterator[Case]:
    """Every region and objective, with methods in turn."""
    methods = cycle(METHODS)
    for region in REGIONS:
        for which in range(len(_examples(region))):
            for objective in (*OBJECTIVES, *DOMAIN_OBJECTIVES):
                case = Case(region, which, objective, next(methods))
                if region not in SLOW and word in case.name:
                    yield case


def hashed_cases(word: str) -> Iterator[Case]:
    """Cases of --hashes, chosen by names alone."""
    for region in (*REGIONS, *MATRIX_REGIONS):
        losses = CELL_LOSSES if region in MATRIX_REGIONS else (*OBJECTIVES, *DOMAIN_OBJECTIVES)
        for which in range(len(_examples(region))):
            for objective in losses:
                for method in (None, *fw.methods.METHODS):
                    case = Case(region, which, objective, method)
                    picked = method is None or crc32(case.name.encode()) % PICKED_OF == 0
                    if word in case.name and (picked or region in MATRIX_REGIONS):
                        yield case


def write_hashes(file: Path, word: str) -> None:
    """A line for each run: name, hash, value, gap and steps, or why there is none."""
    with file.open("w", encoding="utf-8") as lines:
        for case in hashed_cases(word):
            try:
                result = case.solve()
                digest = sha256(numbers(result)).hexdigest()
                told = f"{digest}\t{result.fun!r}\t{result.gap!r}\t{result.nit}"
            except fw.InvalidInput:
                told = "refused"
            except Exception as error:
                told = type(error).__name__
            print(f"{case.name}\t{told}", file=lines, flush=True)


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
    """Print what differs, or write the hashes."""
    line = parser(__doc__)
    line.add_argument("--runs", type=int, default=100_000)
    line.add_argument("--seed", type=int, default=0)
    line.add_argument("--only", default="", metavar="WORD", help="cases whose name has it")
    line.add_argument(
        "--hashes", type=Path, metavar="FILE", help="a line a run, to compare checkouts"
    )
    options = line.parse_args()
    if options.hashes:
        write_hashes(options.hashes, options.only)
        return
    found = differing(options.runs, options.seed, options.only)
    print(*found, sep="\n")
    print(f"{len(found)} of {options.runs:,} runs differ (seed {options.seed})")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
