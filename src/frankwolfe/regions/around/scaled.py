"""A multiple of a region."""

from __future__ import annotations

from typing import Self

import numpy as np

from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.region import Region
from frankwolfe.regions.around.affine import AffineWrapper
from frankwolfe.regions.balls.l1_ball import L1Ball
from frankwolfe.regions.balls.l2_ball import L2Ball
from frankwolfe.regions.simplices.simplex import Simplex

__all__ = ["Scaled"]


class Scaled(AffineWrapper):
    r"""The points :math:`c\,y` for y in a region: larger, smaller, or turned about zero.

    What the region can do this one can: projections, faces, standard forms and active sets
    follow. Atoms of few entries stay so.

    Parameters
    ----------
    region : Region
        A region of vectors.
    factor : float
        c, not zero; where it is negative every point changes its sign.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.regions.Scaled(fw.Simplex(), -2.0).lmo(np.array([1.0, 3.0, 2.0])).dense(3)
    array([ 0., -2.,  0.])
    """

    family = "combined"
    formula = r"\{c\,y : y \in C\}"
    atom = "c times an atom"
    cost = "the region's"

    def __init__(self, region: Region, factor: float) -> None:
        factor = number("factor", factor)
        if factor == 0.0:
            raise InvalidInput("factor must not be zero: the region would be a single point.")
        super().__init__(region, factor, None)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        balls = [cls(L1Ball(1.5), 2.0), cls(L2Ball(0.7, center=rng.standard_normal(n)), 1.5)]
        return [*balls, cls(Simplex(2.0), -0.5)]

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [self.factor, self.region.fingerprint()])

    def __repr__(self) -> str:
        return f"Scaled({self.region!r}, factor={self.factor:g})"
