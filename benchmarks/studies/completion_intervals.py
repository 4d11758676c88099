"""How often MatrixCompletion's intervals hold the rating: in all, and by what was seen.

Rows of the table are coverages wanted, columns how many training ratings user or item had. Random
80/20 splits with fixed seeds; a file has a user, an item and a rating a line.
Run with: python benchmarks/studies/completion_intervals.py FILE ... [--splits 5] [--coverage 0.9]
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from common import header, parser, row

from frankwolfe.datasets.readers import read_ratings
from frankwolfe.sklearn import MatrixCompletion

EDGES = (0, 5, 20, 50, 150, 10**9)


def main() -> None:
    """Print a table for each file."""
    command = parser(__doc__)
    command.add_argument("files", nargs="+", type=Path, metavar="FILE")
    command.add_argument("--splits", type=int, default=5)
    command.add_argument("--coverage", type=float, nargs="+", default=[0.5, 0.8, 0.9, 0.95])
    options = command.parse_args()
    for file in options.files:
        table = read_ratings(file)
        print(f"\n{file.parent.name}/{file.name}: {len(table):,} ratings\n")
        names = [f"{low} to {high - 1}" for low, high in pairwise(EDGES[:-1])]
        names.append(f"{EDGES[-2]} on")
        sides = [f"{side} with {name}" for side in ("user", "item") for name in names]
        header("wanted", "all", "width", *sides)
        tests = [tested(table, split, options.coverage) for split in range(options.splits)]
        for k, coverage in enumerate(options.coverage):
            inside = np.concatenate([test[0][k][0] for test in tests])
            width = np.mean([test[0][k][1] for test in tests])
            counts = [np.concatenate([test[1][side] for test in tests]) for side in (0, 1)]
            row(
                coverage,
                f"{inside.mean():.3f}",
                f"{width:.2f}",
                *(share(inside, seen, k) for seen in counts for k in range(len(EDGES) - 1)),
            )


def tested(table, split: int, coverages: list[float]):
    """What the intervals of each coverage hold and their mean width; counts of users and items."""
    cells = np.column_stack([table.rows, table.columns])
    order = np.random.default_rng(split).permutation(len(table))
    test, train = order[: order.size // 5], order[order.size // 5 :]
    shape = table.users.size, table.items.size
    model = MatrixCompletion().fit_cells(cells[train], table.values[train], shape=shape)
    found = []
    for coverage in coverages:
        low, high = model.predict_interval(cells[test], coverage).T
        values = table.values[test]
        found.append(((low <= values) & (values <= high), float(np.mean(high - low))))
    seen = [
        np.bincount(cells[train, k], minlength=shape[k])[cells[test, k]]
        for k in (0, 1)
    ]  # fmt: skip
    return found, seen


def share(inside, seen, k: int) -> str:
    """Of the cells whose user or item was seen so often, what intervals hold."""
    there = (seen >= EDGES[k]) & (seen < EDGES[k + 1])
    return f"{inside[there].mean():.3f}" if there.sum() >= 50 else ""


if __name__ == "__main__":
    main()
