"""Ratings predicted and ranked: the library's completion beside cmfrec, surprise and implicit.

For each file a table: root mean squared error, NDCG@10 of the order of a user's own test items and
of the first ten among all unseen ones, and processor seconds on one thread, with the search for
the penalty, of the last fit and of the predictions. Random 80/20 splits with fixed seeds; the
contestants see the same ratings and take turns. A file has a user, an item and a rating a line,
as `frankwolfe complete` reads it (MovieLens' u.data and ratings.dat, CSV).
Run with: OMP_NUM_THREADS=1 python benchmarks/studies/completion_peers.py FILE ... [--splits 5]
          [--only NAME ...]
For the others: pip install cmfrec scikit-surprise implicit pandas. What is not installed is left
out.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from common import header, parser
from common import row as line
from completion_measures import ndcg_of_all, ndcg_of_rated
from completion_rankers import RANKERS, Ranker
from completion_recipe import Sample, now

from frankwolfe.datasets import synthetic_ratings
from frankwolfe.datasets.readers import read_ratings


@dataclass(frozen=True)
class Row:
    """One contestant on one split."""

    name: str
    error: float
    rated: float
    all: float
    whole: float
    fit: float
    predict: float


def main() -> None:
    """Print a table for each file."""
    options = arguments()
    present = taking_part(options.only or list(RANKERS))
    little = sample(synthetic_ratings(250, 300, 5000))
    for ranker in present.values():
        ranker.run(little)  # imports and compiling are not timed
    for file in options.files:
        table = read_ratings(file)
        ratings = Sample(
            np.column_stack([table.rows, table.columns]).astype(np.int64),
            table.values.astype(np.float64),
            (table.users.size, table.items.size),
        )
        print(f"\n{file.parent.name}/{file.name}: {len(table):,} ratings, {ratings.shape}\n")
        header("", "RMSE", "NDCG@10, rated", "NDCG@10, all", "search and fit, s", "fit", "predict")
        rows = [
            play(ratings, split, name, ranker)
            for split in range(options.splits)
            for name, ranker in present.items()
        ]
        for name in present:
            show([row for row in rows if row.name == name], present[name])


def arguments() -> argparse.Namespace:
    """What the command line says."""
    command = parser(__doc__)
    command.add_argument("files", nargs="+", type=Path, metavar="FILE")
    command.add_argument("--splits", type=int, default=5)
    command.add_argument("--only", nargs="+", choices=RANKERS, metavar="NAME")
    return command.parse_args()


def sample(data) -> Sample:
    """Users in rows, movies in columns."""
    cells = np.column_stack([data.users, data.movies]).astype(np.int64)
    return Sample(cells, data.values.astype(np.float64), data.shape[::-1])


def taking_part(names: list[str]) -> dict[str, Ranker]:
    """Those that can run; a sentence about the others."""
    present = {}
    for name in names:
        if reason := RANKERS[name].absent():
            print(f"{name} is left out: {reason}")
        else:
            present[name] = RANKERS[name]
    return present


def play(ratings: Sample, split: int, name: str, ranker: Ranker) -> Row:
    """Fit to four fifths, test on the rest."""
    order = np.random.default_rng(split).permutation(ratings.y.size)
    test, train = ratings.part(order[: order.size // 5]), ratings.part(order[order.size // 5 :])
    outcome = ranker.run(train)
    began = now()
    error = test.error(outcome.predict)
    predict = now() - began
    return Row(
        name,
        error,
        ndcg_of_rated(outcome.predict, test),
        ndcg_of_all(outcome.predict.scores, train, test),
        outcome.whole.cpu,
        outcome.fit.cpu,
        predict.cpu,
    )


def show(rows: list[Row], ranker: Ranker) -> None:
    """The means of one contestant's splits."""
    columns = {name: fmean(getattr(row, name) for row in rows) for name in list(vars(rows[0]))[1:]}
    line(
        rows[0].name,
        f"{columns['error']:.4f}" if ranker.ratings else "",
        f"{columns['rated']:.4f}",
        f"{columns['all']:.4f}",
        *(f"{columns[name]:.2f}" for name in ("whole", "fit", "predict")),
    )


if __name__ == "__main__":
    main()
