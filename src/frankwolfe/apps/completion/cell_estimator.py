"""Predictions of a completion of ratings: values, intervals, the best items of a user."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if

from frankwolfe.apps.completion.effects import Effects
from frankwolfe.apps.completion.intervals import Intervals
from frankwolfe.apps.completion.joint import Joint
from frankwolfe.apps.completion.rating_model import RatingModel, cells_inside, read_cells
from frankwolfe.apps.completion.recommend import (
    Best,
    CellIds,
    RatedItems,
    best_items,
    read_ids,
    similar,
)
from frankwolfe.base import Array, Floats, Ints, InvalidInput, finite_vector, number
from frankwolfe.core import FactoredMatrix

__all__ = ["CellPredictorMixin"]


def _fitted_to_cells(model: CellPredictorMixin) -> bool:
    if getattr(model, "_by_cells", False):
        return True
    raise AttributeError(
        "predict, predict_interval, calibrate, recommend and similar_items are for a model that "
        "fit_cells has fitted; fit goes with transform."
    )


after_fit_cells = available_if(_fitted_to_cells)


class CellPredictorMixin:
    """Methods of a model that `fit_cells` has fitted. Rows are users, columns are items."""

    effects_: Effects
    matrix_: FactoredMatrix
    shape_: tuple[int, int]
    ids_: CellIds | None
    components_: Array
    _by_cells: bool
    _seen: RatedItems
    _intervals: Intervals

    # `cells` are the data of predict: scikit-learn would take them for metadata to route
    __metadata_request__predict = {"cells": UNUSED}  # noqa: RUF012

    def _keep_cells(self, model: RatingModel) -> None:
        self._seen = RatedItems.of(model.ratings_)
        self._intervals = Intervals.of(model)

    @after_fit_cells  # type: ignore[untyped-decorator]
    def predict(self, cells: ArrayLike) -> Floats:
        """Predicted values at `cells`, one (row, column) a line, after `fit_cells`."""
        return self._whole().at(*self._read(cells))

    @after_fit_cells  # type: ignore[untyped-decorator]
    def predict_interval(self, cells: ArrayLike, coverage: float = 0.9) -> Floats:
        """Intervals that hold the values at `cells` with that probability.

        They are calibrated on the part held out to choose the radius, in the fit without it, or on
        what :meth:`calibrate` was given, and are wider for rows and columns that spread more or
        were seen less. The probability is that of a cell drawn like those they were calibrated on:
        held-out cells are drawn like the ratings themselves, but people choose what they rate, so
        that ratings nobody has given may differ more. It is an average over cells, not a promise
        for each row; and a radius chosen on the held-out part makes it optimistic, by little where
        hundreds are held out. Ratings that only `calibrate` sees leave exchangeability as
        the one assumption.

        Parameters
        ----------
        cells : array of shape (n, 2)
            One (row, column) a line.
        coverage : float
            Above 0, at most 1.

        Returns
        -------
        array of shape (n, 2)
            Lower and upper ends; infinite where fewer cells were held out than the coverage needs.
        """
        coverage = number("coverage", coverage, above=0.0, high=1.0)
        rows, columns = self._read(cells)
        middle = self._whole().at(rows, columns)
        half = self._intervals.half_widths(rows, columns, coverage)
        return np.column_stack([middle - half, middle + half])

    @after_fit_cells  # type: ignore[untyped-decorator]
    def calibrate(self, cells: ArrayLike, values: ArrayLike) -> Self:
        """Calibrate intervals on ratings that the fit has not seen; predictions stay."""
        rows, columns = self._read(cells)
        given = finite_vector("values", values, rows.size).astype(np.float64)
        errors = given - self._whole().at(rows, columns)
        self._intervals = self._intervals.calibrated(rows, columns, errors)
        return self

    @after_fit_cells  # type: ignore[untyped-decorator]
    def recommend(
        self,
        users: ArrayLike,
        n: int = 10,
        *,
        items: ArrayLike | None = None,
        filter_seen: bool = True,
    ) -> Best:
        """Recommend the n items with the largest predictions, best first; of equal ones the first.

        A user of the fit's shape without ratings gets the items with the largest effects.

        Parameters
        ----------
        users : int or array of int
            Rows of the fit.
        n : int
            How many items.
        items : array of int, optional
            Columns to choose among; by default all.
        filter_seen : bool
            Leave out what the user has rated.

        Returns
        -------
        items, scores
            Of one user, arrays of n items or as many as there are; of several users, arrays of
            shape (users, n), with -1 and NaN where there are no more.

        Examples
        --------
        >>> from frankwolfe.sklearn import MatrixCompletion
        >>> cells = [[0, 0], [0, 1], [1, 0], [1, 2], [2, 1], [2, 2]]
        >>> model = MatrixCompletion(radius=1.0).fit_cells(cells, [5.0, 1.0, 4.0, 3.0, 2.0, 3.0])
        >>> model.recommend(0, 2).items
        array([2])
        >>> model.recommend([0, 1], 2, filter_seen=False).items
        array([[0, 2],
               [0, 2]])
        """
        seen, ids, among = self._seen if filter_seen else None, self.ids_, items
        if ids is None:
            rows = read_ids("users", users, self.shape_[0])
        else:
            rows, count = ids.rows.read("users", users), ids.columns.known.size
            all_of_them = np.arange(count)
            among = all_of_them if items is None else np.ravel(ids.columns.read("items", items))
            among = among[among < count]
        best = best_items(self._whole(), np.atleast_1d(rows), n, among, seen)
        return _as_asked(best if ids is None else ids.columns.named(best), rows)

    @after_fit_cells  # type: ignore[untyped-decorator]
    def similar_items(self, items: ArrayLike, n: int = 10) -> Best:
        """Items whose factors have the n largest cosines with that of an item, and the cosines.

        For one item or several, as :meth:`recommend` has it for users; an item is not among its
        own.
        """
        if self.ids_ is None:
            columns = read_ids("items", items, self.shape_[1])
            return _as_asked(similar(self.components_, np.atleast_1d(columns), n), columns)
        ids = self.ids_.columns
        columns = ids.read("items", items)
        if (columns == ids.known.size).any():
            raise InvalidInput("items must be among those with ratings in the fit.")
        rated = self.components_[:, : ids.known.size]
        return _as_asked(ids.named(similar(rated, np.atleast_1d(columns), n)), columns)

    def _whole(self) -> Joint:
        return Joint(self.effects_, self.matrix_)

    def _read(self, cells: ArrayLike) -> tuple[Ints, Ints]:
        rows, columns = read_cells(cells)
        if self.ids_ is not None:
            return self.ids_.places(rows, columns)
        cells_inside(rows, columns, self.shape_)
        return rows, columns


def _as_asked(best: Best, ids: Ints) -> Best:
    """Result for one identifier as its own line without missing places; for a list as it is."""
    if ids.ndim:
        return best
    there = best.items[0] >= 0
    return Best(best.items[0, there], best.scores[0, there])
