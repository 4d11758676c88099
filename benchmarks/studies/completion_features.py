"""Movies without ratings, with and without their genres: MatrixCompletion on MovieLens 100K.

A fifth of the movies are held out with all their ratings, or a fifth of the ratings at random.
Features are the genres of u.item and three indicators of the years before 1990.
Run with: python benchmarks/studies/completion_features.py --data FOLDER [--splits 5]
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from common import header, parser, row

from frankwolfe.datasets import movielens
from frankwolfe.sklearn import MatrixCompletion

YEARS = (0, 1960, 1980, 1990)


def main() -> None:
    """Print test errors, mean over the splits."""
    command = parser(__doc__, "ml-100k/u.data and ml-100k/u.item")
    command.add_argument("--splits", type=int, default=5)
    options = command.parse_args()
    data = movielens("100k", options.data)
    known = features(options.data / "ml-100k" / "u.item")
    cells, y = np.column_stack([data.users, data.movies]), data.values.astype(np.float64)
    errors: dict[tuple[str, str], list[float]] = {}
    for split in range(options.splits):
        rng = np.random.default_rng(split)
        tests = {
            "new movies": (rng.random(data.shape[0]) < 0.2)[data.movies],
            "all movies": rng.random(y.size) < 0.2,
        }
        for name, test in tests.items():
            for title, given in (("without", None), ("with", known)):
                model = MatrixCompletion()
                model.fit_cells(cells[~test], y[~test], data.shape[::-1], item_features=given)
                off = y[test] - model.predict(cells[test])
                errors.setdefault((name, title), []).append(float(np.sqrt(np.mean(off**2))))
    header("", "without features", "with features")
    for name in ("new movies", "all movies"):
        row(name, *(f"{np.mean(errors[name, title]):.4f}" for title in ("without", "with")))


def features(file: Path) -> np.ndarray:
    """Genres and years, a movie a line; all 1682 have ratings, so that places are ids less one."""
    lines = [line.split("|") for line in file.read_text("latin-1").splitlines()]
    genres = np.array([[float(flag) for flag in line[5:]] for line in lines])
    years = np.array([int(line[2][-4:] or YEARS[-1]) for line in lines])
    spans = [(years >= low) & (years < high) for low, high in pairwise(YEARS)]
    return np.column_stack([genres, *spans])


if __name__ == "__main__":
    main()
