"""Interface of all regions: a linear minimization oracle, and abilities that are optional."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Point, Shape, Variable
from frankwolfe.base.checks import frobenius
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.memory import Buffer, Memory
from frankwolfe.core.atoms import Atom
from frankwolfe.core.checked_oracle import check_oracle
from frankwolfe.core.faces import ThinFaces
from frankwolfe.core.feasibility import spacing
from frankwolfe.core.region_abilities import (
    Accuracy,
    CompiledOracle,
    CoordinateScores,
    EntryBounds,
    ExactBound,
    Faces,
    Factoring,
    Formulation,
    Gradient,
    InexactAtom,
    OracleMemory,
    Projector,
    QuadraticMinimizer,
    Restrictor,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["OUTSIDE_TOL", "Region"]

A = TypeVar("A")

OUTSIDE_TOL = {4: 1e-6, 8: 1e-12}  # by bytes of an entry; how far outside rounding may lead


class Region(ABC):
    """A compact convex set that can minimize a linear function over itself.

    A subclass gives `lmo`, `diameter`, `violation`, `start` and `examples`, and every method
    that needs no more runs over it. What else it can do is an ability (`core.region_abilities`):
    its class is a subclass of the ability's too, and methods ask for the object, or None, that
    a property below returns (`projection`, `faces`, ...), never for the region's class.

    Attributes
    ----------
    polytope : bool
        It has finitely many vertices.
    strongly_convex : bool
        It is a strongly convex set, over which line searches converge fast.
    sparse_atoms : bool
        Its atoms are single coordinates, so that a move costs O(1).
    needs_room : bool
        The oracle writes its atoms into the `out` that it is given; false where atoms are sparse.
    many_vertices : bool
        Vertices are far more than variables and have many entries, so that active sets grow
        long; steps in the face of a point are then better, where it has `faces`.
    costly_oracle : bool
        A call of the oracle is an optimization of its own, so that few steps are better than
        cheap ones.
    loose_diameter : bool
        `diameter` is an upper bound, at most √n times too large.
    exactness : float
        How far outside its points may be, relative to its size: rounding, or more where a solver
        with a tolerance makes them.
    trust_region : bool
        A quadratic over it is minimized by eigenvalues, however badly it is scaled:
        `quadratic_step` always finds it, at the cost of a few factorizations.
    blocks, sizes, regions : tuple
        Where each block of a product lies in x, its size and its region; empty elsewhere.
    matrix : bool
        Its points are matrices.
    drops_empty : bool
        Rows and columns in which f sees no cell may be left out: the region holds matrices of all
        shapes, and with each of them those without some rows and columns.
    short : str
        Name in estimators and commands; empty where a radius alone does not make a region.
    grouped : bool
        It takes groups of variables besides a radius (`of_radius`).
    dimension : int or None
        Number of variables, where the region fixes it.
    family, formula, atom, cost : str
        For lists and pages: the section in which it is shown, the set in TeX, a vertex in
        words, and the cost of an oracle call.
    package, extra : str
        Package that must be installed besides, and the extra that installs it; else empty.
    """

    polytope: bool = False
    strongly_convex: bool = False
    sparse_atoms: bool = False
    needs_room: bool = True
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

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        check_oracle(cls)

    @property
    def strictly_convex(self) -> bool:
        """True if the boundary holds no segment; by default where the set is strongly convex."""
        return self.strongly_convex

    @property
    def flat_faces(self) -> bool:
        """True if the set is known to have flat faces, as polytopes do: there active sets help."""
        return self.polytope

    @property
    def exact_oracle(self) -> bool:
        """True if `inexact_lmo` is `lmo`: its atoms are minimizers, to rounding."""
        return type(self).inexact_lmo is Region.inexact_lmo

    def ability(self, kind: type[A]) -> A | None:
        """Object that is what the region can do of this kind, such as `Projector`; else None.

        It is the region itself where its class is of this kind. Regions made of others return an
        object that is made of theirs, and classes that have an ability at times None at others.
        """
        return self if isinstance(self, kind) else None

    @property
    def projection(self) -> Projector | None:
        """Euclidean projection, where it costs about as much as the oracle; else None."""
        return self.ability(Projector)

    @property
    def restriction(self) -> Restrictor | None:
        """Restrictions to some of the variables, for working sets; else None."""
        return self.ability(Restrictor)

    @property
    def faces(self) -> Faces | None:
        """Smallest faces around points, for steps within them; else None."""
        return self.ability(Faces)

    @property
    def thin_faces(self) -> ThinFaces | None:
        """Smallest faces around thin matrices; else None."""
        return self.ability(ThinFaces)

    @property
    def formulation(self) -> Formulation | None:
        """Standard form of the region, for interior points; else None."""
        return self.ability(Formulation)

    @property
    def factoring(self) -> Factoring | None:
        """Factored form of the matrices, where the factors may move freely; else None."""
        return None

    @property
    def exact_bound(self) -> ExactBound | None:
        """Lower bounds of linear functions over the region, for proofs; else None."""
        return self.ability(ExactBound)

    @property
    def quadratics(self) -> QuadraticMinimizer | None:
        """Minimizers of quadratic models over the region; else None."""
        return self.ability(QuadraticMinimizer)

    @property
    def scores(self) -> CoordinateScores | None:
        """Scores of coordinates, for screening; else None."""
        return self.ability(CoordinateScores)

    @property
    def entry_bounds(self) -> EntryBounds | None:
        """Bounds of the entries, where nothing else holds the points; else None."""
        return self.ability(EntryBounds)

    @abstractmethod
    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        """Linear minimization oracle: a point s of the region with the smallest <g, s>.

        It is s, and not the direction s - x. A dense atom is written into `out` where that is
        given; others may use it as workspace.
        """

    def ask(self, g: Array, out: Array | None = None) -> Atom:
        """Linear minimization oracle as methods call it: `lmo` without a check of g."""
        return self.lmo(g, out)  # `check_oracle` puts the unchecked oracle of a class here

    def probe(self, g: Array) -> Atom:
        """Oracle for any vector g, shifted to costs >= 0 where the oracle takes these alone."""
        try:
            return self.ask(g)
        except InvalidInput:
            return self.ask(g - g.min())

    @abstractmethod
    def diameter(self, n: Variable) -> float:
        """Largest 2-norm distance between two points, in n dimensions."""

    @abstractmethod
    def violation(self, x: Array) -> float:
        """Amount by which x lies outside, relative to the region's size; 0 inside."""

    @abstractmethod
    def start(self, n: Variable) -> Point:
        """A point of the region to start from."""

    def resolution(self, n: Variable, dtype: Dtype) -> float:
        """Spacing of floating-point numbers at the region's points, relative to its size.

        The default is for a region that holds zero, or comes as near to it as its size.
        """
        # a region of one point has no diameter: its entries give the size
        size = self.diameter(n) or float(np.abs(self.start(n)).max())
        return spacing(dtype, size, size) if size > 0.0 else 0.0

    def middle(self, n: Variable) -> Point:
        """A point inside, off every face, where that is cheap; else the start.

        A function that is not finite at the start, such as a logarithm, is tried here.
        """
        return self.start(n)

    def reach(self, weights: Array, n: int) -> float:
        """Upper bound on Σ_j w_j |v_j| over the points v, for weights w >= 0.

        There is one weight for each of the n variables, or one for all.
        """
        length = frobenius(weights) * (math.sqrt(n) if weights.size == 1 else 1.0)
        return float(length * (frobenius(self.start(n)) + self.diameter(n)))

    def inside(self, x: Array) -> Array:
        """x snapped to its bounds, or its projection where a step has led farther out."""
        x = self.snap(x)
        projection = self.projection
        if projection is None or self.violation(x) <= OUTSIDE_TOL[x.itemsize]:
            return x
        nearest: Array = self.snap(projection.project(x).x)
        return nearest

    def snap(self, x: Point) -> Point:
        """Remove rounding that has led past a bound on the entries, in place."""
        return x

    @classmethod
    @abstractmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        """A few instances in n dimensions (tests and documentation).

        Where the region's form does not allow n, the nearest that it does: see `dimension`.
        """

    @classmethod
    def of_radius(cls, radius: float, groups: ArrayLike | None = None) -> Region:
        """Make the region from a radius alone; only where it has a `short` name."""
        make: Callable[..., Region] = cls
        return make(groups, radius) if cls.grouped else make(radius)

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> Memory:
        """Memory of the oracle between the calls of a run: by default a buffer for a dense atom."""
        none = self.sparse_atoms or not self.needs_room or not isinstance(shape, int)
        room = 0 if none else shape
        return Buffer(np.empty(room, dtype=dtype))

    def inexact_lmo(self, g: Gradient, memory: OracleMemory, wanted: Accuracy) -> InexactAtom:
        """Inexact oracle: an atom s, <g, s>, and an upper bound on <g, s> - min_v <g, v>.

        `memory` is what `oracle_memory` of the region made.
        """
        atom = self.ask(g, memory.array)
        return atom, atom.dot(g), 0.0

    def several(self, g: Array, count: int) -> list[Atom]:
        """Up to `count` points with small <g, s>, best first; one where no more are at hand."""
        return [self.ask(g)]

    def compiled(self, n: int) -> CompiledOracle | None:
        """Description of the oracle for the compiled fast path; None where it has none.

        It counts for the class that defines it, not for subclasses, whose oracle may differ.
        """
        return None

    def decompose(self, x: Array) -> list[tuple[float, Atom]] | None:
        """Weights and vertices of a convex combination that is x; None where that is not cheap."""
        return None

    def failure_probability(self, memory: OracleMemory) -> float:
        """Bound on the probability that a certificate so far does not hold; 0 if rigorous."""
        return 0.0

    def fingerprint(self) -> str:
        """Text that tells two regions apart in checkpoints."""
        parts = [item for pair in sorted(vars(self).items()) for item in pair]
        return fingerprint(repr(self), parts)

    def contains(self, x: Array, tol: float = 1e-9) -> bool:
        """True if x lies in the region, up to `tol` relative to the region's size."""
        if self.dimension is not None and not self.matrix and np.size(x) != self.dimension:
            raise InvalidInput(
                f"the region {self!r} has {self.dimension} variables, x has {np.size(x)}."
            )
        return bool(self.violation(x) <= tol)

    def check_dimension(self, n: Variable) -> None:
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
