"""Objectives of a matrix that depend on some of its cells only."""

from __future__ import annotations

from abc import abstractmethod

from frankwolfe.base.arrays import Array, Point
from frankwolfe.base.checks import all_finite
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.atoms import Atom
from frankwolfe.core.entries import Cells
from frankwolfe.core.factor_curvature import CellCurvature, FactorCurvature
from frankwolfe.core.gradients import MatrixGradient
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.low_rank_point import FactoredPoint
from frankwolfe.core.objective import Objective
from frankwolfe.core.objective_abilities import Itself

__all__ = ["RANK_CAP", "OverCells"]

RANK_CAP = 500  # terms of X by default: memory and time of a step grow with them


class OverCells(Objective):
    """f(X) = phi(z), z the entries of X on some cells; X is factored, and never formed.

    The map A of phi(Ax) picks the cells, so that the gradient is a sparse matrix whose entries are
    phi'.

    Attributes
    ----------
    cells : Cells
        The rows and columns of the cells.
    rank_cap : int
        Largest number of terms that an iterate keeps.
    """

    matrix = True
    factors = Itself()
    cells: Cells
    rank_cap: int = RANK_CAP

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of X."""
        return self.cells.shape

    @property
    def own_loops(self) -> bool:  # type: ignore[override]
        """True if the cells are in this process's memory."""
        return self.place.here

    @property
    def gradient_size(self) -> int:
        """Number of cells, each an entry of the gradient."""
        return self.m

    @property
    def most_terms(self) -> int:
        """The rank cap, or the smaller side of X if that is less."""
        return min(self.rank_cap, *self.shape)

    def covector(self, gradient: Array) -> MatrixGradient:
        """The sparse matrix with the gradient's values on the cells."""
        return self.cells.matrix(gradient)

    def new_gradient(self) -> Array:
        return self.new_image()

    def returned(self, x: FactoredMatrix) -> FactoredMatrix:
        return x.here()

    def seen_point(self, x: Point, name: str = "x0") -> FactoredMatrix:
        return self.read_point(x, name)

    def read_point(self, x: Point, name: str = "x0") -> FactoredMatrix:
        """A checked copy of a FactoredMatrix, or of a dense matrix, which is factored."""
        x = x.copy() if isinstance(x, FactoredMatrix) else FactoredMatrix.from_array(x)
        if not all(all_finite(part) for part in (x.left, x.weights, x.right) if part.size):
            raise InvalidInput(f"{name} must be finite, but it holds NaN or infinity.")
        if x.shape != self.shape:
            raise InvalidInput(f"{name} must have the shape {self.shape}, got {x.shape}.")
        put = self.place.put
        left, right = put(x.left.astype(self.dtype)), put(x.right.astype(self.dtype))
        return FactoredMatrix(left, x.weights, right)

    def new_point(self, x: FactoredMatrix, *, sparse: bool) -> FactoredPoint:
        """The mutable iterate that starts at X."""
        return FactoredPoint(x, self.most_terms)

    def image(self, x: FactoredMatrix, out: Array) -> None:
        self.cells.factored(*x.factors(), out)

    def image_of(self, atom: Atom, out: Array) -> None:
        atom.image(self.cells, out)

    def gradient(self, slope: Array, out: Array) -> None:
        out[:] = slope

    def linearize_factors(
        self, tau: float, left: Array, right: Array, by_row: Array, by_column: Array
    ) -> tuple[float, float]:
        z, slope = self.new_image(), self.new_image()
        self.cells.factored(left, right, z)
        z *= tau
        pair = self.linearize(z, slope)
        matrix = self.cells.matrix(slope)
        matrix.apply_block(right, by_row)
        matrix.adjoint_block(left, by_column)
        return pair

    def factor_curvature(self, left: Array, right: Array) -> FactorCurvature | None:
        z, slope = self.new_image(), self.new_image()
        self.cells.factored(left, right, z)
        _, inner = self.linearize(z, slope)
        return FactorCurvature(self.cells, slope, self.cell_curvature(z), (left, right), inner)

    @abstractmethod
    def cell_curvature(self, z: Array) -> CellCurvature:
        """Second derivative phi''(z)."""
