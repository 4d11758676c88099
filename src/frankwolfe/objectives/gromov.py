"""The Gromov-Wasserstein objective: how far a transport plan is from keeping distances."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import all_finite, as_float_array, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.objective_abilities import Diameter, Itself
from frankwolfe.core.products import WeightedSupport
from frankwolfe.objectives.gromov_products import GromovMap, SplitLoss
from frankwolfe.objectives.quadratic_form import QuadraticForm

__all__ = ["GromovWasserstein"]

EPS = 2.0**-52  # spacing of doubles at 1


class GromovWasserstein(QuadraticForm):
    r"""The Gromov-Wasserstein objective :math:`\sum L(C^1_{ik}, C^2_{jl})\, T_{ij} T_{kl}`.

    For plans T between two sets of points that lie in different spaces and are known by their
    distances among themselves: over ``Transport(p, q)`` a minimizer pairs points so that
    distances are kept. The variable is the vector of the entries of T, row after row. A quadratic
    form, so that the line search is exact; its image carries T and the product
    :math:`C^1 T C^2`, a move to a vertex costs one product of matrices.

    **It is not convex** where C1 and C2 are distances, and the result then says that its gap
    measures stationarity and certifies nothing: other starts may lead to smaller values. Where both
    are squared Euclidean distances it is even concave over the plans, and steps go from vertex
    to vertex. It is convex, and results are certified, where one of C1 and C2 is positive and the
    other negative semidefinite (square loss); this is proved from their eigenvalues.

    Parameters
    ----------
    C1, C2 : arrays of shape (n, n) and (m, m)
        Distances, or any relation, within each set; they need not be symmetric.
    loss : {"square", "kl"}
        :math:`L(a, b) = (a - b)^2`, or :math:`a \log(a/b) - a + b` for C1 >= 0 and C2 > 0.
    M : array of shape (n, m), optional
        A cost of moving mass from one set to the other, as in fused Gromov-Wasserstein.
    alpha : float
        The objective is :math:`(1 - \alpha) \langle M, T\rangle` + :math:`\alpha` times the sum;
        1, the sum alone, where there is no M, and 0.5 by default where there is.

    References
    ----------
    F. Mémoli, *Gromov-Wasserstein distances and the metric approach to object matching*,
    Foundations of Computational Mathematics, 2011; G. Peyré, M. Cuturi and J. Solomon,
    *Gromov-Wasserstein averaging of kernel and distance matrices*, ICML 2016, for the
    factorization; T. Vayer, L. Chapel, R. Flamary, R. Tavenard and N. Courty, *Optimal transport
    for structured data with application on graphs*, ICML 2019, for the fused form and its
    conditional gradient.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> points = np.array([0.0, 1.0, 3.0])
    >>> C1 = np.abs(points[:, None] - points)
    >>> C2 = C1[::-1, ::-1]                                # the same points in another order
    >>> f = fw.objectives.GromovWasserstein(C1, C2)
    >>> result = fw.minimize(f, fw.Transport(np.ones(3), np.ones(3)))
    >>> result.x.reshape(3, 3) + 0.0
    array([[0., 0., 1.],
           [0., 1., 0.],
           [1., 0., 0.]])
    >>> round(result.fun, 12), result.certified
    (0.0, False)
    """

    second_order = rounding = Itself()
    linear: GromovMap

    def __init__(
        self,
        C1: ArrayLike,
        C2: ArrayLike,
        *,
        loss: Literal["square", "kl"] = "square",
        M: ArrayLike | None = None,
        alpha: float | None = None,
    ) -> None:
        first, second = _square("C1", C1), _square("C2", C2)
        self.loss, self.sides = loss, (first.shape[0], second.shape[0])
        self.alpha = _share(alpha, M)
        self.linear = GromovMap(_split(loss, first, second), self.alpha)
        self.n = self.linear.shape[0]
        self.m, self.dtype = 2 * self.n, np.dtype(np.float64)
        self.c = np.zeros(self.n) if M is None else (1.0 - self.alpha) * _between(M, self.sides)
        self._given = first, second

    def full_hessian(self, z: Array) -> Array:
        return self.linear.dense()

    @cached_property
    def _below(self) -> float:
        """Lower bound on the eigenvalues of Q where they are >= 0 to rounding; otherwise -inf."""
        first, second = self._given
        if self.loss != "square":
            return -math.inf
        return max(_least(first, -second), _least(-first, second)) * self.alpha

    @cached_property
    def convex(self) -> bool:  # type: ignore[override]
        """True if the form is convex, to rounding, by the eigenvalues of C1 and C2."""
        return self.alpha == 0.0 or self._below > -math.inf

    def lost(self, weighted_support: WeightedSupport, diameter: Diameter) -> float:
        return 0.0 if self.alpha == 0.0 else -0.5 * self._below * diameter() ** 2

    def gain(self, weighted_support: WeightedSupport, *, sharp: bool) -> float:
        return (1.0 + math.sqrt(self.n) / 128.0) * weighted_support(np.ones(1))

    def size(self, slope: Array, value: float) -> float:
        return 2.0 * self._peak * float(np.abs(slope[self.n :]).sum()) + self._highest

    def steepening(self, slope: Array, off: float) -> float:
        return self._peak * off * off

    @cached_property
    def _peak(self) -> float:
        """Upper bound on the terms of an entry of Q in absolute value."""
        return self.linear.peak

    @cached_property
    def _highest(self) -> float:
        """Largest entry of the linear term in absolute value."""
        return float(np.abs(self.c).max())

    @cached_property
    def smoothness(self) -> float:
        """Upper bound on the eigenvalues of Q in absolute value, from the norms of its parts."""
        return self.linear.norm * (1.0 + 1e-12)

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        rows = next(k for k in range(math.isqrt(n), 0, -1) if n % k == 0)
        halves = (rng.standard_normal((k + 1, k)) for k in (rows, n // rows))
        first, second = (half.T @ half / n for half in halves)
        return cls(first, -second, M=rng.standard_normal((rows, n // rows)), alpha=0.5)

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [*self.linear.parts(), self.c])

    def __repr__(self) -> str:
        rows, columns = self.sides
        fused = f", alpha={self.alpha:g}" if self.alpha < 1.0 else ""
        return f"GromovWasserstein({rows} x {columns} plans, {self.loss} loss{fused})"


def _matrix(name: str, given: ArrayLike) -> Array:
    """A finite, non-empty matrix."""
    matrix = as_float_array(name, given).astype(np.float64)
    if matrix.ndim != 2 or matrix.size == 0:
        raise InvalidInput(f"{name} must be a non-empty matrix, got shape {matrix.shape}.")
    if not all_finite(matrix):
        raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
    return matrix


def _square(name: str, given: ArrayLike) -> Array:
    """A finite square matrix."""
    matrix = _matrix(name, given)
    if matrix.shape[0] != matrix.shape[1]:
        raise InvalidInput(f"{name} must be square, got shape {matrix.shape}.")
    return matrix


def _between(M: ArrayLike, sides: tuple[int, int]) -> Array:
    """The cost M row after row, checked against the numbers of points."""
    cost = _matrix("M", M)
    if cost.shape != sides:
        raise InvalidInput(f"M must have shape {sides}, as C1 and C2 say, got {cost.shape}.")
    return cost.ravel()


def _share(alpha: float | None, M: ArrayLike | None) -> float:
    """The weight alpha of the sum against M: 1 without M."""
    if M is not None:
        return number("alpha", 0.5 if alpha is None else alpha, low=0.0, high=1.0)
    if alpha is not None and alpha != 1:
        raise InvalidInput(f"alpha weighs the sum against M: pass M, or leave it out; got {alpha}.")
    return 1.0


def _split(loss: str, first: Array, second: Array) -> SplitLoss:
    """The loss as f1(a) + f2(b) - h1(a) h2(b) (Peyré, Cuturi and Solomon).

    Squares are shifted to numbers around zero, which keeps digits.
    """
    if loss == "square":
        middle = 0.5 * (first.mean() + second.mean())  # (a - b)^2 does not depend on it
        a, b = first - middle, second - middle
        return SplitLoss(a * a, b * b, a, 2.0 * b)
    if loss != "kl":
        raise InvalidInput(f'loss must be "square" or "kl", got {loss!r}.')
    if first.min() < 0.0 or not second.min() > 0.0:
        raise InvalidInput('loss="kl" needs C1 >= 0 and C2 > 0: use loss="square".')
    logs = np.log(np.where(first > 0.0, first, 1.0))
    return SplitLoss(first * logs - first, second, first, np.log(second))


def _least(up: Array, down: Array) -> float:
    """Lower bound on the eigenvalues of Q if both matrices are semidefinite; otherwise -inf.

    Q is then a sum of three semidefinite matrices, two by Schur's product theorem.
    """
    short = [_deficit(part) for part in (up, down)]
    if math.inf in short:
        return -math.inf
    sizes = [float(np.abs(part).max()) for part in (up, down)]
    norms = [float(np.linalg.norm(part)) for part in (up, down)]
    squares = [2.0 * d * (2.0 * s + d) for d, s in zip(short, sizes, strict=True)]
    total = float(down.shape[0] * squares[0] + up.shape[0] * squares[1])
    return -(total + 4.0 * (short[0] * norms[1] + short[1] * norms[0] + short[0] * short[1]))


def _deficit(part: Array) -> float:
    """Bound on how far the least eigenvalue lies below zero, if by rounding alone; else inf."""
    diagonal = np.maximum(part.diagonal(), 0.0)
    roots, rounding = np.sqrt(diagonal), part.shape[0] * EPS * float(np.linalg.norm(part))
    # |A_ij| <= sqrt(A_ii A_jj) is necessary, and spares most matrices the eigenvalues
    if (
        not np.array_equal(part, part.T)
        or (np.abs(part) > np.outer(roots, roots) * (1.0 + 1e-9) + rounding).any()
    ):
        return math.inf
    least = float(np.linalg.eigvalsh(part)[0])
    return 2.0 * rounding if least >= -rounding else math.inf
