"""The attack on all other sets: `python -m tests.attack.sets --seeds 0:1000 [--only Polytope]`.

A seed and a kind of set make a problem. The process that runs them dies where one takes too long,
with its stack on the screen, and another goes on behind it.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import frankwolfe as fw

from .cases import Part, make_objective
from .cut import variables_of
from .problems import MAKERS
from .set_shapes import SETS

__all__ = ["ALL", "OWN_LOSSES", "Siege", "siege"]

Rng = np.random.Generator
SAID = ("short", "refused", "uncertified", "judge failed")
LIMIT = 60  # seconds, after which a process is ended
LOSSES = (
    *("SquaredError", "SquaredError", "Huber", "Logistic", "Quantile", "squared_distance"),
    *("Quadratic", "Function", "Function_wave", "Profiled.SquaredError", "Multinomial"),
)
LOGS = ("Poisson", "LogPortfolio", "Function_logs")
OWN_LOSSES = ("GromovWasserstein",)
"""Objectives that belong to a set, and are attacked over that alone."""


class Siege(NamedTuple):
    """A problem, and how it is run."""

    seed: int
    kind: str
    objective: Part
    region: fw.Region
    tol: float
    labels: dict[str, str]

    def function(self) -> fw.Objective:
        return wave(**self.objective.options) if self.waves else make_objective(self.objective)

    @property
    def waves(self) -> bool:
        return self.objective.name in ("Function_wave", "GromovWasserstein")

    def __str__(self) -> str:
        return f"{self.kind} {self.seed}: {self.objective.name} over {self.region!r}, {self.labels}"


def wave(**options: Any) -> fw.Objective:
    """A function that is not convex; distances of distances, where these are given."""
    if "C1" in options:
        return fw.objectives.GromovWasserstein(**options)
    target = options["target"]
    return fw.Function(
        lambda x: float(np.cos(x - target).sum()),
        lambda x: -np.sin(x - target),
        n=target.size,
        convex=False,
    )


def _variables(rng: Rng) -> int:
    draw = rng.random()
    if draw < 0.25:
        return int(rng.integers(1, 3))
    return int(rng.integers(3, 10)) if draw < 0.9 else int(rng.integers(10, 41))


def _radius(rng: Rng) -> float:
    spread = float(rng.choice([0.0, 1.0, 6.0], p=[0.3, 0.4, 0.3]))
    return 10.0 ** float(rng.uniform(-spread, spread))


def _positive(region: fw.Region, n: int) -> bool:
    least = [region.lmo(unit).dense(n)[j] for j, unit in enumerate(np.eye(n))]
    return min(least) >= 0.0 and float(region.middle(n).min()) > 0.0


def siege(seed: int, kind: str) -> Siege:
    """The problem of a seed over a set of this kind, whatever the machine."""
    rng = np.random.default_rng([seed, sorted(ALL).index(kind)])
    with np.errstate(all="ignore"):
        return (_over_matrices if kind in MATRIX_SETS else _over_vectors)(rng, seed, kind)


def _over_vectors(rng: Rng, seed: int, kind: str) -> Siege:
    n, radius, tol = _variables(rng), _radius(rng), float(rng.choice([1e-6, 1e-9]))
    region = SETS[kind](rng, n, radius)
    n = region.dimension or n
    if kind == "Transport" and rng.random() < 0.2:
        part = _distances(rng, *region.shape)  # type: ignore[attr-defined]
        return Siege(seed, kind, part, region, tol, {})
    names = LOSSES + LOGS if _positive(region, n) else LOSSES
    m = int(rng.choice([1, max(1, n // 2), n, 4 * n + 3, 200]))
    for _ in range(50):
        name = str(rng.choice(names))
        if name == "Function_wave":
            part, labels = Part(name, {"target": rng.standard_normal(n)}), {}
            break
        columns = n // int(rng.integers(2, 5)) if name == "Multinomial" else n
        if columns == 0:
            continue
        part, _, labels = MAKERS[name](rng, m, columns)
        if variables_of(part) == n:
            break
    else:
        part, labels = Part("squared_distance", {"p": rng.standard_normal(n)}), {}
    return Siege(seed, kind, part, region, tol, labels)


def _distances(rng: Rng, rows: int, columns: int) -> Part:
    sets = [rng.standard_normal((count, 2)) for count in (rows, columns)]
    C1, C2 = (np.linalg.norm(p[:, None] - p, axis=2) * 10.0 ** rng.uniform(-2, 2) for p in sets)
    return Part("GromovWasserstein", {"C1": C1, "C2": C2})


def _over_matrices(rng: Rng, seed: int, kind: str) -> Siege:
    m, n, tol = int(rng.integers(1, 12)), int(rng.integers(1, 12)), float(rng.choice([1e-6, 1e-9]))
    m = n if kind == "UnitSpectraplex" else m
    while True:
        part, _, labels = MAKERS["Completion"](rng, m, n)
        shape = part.options["shape"]
        if kind != "UnitSpectraplex" or shape[0] == shape[1]:
            return Siege(seed, kind, part, MATRIX_SETS[kind](rng, shape, _radius(rng)), tol, labels)


def _weighted_nuclear(rng: Rng, shape: tuple[int, int], radius: float) -> fw.Region:
    weights = [10.0 ** (rng.uniform(-1, 1) * rng.standard_normal(size)) for size in shape]
    return fw.regions.WeightedNuclearBall(radius, *weights, exact_below=int(rng.choice([0, 2500])))


MATRIX_SETS = {
    "UnitSpectraplex": lambda rng, shape, radius: fw.regions.UnitSpectraplex(radius),
    "WeightedNuclearBall": _weighted_nuclear,
}
ALL = (*SETS, *MATRIX_SETS)
"""The names of all sets that are attacked here."""


def _judged(first: int, last: int, kinds: list[str], skip: int) -> None:
    """A process: one line for each problem."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # other solvers' minima
    from .set_judge import judged

    pairs = [(seed, kind) for seed in range(first, last) for kind in kinds]
    for done, (seed, kind) in enumerate(pairs[skip:], skip):
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        print(json.dumps({"done": done, **judged(seed, kind)}), flush=True)


