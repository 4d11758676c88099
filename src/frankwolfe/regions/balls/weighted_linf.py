"""The l-infinity ball with a weight for each entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import number
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.region_abilities import CompiledOracle
from frankwolfe.regions.balls.box import Box
from frankwolfe.regions.balls.weights import positive, quotients

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["WeightedLInfBall"]


class WeightedLInfBall(Box):
    r"""The ball of the weighted l-infinity norm, :math:`\max_i w_i |x_i| \le` radius.

    This is the box with :math:`|x_i| \le` radius / w_i, with all that a box can do.

    Parameters
    ----------
    weights : array of shape (n,)
        Weights w, > 0.
    radius : float
        > 0.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.regions.WeightedLInfBall([1.0, 4.0], 2.0).lmo(np.array([1.0, -3.0])).dense(2)
    array([-2. ,  0.5])
    """

    family = "norms"
    formula = r"\max_i w_i |x_i| \le r"
    atom = "a corner, entries ± r/wᵢ"
    cost = "n"

    key = "weighted_linf_ball"

    def __init__(self, weights: ArrayLike, radius: float = 1.0) -> None:
        self.weights = positive("weights", weights)
        self.radius = number("radius", radius, above=0.0)
        sizes = quotients(self.radius, self.weights)
        super().__init__(-sizes, sizes)

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        out = np.add(g, 0.0, out=out)  # minus zero becomes zero, and the corner that of the box
        np.copysign(self.lower, out, out=out)
        return Dense(np.negative(out, out=out))

    def compiled(self, n: int) -> CompiledOracle:
        return super().compiled(n)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(np.ones(n), 1.5), cls(rng.uniform(0.3, 3.0, n), 0.7)]

    def __repr__(self) -> str:
        return f"WeightedLInfBall({self.dimension} weights, radius={self.radius:g})"
