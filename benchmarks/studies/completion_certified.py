"""Seconds to a certified gap on MovieLens, by `minimize` and nothing else; see README.md.

    python benchmarks/studies/completion_certified.py 100k [--data FOLDER] [--rounds 3]
        [--gaps 1e-3 1e-4 1e-6] [--radius R] [--losses huber squared logistic]

The gap is relative to f. The Huber loss has the threshold 4 of the contest (P7), and 1, the default
of `Completion`. On 100K the radius is 5000, 2000 for the logistic loss (a rating above 3.5);
elsewhere, and with `--radius 0`, it is the one of a geometric grid with the least error on a tenth
of the ratings. Runs take turns; figures are the least and the largest of all rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from common import by_turns, header, ratings_parser, row

import frankwolfe as fw

LOSSES: dict[str, Callable[..., Any]] = {
    "huber": lambda cells, values: fw.Completion((*cells, values), delta=4.0),
    "huber1": lambda cells, values: fw.Completion((*cells, values)),
    "squared": lambda cells, values: fw.Completion((*cells, values), loss="squared"),
    "logistic": lambda cells, values: fw.Completion((*cells, values > 3.5), loss="logistic"),
}
KNOWN = {"100k": {"logistic": 2000.0}}
USUAL = {"100k": 5000.0}
HELD, GRID, ROUGH = 0.1, 1.1, 1e-2  # share held back, factor of the grid, gap of its fits


def best_radius(loss: str, cells: tuple[Any, Any], values: Any) -> float:
    """Up the grid from what a constant needs, until the error on what is held back has risen."""
    rng = np.random.default_rng(0)
    held = rng.random(values.size) < HELD
    train, test = (tuple(part[keep] for part in cells) for keep in (~held, held))
    shape = tuple(int(part.max()) + 1 for part in cells)
    radius = abs(float(values.mean())) * math.sqrt(shape[0] * shape[1])
    best, found = math.inf, radius
    while True:
        f = LOSSES[loss](train, values[~held])
        x = fw.minimize(f, fw.NuclearBall(radius), tol=ROUGH).x
        inside = (test[0] < x.shape[0]) & (test[1] < x.shape[1])
        seen = x.predict(test[0][inside], test[1][inside])
        error = math.sqrt(float(((seen - values[held][inside]) ** 2).mean()))
        print(f"  radius {radius:.0f}: rank {x.terms}, error {error:.4f}", flush=True)
        if error > best:
            return found
        best, found, radius = error, radius, GRID * radius


def main() -> None:
    """Print a row for each loss and gap."""
    line = ratings_parser(__doc__)
    line.add_argument("--rounds", type=int, default=3)
    line.add_argument("--radius", type=float, default=None)
    line.add_argument("--gaps", type=float, nargs="+", default=[1e-3, 1e-4, 1e-6])
    line.add_argument("--losses", nargs="+", default=list(LOSSES), choices=list(LOSSES))
    options = line.parse_args()
    ratings = fw.datasets.movielens(options.version, options.data)
    cells = ratings.users, ratings.movies
    values = ratings.values.astype(float)
    header("loss", "radius", "gap asked", "seconds", "gap shown", "rank")
    for loss in options.losses:
        radius = options.radius
        if radius is None:
            named = KNOWN.get(options.version, {})
            radius = named.get(loss, USUAL.get(options.version, 0.0))
        radius = radius or best_radius(loss, cells, values)
        f, ball, results = LOSSES[loss](cells, values), fw.NuclearBall(radius), {}

        def run(gap: float, f: Any = f, ball: Any = ball, results: Any = results) -> None:
            results[gap] = fw.minimize(f, ball, tol=gap)

        run(1e-1)  # compiled
        times = by_turns(
            {str(gap): lambda gap=gap: run(gap) for gap in options.gaps}, options.rounds
        )
        for gap in options.gaps:
            found = results[gap]
            took = times[str(gap)]
            shown = f"{found.gap / abs(found.fun):.1e}" + ("" if found.success else " (not met)")
            spread = f"{min(took):.2f} to {max(took):.2f}"
            row(loss, f"{radius:g}", f"{gap:g}", spread, shown, found.x.terms)


if __name__ == "__main__":
    main()
