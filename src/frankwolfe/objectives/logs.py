"""Objectives with a logarithm of Ax: Poisson regression, growth of a portfolio."""

from __future__ import annotations

import math
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, Indices, Matrix
from frankwolfe.base.checks import finite_vector
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels.terms import LOGARITHM
from frankwolfe.base.roots import stopped_short
from frankwolfe.core.enclosure import Terms
from frankwolfe.core.objective import Loops
from frankwolfe.core.products import WeightedSupport, product_noise
from frankwolfe.objectives.separable import LinearLoss
from frankwolfe.objectives.weighted import Reduction

__all__ = ["LogPortfolio", "Poisson"]


class _Logarithmic(LinearLoss):
    """Losses with terms c z - b log z, where c is `_delta`."""

    everywhere = False
    least = -math.inf  # a logarithm has any sign
    _code = 0  # not read: its loops have one loss

    @property
    def _loops(self) -> Loops:
        return self.place.logs

    def in_domain(self, z: Array) -> bool:
        return bool(self.place.logs.positive(z, self.b))

    def max_step(self, z: Array, dz: Array, t: float) -> float:
        end = float(self.place.logs.first_zero(z, dz, self.b))
        return stopped_short(end, t, float(np.finfo(self.dtype).eps))

    @property
    def exact_terms(self) -> Terms:
        """The loss with unrounded parameters, under the code of a logarithm."""
        return super().exact_terms._replace(code=LOGARITHM)

    def slopes(self, terms: Indices, z: Array, factor: float = 1.0) -> Array:
        b = self.b[terms]
        weight = self.weight if self.weight.size == 1 else self.weight[terms]
        shares = np.divide(b, z, out=np.zeros_like(b), where=b > 0.0)
        return np.asarray(factor * weight * (self._delta - shares), dtype=self.dtype)

    def curvature_bound(self, dz: Array) -> None:
        return None

    def gain(self, weighted_support: WeightedSupport, *, sharp: bool) -> float:
        return product_noise(self.linear, weighted_support, sharp=sharp)

    def size(self, slope: Array, value: float) -> float:
        return float(np.linalg.norm(slope))

    def steepening(self, slope: Array, off: float) -> float:
        """Upper bound Σ w b min(e/z, 1)^2, with e/z from the slopes w (c - b/z)."""
        sizes = self.weight * self.b
        shares = off * (self._delta * self.weight - slope) / np.where(sizes > 0.0, sizes, np.inf)
        return float((sizes * np.minimum(shares, 1.0) ** 2).sum())

    @property
    def smoothness(self) -> None:
        """No Lipschitz constant: the curvature is unbounded near the boundary of the domain."""
        return


class Poisson(_Logarithmic):
    r"""Poisson regression with a linear rate, :math:`\sum_i (Ax)_i - b_i \log (Ax)_i`.

    The negative log-likelihood of counts b with means Ax, up to a constant; also the
    Kullback-Leibler divergence between b and Ax, as in emission tomography. It is finite where
    :math:`(Ax)_i > 0` for all i with :math:`b_i > 0`, and steps stay there.

    Parameters
    ----------
    A : array or scipy sparse matrix of shape (m, n)
        One row an observation, usually >= 0.
    b : array of shape (m,)
        Counts, or other targets >= 0.
    reduction, sample_weight
        As in :class:`~frankwolfe.Logistic`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.Poisson(np.eye(3), [1, 4, 5])
    >>> fw.minimize(f, fw.Simplex(5.0), tol=1e-8).x.round(4)     # the counts, scaled
    array([0.5, 2. , 2.5])
    """

    _delta = 1.0
    where = "(Ax)_i > 0 for all i with b_i > 0"

    def _targets(self, b: ArrayLike) -> Array:
        counts = finite_vector("b", b, self.m)
        if counts.min() < 0.0:
            raise InvalidInput(f"b must be >= 0 for Poisson, got {float(counts.min()):g}.")
        return counts

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        A = rng.uniform(0.0, 1.0, (4 * n, n))
        return cls(A, rng.poisson(3.0 * A @ rng.dirichlet(np.ones(n))))


class LogPortfolio(_Logarithmic):
    r"""The growth rate of a portfolio, negative: :math:`-\frac1T \sum_t \log (Rx)_t`.

    Over the simplex this is the log-optimal (Kelly) portfolio of constant shares. It is finite
    where :math:`Rx > 0`, and steps stay there.

    Parameters
    ----------
    R : array or scipy sparse matrix of shape (T, n)
        Row t holds what one unit in each asset has become after period t: 1 plus the return.
    sample_weight : array of shape (T,), optional
        Weights >= 0.

    References
    ----------
    T. M. Cover, *An algorithm for maximizing expected log investment return*, 1984.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.LogPortfolio(np.array([[2.0, 1.0], [0.5, 1.0]]))   # double or half, and cash
    >>> fw.minimize(f, fw.Simplex(), tol=1e-8).x.round(3)
    array([0.5, 0.5])
    """

    _delta = 0.0
    where = "Rx > 0"

    def __init__(
        self, R: Matrix, *, reduction: Reduction = "mean", sample_weight: ArrayLike | None = None
    ) -> None:
        super().__init__(R, (), reduction=reduction, sample_weight=sample_weight)

    def _targets(self, b: ArrayLike) -> Array:
        return np.ones(self.m)

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        return cls(np.exp(0.3 * rng.standard_normal((5 * n, n))))
