"""The augmented Lagrangian of a function of a matrix under constraints on some of its cells."""

from __future__ import annotations

from typing import Self

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.affine_cells import CellAffine
from frankwolfe.apps.constraints.penalty import Penalty
from frankwolfe.base import AnyArray, Array, Point
from frankwolfe.base import fingerprint as fingerprint_of
from frankwolfe.core import CellCurvature, cells_at
from frankwolfe.objectives import OverCells, TraceProduct

__all__ = ["AugmentedCells"]


class AugmentedCells(OverCells):
    r"""The augmented Lagrangian of a function of a matrix that is never formed.

    A function of the cells that f or the constraints see; for vectors there is
    :class:`~frankwolfe.apps.constraints.augmented.Augmented`.

    Parameters
    ----------
    objective : OverCells
        f, with its data in this process's memory.
    rows : CellAffine
        The constraints.
    multipliers : array
        y, a number for each constraint.
    penalty : float
        rho > 0.
    """

    def __init__(
        self, objective: OverCells, rows: CellAffine, multipliers: Array, penalty: float
    ) -> None:
        import scipy.sparse as sp

        self.objective, self.rows = objective, rows
        self.penalty = Penalty(rows, multipliers, penalty)
        own = objective.cells
        keys = own.rows().astype(np.int64) * own.shape[1] + own.columns
        every = np.union1d(keys, rows.keys)
        self._where = np.searchsorted(every, keys)  # f's cells among all
        small = rows.small.tocoo()
        columns = np.searchsorted(every, rows.keys)[small.coords[1]]
        size = rows.rows, every.size
        self.map = sp.csr_array((small.data, (small.coords[0], columns)), shape=size)
        self._back = self.map.T.tocsr()
        self._alone = np.diff(self.map.indptr) == 1  # rows of a single cell
        self.cells = cells_at(every, own.shape)
        self.m, self.n, self.dtype = every.size, objective.n, np.dtype(np.float64)
        self.rank_cap, self.convex = objective.rank_cap, objective.convex
        self.quadratic = objective.quadratic and rows.equalities
        self.offset = objective.offset + self.penalty.constant

    def next_multipliers(self, x: Point) -> Array:
        """First-order multiplier update y + ρ (Ax - proj(Ax + y/ρ))."""
        return self.penalty.slope(self.rows.apply(x))

    def _spread(self, values: Array) -> Array:
        """Values on the cells of f, summed onto all cells."""
        sums: AnyArray = np.bincount(self._where, weights=values, minlength=self.m)
        return np.asarray(sums, dtype=np.float64)

    def value(self, z: Array) -> float:
        penalty = self.penalty
        return self.objective.value(z[self._where]) + penalty.value(penalty.slope(self.map @ z))

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        own = np.empty(self._where.size)
        w = self.map @ z
        value, inner = self.objective.linearize(z[self._where], own)
        off = self.penalty.slope(w)
        slope[:] = self._spread(own) + self._back @ off
        return value + self.penalty.value(off), inner + float(off @ w)

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        value, slope, curvature = self.objective.along(z[self._where], dz[self._where], t)
        more = self.penalty.along(self.map @ z, self.map @ dz, t)
        curvature = None if curvature is None else curvature + more[2]
        return value + more[0], slope + more[1], curvature

    def cell_curvature(self, z: Array) -> CellCurvature:
        own = self.objective.cell_curvature(z[self._where]).bend
        weights = self.penalty.curvature(self.map @ z)
        # rows of one cell add to a diagonal; only the others need a matrix of their own
        alone = np.where(self._alone, weights, 0.0)
        curvature = self._spread(own) + self._back.multiply(self._back) @ alone
        others = np.flatnonzero(~self._alone & (weights > 0.0))
        if not others.size:
            return CellCurvature(curvature)
        roots = np.sqrt(weights[others])[:, None]
        return CellCurvature(curvature, self.map[others].multiply(roots).tocsr())

    def curvature_bound(self, dz: Array) -> float | None:
        bound = self.objective.curvature_bound(dz[self._where])
        rise = self.map @ dz
        return None if bound is None else bound + self.penalty.rho * float(rise @ rise)

    @property
    def smoothness(self) -> float | None:
        """Lipschitz constant L_f + ρ ||A||_F^2; None where that of f is unknown."""
        bound = self.objective.smoothness
        size = float(np.square(self.map.data).sum())
        return None if bound is None else bound + self.penalty.rho * size

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        middle = rng.standard_normal(3)
        plain = Affine(rng.standard_normal((3, n * n)), middle - [0.0, 0.5, np.inf], middle)
        rows = CellAffine(plain, (n, n))
        return cls(TraceProduct.example(n, rng), rows, rng.standard_normal(3), 2.0)

    def fingerprint(self) -> str:
        return fingerprint_of(self.objective.fingerprint(), self.penalty.numbers())

    def __repr__(self) -> str:
        rho = self.penalty.rho
        return f"AugmentedCells({self.objective!r}, {self.rows!r}, penalty={rho:.3g})"
