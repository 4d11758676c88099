"""Abilities of regions: what a set may know besides its oracle.

Each ability is a small abstract class. A set that has it is a subclass of it too; a region made
of another one returns an object of it, made of the other's (`Region.ability`). Methods ask for
the object by a property of `Region` that is None where there is none (`region.projection`, ...).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.core.atoms import Atom
from frankwolfe.core.feasibility import difference, rounding
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.standard_form.form import StandardForm

__all__ = [
    "Accuracy",
    "CompiledOracle",
    "CoordinateScores",
    "DoubledGradient",
    "EntryBounds",
    "ExactBound",
    "Faces",
    "Factoring",
    "Formulation",
    "Gradient",
    "InexactAtom",
    "OracleMemory",
    "Projection",
    "Projector",
    "QuadraticMinimizer",
    "Restriction",
    "Restrictor",
]

Gradient: TypeAlias = Any
"""A gradient: a vector (`Array`), or a `MatrixGradient` for regions of matrices."""

DoubledGradient: TypeAlias = Any
"""A gradient with bounds on its rounding: `Doubled` of a vector, `DoubledCells` of a matrix."""

InexactAtom: TypeAlias = tuple[Atom, float, float]
"""An atom s, <g, s>, and an upper bound on <g, s> - min_v <g, v>."""

OracleMemory: TypeAlias = Any
"""Result of `oracle_memory`: a `Memory` of a type that only the region itself knows."""

CompiledOracle: TypeAlias = tuple[int, float, Array, Array]
"""Kind (a number of `core.vertices`), size, and two vectors: bounds, or a centre."""


class Accuracy(NamedTuple):
    """Accuracy that a call of an inexact oracle is asked for.

    The gap is `above` - min_v <g, v>, and by a bound found earlier it is at most `slack`.
    Averaged models need a more accurate atom, a `share` of the usual error. A tight bound is
    worth its cost after `between` quick calls. Where `error` is given the bound alone counts: it
    is to be within `error` of the minimum, if the oracle can.
    """

    above: float
    slack: float
    share: float
    between: int
    error: float | None = None


class Factoring(NamedTuple):
    """Factors whose products are the matrices of a region: UV', or UU' where `symmetric`.

    (|U|² + |V|²) / 2 is at most `most`, and equal to it where `exact`. Where `rows`
    and `columns` are given the matrices are diag(rows) UV' diag(columns).
    """

    most: float
    symmetric: bool = False
    exact: bool = False
    rows: Array | None = None
    columns: Array | None = None

    def scale_after_cut(self, x: FactoredMatrix) -> float:
        """Factor that brings a matrix truncated to a lower rank back into the region."""
        if not self.exact:
            return 1.0
        left = float(np.einsum("k,ki,ki->", x.weights, x.left, x.right))  # the trace that is left
        return 1.0 if left <= 0.0 else self.most / left


class Projection(NamedTuple):
    """Projection x of a point p, and where at hand a bound below <g, s> for g = c (x - p).

    `bound` is a function of g and c, or None.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.Simplex().project(np.array([0.6, 0.3, -0.4])).x
    array([0.65, 0.35, 0.  ])
    """

    x: Array
    bound: Callable[[Array, float], float] | None = None


class Projector(ABC):
    """Ability to project onto the region, at about the cost of the oracle."""

    @property
    def iterates(self) -> bool:
        """True if `project` is an iteration with a budget, which may end early."""
        return False

    @abstractmethod
    def project(self, p: Array) -> Projection:
        """Euclidean projection of p onto the region."""


class Restriction(Protocol):
    """Restriction of a region to some of its variables; the others stay where they are."""

    def gap(self, r: Array, x: Array) -> float:
        """<r, x> minus its minimum over the restriction."""

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        """Minimizer y of y'Hy/2 + <c, y> over the restriction, started from x."""


class Restrictor(ABC):
    """Ability to restrict the region to some variables, and to name those that matter next."""

    @property
    def together(self) -> int:
        """Largest number of variables that `candidates` must choose together."""
        return 1

    @abstractmethod
    def part(self, x: Array, places: Indices) -> Restriction:
        """Restriction of the region to the variables `places`; the others stay as in x."""

    @abstractmethod
    def candidates(self, x: Array, g: Array, above: float, count: int, most: int) -> Indices:
        """Variables in which f is best minimized next.

        Regions that have a choice take about `count`, of those with <g, s> below `above`, and
        not much more than `most` variables in all.
        """


class Faces(ABC):
    """Ability of a polytope to find the smallest face that holds a point."""

    @property
    def costly_faces(self) -> bool:
        """True if `face_atom` costs about as much as a costly oracle."""
        return False

    @abstractmethod
    def face_atom(self, g: Array, x: Array) -> Atom:
        """Vertex with the largest <g, v> of the smallest face that holds x."""

    @abstractmethod
    def snap_to_face(self, x: Array) -> Array:
        """Copy of x, exactly on the bounds from which rounding alone keeps it away."""

    @abstractmethod
    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        """Largest step from x along d, whose entries not listed in `where` are zero."""

    def face_step(self, x: Array, s: Atom, a: Atom) -> float:
        """Largest gamma for which x + gamma (s - a) lies in the region.

        Where s and a are one vertex, rounded in two ways, or nearly, their difference leads out
        of the region by its own rounding: no step is so long that this counts.
        """
        where, d = difference(s, a, x.size)
        if not where.size:
            return 0.0
        # entries of s - a that are rounding are about eps: over this step they reach `rounding`
        longest = rounding(x) / float(np.finfo(x.dtype).eps)
        return min(max(self.longest_step(x, where, d), 0.0), longest)


class Formulation(ABC):
    """Ability to give the region by equations, bounds and norms, for interior points."""

    @abstractmethod
    def standard_form(self, n: int) -> StandardForm | None:
        """Region in n dimensions by equations, bounds and norms; None where it is too large."""


class ExactBound(ABC):
    """Ability to bound linear functions over the region by a proof."""

    @abstractmethod
    def least(self, g: DoubledGradient) -> Fraction:
        """Exact lower bound on <g, s> over the region, with all rounding accounted for."""


class QuadraticMinimizer(ABC):
    """Ability to minimize quadratic models over the region in a quick way."""

    @abstractmethod
    def quadratic_step(self, H: Array, g: Array, x: Array) -> Array | None:
        """Minimizer y of <g, y> + (y - x)'H(y - x)/2; None where no quick way finds it."""


class CoordinateScores(ABC):
    """Ability to score coordinates, of which the oracle's atom is one; for `sparse_atoms`.

    Screening relies on two properties: the score of a coordinate is a function of its own entry
    of g, the same for all coordinates, and it moves by no more than that entry does. Sets whose
    vertices have sizes of their own, as weighted simplices, cannot have this ability.
    """

    @abstractmethod
    def merit(self, g: Array) -> Array:
        """Score of each entry of g, which may be a part of a gradient; least for the oracle's."""

    @abstractmethod
    def passed_by(self, found: Array) -> float:
        """Entry of a gradient that the oracle prefers to none in `found`."""


class EntryBounds(ABC):
    """Ability of a region whose entries have bounds of their own, and nothing else."""

    @abstractmethod
    def bounds(self, n: int) -> tuple[Array, Array]:
        """Lower and upper bounds of the n entries, as vectors."""
