"""Model of ratings: effects and a matrix, with a radius chosen on a part held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.completion.effects import Features, read_ridge
from frankwolfe.apps.completion.held_out import DEFAULT_RIDGE, Choice, HeldOut
from frankwolfe.apps.completion.joint import Joint, JointProblem, RatingCells
from frankwolfe.base import (
    Array,
    Floats,
    Ints,
    InvalidInput,
    all_finite,
    as_float_array,
    at_least_one,
    check_room,
    finite_vector,
    number,
)

__all__ = ["GivenFeatures", "RatingModel", "cells_inside", "read_cells"]

BYTES_PER_LINE = 64  # of memory a row or column takes: effects, weights, counts, and one term
ROUNDS = 3  # of matrix and effects in turn, in the last fit; a search of radii makes do with one

GivenFeatures: TypeAlias = tuple[ArrayLike | None, ArrayLike | None]
"""Features of rows and of columns as a caller gives them, a line for each."""


def read_cells(cells: ArrayLike) -> tuple[Ints, Ints]:
    """Rows and columns of cells, given as one (row, column) a line, checked."""
    array = np.asarray(cells)
    if array.ndim != 2 or array.shape[1:] != (2,) or not np.issubdtype(array.dtype, np.integer):
        raise InvalidInput(
            f"cells must be whole numbers, one (row, column) a line, got shape {array.shape}."
        )
    return array[:, 0].astype(np.int64), array[:, 1].astype(np.int64)


def cells_inside(rows: Ints, columns: Ints, shape: tuple[int, int]) -> None:
    """Raise InvalidInput unless all cells lie in a matrix of that shape."""
    lowest = min(int(rows.min()), int(columns.min())) if rows.size else 0
    if rows.size and (lowest < 0 or rows.max() >= shape[0] or columns.max() >= shape[1]):
        raise InvalidInput(f"cells must lie in a matrix of shape {shape}.")


@dataclass(eq=False)
class RatingModel:
    """Model behind :class:`frankwolfe.sklearn.MatrixCompletion`, in the ratings' own units.

    A mean, shrunken row and column effects and a matrix with a small weighted nuclear norm are
    fitted together (:mod:`frankwolfe.apps.completion.joint`). On a held-out part of the training
    ratings are chosen how much rows and columns are shrunk, by the effects alone, and the radius,
    zero for effects alone or along a path of growing radii with warm starts; the model is then
    fitted to all of them. Parameters and attributes are those of the estimator.
    """

    radius: float | Literal["auto"] = "auto"
    _: KW_ONLY
    loss: Literal["squared", "huber"] = "squared"
    delta: float = 1.0
    max_rank: int = 40
    ridge: float | Sequence[float] | str = "auto"
    validation: float = 0.1
    tol: float = 0.02
    random_state: int = 0

    def fit(
        self,
        cells: ArrayLike,
        values: ArrayLike,
        *,
        shape: tuple[int, int] | None = None,
        features: GivenFeatures = (None, None),
    ) -> RatingModel:
        """Fit to ratings at `cells`, one (row, column) a line."""
        self._check()
        self.ratings_ = _read(cells, values, shape, features)
        self.shape_ = self.ratings_.shape
        choice = self._choose()
        problem = self.problem(self.ratings_)
        fit = problem.alone()
        self.radius_, self.scores_ = 0.0, {}
        if choice is not None:
            self.scores_ = choice.scores
            self.radius_ = choice.scale * float(np.linalg.norm(problem.rest(fit.effects)))
            fit = fit if choice.scale == 0.0 else replace(choice.fit, steps=0)
        if self.radius != "auto":
            self.radius_ = float(self.radius)
        if self.radius_ > 0.0:  # else zeros are the only matrix
            fit = problem.solve(self.radius_, fit, self.tol, ROUNDS)
        self._keep(fit, problem)
        return self

    def problem(self, ratings: RatingCells) -> JointProblem:
        """Joint problem of effects and matrix for these ratings, with the ridges chosen."""
        return JointProblem(ratings, self.ridge_, self.loss, self.delta, self.max_rank)

    def _keep(self, fit: Joint, problem: JointProblem) -> None:
        self.fit_ = fit
        self.effects_, self.matrix_, self.n_iter_ = fit.effects, fit.matrix, fit.steps
        self.dual_gap_, self.certified_ = problem.gap(fit, self.radius_)

    def _check(self) -> None:
        if self.radius != "auto":
            number("radius", self.radius, above=0.0)
        at_least_one("max_rank", self.max_rank)
        read_ridge(self.ridge)
        number("validation", self.validation, above=0.0, high=0.5)
        number("tol", self.tol, above=0.0)
        if not isinstance(self.random_state, int | np.integer) or self.random_state < 0:
            raise InvalidInput(f"random_state must be a number >= 0, got {self.random_state!r}.")

    def _choose(self) -> Choice | None:
        """Set the ridges, and choose a radius on ratings held out; None unless that is "auto"."""
        ridge, automatic = read_ridge(self.ridge), self.radius == "auto"
        self.ridge_ = ridge or (DEFAULT_RIDGE, DEFAULT_RIDGE)
        self.judged_: tuple[HeldOut, Joint] | None = None  # what was held out, a fit without it
        if ridge is not None and not automatic:
            return None
        parts = HeldOut.of(self.ratings_, self.validation, self.random_state)
        if parts is None and automatic:
            raise InvalidInput("there are too few ratings to hold some out: give a radius.")
        if parts is None:
            return None
        self.ridge_ = ridge or parts.ridges()
        if not automatic:
            return None
        choice = parts.radius(self.problem, self.tol)
        self.judged_ = parts, choice.fit
        return choice


def _read(
    cells: ArrayLike, values: ArrayLike, shape: tuple[int, int] | None, features: GivenFeatures
) -> RatingCells:
    """Ratings, checked and sorted by row."""
    rows, columns = read_cells(cells)
    ratings: Floats = finite_vector("values", values, rows.size).astype(np.float64)
    known = _features("user_features", features[0]), _features("item_features", features[1])
    full = _shape(rows, columns, shape, known)
    cells_inside(rows, columns, full)
    check_room(
        BYTES_PER_LINE * sum(full),
        f"ratings in a matrix of {full[0]:,} x {full[1]:,}",
        "number rows and columns without gaps, by numpy.unique(rows, return_inverse=True)[1]",
    )
    for side, lines, size in zip(("user", "item"), known, full, strict=True):
        if lines is not None and len(lines) != size:
            raise InvalidInput(
                f"{side}_features must have a line for each of {size} {side}s, got {len(lines)}."
            )
    return RatingCells(rows, columns, ratings, full, known).by_row()


def _features(name: str, given: ArrayLike | None) -> Array | None:
    """Features of rows or columns, a line for each, checked."""
    if given is None:
        return None
    known = as_float_array(name, given)
    if known.ndim != 2 or not all_finite(known):
        raise InvalidInput(
            f"{name} must be a table of finite numbers, one line for each, got shape {known.shape}."
        )
    return known.astype(np.float64)


def _shape(
    rows: Ints, columns: Ints, shape: tuple[int, int] | None, features: Features
) -> tuple[int, int]:
    """Shape of the matrix: as given, or the least that holds all cells and lines of features."""
    if shape is None:
        sides = zip((rows, columns), features, strict=True)
        first, second = (
            max(int(index.max()) + 1, 0 if known is None else len(known)) for index, known in sides
        )
        return first, second
    try:
        first, second = shape
        return at_least_one("shape", first), at_least_one("shape", second)
    except (TypeError, ValueError):
        raise InvalidInput(f"shape must be two whole numbers, got {shape!r}.") from None
