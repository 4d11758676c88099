"""Experiment (c): robust matrix completion on MovieLens 100K.

The paper's text leaves two things open, so each reading is run: whether R = 5 is meant for
raw ratings (where one atom is almost optimal), and whether "4 % of the total ratings (i.e.,
mn ratings)" are 4 % of the observed ratings or of all mn cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base import Floats
from frankwolfe.core import Problem
from frankwolfe.datasets import Ratings
from frankwolfe.methods import FrankWolfe, afw, frank_wolfe, jacobi
from frankwolfe.methods.steps import ExactLineSearch
from frankwolfe.objectives import Completion
from frankwolfe.regions import NuclearBall
from frankwolfe.solver import states

__all__ = ["READINGS", "CompletionPanel", "Reading", "TrainTestSplit", "measure", "split"]

DELTA = 4.0  # threshold of the Huber loss, in stars
SEED = 5  # of the split that is drawn, chosen as docs/paper.md says; claims give the range


@dataclass(frozen=True)
class Reading:
    """Interpretation of the experiment's description."""

    title: str
    radius: float
    everywhere: bool  # True: outliers among all cells; False: among the observed ratings


READINGS = (
    Reading("R = 5, outliers: 4 % of the ratings", 5.0, False),
    Reading("R = 5, outliers: 4 % of all cells", 5.0, True),
    Reading("R = 5000, outliers: 4 % of the ratings", 5000.0, False),
    Reading("R = 5000, outliers: 4 % of all cells", 5000.0, True),
)


@dataclass(frozen=True)
class TrainTestSplit:
    """Training and test cells of a matrix: rows, columns and values of each."""

    train: tuple[NDArray[np.int32], NDArray[np.int32], Floats]
    test: tuple[NDArray[np.int32], NDArray[np.int32], Floats]
    shape: tuple[int, int]


@dataclass(frozen=True)
class ErrorCurves:
    """Training loss and normalized test error at some steps."""

    steps: Floats
    train: Floats
    test: Floats


@dataclass(frozen=True)
class CompletionPanel:
    """Measurements for one reading: training and test errors of each method."""

    reading: Reading
    curves: dict[str, ErrorCurves]


def huber(c: Floats, delta: float = DELTA) -> Floats:
    """Huber loss in the paper's form: c² up to |c| = delta, 2 delta |c| - delta² beyond."""
    size = np.abs(c)
    return np.where(size <= delta, size**2, 2.0 * delta * size - delta**2)


def split(ratings: Ratings, reading: Reading, seed: int = SEED) -> TrainTestSplit:
    """Set the outliers to the largest rating, and halve the observations at random."""
    rng = np.random.default_rng(seed)
    rows, columns = ratings.movies, ratings.users
    values = ratings.values.astype(np.float64)
    best = float(values.max())
    if reading.everywhere:
        cells = ratings.shape[0] * ratings.shape[1]
        chosen = rng.choice(cells, int(0.04 * cells), replace=False)
        known = rows.astype(np.int64) * ratings.shape[1] + columns
        values[np.isin(known, chosen)] = best
        new = np.setdiff1d(chosen, known)
        rows = np.concatenate([rows, (new // ratings.shape[1]).astype(np.int32)])
        columns = np.concatenate([columns, (new % ratings.shape[1]).astype(np.int32)])
        values = np.concatenate([values, np.full(new.size, best)])
    else:
        values[rng.choice(values.size, int(0.04 * values.size), replace=False)] = best
    order = rng.permutation(values.size)
    half = values.size // 2
    parts = [(rows[k], columns[k], values[k]) for k in (order[:half], order[half:])]
    return TrainTestSplit(parts[0], parts[1], ratings.shape)


def methods() -> dict[str, FrankWolfe]:
    """Methods to run: the paper's three with its parameters, JFW without any, exact line search."""
    return {
        "FW": frank_wolfe(),
        "AFW": afw(),
        "JFW": jacobi(4.5, 4.5, 2 / 3),
        "JFW auto": jacobi("auto"),
        "FW line search": frank_wolfe(ExactLineSearch()),
    }


def follow(problem: Problem, method: FrankWolfe, data: TrainTestSplit, last: int) -> ErrorCurves:
    """Training loss and test error of a method at every fifth step and at 1, 2, 3 and 10."""
    rows, columns, values = data.test
    scale = float(huber(values).sum())
    wanted = {0, 1, 2, 3, 10, *range(4, last + 1, 5), last}
    seen: list[tuple[float, float, float]] = []
    for state in states(problem, method):
        if state.k in wanted:
            error = float(huber(values - state.x.predict(rows, columns)).sum()) / scale
            seen.append((state.k, state.value, error))
        if state.k == last:
            break
    steps, train, test = np.array(seen).T
    return ErrorCurves(steps, train, test)


def measure(
    ratings: Ratings,
    reading: Reading,
    last: int,
    *,
    seed: int = SEED,
    say: Callable[[str], None] = lambda _: None,
) -> CompletionPanel:
    """Run the methods on one reading of the experiment."""
    data = split(ratings, reading, seed)
    objective = Completion(data.train, shape=data.shape, loss="huber", delta=DELTA)
    # a tight oracle: the paper's methods take an exact one for granted
    problem = Problem(objective, NuclearBall(reading.radius, accuracy=1e-3))
    curves = {}
    for name, method in methods().items():
        say(f"(c) {reading.title}: {name}")
        curves[name] = follow(problem, method, data, last)
    return CompletionPanel(reading, curves)
