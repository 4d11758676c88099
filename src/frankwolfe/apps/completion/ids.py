"""Numbers of rows and columns that are far apart, as places of short lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.completion.effects import Ints
from frankwolfe.apps.completion.rating_model import read_cells
from frankwolfe.apps.completion.recommend import Best
from frankwolfe.base.errors import InvalidInput

__all__ = ["CellIds", "Ids"]

MANY, GAPS = 1_000_000, 10  # a number from which on, and so many times as large as there are


@dataclass(frozen=True, eq=False)
class Ids:
    """The numbers in use, in order; all others share the place after the last one."""

    known: Ints

    def places(self, ids: Ints) -> Ints:
        """Where each number stands."""
        at = np.minimum(np.searchsorted(self.known, ids), self.known.size - 1)
        return np.where(self.known[at] == ids, at, self.known.size)

    def read(self, name: str, given: Any) -> Ints:
        """The places of numbers of the caller's, one or a list of them."""
        ids = np.asarray(given)
        if ids.ndim > 1 or (ids.size and not np.issubdtype(ids.dtype, np.integer)):
            raise InvalidInput(f"{name} must be a whole number or a list of them, got {given!r}.")
        if ids.size and ids.min() < 0:
            raise InvalidInput(f"{name} must be numbers >= 0, got {ids.min()}.")
        return self.places(ids.astype(np.int64))

    def named(self, best: Best) -> Best:
        """The same items by their numbers; -1 where there are no more."""
        names = self.known[np.maximum(best.items, 0)]
        return Best(np.where(best.items >= 0, names, -1), best.scores)


class CellIds(NamedTuple):
    """The rows and columns of cells whose numbers have wide gaps."""

    rows: Ids
    columns: Ids

    @classmethod
    def of(cls, cells: ArrayLike) -> CellIds | None:
        """Of cells with such numbers; None where a row and a column for each number cost little."""
        sides = read_cells(cells)
        known = [np.unique(side) for side in sides]
        wide = any(
            ids.size and ids[0] >= 0 and ids[-1] >= max(MANY, GAPS * ids.size) for ids in known
        )
        return cls(*map(Ids, known)) if wide else None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, one more of each for numbers that are not in use."""
        return self.rows.known.size + 1, self.columns.known.size + 1

    def places(self, rows: Ints, columns: Ints) -> tuple[Ints, Ints]:
        """Of cells by their numbers."""
        lowest = min(int(rows.min()), int(columns.min())) if rows.size else 0
        if lowest < 0:
            raise InvalidInput(f"cells must have rows and columns >= 0, got {lowest}.")
        return self.rows.places(rows), self.columns.places(columns)
