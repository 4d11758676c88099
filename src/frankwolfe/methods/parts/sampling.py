"""Stochastic gradient estimators, from a few rows of the data (minibatches)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import number
from frankwolfe.core.kernels import rows as some
from frankwolfe.core.objective_abilities import RowTerms

__all__ = ["Averaged", "Batches", "Estimator", "MinibatchWalk", "Recursive", "Snapshot"]


class MinibatchWalk:
    """State of the minibatch steps between two full evaluations.

    Attributes
    ----------
    terms : RowTerms
        f as a sum over rows.
    k : int
        Steps so far, of all blocks.
    x, before : array
        The point, and the one before the last step.
    estimate : array
        The estimate of the gradient at x.
    gradient, image : array
        The gradient and the image Ax at the last evaluation.
    """

    def __init__(
        self, terms: RowTerms, k: int, x: Array, estimate: Array, last: tuple[Array, Array]
    ) -> None:
        self.terms, self.k = terms, k
        self.x, self.before = x, x.copy()
        self.estimate = estimate
        self.gradient, self.image = last


class Estimator(Protocol):
    """Estimator of the gradient from minibatches."""

    cost: int
    """Gradients of single rows computed for each row of a batch."""

    exact: bool
    """True if the estimate right after an evaluation is the gradient found there."""

    def update(self, walk: MinibatchWalk, rows: Indices) -> None:
        """Set `walk.estimate` at `walk.x` from these rows, drawn with equal chances."""


@dataclass(frozen=True)
class Averaged:
    r"""Running mean of minibatch gradients: :math:`d \leftarrow (1-\rho_k) d + \rho_k g`.

    :math:`\rho_k = \min(1, c / (k + t)^p)`, with Mokhtari, Hassani and Karbasi's
    :math:`4/(k+8)^{2/3}` by default; c = 1 and p = 0 mean no averaging.
    """

    factor: float = 4.0
    delay: float = 8.0
    power: float = 2.0 / 3.0
    cost = 1
    exact = False

    def __post_init__(self) -> None:
        number("factor", self.factor, above=0.0)
        number("delay", self.delay, above=0.0)
        number("power", self.power, low=0.0)

    def update(self, walk: MinibatchWalk, rows: Indices) -> None:
        rho = min(1.0, self.factor / (walk.k + self.delay) ** self.power)
        walk.estimate *= 1.0 - rho
        f = walk.terms
        f.add_gradient(rows, f.row_slopes(rows, walk.x, rho * f.m / rows.size), walk.estimate)


@dataclass(frozen=True)
class Snapshot:
    r"""Variance-reduced estimate (SVRG): the last full gradient, corrected on the batch.

    :math:`d = \nabla f(w) + \frac{m}{|B|} \sum_{i \in B} (\nabla f_i(x) - \nabla f_i(w))`.
    The evaluation keeps Aw, so the rows of w cost nothing.
    """

    cost = 1
    exact = True

    def update(self, walk: MinibatchWalk, rows: Indices) -> None:
        f = walk.terms
        factor = f.m / rows.size
        change = f.row_slopes(rows, walk.x, factor)
        change -= f.slopes(rows, walk.image[rows], factor)
        walk.estimate[:] = walk.gradient
        f.add_gradient(rows, change, walk.estimate)


@dataclass(frozen=True)
class Recursive:
    r"""Path-integrated estimate (SPIDER, SARAH): the last one, corrected for the last step.

    :math:`d \leftarrow d + \frac{m}{|B|} \sum_{i \in B} (\nabla f_i(x_k) - \nabla f_i(x_{k-1}))`.
    """

    cost = 2
    exact = True

    def update(self, walk: MinibatchWalk, rows: Indices) -> None:
        f = walk.terms
        factor = f.m / rows.size
        change = f.row_slopes(rows, walk.x, factor)
        change -= f.row_slopes(rows, walk.before, factor)
        f.add_gradient(rows, change, walk.estimate)


class Batches:
    """Random subsets of m rows, each independent of the others."""

    def __init__(self, m: int, seed: tuple[int, ...]) -> None:
        self._order: Indices = np.arange(m)
        self._random = np.random.default_rng(seed)

    def draw(self, size: int) -> Indices:
        """`size` different rows, in a buffer that the next call overwrites."""
        some.draw(self._order, self._random.random(size))
        return self._order[:size]
