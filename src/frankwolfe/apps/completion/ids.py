"""Identifiers of rows and columns with wide gaps, mapped to consecutive places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.completion.effects import Ints
from frankwolfe.apps.completion.rating_model import read_cells
from frankwolfe.apps.completion.recommend import Best
from frankwolfe.base.errors import InvalidInput

__all__ = ["CellIds", "Ids"]

MIN_GAPPED_ID = 1_000_000  # largest identifier; below, a row for each number costs little memory
GAP_RATIO = 10  # largest identifier over identifiers in use, from which gaps are left out


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
        ids = np.asarray(given)
        if ids.ndim > 1 or (ids.size and not np.issubdtype(ids.dtype, np.integer)):
            raise InvalidInput(f"{name} must be a whole number or a list of them, got {given!r}.")
        if ids.size and ids.min() < 0:
            raise InvalidInput(f"{name} must be numbers >= 0, got {ids.min()}.")
        return self.places(ids.astype(np.int64))

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
