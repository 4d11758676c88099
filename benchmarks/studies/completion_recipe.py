"""Ratings, search for a parameter and clock, shared by the contestants of completion_peers.py.

A contestant sees the training ratings only. What has a parameter chooses it on the same
held-out tenth of them, along a path from strong to weak regularization that ends where the
error is one percent past its best, and is then fitted anew to all training ratings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter, process_time

import numpy as np
from numpy.typing import NDArray

from frankwolfe.apps.completion.effects import fit_effects

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Predictor = Callable[[Ints], Floats]
Candidates = Iterator[tuple[float, Predictor]]

RIDGE = 3.0  # ratings by which effects are shrunk; MatrixCompletion's own


@dataclass(frozen=True)
class Seconds:
    """On the wall, and of all processors together; on a busy machine the second says more."""

    wall: float
    cpu: float

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.wall + other.wall, self.cpu + other.cpu)

    def __sub__(self, other: Seconds) -> Seconds:
        return Seconds(self.wall - other.wall, self.cpu - other.cpu)

    def __str__(self) -> str:
        return f"{self.wall:6.1f} s ({self.cpu:.1f} cpu)"


def now() -> Seconds:
    """The two clocks."""
    return Seconds(perf_counter(), process_time())


@dataclass(frozen=True)
class Sample:
    """Ratings `y` at `cells`, one (row, column) a line, of a matrix of some shape."""

    cells: Ints
    y: Floats
    shape: tuple[int, int]

    def part(self, where: NDArray[np.generic]) -> Sample:
        return Sample(self.cells[where], self.y[where], self.shape)

    def divided(self) -> tuple[Sample, Sample]:
        """Nine tenths to fit, and a tenth to choose a parameter on."""
        held = np.random.default_rng(0).random(self.y.size) < 0.1
        return self.part(~held), self.part(held)

    def without_effects(self) -> tuple[Predictor, Floats]:
        """Mean, row and column effects, and what they leave of the ratings."""
        effects = fit_effects(
            self.cells[:, 0], self.cells[:, 1], self.y, self.shape, (RIDGE, RIDGE)
        )

        def predict(cells: Ints) -> Floats:
            return effects.at(cells[:, 0], cells[:, 1])

        return predict, self.y - predict(self.cells)

    def error(self, predict: Predictor) -> float:
        """Root mean squared."""
        return float(np.sqrt(np.mean((predict(self.cells) - self.y) ** 2)))


@dataclass(frozen=True)
class Outcome:
    """What a contestant came to, and its seconds: with the search, and of the last fit alone."""

    predict: Predictor
    parameter: float | None
    whole: Seconds
    fit: Seconds


def search_and_fit(
    train: Sample,
    candidates: Callable[[Sample], Candidates],
    fit: Callable[[Sample, float], Predictor],
) -> Outcome:
    """Choose among the candidates on the held-out tenth, then fit to everything."""
    began = now()
    kept, held = train.divided()
    scores: dict[float, float] = {}
    for parameter, predict in candidates(kept):
        scores[parameter] = held.error(predict)
        if scores[parameter] > 1.01 * min(scores.values()):
            break  # past the best
    best = min(scores, key=scores.__getitem__)
    chosen = now()
    predict = fit(train, best)
    ended = now()
    return Outcome(predict, best, ended - began, ended - chosen)
