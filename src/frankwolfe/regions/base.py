"""What every region offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np

from frankwolfe.numerics.arrays import Array, Indices, Shape
from frankwolfe.numerics.atoms import Atom
from frankwolfe.numerics.checks import finite_vector
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.fingerprint import fingerprint
from frankwolfe.numerics.memory import Buffer, Memory
from frankwolfe.regions.bounds import difference
from frankwolfe.regions.faces import Away

__all__ = ["Need", "Region"]


class Need(NamedTuple):
    """What an inexact oracle may use to choose its accuracy.

    The gap is `above` minus the minimum of <g, v>; a bound found earlier leaves `slack`.
    Averaged models need a better answer, a `share` of the usual error. A tight bound is
    worth its cost after `between` quick calls.
    """

    above: float
    slack: float
    share: float
    between: int


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
    faces : bool
        Whether it knows the faces of its matrices (`away`).
    vertex_faces : bool
        Whether it is a polytope that knows the smallest face around a point (`face_atom`).
    boxlike : bool
        Whether entries have bounds of their own, so that vertices are dense and many.
    matrix : bool
        Whether its points are matrices.
    short : str
        What estimators and commands call it; empty where a radius does not make one.
    grouped : bool
        Whether it takes groups of variables besides a radius (`of_radius`).
    dimension : int or None
        Number of variables, where the region fixes it.
    """

    polytope: bool = False
    strongly_convex: bool = False
    sparse_atoms: bool = False
    faces: bool = False
    vertex_faces: bool = False
    boxlike: bool = False
    matrix: bool = False
    short: str = ""
    grouped: bool = False
    dimension: int | None = None

    @abstractmethod
    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        """A point s of the region with the smallest <g, s>; not s - x, and a minimum.

        A dense atom is written into `out` where that is given; others may use it as room.
        """

    @abstractmethod
    def diameter(self, n: Any) -> float:
        """Largest 2-norm distance between two points, in n dimensions."""

    @abstractmethod
    def violation(self, x: Array) -> float:
        """How far x lies outside, relative to the region's size; 0 inside."""

    @abstractmethod
    def start(self, n: Any) -> Any:
        """A point of the region to start from."""

    def middle(self, n: Any) -> Any:
        """A point inside, off every face, where that is cheap; else the start.

        A function that is not finite at the start, such as a logarithm, is tried here.
        """
        return self.start(n)

    def clean(self, x: Any) -> Any:
        """Take away rounding that has led past a bound on the entries, in place."""
        return x

    @classmethod
    @abstractmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        """A few instances in n dimensions (tests and documentation).

        Where the region's form does not allow n, the nearest that it does: see `dimension`.
        """

    @classmethod
    def of_radius(cls, radius: float, groups: Any = None) -> Region:
        """The region of a radius, where it has a `short` name."""
        make: Any = cls
        made: Region = make(groups, radius) if cls.grouped else make(radius)
        return made

    def oracle_memory(self, shape: Shape, dtype: np.dtype[Any]) -> Memory:
        """What the oracle keeps between calls in a run: by default room for a dense atom."""
        room = 0 if self.sparse_atoms or not isinstance(shape, int) else shape
        return Buffer(np.empty(room, dtype=dtype))

    def answer(self, g: Any, memory: Memory, need: Need) -> tuple[Atom, float, float]:
        """An atom s, <g, s>, and a bound on how far that is above the minimum."""
        assert isinstance(memory, Buffer)
        atom = self.lmo(g, memory.array)
        return atom, atom.dot(g), 0.0

    def several(self, g: Array, count: int) -> list[Atom]:
        """Up to `count` points with small <g, s>, best first; one where no more are at hand."""
        return [self.lmo(g)]

    def bounds(self, n: int) -> tuple[Array, Array]:
        """The bounds of n entries, as vectors; only where `boxlike`."""
        raise NotImplementedError

    def decompose(self, x: Array) -> list[tuple[float, Atom]] | None:
        """Weights and vertices whose combination is x; None where that is not cheap."""
        return None

    def away(self, x: Any, g: Any) -> Away | None:
        """From a thin matrix x away from the vertex with the largest <g, v> of its face.

        None where x is the whole face, or the region knows no faces.
        """
        return None

    def face_atom(self, g: Array, x: Array) -> Atom:
        """The vertex with the largest <g, v> of the smallest face that holds x.

        Only where `vertex_faces`, as the two below.
        """
        raise NotImplementedError

    def face_step(self, x: Array, s: Atom, a: Atom) -> float:
        """The largest gamma for which x + gamma (s - a) lies in the region."""
        where, d = difference(s, a, x.size)
        return max(self._room(x, where, d), 0.0) if where.size else 0.0

    def tidy(self, x: Array) -> Array:
        """A new x, exactly on the bounds from which rounding alone keeps it away."""
        raise NotImplementedError

    def _room(self, x: Array, where: Indices, d: Array) -> float:
        """The largest step from x along d, whose entries not listed in `where` are zero."""
        raise NotImplementedError

    def scale_after_cut(self, x: Any) -> float:
        """The factor that brings a matrix cut to a lower rank back into the region."""
        return 1.0

    def doubt(self, memory: Memory) -> float:
        """Bound on the probability that a certificate so far does not hold; 0 if rigorous."""
        return 0.0

    def fingerprint(self) -> str:
        """A text that tells two regions apart (checkpoints)."""
        parts = [item for pair in sorted(vars(self).items()) for item in pair]
        return fingerprint(repr(self), parts)

    def contains(self, x: Array, tol: float = 1e-9) -> bool:
        """Whether x lies in the region, up to `tol` relative to the region's size."""
        return bool(self.violation(x) <= tol)

    def _gradient(self, g: Any) -> Array:
        """`g` as a float vector; what the loop passes goes straight through."""
        if (
            type(g) is np.ndarray
            and g.dtype.kind == "f"
            and (self.dimension is None or g.shape == (self.dimension,))
        ):
            return g
        return finite_vector("g", g, self.dimension)

    def check_dimension(self, n: Any) -> None:
        """Raise unless the region can have n variables."""
        if not isinstance(n, int):
            raise InvalidInput(
                f"the region {self!r} holds vectors, but the objective's variable is a matrix "
                f"of shape {n}: use NuclearBall or Spectraplex."
            )
        if self.dimension is not None and self.dimension != n:
            raise InvalidInput(
                f"the region {self!r} has {self.dimension} variables, the objective {n}."
            )
