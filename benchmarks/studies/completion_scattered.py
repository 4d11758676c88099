"""Ratings of very many rows with one to three each: effects alone, one ridge, and the estimator.

Strong effects and a weak or strong matrix of low rank, in the shape of a collection of book
ratings. Prints test errors, the choices made, and seconds.

    python benchmarks/studies/completion_scattered.py [--ratings 434000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from frankwolfe.apps.completion.effects import fit_effects
from frankwolfe.sklearn import MatrixCompletion


def scattered(count, signal, seed=0):
    """Cells, ratings from 1 to 10, and the shape."""
    rng = np.random.default_rng(seed)
    users, items = count * 78 // 434, count * 150 // 434
    rows = np.repeat(np.arange(users), np.minimum(rng.zipf(1.75, users), 2000))
    rows = rng.permutation(rows)[:count]
    law = np.cumsum((np.arange(items) + 20.0) ** -0.85)
    columns = np.searchsorted(law, rng.random(rows.size) * law[-1])
    keys = rng.permutation(np.unique(rows * items + columns))
    rows, columns = np.divmod(keys, items)
    left, right = rng.standard_normal((users, 3)), rng.standard_normal((items, 3))
    effects = 1.1 * rng.standard_normal(users)[rows] + 0.6 * rng.standard_normal(items)[columns]
    low_rank = signal / np.sqrt(3.0) * (left[rows] * right[columns]).sum(axis=1)
    values = 7.6 + effects + low_rank + 1.3 * rng.standard_normal(rows.size)
    return np.column_stack([rows, columns]), np.clip(np.round(values), 1, 10), (users, items)


def error(values, guess):
    """Root mean squared."""
    return float(np.sqrt(np.mean((values - guess) ** 2)))


def main():
    """Print a line for each strength of the low rank."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, default=434_000)
    options = parser.parse_args()
    print("| low rank | effects, ridge 3 | estimator, ridge 3 | s | estimator | s | radius |")
    print("|---|---|---|---|---|---|---|")
    for signal in (0.0, 0.3, 1.0):
        cells, values, shape = scattered(options.ratings, signal)
        test = np.random.default_rng(1).random(values.size) < 0.2
        effects = fit_effects(*cells[~test].T, values[~test], shape, (3.0, 3.0))
        line = [f"{signal:g}", f"{error(values[test], effects.at(*cells[test].T)):.4f}"]
        for ridge in (3.0, "auto"):
            start = time.perf_counter()
            model = MatrixCompletion(ridge=ridge).fit_cells(cells[~test], values[~test], shape)
            seconds = time.perf_counter() - start
            line += [f"{error(values[test], model.predict(cells[test])):.4f}", f"{seconds:.1f}"]
        print(
            "|", " | ".join([*line, f"{model.radius_:.4g}, ridges {model.ridge_}"]), "|", flush=True
        )


if __name__ == "__main__":
    main()
