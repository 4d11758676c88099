"""The l-infinity ball."""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.feasibility import snap_to_bounds
from frankwolfe.core.region_abilities import CompiledOracle
from frankwolfe.core.vertices import CORNER
from frankwolfe.regions.balls.boxlike import Boxlike
from frankwolfe.regions.balls.norm_ball import NormBall

__all__ = ["LInfBall", "corner_against"]


def corner_against(g: Array, radius: float, out: Array) -> None:
    """Write the corner of the cube against the signs of g into `out`."""
    np.copysign(radius, g, out=out)
    np.negative(out, out=out)


class LInfBall(Boxlike, NormBall):
    """The l-infinity ball, a cube.

    Parameters are those of :class:`~frankwolfe.L2Ball`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.LInfBall(2.0).lmo(np.array([1.0, -3.0])).dense(2)
    array([-2.,  2.])
    """

    family = "norms"
    formula = r"\max_i |x_i| \le r"
    atom = "a corner"
    cost = "n"

    key, short = "linf_ball", "linf"
    p = math.inf

    def _centered_atom(self, g: Array, out: Array) -> Atom:
        corner_against(g, self.radius, out)
        return Dense(out)

    def compiled(self, n: int) -> CompiledOracle:
        return self._compiled(CORNER)

    def bounds(self, n: int) -> tuple[Array, Array]:
        if self.center is None:
            return np.broadcast_to(-self.radius, (n,)), np.broadcast_to(self.radius, (n,))
        return self.center - self.radius, self.center + self.radius

    def reach(self, weights: Array, n: int) -> float:
        return NormBall.reach(self, weights, n)

    def snap_to_face(self, x: Array) -> Array:
        return snap_to_bounds(x, *self.bounds(x.size), self.radius)
