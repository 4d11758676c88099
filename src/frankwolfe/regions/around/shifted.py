"""A region that is moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.checks import finite_vector
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.region import Region
from frankwolfe.regions.around.affine import AffineWrapper
from frankwolfe.regions.around.wrapped import a_region
from frankwolfe.regions.balls.l2_ball import L2Ball
from frankwolfe.regions.simplices.hypersimplex import UnitHypersimplex

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Shifted"]


class Shifted(AffineWrapper):
    r"""The points :math:`y + a` for y in a region.

    What the region can do this one can: projections, faces and standard forms follow. Atoms are
    dense, since a is.

    Parameters
    ----------
    region : Region
        A region of vectors.
    offset : array
        a, one entry for each variable.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> changes = fw.regions.Shifted(fw.L1Ball(0.5), [0.2, 0.3, 0.5])  # from what is held today
    >>> changes.lmo(np.array([1.0, 3.0, 2.0])).dense(3)
    array([ 0.2, -0.2,  0.5])
    """

    family = "combined"
    formula = r"\{y + a : y \in C\}"
    atom = "an atom plus a"
    cost = "the region's, and n"

    def __init__(self, region: Region, offset: ArrayLike) -> None:
        a_region("region", region, vectors=True)
        away = finite_vector("offset", offset, region.dimension).astype(np.float64).copy()
        region.check_dimension(away.size)
        super().__init__(region, 1.0, away)
        self.dimension = away.size

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        one, other = rng.standard_normal((2, n))
        return [cls(UnitHypersimplex(min(2, n), 1.5), one), cls(L2Ball(0.7), other)]

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [self.offset, self.region.fingerprint()])

    def __repr__(self) -> str:
        return f"Shifted({self.region!r}, offset of {self.dimension} entries)"
