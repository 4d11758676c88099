"""The ball of any lp norm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import number
from frankwolfe.base.kernels import vectors
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.region_abilities import CompiledOracle
from frankwolfe.core.standard_form.form import StandardForm, between, split
from frankwolfe.core.vertices import CORNER, L1, L2
from frankwolfe.regions.balls.l1_ball import vertex_against
from frankwolfe.regions.balls.linf_ball import corner_against
from frankwolfe.regions.balls.norm_ball import RoundBall

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["LpBall"]

COMPILED_KINDS = {1.0: L1, 2.0: L2, math.inf: CORNER}  # orders of the fast path; others take powers


class LpBall(RoundBall):
    r"""The ball of :math:`\|x\|_p`, any p >= 1 (infinity included).

    Parameters
    ----------
    p : float
        Order of the norm, >= 1. The ball is strongly convex for 1 < p <= 2.
    radius, center
        As in :class:`~frankwolfe.L2Ball`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> s = fw.LpBall(3.0, radius=2.0).lmo(np.array([1.0, -2.0])).dense(2)
    >>> round(float(np.linalg.norm(s, 3)), 12)
    2.0
    """

    family = "norms"
    formula = r"\|x\|_p \le r"
    atom = "a point of the surface"
    cost = "n"

    def __init__(self, p: float, radius: float = 1.0, *, center: ArrayLike | None = None) -> None:
        self.p = number("p", p, low=1.0, infinite=True)
        super().__init__(radius, center=center)
        self.polytope = self.p in (1.0, math.inf)
        self.strongly_convex = 1.0 < self.p <= 2.0

    def _centered_atom(self, g: Array, out: Array) -> Atom:
        if self.p == 1.0:
            out[:] = 0.0
            vertex_against(g, self.radius).add_to(out, 1.0)
        elif self.p == math.inf:
            corner_against(g, self.radius, out)
        else:
            vectors.lp_vertex(out, g, self.radius, self.p)
        return Dense(out)

    @property
    def strictly_convex(self) -> bool:
        """True for 1 < p < infinity."""
        return 1.0 < self.p < math.inf

    def compiled(self, n: int) -> CompiledOracle | None:
        kind = COMPILED_KINDS.get(self.p)
        return None if kind is None else self._compiled(kind)

    def standard_form(self, n: int) -> StandardForm | None:
        if self.p == 1.0:
            return split(n, math.inf, self.radius, self.center)
        if self.p == math.inf:
            center = np.zeros(n) if self.center is None else self.center
            return between(center - self.radius, center + self.radius)
        return super().standard_form(n)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        orders = (1.0, 1.2, 1.5, 2.0, 3.0, 8.0, math.inf)
        return [*(cls(p, 1.5) for p in orders), cls(1.7, 0.7, center=rng.standard_normal(n))]

    def _order(self) -> str:
        return f"p={self.p:g}, "
