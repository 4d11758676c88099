"""What is claimed of the library's speed, each with its measured number and whether it holds."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peers import OURS

from suite.measure import seconds_to
from suite.reading import geometric_mean, label, least
from suite.store import Row

JULIA = Path(__file__).parents[1] / "frankwolfe_jl.json"
FIVE = {"P2", "P3", "P4", "P5", "P6", "P8"}
ACCURACY = 1e-6
SPREAD = 1.2  # of noise in a time of some microseconds
CAP = 30.0  # seconds after which a run of FrankWolfe.jl was given up


@dataclass(frozen=True)
class Claim:
    """A sentence, the number it is about, and the verdict; None where nothing was measured."""

    text: str
    measured: str
    holds: bool | None

    def __str__(self) -> str:
        verdict = {True: "holds", False: "DOES NOT HOLD", None: "not measured"}[self.holds]
        return f"- {self.text}: {self.measured or 'nothing'} ({verdict})"


def claims(
    problems: list[Row], rows: list[Row], iterations: list[Row], scale: dict[str, list[Row]]
) -> list[Claim]:
    """All of them."""
    ran = [row for row in problems if "left out" not in row]
    julia = json.loads(JULIA.read_text())["problems"]
    return [
        *_per_iteration(iterations),
        *_against_julia(ran, rows, julia),
        *_against_python(ran, rows),
        *_large(scale.get("dense", []), "dense data: time over that of reading A"),
        *_large(scale.get("sparse", []), "sparse data: time over that of scipy's two products"),
        *_memory(scale.get("sparse", [])),
        *_variables(scale.get("variables", [])),
    ]


def _per_iteration(rows: list[Row]) -> list[Claim]:
    found = {(row["problem"], row["what"]): row["proxies"] for row in rows}
    made = []
    for method in ("FW", "JFW"):
        ratios = {p: found[p, method] for p in ("P1", "P1b", "P2") if (p, method) in found}
        measured = ", ".join(f"{p} {ratio:.2f}" for p, ratio in ratios.items())
        count = max((row.get("iterations", 0) for row in rows), default=0)
        measured += f" over {count} iterations, set-up included" if count else ""
        holds = all(r <= 1.2 for r in ratios.values()) if len(ratios) == 3 else None
        made.append(Claim(f"{method} takes at most 1.2 proxies an iteration", measured, holds))
    return made


def ours(problem: Row, rows: list[Row]) -> Row | None:
    """Our row of a problem."""
    for row in rows:
        if row["problem"] == problem["problem"] and row["solver"] == OURS:
            return row
    return None


def speedups(problems: list[Row], rows: list[Row], julia: dict[str, Any], pool: str) -> Row:
    """FrankWolfe.jl's time in proxies over ours in proxies, least times on both sides.

    Where it never reached the accuracy, its cap stands for its time: a lower bound, negative
    so that it can be told. Where ours never did, 0.
    """
    found = {}
    for problem in problems:
        name = problem["problem"]
        row, there = ours(problem, rows), julia[name]
        if row is None or (pool == "expert" and pool not in there):
            continue
        mine = seconds_to(row, ACCURACY, least) / problem["proxy least"]
        record = there.get(pool, {}).get(label(ACCURACY))
        theirs = (record["seconds"] if record else CAP) / there["proxy"]
        found[name] = (theirs if record else -theirs) / mine
    return found


def _shown(found: Row) -> str:
    def one(ratio: float) -> str:
        if ratio == 0.0:
            return "never"
        return f"{ratio:.1f}x" if ratio > 0 else f"> {-ratio:.1f}x (it never got there)"

    return ", ".join(f"{name} {one(ratio)}" for name, ratio in found.items())


def _against_julia(problems: list[Row], rows: list[Row], julia: dict[str, Any]) -> list[Claim]:
    stock = speedups(problems, rows, julia, "stock")
    expert = speedups(problems, rows, julia, "expert")
    five = {name: ratio for name, ratio in stock.items() if name in FIVE}
    recorded = [ratio for ratio in stock.values() if ratio > 0]
    mean = geometric_mean(recorded) if 0.0 not in stock.values() else 0.0
    whole = len(stock) == len(julia)

    def all_at_least(found: Row, floor: float) -> bool | None:
        if any(0 <= ratio < floor for ratio in found.values()):
            return False
        unknown = any(-floor < ratio < 0 for ratio in found.values())
        return True if whole and not unknown else None

    by = "by time over proxy, to 1e-06"
    return [
        Claim(
            f"faster than FrankWolfe.jl's best stock variant on each problem, {by}",
            _shown(stock),
            all_at_least(stock, 1.0),
        ),
        Claim(
            "at least 5 times on P2-P6 and P8",
            _shown(five),
            all_at_least(five, 5.0),
        ),
        Claim(
            "geometric mean at least 8 times, over the problems where it has a time",
            f"{mean:.1f}x over {len(recorded)}",
            None if not whole else mean >= 8.0,
        ),
        Claim(
            f"faster than FrankWolfe.jl in an expert's hands, {by}",
            _shown(expert),
            all_at_least(expert, 1.0),
        ),
    ]


def best_peer(problem: Row, rows: list[Row]) -> tuple[str, float]:
    """The fastest other solver, and its seconds."""
    others = [
        (seconds_to(row, ACCURACY), row["solver"])
        for row in rows
        if row["problem"] == problem["problem"] and row["solver"] != OURS and not row["skipped"]
    ]
    seconds, name = min(others, default=(math.inf, "nobody"))
    return (name, seconds) if math.isfinite(seconds) else ("nobody", math.inf)


def _against_python(problems: list[Row], rows: list[Row]) -> list[Claim]:
    ratios, parts = {}, []
    for problem in problems:
        row, (name, seconds) = ours(problem, rows), best_peer(problem, rows)
        if row is None:
            continue
        mine = seconds_to(row, ACCURACY)
        ratio = seconds / mine if math.isfinite(mine) else (0.0 if name != "nobody" else math.nan)
        if problem["problem"] != "P1b":
            ratios[problem["problem"]] = ratio
        shown = "nobody got there" if name == "nobody" else f"{ratio:.2f}x {name}"
        parts.append(f"{problem['problem']} {shown}")
    ahead = sum(ratio > 1.0 for ratio in ratios.values())
    whole = len(ratios) == 10
    behind = min(ratios.values(), default=math.nan)
    worst = [name for name, ratio in ratios.items() if ratio == behind]
    return [
        Claim(
            "ahead of the best Python peer on 8 of the 10 at least",
            f"{ahead} of {len(ratios)}: {', '.join(parts)}",
            ahead >= 8 if whole else None,
        ),
        Claim(
            "never behind by more than 1.5 times",
            f"{' '.join(worst)}: {1 / behind:.2f} times its time" if behind > 0 else "never there",
            (behind >= 1 / 1.5) if whole else None,
        ),
    ]


def _large(rows: list[Row], what: str) -> list[Claim]:
    if not rows:
        return [Claim(f"{what}, within its limit", "", None)]
    shown = ", ".join(f"{row['problem']} {row['ratio']:.2f}" for row in rows)
    limit = rows[0]["at most"]
    holds = all(row["ratio"] <= row["at most"] for row in rows)
    return [Claim(f"{what}, at most {limit}", shown, holds)]


def _memory(rows: list[Row]) -> list[Claim]:
    found = [row for row in rows if row.get("memory over data") is not None]
    shown = ", ".join(f"{row['problem']} {row['memory over data']:.2f}" for row in found)
    holds = all(row["memory over data"] <= 1.5 for row in found) if found else None
    return [Claim("sparse data: memory at most 1.5 times the data's", shown, holds)]


def _variables(rows: list[Row]) -> list[Claim]:
    """Judged with caches emptied for every n alike: a large gradient empties them itself."""
    by_method: dict[str, list[Row]] = {}
    for row in (row for row in rows if "the rest, caches emptied" in row):
        by_method.setdefault(row["method"], []).append(row)
    shown, holds = [], []
    for method, found in by_method.items():
        times = ", ".join(f"{row['the rest']:.0f} at {row['n']:g}" for row in found)
        cold = [row["the rest, caches emptied"] for row in found]
        shown.append(f"{method}: {times} µs, {cold[0]:.0f} to {cold[-1]:.0f} with emptied caches")
        growth = math.log(found[-1]["n"]) / math.log(found[0]["n"])
        holds.append(cold[-1] <= SPREAD * growth * cold[0])
    text = "l1 ball: what is not the gradient and its largest entry grows no more than log n"
    return [Claim(text, "; ".join(shown), all(holds) if holds else None)]
