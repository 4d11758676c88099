"""Linear constraints on the cells of a matrix that is never formed."""

from __future__ import annotations

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.base import Array, Matrix, Point, at_least_one
from frankwolfe.core import CellMatrix, FactoredMatrix, cells_at

__all__ = ["CellAffine", "diagonal"]


def diagonal(n: int) -> Matrix:
    """The map from a matrix of n rows and columns to its diagonal, for :class:`~frankwolfe.Affine`.

    Of a factored matrix it reads the diagonal alone.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> fw.Affine(fw.diagonal(3), 1.0)
    Affine(3 equalities, 9 variables)
    """
    import scipy.sparse as sp

    n = at_least_one("n", n)
    places = (n + 1) * np.arange(n, dtype=np.int64)
    return sp.csr_array((np.ones(n), places, np.arange(n + 1)), shape=(n, n * n))


class CellAffine(Affine):
    """Constraints with a column for each entry of a matrix, row by row, of which few are used.

    Attributes
    ----------
    keys : array of int
        Numbers i * columns + j of the cells that occur, ascending.
    cells : Cells
        The cells with these numbers.
    small : scipy sparse matrix
        The constraints, with a column for each of these cells.
    """

    def __init__(self, rows: Affine, shape: tuple[int, int]) -> None:
        import scipy.sparse as sp

        self.matrix, self.lower, self.upper = rows.matrix, rows.lower, rows.upper
        self.linear = rows.linear
        self.shape = shape
        full = sp.coo_array(self.matrix)
        kept = full.data != 0.0
        columns = full.coords[1][kept].astype(np.int64)
        self.keys, where = np.unique(columns, return_inverse=True)
        size = rows.rows, self.keys.size
        self.small = sp.csr_array((full.data[kept], (full.coords[0][kept], where)), shape=size)
        self.cells = cells_at(self.keys, shape)

    def apply(self, x: Point) -> Array:
        """Values A x of the rows; of a factored matrix only the cells that occur are formed."""
        if isinstance(x, FactoredMatrix):
            entries = np.empty(self.keys.size)
            self.cells.factored(*x.here().factors(), entries)
        else:
            entries = np.asarray(x, dtype=np.float64).ravel()[self.keys]
        return np.asarray(self.small @ entries)

    def covector(self, y: Array) -> CellMatrix:
        """A' y, as a matrix that is zero outside the cells that occur."""
        return self.cells.matrix(np.asarray(self.small.T @ y))

    def _like(self, matrix: Matrix, lower: Array, upper: Array) -> CellAffine:
        return CellAffine(Affine(matrix, lower, upper), self.shape)
