"""What completes ratings: effects, a radius by a part held out, and the solver."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frankwolfe.methods.matrix.hybrid import hybrid
from frankwolfe.numerics.checks import at_least_one, finite_vector, number
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.low_rank import FactoredMatrix
from frankwolfe.objectives import Completion
from frankwolfe.regions import NuclearBall
from frankwolfe.solver.minimize import minimize
from frankwolfe.solver.result import Result
from frankwolfe.solver.stopping import Iterations, RelativeGap, Settled

__all__ = ["Effects", "RatingModel", "cells_inside", "fit_effects", "read_cells"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
GRID = (1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
ROUGH = 0.05  # gap at which a radius is judged
SETTLED = 0.002  # share of f below which a step no longer changes a prediction
FAR = 1.003  # a score that much above the best is past it


@dataclass(frozen=True)
class Effects:
    """A mean, and what each row and column adds to it."""

    mean: float
    row: Floats
    column: Floats

    def at(self, rows: Ints, columns: Ints) -> Floats:
        """Mean and effects of cells."""
        return np.asarray(self.mean + self.row[rows] + self.column[columns])

    def times(self, unit: float) -> Effects:
        """The same in other units."""
        return Effects(unit * self.mean, unit * self.row, unit * self.column)


def fit_effects(
    rows: Ints, columns: Ints, y: Floats, shape: tuple[int, int], ridge: float
) -> Effects:
    """Row and column means, shrunk toward zero by `ridge` ratings, in ten sweeps."""
    mean = float(y.mean())
    row, column = np.zeros(shape[0]), np.zeros(shape[1])
    row_count = np.bincount(rows, minlength=shape[0]) + ridge
    column_count = np.bincount(columns, minlength=shape[1]) + ridge
    for _ in range(10):
        rest = y - mean - column[columns]
        row = np.bincount(rows, rest, minlength=shape[0]) / row_count
        rest = y - mean - row[rows]
        column = np.bincount(columns, rest, minlength=shape[1]) / column_count
    return Effects(mean, row, column)


def read_cells(cells: ArrayLike) -> tuple[Ints, Ints]:
    """Rows and columns of cells, one (row, column) a line."""
    array = np.asarray(cells)
    if array.ndim != 2 or array.shape[1:] != (2,) or not np.issubdtype(array.dtype, np.integer):
        raise InvalidInput(
            f"cells must be whole numbers, one (row, column) a line, got shape {array.shape}."
        )
    return array[:, 0].astype(np.int64), array[:, 1].astype(np.int64)


def cells_inside(rows: Ints, columns: Ints, shape: tuple[int, int]) -> None:
    """Raise unless all cells lie in a matrix of that shape."""
    lowest = min(int(rows.min()), int(columns.min())) if rows.size else 0
    if rows.size and (lowest < 0 or rows.max() >= shape[0] or columns.max() >= shape[1]):
        raise InvalidInput(f"cells must lie in a matrix of shape {shape}.")


@dataclass(frozen=True)
class _Choice:
    """A radius over the length of the rest, its score, and the solution to go on from."""

    scale: float = 1.0
    score: float = math.inf
    matrix: FactoredMatrix | None = None


@dataclass(eq=False)
class RatingModel:
    """The model behind :class:`frankwolfe.sklearn.MatrixCompletion`, in the ratings' own units.

    A mean and shrunken row and column effects are taken out; the rest is completed by a
    matrix with a small nuclear norm. The radius is chosen on a held-out part of the training
    ratings, along a path of growing radii with warm starts, and the model is then fitted to
    all of them. Parameters and attributes are those of the estimator.
    """

    radius: float | Literal["auto"] = "auto"
    _: KW_ONLY
    loss: Literal["squared", "huber"] = "squared"
    delta: float = 1.0
    max_rank: int = 40
    ridge: float = 3.0
    validation: float = 0.1
    tol: float = 0.02
    random_state: int = 0

    def fit(
        self, cells: ArrayLike, values: ArrayLike, *, shape: tuple[int, int] | None = None
    ) -> RatingModel:
        """Fit to ratings at `cells`, one (row, column) a line."""
        rows, columns = read_cells(cells)
        ratings: Floats = finite_vector("values", values, rows.size).astype(np.float64)
        self._check()
        self.shape_ = self._shape(rows, columns, shape)
        cells_inside(rows, columns, self.shape_)
        self.scores_: dict[float, float] = {}
        choice = _Choice()
        if self.radius == "auto":
            choice = self._choose(rows, columns, ratings)
        self.effects_, rest = self._without_effects(rows, columns, ratings)
        size = float(np.linalg.norm(rest))
        radius = choice.scale * size if self.radius == "auto" else float(self.radius)
        self.radius_ = max(radius, 1e-12)
        self._keep(self._solve(rows, columns, rest, self.radius_, choice.matrix, self.tol))
        return self

    @staticmethod
    def _shape(rows: Ints, columns: Ints, shape: Any) -> tuple[int, int]:
        if shape is None:
            return int(rows.max()) + 1, int(columns.max()) + 1
        try:
            first, second = shape
            return at_least_one("shape", first), at_least_one("shape", second)
        except (TypeError, ValueError):
            raise InvalidInput(f"shape must be two whole numbers, got {shape!r}.") from None

    def _check(self) -> None:
        if self.radius != "auto":
            number("radius", self.radius, above=0.0)
        at_least_one("max_rank", self.max_rank)
        number("ridge", self.ridge, above=0.0)
        number("validation", self.validation, above=0.0, high=0.5)
        number("tol", self.tol, above=0.0)
        if not isinstance(self.random_state, int | np.integer) or self.random_state < 0:
            raise InvalidInput(f"random_state must be a number >= 0, got {self.random_state!r}.")

    def _without_effects(self, rows: Ints, columns: Ints, values: Floats) -> tuple[Effects, Floats]:
        effects = fit_effects(rows, columns, values, self.shape_, self.ridge)
        return effects, values - effects.at(rows, columns)

    def _solve(
        self, rows: Ints, columns: Ints, rest: Floats, radius: float, start: Any, tol: float
    ) -> Result:
        objective = Completion(
            (rows, columns, rest.astype(np.float32)),
            shape=self.shape_,
            loss=self.loss,
            delta=self.delta,
            rank_cap=self.max_rank,
        )
        return minimize(
            objective,
            NuclearBall(radius),
            x0=start,
            method=hybrid(local_steps=30),
            stop=RelativeGap(tol) | Settled(SETTLED) | Iterations(15),
        )

    def _choose(self, rows: Ints, columns: Ints, values: Floats) -> _Choice:
        """The radius over the rest's length that does best on a held-out part."""
        draw = np.random.default_rng(self.random_state).random(rows.size)
        held = draw <= max(self.validation, draw.min())  # at least one
        if held.all():
            raise InvalidInput("there are too few ratings to hold some out: give a radius.")
        kept = ~held
        effects, rest = self._without_effects(rows[kept], columns[kept], values[kept])
        target = values[held] - effects.at(rows[held], columns[held])
        size = float(np.linalg.norm(rest))
        best, start, worse = _Choice(), None, 0
        tol = max(self.tol, ROUGH)
        for scale in GRID if size > 0.0 else ():
            result = self._solve(rows[kept], columns[kept], rest, scale * size, start, tol)
            start = result.x
            error = target - result.x.predict(rows[held], columns[held])
            score = self.scores_[scale * size] = float(np.sqrt(np.mean(error**2)))
            if score < best.score:
                best, worse = _Choice(scale, score, result.x), 0
                continue
            worse += 1
            if worse == 2 or score > FAR * best.score:
                break  # past the best radius
        return best

    def _keep(self, result: Result) -> None:
        self.matrix_: FactoredMatrix = result.x
        self.dual_gap_, self.certified_, self.n_iter_ = result.gap, result.certified, result.nit
