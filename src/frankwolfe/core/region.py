"""What every region offers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Self

import numpy as np

from frankwolfe.base.arrays import Array, Indices, Shape
from frankwolfe.base.checks import finite_vector, frobenius
from frankwolfe.base.errors import InvalidInput, Unproven
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.memory import Buffer, Memory
from frankwolfe.core.atoms import Atom
from frankwolfe.core.checked_oracle import check_oracle
from frankwolfe.core.faces import Away
from frankwolfe.core.feasibility import difference, rounding, spacing
from frankwolfe.core.region_abilities import Accuracy, CompiledOracle, Factoring, Part, Projection
from frankwolfe.core.standard_form.form import Frame

__all__ = ["ROUNDING", "Region"]

ROUNDING = {4: 1e-6, 8: 1e-12}  # how far outside a point may be, by the bytes of its entries


class Region(ABC):
    """A compact convex set that can minimize a linear function over itself.

    A subclass gives `lmo`, `diameter`, `violation`, `start` and `examples`, and every method
    that needs no more runs over it. Whatever else a region can do is a method or an attribute
    with a default that says that it cannot; methods ask the region, never for its class.

    Attributes
    ----------
    polytope : bool
        Whether it has finitely many vertices.
    strongly_convex : bool
        Whether it is a strongly convex set, where line searches converge fast.
    sparse_atoms : bool
        Whether its atoms are single coordinates, so that a move costs O(1).
    needs_room : bool
        Whether the oracle of other atoms writes into the `out` that it is given; not where they
        have few entries.
    vertex_faces : bool
        Whether it is a polytope that knows the smallest face around a point (`face_atom`).
    boxlike : bool
        Whether entries have bounds of their own (`bounds`).
    many_vertices : bool
        Whether vertices are far more than variables and have many entries, so that active sets
        grow long; steps in the face of a point are then better, where `vertex_faces`.
    costly_oracle : bool
        Whether a call of the oracle is a program of its own, so that few steps are better than
        cheap ones.
    loose_diameter : bool
        Whether `diameter` is an upper bound, at most the root of n times too large.
    exactness : float
        How far outside its points may be, relative to its size: rounding, or more where a solver
        with a tolerance makes them.
    trust_region : bool
        Whether a quadratic over it is minimized by eigenvalues, however badly it is scaled:
        `quadratic_step` always finds it, at the cost of a few factorizations.
    blocks, sizes, regions : tuple
        Where each block of a product lies in x, its size and its region; empty elsewhere.
    matrix : bool
        Whether its points are matrices.
    drops_empty : bool
        Whether rows and columns in which f sees no cell may be left out: it holds matrices of all
        shapes, and with each of them those without some rows and columns.
    short : str
        What estimators and commands call it; empty where a radius does not make one.
    grouped : bool
        Whether it takes groups of variables besides a radius (`of_radius`).
    dimension : int or None
        Number of variables, where the region fixes it.
    family, formula, atom, cost : str
        For lists and pages: with which others it is shown, the set in TeX, what a vertex is, and
        what a call of the oracle costs.
    package, extra : str
        What must be installed besides, and the extra that installs it; empty where nothing.
    """

    polytope: bool = False
    strongly_convex: bool = False
    sparse_atoms: bool = False
    needs_room: bool = True
    vertex_faces: bool = False
    boxlike: bool = False
    many_vertices: bool = False
    costly_oracle: bool = False
    loose_diameter: bool = False
    exactness: float = 1e-12
    trust_region: bool = False
    matrix: bool = False
    drops_empty: bool = False
    short: str = ""
    grouped: bool = False
    dimension: int | None = None
    family: str = ""
    formula: str = ""
    atom: str = ""
    cost: str = ""
    package: str = ""
    extra: str = ""
    blocks: tuple[slice, ...] = ()
    sizes: tuple[int, ...] = ()
    regions: tuple[Region, ...] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_oracle(cls)

    @property
    def strictly_convex(self) -> bool:
        """Whether its boundary holds no segment; by default where it is strongly convex."""
        return self.strongly_convex

    @property
    def flat_faces(self) -> bool:
        """Whether it is known to have flat faces, as polytopes have: there active sets help."""
        return self.polytope

    @property
    def costly_faces(self) -> bool:
        """Whether a vertex of a face (`face_atom`) costs as much as the oracle, and that much."""
        return False

    @property
    def iterates_to_project(self) -> bool:
        """Whether `project` is an iteration with a budget, which may end early."""
        return False

    @property
    def together(self) -> int:
        """How many variables at most must be chosen together (`candidates`)."""
        return 1

    @property
    def factoring(self) -> Factoring | None:
        """How its matrices are products of factors, where these may move freely."""
        return None

    def offers(self, ability: Callable[..., Any]) -> bool:
        """Whether it has a way of its own for a method of this class, such as `Region.project`."""
        return getattr(type(self), ability.__name__) is not ability

    @abstractmethod
    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        """A point s of the region with the smallest <g, s>; not s - x, and a minimum.

        A dense atom is written into `out` where that is given; others may use it as room.
        """

    def ask(self, g: Array, out: Array | None = None) -> Atom:
        """The oracle as methods call it: `lmo` of the subclass, without a check of g."""
        raise NotImplementedError

    def probe(self, g: Array) -> Atom:
        """The oracle for a g of no function; moved to costs >= 0 where it takes these alone."""
        try:
            return self.ask(g)
        except InvalidInput:
            return self.ask(g - g.min())

    @abstractmethod
    def diameter(self, n: Any) -> float:
        """Largest 2-norm distance between two points, in n dimensions."""

    @abstractmethod
    def violation(self, x: Array) -> float:
        """How far x lies outside, relative to the region's size; 0 inside."""

    @abstractmethod
    def start(self, n: Any) -> Any:
        """A point of the region to start from."""

    def resolution(self, n: Any, dtype: Any) -> float:
        """How far apart numbers of that type are at its points, relative to its size.

        By default for a region that holds zero, or comes as near to it as its size.
        """
        size = self.diameter(n) or float(np.abs(self.start(n)).max())
        return spacing(dtype, size, size) if size > 0.0 else 0.0

    def middle(self, n: Any) -> Any:
        """A point inside, off every face, where that is cheap; else the start.

        A function that is not finite at the start, such as a logarithm, is tried here.
        """
        return self.start(n)

    def reach(self, weights: Array, n: int) -> float:
        """A bound on the sum of weights times sizes of entries over the points, for weights >= 0.

        There is one weight for each of the n variables, or one for all.
        """
        length = frobenius(weights) * (math.sqrt(n) if weights.size == 1 else 1.0)
        return float(length * (frobenius(self.start(n)) + self.diameter(n)))

    def inside(self, x: Array) -> Array:
        """x without rounding past a bound; the nearest point where a step has led farther out."""
        x = self.snap(x)
        if not self.offers(Region.project) or self.violation(x) <= ROUNDING[x.itemsize]:
            return x
        nearest = self.project(x)
        return x if nearest is None else self.snap(nearest.x)

    def least(self, g: Any) -> Fraction:
        """A number that <g, s> is not below for any s of the region: no rounding is left out."""
        raise Unproven(
            f"the minimum of a linear function over {self!r} cannot be bounded by a proof: "
            "result.gap holds as far as its oracle is right."
        )

    def snap(self, x: Any) -> Any:
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
        none = self.sparse_atoms or not self.needs_room or not isinstance(shape, int)
        room = 0 if none else shape
        return Buffer(np.empty(room, dtype=dtype))

    def inexact_lmo(self, g: Any, memory: Any, wanted: Accuracy) -> tuple[Atom, float, float]:
        """An atom s, <g, s>, and a bound on how far that is above the minimum.

        `memory` is what `oracle_memory` made; a region says of which type that is.
        """
        atom = self.ask(g, memory.array)
        return atom, atom.dot(g), 0.0

    def several(self, g: Array, count: int) -> list[Atom]:
        """Up to `count` points with small <g, s>, best first; one where no more are at hand."""
        return [self.ask(g)]

    def project(self, p: Array) -> Projection | None:
        """The point nearest to p, where that costs about as much as the oracle."""
        return None

    def quadratic_step(self, H: Array, g: Array, x: Array) -> Array | None:
        """The y with the smallest <g, y> + (y - x)'H(y - x)/2, where a quick way finds it."""
        return None

    def frame(self, n: int) -> Frame | None:
        """The region by equations and bounds, where it has them (`interior_point`)."""
        return None

    def part(self, x: Array, places: Indices) -> Part:
        """The region in the variables `places`, while the others stay as they are in x."""
        raise NotImplementedError

    def candidates(self, x: Array, g: Array, above: float, count: int, most: int) -> Indices:
        """The variables in which f is best minimized next; only where `part` is offered.

        Where these are a choice, about `count` at a time of those with <g, s> below `above`,
        and not much more than `most` variables.
        """
        raise NotImplementedError

    def compiled(self, n: int) -> CompiledOracle | None:
        """The oracle as the fast path knows it, where it does.

        It counts for the class that defines it, not for subclasses, whose oracle may differ.
        """
        return None

    def merit(self, g: Array) -> Array:
        """What the oracle minimizes over the coordinates; only where `sparse_atoms`."""
        raise NotImplementedError

    def passed_by(self, found: Array) -> float:
        """An entry of a gradient that the oracle prefers to none of those found; as `merit`."""
        raise NotImplementedError

    def bounds(self, n: int) -> tuple[Array, Array]:
        """The bounds of n entries, as vectors; only where `boxlike`."""
        raise NotImplementedError

    def decompose(self, x: Array) -> list[tuple[float, Atom]] | None:
        """Weights and vertices whose combination is x; None where that is not cheap."""
        return None

    def away(self, x: Any, g: Any) -> Away | None:
        """From a thin matrix x away from the vertex with the largest <g, v> of its face.

        None where x is the whole face, or the region does not know the faces of its matrices.
        """
        return None

    def face_atom(self, g: Array, x: Array) -> Atom:
        """The vertex with the largest <g, v> of the smallest face that holds x.

        Only where `vertex_faces`, as the two below.
        """
        raise NotImplementedError

    def face_step(self, x: Array, s: Atom, a: Atom) -> float:
        """The largest gamma for which x + gamma (s - a) lies in the region.

        Where s and a are one vertex, rounded in two ways, or nearly, their difference leads out
        of the region by its own rounding: no step is so long that this counts.
        """
        where, d = difference(s, a, x.size)
        if not where.size:
            return 0.0
        longest = rounding(x) / float(np.finfo(x.dtype).eps)
        return min(max(self._room(x, where, d), 0.0), longest)

    def snap_to_face(self, x: Array) -> Array:
        """A new x, exactly on the bounds from which rounding alone keeps it away."""
        raise NotImplementedError

    def _room(self, x: Array, where: Indices, d: Array) -> float:
        """The largest step from x along d, whose entries not listed in `where` are zero."""
        raise NotImplementedError

    def scale_after_cut(self, x: Any) -> float:
        """The factor that brings a matrix cut to a lower rank back into the region."""
        return 1.0

    def failure_probability(self, memory: Any) -> float:
        """Bound on the probability that a certificate so far does not hold; 0 if rigorous."""
        return 0.0

    def fingerprint(self) -> str:
        """A text that tells two regions apart (checkpoints)."""
        parts = [item for pair in sorted(vars(self).items()) for item in pair]
        return fingerprint(repr(self), parts)

    def contains(self, x: Array, tol: float = 1e-9) -> bool:
        """Whether x lies in the region, up to `tol` relative to the region's size."""
        if self.dimension is not None and not self.matrix and np.size(x) != self.dimension:
            raise InvalidInput(
                f"the region {self!r} has {self.dimension} variables, x has {np.size(x)}."
            )
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
