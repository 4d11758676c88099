"""Matrix completion without the rows and columns in which nothing was observed."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.core.enclosure import Enclosed
from frankwolfe.core.entries import Cells
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.objectives.completion import Completion

__all__ = ["CompactCompletion", "compacted"]

WORTH = 0.9  # of rows and columns have cells, or fewer: then the others are left out


class CompactCompletion(Completion):
    """A completion problem on the rows and columns that have cells; callers see all of X.

    The nuclear norm of a matrix does not grow where rows and columns are dropped, nor does a loss
    over cells change where these are empty: at a minimizer they are zero, and a bound on f without
    them is one on f.

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
        """The same loss over the same cells, numbered among these rows and columns."""
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

    def narrowed(self, x: Any) -> Any:
        """X on the rows and columns that are kept, whichever of the two shapes it has."""
        if getattr(x, "shape", None) != self.full:
            return x
        rows, columns = self.kept
        if not isinstance(x, FactoredMatrix):
            return np.asarray(x)[np.ix_(rows, columns)]
        return FactoredMatrix(x.left[:, rows], x.weights, x.right[:, columns])

    def returned(self, x: FactoredMatrix) -> FactoredMatrix:
        """All of X: rows and columns without cells are zero."""
        left, right = (
            _among(side, places, size)
            for side, places, size in zip((x.left, x.right), self.kept, self.full, strict=True)
        )
        return FactoredMatrix(left, x.weights, right)

    def read_point(self, x: Any, name: str = "x0") -> FactoredMatrix:
        return super().read_point(self.narrowed(x), name)

    def image(self, x: FactoredMatrix, out: Array) -> None:
        super().image(self.narrowed(x), out)

    def enclosed(self, x: FactoredMatrix, region: Any) -> Enclosed:
        return super().enclosed(self.narrowed(x), region)

    def __repr__(self) -> str:
        rows, columns = self.full
        return super().__repr__().replace("{} x {}".format(*self.shape), f"{rows} x {columns}")


def _among(side: Array, places: Indices, size: int) -> Array:
    """Vectors, one a row, with their entries in these places of longer ones."""
    out = np.zeros((len(side), size), dtype=side.dtype)
    out[:, places] = side
    return out


def compacted(f: Any, region: Any) -> Any:
    """f without empty rows and columns, where these are many and the region need not know."""
    if type(f) is not Completion or not f.place.here or not region.drops_empty:
        return f
    rows = np.flatnonzero(np.diff(f.cells.indptr))
    columns = np.unique(f.cells.columns).astype(np.int64)
    if rows.size + columns.size > WORTH * sum(f.shape):
        return f
    return CompactCompletion.of(f, rows, columns)
