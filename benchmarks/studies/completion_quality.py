"""Test error on MovieLens: the library's completion beside effects alone, ALS and soft-impute.

Random 80/20 splits with fixed seeds; the contestants see the same ratings, and take turns in one
process. Seconds, on the wall and of all processors together, are given with the search for radius
or penalty ("whole") and of the last fit alone.
Run with: python benchmarks/studies/completion_quality.py 100k [--splits 5] [--data FOLDER]
          [--only NAME ...] [--json FILE]
For the others: pip install cmfrec pandas fancyimpute "scikit-learn<1.8"; in R,
install.packages("softImpute"). What is not installed is left out.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from common import ratings_parser
from completion_contestants import CONTESTANTS, Contestant
from completion_recipe import Sample, Seconds
from suite.facts import facts

from frankwolfe.datasets import Ratings, movielens, synthetic_ratings


@dataclass(frozen=True)
class Row:
    """One contestant on one split."""

    split: int
    name: str
    error: float
    whole: Seconds
    fit: Seconds
    parameter: float | None

    def __str__(self) -> str:
        parameter = "" if self.parameter is None else f"  at {self.parameter:.4g}"
        return (
            f"split {self.split}  {self.name:26}{self.error:.4f}"
            f"  whole {self.whole}  fit {self.fit}{parameter}"
        )


def main() -> None:
    """Print test errors and times of each split, and their means."""
    options = arguments()
    data = movielens(options.version, options.data)
    ratings = sample(data)
    present = taking_part(options.only or list(CONTESTANTS))
    warm_up(present)
    rows = []
    for split in range(options.splits):
        for name, contestant in present.items():
            rows.append(play(ratings, split, name, contestant))
            print(rows[-1], flush=True)
            if options.json:  # after each, so that a stopped run leaves what it has
                save(Path(options.json), data.name, rows)
    print(f"{data.name}, means:")
    for name in present:
        print(mean([row for row in rows if row.name == name]))


def arguments() -> argparse.Namespace:
    """What the command line says."""
    line = ratings_parser(__doc__)
    line.add_argument("--splits", type=int, default=5)
    line.add_argument("--only", nargs="+", choices=CONTESTANTS, metavar="NAME")
    line.add_argument("--json", metavar="FILE")
    return line.parse_args()


def sample(data: Ratings) -> Sample:
    """Movies in rows, users in columns."""
    cells = np.column_stack([data.movies, data.users]).astype(np.int64)
    return Sample(cells, data.values.astype(np.float64), data.shape)


def taking_part(names: list[str]) -> dict[str, Contestant]:
    """Those that can run; a sentence about the others."""
    present = {}
    for name in names:
        if reason := CONTESTANTS[name].absent():
            print(f"{name} is left out: {reason}")
        else:
            present[name] = CONTESTANTS[name]
    return present


def warm_up(present: dict[str, Contestant]) -> None:
    """Let each run on little, so that imports and compiling are not timed."""
    little = sample(synthetic_ratings(250, 300, 5000))
    for contestant in present.values():
        contestant.run(little)


def play(ratings: Sample, split: int, name: str, contestant: Contestant) -> Row:
    """Fit to four fifths, test on the rest."""
    order = np.random.default_rng(split).permutation(ratings.y.size)
    test, train = order[: order.size // 5], order[order.size // 5 :]
    outcome = contestant.run(ratings.part(train))
    error = ratings.part(test).error(outcome.predict)
    return Row(split, name, error, outcome.whole, outcome.fit, outcome.parameter)


def mean(rows: list[Row]) -> str:
    """Of one contestant's splits."""
    error = fmean(row.error for row in rows)
    whole, fit = mean_seconds([r.whole for r in rows]), mean_seconds([r.fit for r in rows])
    return f"{rows[0].name:26}{error:.4f}  whole {whole}  fit {fit}"


def mean_seconds(times: list[Seconds]) -> Seconds:
    """Of both clocks."""
    return Seconds(fmean(t.wall for t in times), fmean(t.cpu for t in times))


def save(file: Path, data: str, rows: list[Row]) -> None:
    """All rows so far, with the machine they were measured on."""
    report = {"data": data, "machine": facts(), "rows": [asdict(row) for row in rows]}
    file.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
