"""Recommendations: the best unseen columns of rows, similar columns, identifiers with gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.completion.joint import Joint, RatingCells
from frankwolfe.apps.completion.rating_model import read_cells
from frankwolfe.base import Array, Floats, Ints, InvalidInput, at_least_one, one_thread

__all__ = ["Best", "CellIds", "Ids", "RatedItems", "best_items", "read_ids", "similar"]

BLOCK_SCORES = 1 << 22  # scores computed at a time: 32 MiB
MIN_GAPPED_ID = 1_000_000  # largest identifier; below, a row for each number costs little memory
GAP_RATIO = 10  # largest identifier over identifiers in use, from which gaps are left out


class Best(NamedTuple):
    """Items, best first, and their scores; -1 and NaN where there are no more."""

    items: Ints
    scores: Floats


class RatedItems(NamedTuple):
    """Columns that each row has rated, in compressed rows."""

    starts: Ints
    columns: Ints

    @classmethod
    def of(cls, ratings: RatingCells) -> RatedItems:
        """Rated columns from ratings sorted by row."""
        starts = np.searchsorted(ratings.rows, np.arange(ratings.shape[0] + 1))
        return cls(starts, ratings.columns.astype(np.int32))

    def row(self, i: int) -> Ints:
        """Columns that row i has rated."""
        return self.columns[self.starts[i] : self.starts[i + 1]]


def read_ids(name: str, given: ArrayLike, size: int | None = None) -> Ints:
    """Whole numbers from 0 to `size` - 1 (from 0 on, if None), one or a list of them, checked."""
    ids = np.asarray(given)
    if ids.ndim > 1 or (ids.size and not np.issubdtype(ids.dtype, np.integer)):
        raise InvalidInput(f"{name} must be a whole number or a list of them, got {given!r}.")
    if size is None and ids.size and ids.min() < 0:
        raise InvalidInput(f"{name} must be numbers >= 0, got {ids.min()}.")
    if size is not None and ids.size and (ids.min() < 0 or ids.max() >= size):
        raise InvalidInput(
            f"{name} must lie between 0 and {size - 1}, as in the fit, got {ids.min()} to "
            f"{ids.max()}."
        )
    return ids.astype(np.int64)


def best_items(
    fit: Joint, users: Ints, n: int, items: ArrayLike | None, seen: RatedItems | None
) -> Best:
    """Best n of `items` (of all, if None) for each user, without those in `seen`."""
    count = fit.matrix.shape[1]
    wanted = None if items is None else np.unique(read_ids("items", items, count))
    place = np.full(count, -1)  # of a column among those wanted
    columns = np.arange(count) if wanted is None else wanted
    place[columns] = np.arange(columns.size)
    best = _room(users.size, at_least_one("n", n))
    left, right = fit.matrix.factors()
    base, right = fit.effects.mean + fit.effects.column[columns], right[columns].astype(float)
    for block in _blocks(users.size, columns.size):
        rows = users[block]
        with one_thread():  # the bits of a product depend on the number of threads
            scores = left[rows].astype(float) @ right.T
        scores += base
        scores += fit.effects.row[rows, None]
        for k, row in enumerate(rows.tolist()):
            if seen is not None:
                known = place[seen.row(row)]
                scores[k, known[known >= 0]] = -np.inf
            _write(best, block.start + k, scores[k], columns)
    return _as_predicted(fit, users, best)


def _as_predicted(fit: Joint, users: Ints, best: Best) -> Best:
    """Items of `best` with scores from `fit.at`: products in blocks round differently."""
    line, place = np.nonzero(best.items >= 0)
    best.scores[line, place] = fit.at(users[line], best.items[line, place])
    order = np.lexsort((best.items, -best.scores))  # what is not there comes last
    items = np.take_along_axis(best.items, order, axis=1)
    return Best(items, np.take_along_axis(best.scores, order, axis=1))


def similar(components: Array, items: Ints, n: int) -> Best:
    """Other n items whose factors have the largest cosines with the factor of each item."""
    if not components.size:
        raise InvalidInput(
            "this fit has effects alone, and so no factors in which items resemble each other."
        )
    lengths = np.linalg.norm(components, axis=0)
    unit = (components / np.where(lengths > 0.0, lengths, 1.0)).T
    best, columns = _room(items.size, at_least_one("n", n)), np.arange(unit.shape[0])
    for block in _blocks(items.size, columns.size):
        with one_thread():
            scores = unit[items[block]] @ unit.T
        for k, item in enumerate(items[block].tolist()):
            scores[k, item] = -np.inf
            _write(best, block.start + k, scores[k], columns)
    return best


def _room(count: int, n: int) -> Best:
    return Best(np.full((count, n), -1), np.full((count, n), np.nan))


def _blocks(count: int, width: int) -> Iterator[slice]:
    size = max(1, BLOCK_SCORES // max(width, 1))
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def _write(best: Best, line: int, scores: Floats, columns: Ints) -> None:
    """Write a line of `best`: the columns with the largest scores; of equal ones the first."""
    n = min(best.items.shape[1], int(np.isfinite(scores).sum()))
    if n == 0:
        return
    least = np.partition(scores, scores.size - n)[scores.size - n]
    among = np.flatnonzero(scores >= least)
    order = among[np.argsort(-scores[among], kind="stable")[:n]]
    best.items[line, :n], best.scores[line, :n] = columns[order], scores[order]


@dataclass(frozen=True, eq=False)
class Ids:
    """Sorted identifiers in use; all others share the place after the last one."""

    known: Ints

    def places(self, ids: Ints) -> Ints:
        """Place of each identifier among those in use."""
        at = np.minimum(np.searchsorted(self.known, ids), self.known.size - 1)
        return np.where(self.known[at] == ids, at, self.known.size)

    def read(self, name: str, given: ArrayLike) -> Ints:
        """Places of identifiers given by the caller, one or a list of them, checked."""
        return self.places(read_ids(name, given))

    def named(self, best: Best) -> Best:
        """Items of `best` by their identifiers instead of places; -1 where there are no more."""
        names = self.known[np.maximum(best.items, 0)]
        return Best(np.where(best.items >= 0, names, -1), best.scores)


class CellIds(NamedTuple):
    """Identifiers of rows and columns in cells whose numbers have wide gaps."""

    rows: Ids
    columns: Ids

    @classmethod
    def of(cls, cells: ArrayLike) -> CellIds | None:
        """Identifiers of the cells; None where a row and column for each number cost little."""
        sides = read_cells(cells)
        known = [np.unique(side) for side in sides]
        wide = any(
            ids.size and ids[0] >= 0 and ids[-1] >= max(MIN_GAPPED_ID, GAP_RATIO * ids.size)
            for ids in known
        )
        return cls(*map(Ids, known)) if wide else None

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix: rows and columns in use, and one more of each for all others."""
        return self.rows.known.size + 1, self.columns.known.size + 1

    def places(self, rows: Ints, columns: Ints) -> tuple[Ints, Ints]:
        """Places of the rows and columns of cells, given by their identifiers."""
        lowest = min(int(rows.min()), int(columns.min())) if rows.size else 0
        if lowest < 0:
            raise InvalidInput(f"cells must have rows and columns >= 0, got {lowest}.")
        return self.rows.places(rows), self.columns.places(columns)
