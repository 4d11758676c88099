"""The Euclidean ball."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import frobenius
from frankwolfe.base.kernels import vectors
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.region_abilities import CompiledOracle, Projection, Projector
from frankwolfe.core.vertices import L2
from frankwolfe.regions.balls.norm_ball import RoundBall

__all__ = ["L2Ball"]


class L2Ball(RoundBall, Projector):
    """The Euclidean ball, experiments (a) and (b) of the paper.

    Parameters
    ----------
    radius : float
        Radius, > 0.
    center : array, optional
        Centre, zero by default.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.L2Ball(5.0).lmo(np.array([3.0, 4.0])).dense(2)
    array([-3., -4.])
    """

    family = "norms"
    formula = r"\|x\|_2 \le r"
    atom = "a point of the sphere"
    cost = "n"

    short = "l2"
    p = 2.0
    strongly_convex = trust_region = True

    def _centered_atom(self, g: Array, out: Array) -> Atom:
        vectors.l2_vertex(out, g, self.radius)
        return Dense(out)

    def compiled(self, n: int) -> CompiledOracle:
        return self._compiled(L2)

    def project(self, p: Array) -> Projection:
        away = self.from_center(p)
        length = frobenius(away.astype(np.float64))
        if length <= self.radius:
            return Projection(p.copy())
        return Projection(self.to_center(away * p.dtype.type(self.radius / length)))
