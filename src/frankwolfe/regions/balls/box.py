"""A box: bounds on every variable."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Dtype
from frankwolfe.base.checks import as_float_array, frobenius, quiet
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.double_double import Doubled, exact
from frankwolfe.core.feasibility import clip_rounding, snap_to_bounds, spacing
from frankwolfe.core.region_abilities import CompiledOracle, ExactBound
from frankwolfe.core.vertices import BOX
from frankwolfe.regions.balls.boxlike import Boxlike

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Box"]


class Box(Boxlike, ExactBound):
    """The box lower <= x <= upper.

    Parameters
    ----------
    lower, upper : float or array
        Finite bounds, lower <= upper; a number stands for every variable.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.Box(0.0, [1.0, 2.0]).lmo(np.array([-1.0, 1.0])).dense(2)
    array([1., 0.])
    """

    family = "polytopes"
    formula = r"l \le x \le u"
    atom = "a corner"
    cost = "n"

    def __init__(self, lower: ArrayLike = 0.0, upper: ArrayLike = 1.0) -> None:
        low, high = as_float_array("lower", lower), as_float_array("upper", upper)
        if low.ndim > 1 or high.ndim > 1 or (low.ndim and high.ndim and low.size != high.size):
            raise InvalidInput(
                "lower and upper must be numbers or vectors of one length, "
                f"got shapes {low.shape} and {high.shape}."
            )
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise InvalidInput("lower and upper must be finite: an unbounded box has no vertices.")
        if (low > high).any() or low.size == 0 or high.size == 0:
            raise InvalidInput("lower must not exceed upper in any entry, and none may be empty.")
        with quiet():
            width = high - low
        if not np.isfinite(width).all():
            raise InvalidInput("upper - lower must be finite: scale x.")
        self.lower, self.upper = low.copy(), high.copy()
        sizes = [bound.size for bound in (low, high) if bound.ndim]
        self.dimension = sizes[0] if sizes else None
        whole = float(width.max()) or float(np.abs(low).max()) or 1.0  # zero alone has no size
        self._size = np.where(width > 0, width, np.maximum(whole, np.abs(low)))

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        out = np.empty_like(g) if out is None else out
        out[:] = self.lower
        np.copyto(out, self.upper, where=g < 0)
        return Dense(out)

    def compiled(self, n: int) -> CompiledOracle:
        return BOX, 1.0, self.lower * np.ones(n), self.upper * np.ones(n)

    def diameter(self, n: int) -> float:
        return frobenius(np.broadcast_to(self.upper - self.lower, (n,)))

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        outside = np.maximum(self.lower - x, x - self.upper) / self._size
        return max(0.0, float(outside.max()))

    def least(self, g: Doubled) -> Fraction:
        lower, upper = self.bounds(g.high.size)
        far = np.maximum(np.abs(lower), np.abs(upper))
        unsure = 2 * exact(g.error).dot(far).high  # an entry may have the other sign
        return g.dot(np.where(g.high < 0.0, upper, lower)).low - unsure

    def resolution(self, n: int, dtype: Dtype) -> float:
        reach = np.ravel(np.maximum(np.abs(self.lower), np.abs(self.upper)))
        size = np.ravel(self._size)
        with quiet():
            extremes = {int(k) for k in ((reach / size).argmax(), reach.argmax(), size.argmin())}
        return max(spacing(dtype, float(reach[k]), float(size[k])) for k in extremes)

    def start(self, n: int) -> Array:
        return np.broadcast_to(0.5 * (self.lower + self.upper), (n,)).astype(np.float64)

    def bounds(self, n: int) -> tuple[Array, Array]:
        return np.broadcast_to(self.lower, (n,)), np.broadcast_to(self.upper, (n,))

    def snap_to_face(self, x: Array) -> Array:
        return snap_to_bounds(x, self.lower, self.upper, self._size)

    def snap(self, x: Array) -> Array:
        return clip_rounding(x, self.lower, self.upper, self._size)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        low = rng.standard_normal(n)
        return [cls(), cls(low, low + rng.uniform(0.1, 2.0, n))]

    def __repr__(self) -> str:
        if self.dimension is None:
            return f"Box({float(self.lower):g} <= x <= {float(self.upper):g})"
        return f"Box({self.dimension} variables)"
