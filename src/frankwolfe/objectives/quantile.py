"""Quantile regression: the pinball loss, rounded off at its kink."""

from __future__ import annotations

from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels.terms import TERMS
from frankwolfe.core.double_double import pair
from frankwolfe.objectives.losses import Regression
from frankwolfe.objectives.weighted import Reduction

__all__ = ["Quantile"]


class Quantile(Regression):
    r"""Smoothed pinball loss :math:`\frac1m \sum_i \rho_{q,\delta}(b_i - \langle a_i, x \rangle)`.

    The pinball loss :math:`\rho_q(r) = \max(q\,r, (q - 1)\,r)` of a residual is smallest at the
    quantile q. It has a kink at 0, which is rounded off by a parabola, as Huber does it for
    :math:`|r|`, with a threshold of its own on each side:

    .. math::
        \rho_{q,\delta}(r) = \begin{cases}
            q\,r - q^2 \delta / 2 & r > q\,\delta \\
            r^2 / (2 \delta) & -(1 - q)\,\delta \le r \le q\,\delta \\
            (q - 1)\,r - (1 - q)^2 \delta / 2 & r < -(1 - q)\,\delta
        \end{cases}

    (the Moreau envelope of :math:`\rho_q`). Its derivative is continuous, and

    .. math:: \rho_{q,\delta} \le \rho_q \le \rho_{q,\delta} + \max(q, 1 - q)^2 \delta / 2,

    so that a lower bound on its minimum is one for the pinball loss too: `distance` is the most
    by which the two can differ, and ``f.pinball(x) - result.lower_bound`` bounds the error of x
    in the pinball loss itself.

    Parameters
    ----------
    A, b, reduction, sample_weight
        As in :class:`~frankwolfe.SquaredError`.
    quantile : float
        The quantile q, between 0 and 1; 0.5 is the median, with half the absolute error.
    delta : float
        The width of the rounded part, > 0, in the unit of b. The smaller, the nearer to the
        pinball loss and the more steps.

    References
    ----------
    R. Koenker and G. Bassett, *Regression Quantiles*, Econometrica 46, 1978; S. Zheng, *Gradient
    descent algorithms for quantile regression with smooth approximation*, International Journal
    of Machine Learning and Cybernetics 2, 2011, for smooth forms of it.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.Quantile(np.ones((9, 1)), np.arange(9.0), quantile=0.75, delta=1e-3)
    >>> result = fw.minimize(f, fw.L2Ball(10.0), tol=1e-6)
    >>> result.x.round(2), f.pinball(result.x) - f(result.x) <= f.distance
    (array([6.]), True)
    """

    short = "quantile"
    _code, _curvature = TERMS["huber"]  # with two thresholds

    def __init__(
        self,
        A: Matrix,
        b: ArrayLike,
        *,
        quantile: float = 0.5,
        delta: float = 0.1,
        reduction: Reduction = "mean",
        sample_weight: ArrayLike | None = None,
    ) -> None:
        self.quantile = number("quantile", quantile, above=0.0)
        if self.quantile >= 1.0:
            raise InvalidInput(f"quantile must lie between 0 and 1, got {self.quantile:g}.")
        self.delta = number("delta", delta, above=0.0)
        super().__init__(A, b, reduction=reduction, sample_weight=sample_weight)
        # ρ_{q,δ}(r) is the paper's Huber loss of c = Ax - b, with two thresholds, over 2 δ
        self._delta = (self.quantile * self.delta, (1.0 - self.quantile) * self.delta)
        self.weight = self.weight / (2.0 * self.delta)

    @property
    def distance(self) -> float:
        """Largest difference from the pinball loss: max(q, 1 - q)^2 δ/2 · Σ w_i."""
        weights = self.place.get(self.weight)
        total = float(np.broadcast_to(weights, self.m).sum()) * 2.0 * self.delta
        return total * max(self.quantile, 1.0 - self.quantile) ** 2 * self.delta / 2.0

    def pinball(self, x: Array) -> float:
        """The pinball loss at x, not smoothed, with the same weights."""
        z = self.new_image()
        self.image(self.read_point(x, "x"), z)
        rest = self.b.astype(np.float64) - z.astype(np.float64, copy=False)
        terms = np.maximum(self.quantile * rest, (self.quantile - 1.0) * rest)
        return float((self.weight * (2.0 * self.delta) * terms).sum())

    @property
    def _factor(self) -> Fraction:
        return 1 / (2 * Fraction(self.delta))

    @property
    def _turns(self) -> tuple[float, float, float, float]:
        q, delta = Fraction(self.quantile), Fraction(self.delta)
        return *pair(q * delta), *pair((1 - q) * delta)

    def _details(self) -> str:
        return f"quantile={self.quantile:g}, delta={self.delta:g}, "

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        return cls(*cls._example_data(n, rng), quantile=0.7, delta=2.0)
