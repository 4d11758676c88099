"""The ball of the weighted nuclear norm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Matrix, Point, Variable
from frankwolfe.base.checks import finite_vector
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.atoms import RankOne
from frankwolfe.core.gradients import matrix_gradient
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.region_abilities import Accuracy, Factoring, Gradient, InexactAtom
from frankwolfe.regions.matrices.nuclear import NuclearBall
from frankwolfe.regions.matrices.rescaled import RescaledGradient
from frankwolfe.regions.matrices.spectral import MAX_DENSE_ENTRIES, MatrixRegion, Warm

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["WeightedNuclearBall"]


class WeightedNuclearBall(MatrixRegion):
    r"""Matrices with :math:`\|\mathrm{diag}(\sqrt p)\, X\, \mathrm{diag}(\sqrt q)\|_\star \le r`.

    With p and q the shares of the ratings in each row and column it keeps rows and columns with
    few ratings from being fitted at no cost, as the plain norm does where cells are not seen
    equally often. The oracle is that of `NuclearBall` for the gradient whose rows are
    divided by :math:`\sqrt p` and whose columns by :math:`\sqrt q`, with the same bound.

    Parameters
    ----------
    radius : float
        r > 0.
    row_weights, column_weights : array
        p and q, all > 0, one for each row and each column.
    accuracy, seed, most_steps, exact_below
        As in :class:`~frankwolfe.NuclearBall`.

    References
    ----------
    N. Srebro and R. Salakhutdinov, *Collaborative Filtering in a Non-Uniform World: Learning
    with the Weighted Trace Norm*, NIPS 2010; R. Foygel, R. Salakhutdinov, O. Shamir and
    N. Srebro, *Learning with the Weighted Trace-norm under Arbitrary Sampling Distributions*,
    NIPS 2011, who smooth the weights.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> ball = fw.regions.WeightedNuclearBall(2.0, [1.0, 4.0], [1.0, 1.0])
    >>> ball.lmo(np.diag([2.0, -3.0])).dense((2, 2)).round(12) + 0.0
    array([[-2.,  0.],
           [ 0.,  0.]])
    """

    family = "matrices"
    formula = r"\|\mathrm{diag}(\sqrt p)\, X\, \mathrm{diag}(\sqrt q)\|_* \le r"
    atom = "a rank-one matrix, its rows and columns scaled"
    cost = "a few products"

    def __init__(
        self,
        radius: float,
        row_weights: ArrayLike,
        column_weights: ArrayLike,
        *,
        accuracy: float = 0.05,
        seed: int = 0,
        most_steps: int = 300,
        exact_below: int = MAX_DENSE_ENTRIES,
    ) -> None:
        self.row_weights = _positive("row_weights", row_weights)
        self.column_weights = _positive("column_weights", column_weights)
        self.shape = self.row_weights.size, self.column_weights.size
        self.plain = NuclearBall(
            radius, accuracy=accuracy, seed=seed, most_steps=most_steps, exact_below=exact_below
        )
        self.radius = self.plain.radius
        self._options(accuracy, seed, most_steps)
        self._left = 1.0 / np.sqrt(self.row_weights)
        self._right = 1.0 / np.sqrt(self.column_weights)

    @property
    def factoring(self) -> Factoring:
        return Factoring(self.radius, rows=self._left, columns=self._right)

    def searching(self, most_steps: int, exact_below: int = 0) -> Self:
        other = super().searching(most_steps, exact_below)
        other.plain = self.plain.searching(most_steps, exact_below)
        return other

    def check_dimension(self, n: Variable) -> None:
        super().check_dimension(n)
        if tuple(n) != self.shape:
            raise InvalidInput(
                f"the region {self!r} has weights for matrices of shape {self.shape}, "
                f"the matrix has shape {tuple(n)}."
            )

    def inexact_lmo(self, g: Gradient, memory: Warm, wanted: Accuracy) -> InexactAtom:
        g = matrix_gradient(g)
        self.check_dimension(g.shape)
        scaled = RescaledGradient(g, self._left, self._right)
        atom, value, error = self.plain.inexact_lmo(scaled, memory, wanted)
        assert isinstance(atom, RankOne)
        rows, columns = (
            side * g.place.put(factor.astype(side.dtype))
            for side, factor in ((atom.u, self._left), (atom.v, self._right))
        )
        lengths = g.place.norm(rows), g.place.norm(columns)
        scale = atom.scale * lengths[0] * lengths[1]
        return RankOne(scale, rows / lengths[0], columns / lengths[1]), value, error

    def _support_above(self, matrix: Matrix, off: float) -> float:
        from scipy.sparse import diags_array

        scaled = diags_array(self._left) @ matrix @ diags_array(self._right)
        largest = 1.000001 * float(self._left.max() * self._right.max())
        # roots, quotients and two products: four roundings an entry
        rounding = 8.0 * 2.0**-53 * float(np.linalg.norm(scaled.data))
        return self.plain._support_above(scaled.tocsr(), largest * off + 1.001 * rounding)

    def diameter(self, n: Variable) -> float:
        return 2.0 * self.radius * float(self._left.max() * self._right.max())

    def violation(self, x: Point) -> float:
        x = x if isinstance(x, FactoredMatrix) else FactoredMatrix.from_array(x)
        x = x.here()
        weighed = FactoredMatrix(x.left / self._left, x.weights, x.right / self._right)
        return float(max(0.0, weighed.nuclear_norm() / self.radius - 1.0))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        rows, columns = rng.uniform(0.2, 2.0, n + 2), rng.uniform(0.2, 2.0, n)
        return [cls(1.5, rows, columns), cls(3.0, rows, columns, exact_below=0)]

    def fingerprint(self) -> str:
        weights = [self.row_weights, self.column_weights]
        return fingerprint(repr(self), [*weights, self.plain.fingerprint()])

    def __repr__(self) -> str:
        rows, columns = self.row_weights.size, self.column_weights.size
        return f"WeightedNuclearBall({rows} x {columns} matrices, radius={self.radius:g})"


def _positive(name: str, given: ArrayLike) -> Array:
    """Validate weights > 0 whose inverses are finite."""
    weights = finite_vector(name, given).astype(np.float64)
    if not (weights > 0.0).all() or not math.isfinite(1.0 / float(weights.min())):
        raise InvalidInput(
            f"{name} must be > 0, got {float(weights.min()):g}: a row or column without ratings "
            "gets a small weight, such as half of what all would have if they were equal."
        )
    return np.array(weights)
