"""What completes ratings: effects, a radius by a part held out, and the solver."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.methods.matrix.hybrid import hybrid
from frankwolfe.numerics.checks import at_least_one, finite_vector, number
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.low_rank import FactoredMatrix
from frankwolfe.objectives import Completion
from frankwolfe.regions import NuclearBall
from frankwolfe.sklearn.effects import Effects, Floats, Ints, Ridges, fit_effects, read_ridge
from frankwolfe.solver.minimize import minimize
from frankwolfe.solver.result import Result
from frankwolfe.solver.stopping import Iterations, RelativeGap, Settled

__all__ = ["RatingModel", "cells_inside", "read_cells"]

GRID = (0.25, 0.5, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
USUAL = 3.0  # the ridge to begin with
RIDGES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
ROUNDS = 2  # in which the ridges of rows and of columns are chosen in turn
ROUGH = 0.05  # gap at which a radius is judged
SETTLED = 0.002  # share of f below which a step no longer changes a prediction
FAR = 1.003  # a score that much above the best is past it


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


class _Held(NamedTuple):
    """Ratings to fit to, and a part held out."""

    rows: Ints
    columns: Ints
    values: Floats
    held: Any  # which of them

    @property
    def kept(self) -> tuple[Ints, Ints, Floats]:
        """What is fitted to."""
        return self.rows[~self.held], self.columns[~self.held], self.values[~self.held]

    def rest(self, effects: Effects) -> Floats:
        """What effects leave of the part held out."""
        rows, columns = self.rows[self.held], self.columns[self.held]
        return np.asarray(self.values[self.held] - effects.at(rows, columns))


@dataclass(frozen=True)
class _Choice:
    """A radius over the length of the rest, its score, and the solution to go on from."""

    scale: float = 0.0  # effects alone
    score: float = math.inf
    matrix: FactoredMatrix | None = None


@dataclass(eq=False)
class RatingModel:
    """The model behind :class:`frankwolfe.sklearn.MatrixCompletion`, in the ratings' own units.

    A mean and shrunken row and column effects are taken out; the rest is completed by a
    matrix with a small nuclear norm. On a held-out part of the training ratings are chosen how
    much rows and columns are shrunk, by the effects alone, and the radius, zero for effects alone
    or along a path of growing radii with warm starts; the model is then fitted to all of them.
    Parameters and attributes are those of the estimator.
    """

    radius: float | Literal["auto"] = "auto"
    _: KW_ONLY
    loss: Literal["squared", "huber"] = "squared"
    delta: float = 1.0
    max_rank: int = 40
    ridge: Any = "auto"
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
        choice = self._choose(rows, columns, ratings)
        self.effects_ = fit_effects(rows, columns, ratings, self.shape_, self.ridge_)
        rest = ratings - self.effects_.at(rows, columns)
        size = float(np.linalg.norm(rest))
        self.radius_ = choice.scale * size if self.radius == "auto" else float(self.radius)
        self.matrix_ = FactoredMatrix.zero(self.shape_, np.float32)
        self.dual_gap_, self.certified_, self.n_iter_ = 0.0, True, 0
        if self.radius_ > 0.0:  # else that is the only matrix
            result = self._solve(rows, columns, rest, self.radius_, choice.matrix, self.tol)
            self.matrix_, self.n_iter_ = result.x, result.nit
            self.dual_gap_, self.certified_ = result.gap, result.certified
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
        read_ridge(self.ridge)
        number("validation", self.validation, above=0.0, high=0.5)
        number("tol", self.tol, above=0.0)
        if not isinstance(self.random_state, int | np.integer) or self.random_state < 0:
            raise InvalidInput(f"random_state must be a number >= 0, got {self.random_state!r}.")

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
        """Set the ridges; the radius over the rest's length that does best on a held-out part."""
        ridge = read_ridge(self.ridge)
        if ridge is not None and self.radius != "auto":
            self.ridge_ = ridge
            return _Choice()
        draw = np.random.default_rng(self.random_state).random(rows.size)
        part = _Held(rows, columns, values, draw <= max(self.validation, draw.min()))
        if part.held.all():  # there is always one
            if self.radius == "auto":
                raise InvalidInput("there are too few ratings to hold some out: give a radius.")
            self.ridge_ = ridge or (USUAL, USUAL)
            return _Choice()
        self.ridge_ = ridge or self._ridges(part)
        return self._radius(part) if self.radius == "auto" else _Choice()

    def _effects(self, part: _Held, ridge: Ridges) -> tuple[Effects, float]:
        """Effects of what is kept, and their error on what is held out."""
        effects = fit_effects(*part.kept, self.shape_, ridge)
        return effects, _root_mean_square(part.rest(effects))

    def _ridges(self, part: _Held) -> Ridges:
        """The ridges with which effects alone do best, for rows and columns in turn."""
        best, least = (USUAL, USUAL), self._effects(part, (USUAL, USUAL))[1]
        for _ in range(ROUNDS):
            before = best
            for pair in [(ridge, best[1]) for ridge in RIDGES]:
                score = self._effects(part, pair)[1]
                best, least = (pair, score) if score < least else (best, least)
            for pair in [(best[0], ridge) for ridge in RIDGES]:
                score = self._effects(part, pair)[1]
                best, least = (pair, score) if score < least else (best, least)
            if best == before:
                break
        return best

    def _radius(self, part: _Held) -> _Choice:
        """The best radius, from zero on, until two are worse than the best before them.

        Zero stays unless another does better by more than chance.
        """
        rows, columns, values = part.kept
        effects, score = self._effects(part, self.ridge_)
        rest, target = values - effects.at(rows, columns), part.rest(effects)
        cells = part.rows[part.held], part.columns[part.held]
        size = float(np.linalg.norm(rest))
        self.scores_[0.0] = score
        best, start, worse = _Choice(0.0, score), None, 0
        for scale in GRID if size > 0.0 else ():
            result = self._solve(rows, columns, rest, scale * size, start, max(self.tol, ROUGH))
            start = result.x
            errors = target - result.x.predict(*cells)
            score = self.scores_[scale * size] = _root_mean_square(errors)
            if score < best.score and (best.scale > 0.0 or _surely_less(errors, target)):
                best, worse = _Choice(scale, score, result.x), 0
                continue
            worse += 1
            if worse == 2 or score > FAR * best.score:
                break  # past the best radius
        return best


def _root_mean_square(errors: Floats) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def _surely_less(errors: Floats, others: Floats) -> bool:
    """Whether errors are less than others of the same cells by more than chance makes them."""
    gain = others**2 - errors**2
    return float(gain.mean()) > float(gain.std()) / math.sqrt(gain.size)
