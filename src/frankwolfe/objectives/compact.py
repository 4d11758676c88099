"""Matrix completion without the rows and columns in which nothing was observed."""

from __future__ import annotations

from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices, Point
from frankwolfe.core.enclosure import Enclosed, RegionFacts
from frankwolfe.core.entries import Cells
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.objective import Objective
from frankwolfe.objectives.completion import Completion

__all__ = ["CompactCompletion", "compacted"]

MAX_OCCUPIED_SHARE = 0.9  # of rows and columns with cells; above, little would be saved


class CompactCompletion(Completion):
    """A completion problem on the rows and columns that have cells; callers see all of X.

    Dropping rows and columns does not increase the nuclear norm, and dropping empty ones does not
    change a loss over cells: at a minimizer they are zero, and a lower bound on f without them is
    a lower bound on f.

    Attributes
    ----------
    full : tuple of int
        Rows and columns of all of X.
    kept : tuple of arrays of int
        The rows and columns that have cells.
    """

    full: tuple[int, int]
    kept: tuple[Indices, Indices]

    @classmethod
    def of(cls, whole: Completion, rows: Indices, columns: Indices) -> Self:
        """The loss of `whole` with its cells renumbered among the given rows and columns."""
        made = cls.__new__(cls)
        made.__dict__.update(vars(whole))
        made.__dict__.pop("smoothness", None)
        cells = whole.cells
        indptr = np.append(cells.indptr[rows], cells.indptr[-1])
        places = np.searchsorted(columns, cells.columns).astype(cells.columns.dtype)
        made.cells = Cells((rows.size, columns.size), indptr, places)
        made.n = rows.size * columns.size
        made.full, made.kept = whole.shape, (rows, columns)
        return made

    def narrowed(self, x: Point) -> Point:
        """X on the rows and columns that are kept; a matrix of their shape is returned as it is."""
        if getattr(x, "shape", None) != self.full:
            return x
        rows, columns = self.kept
        if not isinstance(x, FactoredMatrix):
            return np.asarray(x)[np.ix_(rows, columns)]
        return FactoredMatrix(x.left[:, rows], x.weights, x.right[:, columns])

    def returned(self, x: FactoredMatrix) -> FactoredMatrix:
        """X in its full shape, with zero rows and columns where there are no cells."""
        left, right = (
            _among(side, places, size)
            for side, places, size in zip((x.left, x.right), self.kept, self.full, strict=True)
        )
        return FactoredMatrix(left, x.weights, right)

    def read_point(self, x: Point, name: str = "x0") -> FactoredMatrix:
        return super().read_point(self.narrowed(x), name)

    def image(self, x: FactoredMatrix, out: Array) -> None:
        super().image(self.narrowed(x), out)

    def enclosed(self, x: FactoredMatrix, region: RegionFacts) -> Enclosed:
        return super().enclosed(self.narrowed(x), region)

    def __repr__(self) -> str:
        rows, columns = self.full
        return super().__repr__().replace("{} x {}".format(*self.shape), f"{rows} x {columns}")


def _among(side: Array, places: Indices, size: int) -> Array:
    """The rows of `side`, extended to length `size`: their entries at `places`, else zeros."""
    out = np.zeros((len(side), size), dtype=side.dtype)
    out[:, places] = side
    return out


def compacted(f: Objective, region: RegionFacts) -> Objective:
    """The objective f without empty rows and columns, where many are and the region allows it."""
    # a subclass may see empty rows, and on a device the cells cannot be renumbered cheaply
    if type(f) is not Completion or not f.place.here or not region.drops_empty:
        return f
    rows = np.flatnonzero(np.diff(f.cells.indptr))
    columns = np.unique(f.cells.columns).astype(np.int64)
    if rows.size + columns.size > MAX_OCCUPIED_SHARE * sum(f.shape):
        return f
    return CompactCompletion.of(f, rows, columns)
