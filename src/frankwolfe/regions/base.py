"""What every region offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from frankwolfe.arrays import Array
from frankwolfe.atoms import Atom
from frankwolfe.errors import InvalidInput

__all__ = ["Region"]


class Region(ABC):
    """A compact convex set that can minimize a linear function over itself.

    Attributes
    ----------
    polytope : bool
        Whether it has finitely many vertices.
    strongly_convex : bool
        Whether it is a strongly convex set, where line searches converge fast.
    sparse_atoms : bool
        Whether its atoms are single coordinates, so that a move costs O(1).
    dimension : int or None
        Number of variables, where the region fixes it.
    """

    polytope: bool = False
    strongly_convex: bool = False
    sparse_atoms: bool = False
    dimension: int | None = None

    @abstractmethod
    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        """A point s of the region with the smallest <g, s>; not s - x, and a minimum.

        A dense atom is written into `out` where that is given.
        """

    @abstractmethod
    def diameter(self, n: int) -> float:
        """Largest 2-norm distance between two points, in n dimensions."""

    @abstractmethod
    def violation(self, x: Array) -> float:
        """How far x lies outside, relative to the region's size; 0 inside."""

    @abstractmethod
    def start(self, n: int) -> Array:
        """A point of the region to start from."""

    @classmethod
    @abstractmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        """A few instances in n dimensions (tests and documentation)."""

    def contains(self, x: Array, tol: float = 1e-9) -> bool:
        """Whether x lies in the region, up to `tol` relative to the region's size."""
        return bool(self.violation(np.asarray(x)) <= tol)

    def check_dimension(self, n: int) -> None:
        """Raise unless the region can have n variables."""
        if self.dimension is not None and self.dimension != n:
            raise InvalidInput(
                f"the region {self!r} has {self.dimension} variables, the objective {n}."
            )
