"""The attack at scale: `python -m tests.attack --seeds 0:10000 --workers 16`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from .cases import Case
from .problems import problem
from .reduce import reduced
from .report import defect_groups, report
from .script import script
from .workers import Jury, attack

Record = dict[str, Any]
WARM = range(40)  # problems that call most of the compiled loops


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--seeds", help="a:b, the seeds from a up to b - 1")
    parser.add_argument("--count", type=int, default=1000, help="so many seeds, at random")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=Path("results/attack"))
    parser.add_argument(
        "--reduce", type=int, default=8, help="most failing cases that are cut down"
    )
    parser.add_argument("--minutes", type=float, default=1e9, help="give out no more cases after")
    return parser.parse_args()


def _seeds(options: argparse.Namespace) -> range:
    if options.seeds:
        first, last = map(int, options.seeds.split(":"))
        return range(first, last)
    first = time.time_ns() // 1000 % 10**9
    return range(first, first + options.count)


def main() -> int:
    """Run, print, write; 1 where there is a defect."""
    import frankwolfe as fw

    options, records = _options(), []
    seeds, began = _seeds(options), time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    name = f"{seeds.start}-{seeds.stop}"
    title = f"Attack on frankwolfe {fw.__version__}, seeds {seeds.start}:{seeds.stop}"
    print(f"{title}, {options.workers} workers, {Path(fw.__file__).parent}", flush=True)

    def given() -> Any:
        for seed in seeds:
            if time.monotonic() - began > 60.0 * options.minutes:
                return
            yield seed

    for _ in attack(WARM, options.workers, limit=600.0):  # what is compiled now is compiled
        pass
    print(f"compiled, {time.monotonic() - began:.0f} s", flush=True)
    with (options.out / f"{name}.jsonl").open("w") as file:
        for record in attack(given(), options.workers):
            records.append(record)
            file.write(json.dumps(record) + "\n")
            file.flush()
            _tell(record, len(records), len(seeds), began)
    text = report(sorted(records, key=lambda r: r["seed"]), title)
    path = options.out / f"{name}.md"
    path.write_text(text)
    scripts = _reduce(records, options)
    path.write_text(text + scripts)
    print(text.partition("\n## By objective")[0] + scripts)
    print(f"{time.monotonic() - began:.0f} s; {path} and {path.with_suffix('.jsonl')}")
    return int(any(r["defects"] for r in records))


def _tell(record: Record, done: int, count: int, began: float) -> None:
    for defect in record["defects"]:
        about = f"{record.get('objective')} over {record.get('region')}"
        print(
            f"seed {record['seed']}: {defect['kind']}, {about}, {defect['method']}: "
            f"{defect['detail']}",
            flush=True,
        )
    if record["level"] == "judge failed":
        print(f"seed {record['seed']}: the judge failed: {record.get('error', '')[-400:]}")
    if done % 100 == 0:
        print(f"{done} of {count}, {time.monotonic() - began:.0f} s", flush=True)


def _reduce(records: list[Record], options: argparse.Namespace) -> str:
    """One small script for each cause."""
    parts = []
    for (kind, cause), those in list(defect_groups(records).items())[: options.reduce]:
        record, defect = those[0]
        case = problem(record["seed"])
        if defect["method"] != (case.method or "default"):
            case = replace(case, method=None if defect["method"] == "default" else defect["method"])
        with Jury() as jury:
            fails = partial(_same, jury, kind, defect["method"])
            small = reduced(case, fails, seconds=60.0) if fails(case) else problem(record["seed"])
        about = f"{kind}, {cause} (seed {record['seed']})"
        parts.append(f"\n### {about}\n\n```python\n{script(small)}```\n")
        print(parts[-1], flush=True)
    return "\n## The shortest cases found\n" + "".join(parts) if parts else ""


def _same(jury: Jury, kind: str, method: str, case: Case) -> bool:
    """Whether a case has this defect."""
    found = jury.record(case)["defects"]
    return any(d["kind"] == kind and d["method"] == method for d in found)


if __name__ == "__main__":
    sys.exit(main())
