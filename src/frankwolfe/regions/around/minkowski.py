"""Minkowski sums of regions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Self, TypeVar

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Shape
from frankwolfe.base.checks import frobenius
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom, Dense, Sparse, stored_entries
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import (
    Accuracy,
    ExactBound,
    Formulation,
    InexactAtom,
    Projector,
)
from frankwolfe.core.standard_form.form import StandardForm, side_by_side
from frankwolfe.regions.around.together import (
    OracleMemories,
    all_able,
    all_formulated,
    ask_all,
    doubt,
    memories,
)
from frankwolfe.regions.around.wrapped import a_region
from frankwolfe.regions.balls.box import Box
from frankwolfe.regions.balls.l2_ball import L2Ball
from frankwolfe.regions.simplices.hypersimplex import Hypersimplex
from frankwolfe.regions.simplices.simplex import Simplex
from frankwolfe.subproblems.nearest import Nearest, nearest
from frankwolfe.subproblems.nearest_image import Image, nearest_image, quickly_by_atoms

__all__ = ["MinkowskiSum"]

A = TypeVar("A")

WANTED = "terms must be regions of one number of variables, such as [Simplex(), L2Ball(0.1)]"


class MinkowskiSum(Region, Formulation, ExactBound):
    r"""The points :math:`y_1 + \dots + y_m` with each :math:`y_i` in a region of its own.

    The oracle is the sum of the regions' atoms, and errors of inexact ones add up.

    Parameters
    ----------
    terms : iterable of Region
        Regions of vectors.

    Notes
    -----
    The diameter is the sum of theirs, an upper bound: the longest ways through the regions may
    have different directions. Whether a point lies in the sum is found by an iteration
    (:mod:`frankwolfe.subproblems.nearest`), and `violation` is what the oracle proves of the
    distance: by accelerated gradients where all regions can project, where points outside by 1e-7
    of the size are found out; else by Wolfe's method, exactly for polytopes of moderate size, to
    1e-3 for curved sets of a hundred variables.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rounded = fw.MinkowskiSum([fw.Box(0.0, 1.0), fw.L2Ball(0.5)])
    >>> rounded.lmo(np.array([-3.0, 4.0])).dense(2).round(12)
    array([ 1.3, -0.4])
    >>> rounded.contains([1.5, 0.5]), rounded.contains([1.5, 1.5])
    (True, False)
    """

    family = "combined"
    formula = r"C_1 + \dots + C_m"
    atom = "a sum of atoms, one of each"
    cost = "the sum of theirs, and n"

    def __init__(self, terms: Iterable[Region]) -> None:
        self.terms = _terms(terms)
        sizes = {term.dimension for term in self.terms} - {None}
        if len(sizes) > 1:
            raise InvalidInput(f"{WANTED}, got {' and '.join(map(str, sorted(sizes)))}.")  # type: ignore[type-var]
        self.dimension = sizes.pop() if sizes else None
        self.polytope = all(term.polytope for term in self.terms)
        self.strongly_convex = all(term.strongly_convex for term in self.terms)
        self.exactness = max(term.exactness for term in self.terms)

    @property
    def strictly_convex(self) -> bool:
        return all(term.strictly_convex for term in self.terms)

    @property
    def flat_faces(self) -> bool:
        return any(term.flat_faces for term in self.terms)

    def ability(self, kind: type[A]) -> A | None:
        """Ability of the sum, only where all terms have it."""
        found = super().ability(kind)
        return None if found is None or all_able(self.terms, kind) is None else found

    @property
    def exact_oracle(self) -> bool:
        return all(term.exact_oracle for term in self.terms)

    def check_dimension(self, n: int) -> None:
        super().check_dimension(n)
        for term in self.terms:
            term.check_dimension(n)

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        return self._sum([term.ask(g) for term in self.terms], g, out)

    def _sum(self, atoms: list[Atom], g: Array, out: Array | None) -> Atom:
        """Sum of atoms: sparse where all of them are, else dense in `out`."""
        if not any(isinstance(atom, Dense) for atom in atoms):
            both = [stored_entries(atom) for atom in atoms]
            indices, where = np.unique(np.concatenate([i for i, _ in both]), return_inverse=True)
            values = np.bincount(where, np.concatenate([v for _, v in both]), indices.size)
            return Sparse(indices.astype(np.intp), values.astype(g.dtype))
        out = np.empty_like(g) if out is None else out
        out[:] = 0.0
        for atom in atoms:
            atom.add_to(out, 1.0)
        return Dense(out)

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> Memory:
        assert isinstance(shape, int)
        return memories(self.terms, [shape] * len(self.terms), dtype, shape)

    def inexact_lmo(self, g: Array, memory: OracleMemories, wanted: Accuracy) -> InexactAtom:
        atoms, value, error = ask_all(self.terms, [g] * len(self.terms), memory, wanted)
        return self._sum(atoms, g, memory.array), value, error

    def failure_probability(self, memory: OracleMemories) -> float:
        return doubt(self.terms, memory)

    def standard_form(self, n: int) -> StandardForm | None:
        frames = all_formulated([(term, n) for term in self.terms])
        if frames is None:
            return None
        centers = [frame.center for frame in frames if frame.center is not None]
        atoms = [atom for frame in frames for atom in frame.atoms]
        return side_by_side(frames, atoms, sum(centers, np.zeros(n)))

    def diameter(self, n: int) -> float:
        return math.fsum(term.diameter(n) for term in self.terms)

    def reach(self, weights: Array, n: int) -> float:
        return math.fsum(term.reach(weights, n) for term in self.terms)

    def resolution(self, n: int, dtype: Dtype) -> float:
        return max(term.resolution(n, dtype) for term in self.terms)

    def least(self, g: Doubled) -> Fraction:
        bounds = all_able(self.terms, ExactBound)
        assert bounds is not None
        return sum((bound.least(g) for bound in bounds), Fraction(0))

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        if not np.isfinite(x).all():
            return math.inf
        n = x.size
        size = self.diameter(n) or frobenius(self.start(n)) or 1.0
        return self._nearest(x, n).below / size

    def _nearest(self, x: Array, n: int) -> Nearest:
        """Projection of x: by projections onto the terms where all have them, else by atoms."""
        projections = all_able(self.terms, Projector)
        if projections is None or quickly_by_atoms(n, self.polytope):
            return nearest(lambda g: self.ask(g).dense(n), x, self.start(n))

        def project(parts: Array) -> Array:
            each = zip(projections, parts, strict=True)
            return np.array([projection.project(part).x for projection, part in each])

        def each(rest: Array) -> Array:
            return np.broadcast_to(rest, (len(self.terms), n))

        # the squared norm of (y_1, ..., y_m) -> Σ y_i is m
        sums = Image(lambda parts: parts.sum(axis=0), each, float(len(self.terms)), project)
        starts = np.array([term.start(n) for term in self.terms], dtype=np.float64)
        return nearest_image(sums, lambda g: self.ask(g).dense(n), x, starts)

    def start(self, n: int) -> Array:
        return sum((term.start(n) for term in self.terms), np.zeros(n))

    def middle(self, n: int) -> Array:
        return sum((term.middle(n) for term in self.terms), np.zeros(n))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        both = [Simplex(1.5), Hypersimplex(max(n - 1, 1))]
        ball = L2Ball(0.5, center=rng.uniform(0.5, 1.5, n))
        return [cls(both), cls([ball, Box(0.0, 1.5)])]

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [term.fingerprint() for term in self.terms])

    def __repr__(self) -> str:
        parts = [repr(term) for term in self.terms]
        shown = parts if len(parts) <= 4 else [*parts[:2], f"... {len(parts) - 3} more", parts[-1]]
        return f"MinkowskiSum({' + '.join(shown)})"


def _terms(given: object) -> tuple[Region, ...]:
    """Validate the terms, and return them as a tuple."""
    if isinstance(given, Region) or not isinstance(given, Iterable):
        raise InvalidInput(f"{WANTED}, got {type(given).__name__}.")
    terms = tuple(given)
    if not terms:
        raise InvalidInput(f"{WANTED}, got none.")
    return tuple(a_region("each of the terms", term, vectors=True) for term in terms)