def _records(seeds: str, kinds: list[str]) -> Any:
    first, last = map(int, seeds.split(":"))
    count, skip = (last - first) * len(kinds), 0
    base = [sys.executable, "-m", "tests.attack.sets", "--seeds", seeds, "--only", *kinds]
    while skip < count:
        with subprocess.Popen(
            [*base, "--skip", str(skip)], stdout=subprocess.PIPE, text=True
        ) as process:
            for line in process.stdout:  # type: ignore[union-attr]
                record = json.loads(line)
                skip = record["done"] + 1
                yield record
        if skip < count:
            seed, kind = first + skip // len(kinds), kinds[skip % len(kinds)]
            yield {
                "seed": seed,
                "kind": kind,
                "level": "died",
                "defects": ["died"],
                "seconds": LIMIT,
            }
            skip += 1


def main() -> int:
    """Run, print; 1 where there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack.sets", description=__doc__)
    parser.add_argument("--seeds", default="0:10", help="a:b, the seeds from a up to b - 1")
    parser.add_argument("--only", nargs="*", default=list(ALL), help="kinds of sets")
    parser.add_argument("--skip", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.skip is not None:
        _judged(*map(int, options.seeds.split(":")), options.only, options.skip)
        return 0
    began, levels, records = time.monotonic(), defaultdict(Counter), []
    for record in _records(options.seeds, options.only):
        records.append(record)
        levels[record["kind"]][record["level"]] += 1
        if record["defects"] or record["level"] in SAID or record["seconds"] > 5.0:
            print(record, flush=True)
    for kind, counts in levels.items():
        print(f"{kind:22}", dict(counts))
    slowest = sorted(records, key=lambda r: -r["seconds"])[:10]
    print("slowest:", [(r["kind"], r["seed"], r["seconds"]) for r in slowest])
    bad = sum(bool(r["defects"]) for r in records)
    print(f"{len(records)} problems, {bad} with defects, {time.monotonic() - began:.0f} s")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
