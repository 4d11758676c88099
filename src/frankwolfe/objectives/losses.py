"""Losses of a linear prediction: logistic, squared error, Huber."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, FloatType, Matrix
from frankwolfe.base.blas import one_thread
from frankwolfe.base.checks import finite_vector, number, quiet
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels.terms import TERMS
from frankwolfe.core.centring import far_means
from frankwolfe.core.sparse_map import IdentityMap
from frankwolfe.objectives.quadratic import MAX_CHOLESKY_VARIABLES, Quadratic
from frankwolfe.objectives.separable import LinearLoss, two_classes
from frankwolfe.objectives.weighted import Reduction

__all__ = ["Huber", "Logistic", "Regression", "SquaredError", "squared_distance"]


class Logistic(LinearLoss):
    r"""Logistic loss :math:`\frac1m \sum_i \log(1 + e^{-b_i \langle a_i, x \rangle})`.

    Experiment (a) of the paper.

    Parameters
    ----------
    A : array or scipy sparse matrix of shape (m, n)
        One row an observation. float32 and float64 are kept, not copied.
    b : array of shape (m,)
        Labels of two classes, any two values; the larger one counts as +1.
    reduction : {"mean", "sum"}
        Mean (of the weighted terms, by total weight) or sum.
    sample_weight : array of shape (m,), optional
        Weights >= 0.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.Logistic(np.array([[1.0, 2.0], [-1.0, 0.5]]), [1, 0])
    >>> round(f(np.zeros(2)), 6)                      # log 2
    0.693147
    """

    short = "logistic"
    takes_labels = True
    least = 0.0
    _code, _curvature = TERMS["logistic"]

    def _targets(self, b: ArrayLike) -> Array:
        signs, self.classes = two_classes(b, self.m)
        return signs

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        A = rng.standard_normal((4 * n, n))
        return cls(A, np.sign(A @ rng.standard_normal(n) + rng.standard_normal(4 * n)))


class Regression(LinearLoss):
    """Base class of losses of Ax with real targets b."""

    least = 0.0

    def _targets(self, b: ArrayLike) -> Array:
        return finite_vector("b", b, self.m)

    def _level(self) -> FloatType:
        level: FloatType = far_means(self.place.get(self.b)[:, None])[0]
        return level

    @staticmethod
    def _example_data(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        A = rng.standard_normal((3 * n, n))
        return A, A @ rng.standard_normal(n) + 0.5 * rng.standard_normal(3 * n)


class SquaredError(Regression):
    r"""Squared error :math:`\frac{1}{2m} \|Ax - b\|_2^2`.

    Parameters are those of :class:`~frankwolfe.Logistic`, with real targets b.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.eye(2), [3.0, 4.0], reduction="sum")
    >>> f(np.zeros(2)), f.smoothness
    (12.5, 1.0000000000000044)
    """

    short = "squared"
    _code, _curvature = TERMS["squared"]
    quadratic = True

    def gram(self) -> Quadratic:
        """The loss as a `Quadratic` with A'A formed once: a step costs O(n^2), whatever m.

        For many more observations than variables and methods of many steps. Values carry
        rounding of the size of f(0), which certificates add.

        Examples
        --------
        >>> import numpy as np, frankwolfe as fw
        >>> A = np.random.default_rng(0).standard_normal((10_000, 20))
        >>> f = fw.SquaredError(A, A[:, 0])
        >>> result = fw.minimize(f.gram(), fw.L1Ball(0.5), method="pairwise", tol=1e-10)
        >>> round(f(result.x) - result.fun, 12)
        0.0
        """
        put, get = self.place.put, self.place.get
        weights = np.broadcast_to(get(self.weight), self.m)
        b = get(self.b).astype(np.float64)
        c = np.empty(self.n, dtype=self.dtype)
        self.linear.adjoint(put((-weights * b).astype(self.dtype)), c)
        with one_thread(), quiet():  # what overflows is refused below
            H = self.linear.weighted_gram(put(weights))
        constant = 0.5 * float(weights @ (b * b))
        Q = (0.5 * (H + H.T)).astype(self.dtype)
        # A'A is positive semidefinite; where it is small the proof also tells its rounding
        convex = True if self.n > MAX_CHOLESKY_VARIABLES else None
        return Quadratic(Q, c, constant=constant, convex=convex)

    def distance_to(self) -> tuple[Array, float] | None:
        if isinstance(self.linear, IdentityMap) and self.weight.size == 1:
            return self.b, float(self.weight[0])
        return None

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        return cls(*cls._example_data(n, rng))


def squared_distance(p: ArrayLike) -> SquaredError:
    r"""The squared distance :math:`\frac12 \|x - p\|_2^2`, whose minimizer is the nearest point.

    A :class:`~frankwolfe.SquaredError` with the identity for A, which is not stored.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> fw.minimize(fw.squared_distance([0.6, 0.3, -0.4]), fw.Simplex()).x
    array([0.65, 0.35, 0.  ])
    """
    p = finite_vector("p", p)
    return SquaredError(IdentityMap(p.size, p.dtype), p, reduction="sum")


class Huber(Regression):
    r"""Huber loss :math:`\frac1m \sum_i H_\delta(b_i - \langle a_i, x \rangle)`.

    Experiment (b) of the paper, whose :math:`H_\delta` is *twice* the usual one:
    :math:`c^2` for :math:`|c| \le \delta`, else :math:`2\delta|c| - \delta^2`.

    Parameters
    ----------
    A, b, reduction, sample_weight
        As in :class:`~frankwolfe.SquaredError`.
    delta : float
        Threshold at which the loss turns from a parabola into a line, > 0.
    scaling : {"paper", "usual"}
        "usual" halves the loss: :math:`c^2/2` inside.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.Huber(np.eye(2), [3.0, 0.5], delta=1.0, reduction="sum")(np.zeros(2))
    5.25
    >>> fw.Huber(np.eye(2), [3.0, 0.5], delta=1.0, reduction="sum", scaling="usual")(np.zeros(2))
    2.625
    """

    short = "huber"
    _code, _curvature = TERMS["huber"]

    def __init__(
        self,
        A: Matrix,
        b: ArrayLike,
        *,
        delta: float = 1.0,
        scaling: Literal["paper", "usual"] = "paper",
        reduction: Reduction = "mean",
        sample_weight: ArrayLike | None = None,
    ) -> None:
        self._delta = self.delta = number("delta", delta, above=0.0)
        if scaling not in ("paper", "usual"):
            raise InvalidInput(f'scaling must be "paper" or "usual", got {scaling!r}.')
        super().__init__(A, b, reduction=reduction, sample_weight=sample_weight)
        self.scaling = scaling
        if scaling == "usual":
            self.weight = 0.5 * self.weight

    @property
    def _factor(self) -> Fraction:
        return Fraction(1 if self.scaling == "paper" else Fraction(1, 2))

    def _details(self) -> str:
        return f"delta={self.delta:g}, {self.scaling} scaling, "

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        return cls(*cls._example_data(n, rng), delta=0.7)
