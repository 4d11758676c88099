"""Linear functions tr(C'X) of a matrix X."""

from __future__ import annotations

from typing import Self

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Indices, Matrix
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.entries import Cells, cells_at
from frankwolfe.core.factor_curvature import CellCurvature
from frankwolfe.core.maps import as_map
from frankwolfe.objectives.over_cells import RANK_CAP, OverCells

__all__ = ["TraceProduct"]


class TraceProduct(OverCells):
    r"""A linear function of a matrix: :math:`f(X) = \langle C, X\rangle = \mathrm{tr}(C'X)`.

    The objective of semidefinite programs such as the relaxation of MaxCut. The variable X is a
    :class:`~frankwolfe.FactoredMatrix`, and only the cells that C stores are looked at.

    Parameters
    ----------
    C : scipy sparse matrix or array
        The coefficients.
    rank_cap : int
        Largest number of terms that an iterate keeps.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.objectives.TraceProduct(np.diag([2.0, -1.0]))
    >>> result = fw.minimize(f, fw.Spectraplex())
    >>> result.fun, result.success
    (-1.0, True)
    """

    quadratic = True
    everywhere = True

    def __init__(self, C: Matrix, *, rank_cap: int = RANK_CAP) -> None:
        import scipy.sparse as sp

        as_map("C", C)  # checked
        given = sp.coo_array(C)
        shape = int(given.shape[0]), int(given.shape[1])
        keys = given.coords[0].astype(np.int64) * shape[1] + given.coords[1]
        self._begin(*_summed(keys, given.data.astype(np.float64)), shape)
        self.rank_cap = at_least_one("rank_cap", rank_cap)

    def _begin(self, keys: Indices, values: Array, shape: tuple[int, int]) -> None:
        """Set the cells, by row * columns + column, and their coefficients."""
        self.cells: Cells = cells_at(keys, shape)
        self.c = values
        self.m, self.n = values.size, shape[0] * shape[1]
        self.dtype = np.dtype(np.float64)

    @classmethod
    def zero(cls, shape: tuple[int, int]) -> Self:
        """The function that is zero everywhere."""
        made = cls.__new__(cls)
        made._begin(np.zeros(0, dtype=np.int64), np.zeros(0), shape)
        return made

    def value(self, z: Array) -> float:
        return float(self.c @ z)

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        slope[:] = self.c
        value = self.value(z)
        return value, value

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        rise = self.value(dz)
        return self.value(z) + t * rise, rise, 0.0

    def cell_curvature(self, z: Array) -> CellCurvature:
        return CellCurvature(np.zeros(self.m))

    def curvature_bound(self, dz: Array) -> float | None:
        return 0.0

    @property
    def smoothness(self) -> float:
        """Zero, because the gradient is constant."""
        return 0.0

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        return cls(rng.standard_normal((n, n)))

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [*self.cells.parts(), self.c])

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"TraceProduct({rows} x {columns}, {self.m} cells)"


def _summed(keys: Indices, values: Array) -> tuple[Indices, Array]:
    """Distinct cells in ascending order, with the sums of their values."""
    found, where = np.unique(keys, return_inverse=True)
    sums: AnyArray = np.bincount(where, weights=values, minlength=found.size)
    return found, np.asarray(sums, dtype=np.float64)
