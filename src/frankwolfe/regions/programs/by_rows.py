"""Base class of polytopes that are given by rows and bounds."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from frankwolfe.base.arrays import Array, Dtype
from frankwolfe.base.checks import frobenius, is_sparse
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.feasibility import clip_rounding, spacing
from frankwolfe.core.region import OUTSIDE_TOL, Region
from frankwolfe.regions.programs.centre import Centre, centre
from frankwolfe.regions.programs.extent import row_sizes, unit
from frankwolfe.regions.programs.highs import Constraints
from frankwolfe.regions.programs.scaled import ScaledRows

__all__ = ["MAX_TIGHT_BOX", "ROW_TOL", "ByRows"]

MAX_TIGHT_BOX = 64  # variables; above, two programs each for the smallest box cost too much
COST_SCALE = 1024.0  # largest cost: HiGHS may leave 1e-10 of reduced costs, whatever their size
ROW_TOL = 1e-13  # past a row, relative to its size: more is not rounding


class ByRows(Region):
    """Polytope low <= Ax <= high, lower <= x <= upper, and its size.

    A subclass sets `constraints`, as they were given, and `_scaled`, the polytope in units.
    """

    family = "polytopes"
    package = "highspy"
    extra = "lp"

    polytope = True
    costly_oracle = loose_diameter = True
    constraints: Constraints
    _scaled: ScaledRows

    def _costs(self, g: Array) -> tuple[Array, float]:
        """Cost in units, its largest entry about `COST_SCALE`, and the factor taken from it."""
        wide = np.asarray(g, dtype=np.float64)
        largest = float(np.abs(wide).max())
        if largest == 0.0:
            return np.zeros(g.size), 1.0
        # a power of two loses no bit; for subnormal costs it would be subnormal itself
        scale = 2.0 ** math.frexp(largest)[1] if largest > 1e-300 else largest
        cost = wide / scale * self._scaled.units
        more = 2.0 ** math.frexp(float(np.abs(cost).max()))[1]
        return COST_SCALE * (cost / more), scale * more / COST_SCALE

    def _over(self, y: Array) -> float:
        """Largest violation of a y in units, relative to the sizes of rows and variables."""
        A, low, high, lower, upper = self._scaled.program.constraints
        rows, columns = self._sizes
        out = float((np.maximum(lower - y, y - upper) / columns).max())
        if low.size:
            level = A @ y
            out = max(out, float((np.maximum(low - level, level - high) / rows).max()))
        return max(out, 0.0)

    def _kept(self, y: Array) -> Array:
        """y, drawn toward the middle where a solver left it outside by its tolerance."""
        return y if self._over(y) <= ROW_TOL else self._drawn_in(self._on_equations(y))

    def _drawn_in(self, y: Array) -> Array:
        """First point on the way from y to the middle that keeps all bounds and inequalities."""
        A, low, high, lower, upper = self._inside.constraints
        middle, equal = self._inside.x, self._inside.constraints.equations
        y = np.clip(y, lower, upper)
        if not low.size:
            return y
        level, centre_level = A @ y, A @ middle
        past = np.where(equal, 0.0, np.maximum(np.maximum(low - level, level - high), 0.0))
        room = np.where(equal, 1.0, np.minimum(centre_level - low, high - centre_level))
        # at y + t (middle - y) a row is past its side by past - t (past + room); a little more
        share = min(1.0, 1.0001 * float((past / (past + np.maximum(room, 1e-300))).max()))
        return np.asarray(y + share * (middle - y))

    @cached_property
    def _sizes(self) -> tuple[Array, Array]:
        """Sizes of rows and variables, in units: the most that each changes over the polytope."""
        set_ = self._scaled
        width = set_.upper - set_.lower
        A, low, high, _, _ = set_.program.constraints
        rows = row_sizes(A, width)
        level = np.where(np.isfinite(high), high, low)
        rows = np.where(rows > 0.0, rows, np.maximum(1.0, np.abs(level)))
        return rows, np.where(width > 0.0, width, 1.0)

    @cached_property
    def _inside(self) -> Centre:
        """Chebyshev centre of the polytope, in units."""
        return centre(self._scaled.program.constraints)

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        """Bounds of each variable, in units; the tightest ones where variables are few."""
        set_ = self._scaled
        n = set_.lower.size
        if n > MAX_TIGHT_BOX:
            return set_.lower, set_.upper
        ends, basis = np.empty((2, n)), set_.home
        for j in range(n):
            for side, sign in ((0, 1.0), (1, -1.0)):
                found = set_.program.minimize(sign * unit(n, j), basis)
                ends[side, j], basis = found.x[j], found.basis
        return ends[0], ends[1]

    def diameter(self, n: int) -> float:
        lower, upper = self._box
        return frobenius((upper - lower) * self._scaled.units)

    def reach(self, weights: Array, n: int) -> float:
        set_ = self._scaled
        far = np.maximum(np.abs(set_.lower), np.abs(set_.upper)) * set_.units
        return float((far * weights).sum())

    def violation(self, x: Array) -> float:
        return self._over(np.asarray(x, dtype=np.float64) / self._scaled.units)

    def resolution(self, n: int, dtype: Dtype) -> float:
        set_ = self._scaled
        reach = np.maximum(np.abs(set_.lower), np.abs(set_.upper)) * set_.units
        size = self._sizes[1] * set_.units
        j = int((reach / size).argmax())
        return spacing(dtype, float(reach[j]), float(size[j]))

    def start(self, n: int) -> Array:
        return self._kept(self._scaled.vertex) * self._scaled.units

    def middle(self, n: int) -> Array:
        return self._inside.x * self._scaled.units

    def snap(self, x: Array) -> Array:
        units = self._scaled.units
        return clip_rounding(x, self.constraints.lower, self.constraints.upper, units)

    def inside(self, x: Array) -> Array:
        x = self.snap(x)
        if self.violation(x) <= OUTSIDE_TOL[x.itemsize]:
            return x
        y = self._kept(np.asarray(x, dtype=np.float64) / self._scaled.units)
        return np.asarray(y * self._scaled.units, dtype=x.dtype)

    def _on_equations(self, y: Array) -> Array:
        """Projection of y onto the equations."""
        A, _, high, _, _ = self._inside.constraints
        equal = self._inside.constraints.equations
        if not equal.any():
            return y
        rows = (A.tocsr()[equal]).toarray() if is_sparse(A) else A[equal]
        return np.asarray(y + np.linalg.lstsq(rows, high[equal] - rows @ y, rcond=None)[0])

    def fingerprint(self) -> str:
        A = self.constraints.A
        parts = [A] if isinstance(A, np.ndarray) else [A.indptr, A.indices, A.data]
        return fingerprint(repr(self), [*parts, *self.constraints[1:]])

    def __repr__(self) -> str:
        equal = int(self.constraints.equations.sum())
        ends = (self.constraints.low, self.constraints.high)
        rows = sum(int(np.isfinite(end).sum()) for end in ends) - 2 * equal
        return (
            f"{type(self).__name__}({self.dimension} variables, {rows} "
            f"inequalit{'y' if rows == 1 else 'ies'}, {equal} equation{'' if equal == 1 else 's'})"
        )
