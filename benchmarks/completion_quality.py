"""Test error on MovieLens: effects and completion, beside effects alone and an ALS package.

Random 80/20 splits with fixed seeds; the contestants see the same ratings, and take turns.
Run with: python benchmarks/completion_quality.py 100k [--splits 5] [--path FOLDER]
ALS is cmfrec's (pip install cmfrec); it is left out where that is not installed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter

import numpy as np

import frankwolfe as fw
from frankwolfe.datasets import movielens
from frankwolfe.estimators import _effects

Predictor = Callable[[np.ndarray], np.ndarray]


def completion(cells: np.ndarray, y: np.ndarray, shape: tuple[int, int]) -> Predictor:
    """The library's estimator, radius chosen on a part of the training ratings."""
    return fw.MatrixCompletion().fit(cells, y, shape=shape).predict


def effects_alone(cells: np.ndarray, y: np.ndarray, shape: tuple[int, int]) -> Predictor:
    """Mean, row and column effects."""
    effects = _effects(cells[:, 0], cells[:, 1], y, shape, 3.0)
    return lambda where: effects.at(where[:, 0], where[:, 1])


def als(cells: np.ndarray, y: np.ndarray, shape: tuple[int, int]) -> Predictor:
    """Alternating least squares with biases, penalty chosen on a part of the training ratings."""
    import pandas
    from cmfrec import CMF

    def fitted(where: np.ndarray, ratings: np.ndarray, penalty: float) -> Predictor:
        frame = pandas.DataFrame({"UserId": where[:, 1], "ItemId": where[:, 0], "Rating": ratings})
        model = CMF(k=40, lambda_=penalty, method="als", use_cg=False, verbose=False, nthreads=2)
        model.fit(frame)
        return lambda cells: model.predict(user=cells[:, 1], item=cells[:, 0])

    held = np.random.default_rng(0).random(len(y)) < 0.1
    scores = {}
    for penalty in (5.0, 10.0, 20.0, 35.0):
        predicted = fitted(cells[~held], y[~held], penalty)(cells[held])
        scores[penalty] = float(np.nanmean((predicted - y[held]) ** 2))
    model = fitted(cells, y, min(scores, key=scores.__getitem__))
    mean = float(y.mean())
    return lambda where: np.nan_to_num(model(where), nan=mean)


def main() -> None:
    """Print mean test errors and times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version", nargs="?", default="100k")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--path")
    options = parser.parse_args()
    ratings = movielens(options.version, options.path)
    cells = np.column_stack([ratings.movies, ratings.users]).astype(np.int64)
    y = ratings.values.astype(np.float64)
    contestants = {"effects": effects_alone, "completion": completion, "ALS (cmfrec)": als}
    try:
        import cmfrec  # noqa: F401
    except ImportError:
        del contestants["ALS (cmfrec)"]
    errors: dict[str, list[float]] = {name: [] for name in contestants}
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for seed in range(options.splits):
        order = np.random.default_rng(seed).permutation(y.size)
        test, train = order[: y.size // 5], order[y.size // 5 :]
        for name, fit in contestants.items():
            began = perf_counter()
            predict = fit(cells[train], y[train], ratings.shape)
            times[name].append(perf_counter() - began)
            errors[name].append(float(np.sqrt(np.mean((predict(cells[test]) - y[test]) ** 2))))
            print(
                f"split {seed}  {name:14} {errors[name][-1]:.4f}  {times[name][-1]:.1f} s",
                flush=True,
            )
    for name in contestants:
        mean, seconds = np.mean(errors[name]), np.mean(times[name])
        print(f"{ratings.name}  {name:14} mean {mean:.4f}  {seconds:.1f} s")


if __name__ == "__main__":
    main()
