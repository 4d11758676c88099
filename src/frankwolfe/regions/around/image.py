"""The image of a region under a linear map."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, TypeVar

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Matrix, Shape
from frankwolfe.base.checks import frobenius, is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import Atom, Dense, Vertex
from frankwolfe.core.feasibility import spacing
from frankwolfe.core.maps import as_map
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Accuracy, Formulation, InexactAtom
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.regions.around.wrapped import a_region
from frankwolfe.regions.balls.l1_ball import L1Ball
from frankwolfe.regions.balls.l2_ball import L2Ball
from frankwolfe.subproblems.nearest import Nearest, nearest
from frankwolfe.subproblems.nearest_image import Image, nearest_image, quickly_by_atoms

__all__ = ["LinearImage"]

A = TypeVar("A")

MAX_INVERTED_ENTRIES = 1_000_000  # of M; above, its pseudo-inverse costs too much
MAX_CONDITION = 1e4  # ratio of singular values; above, y = M⁺x loses too many digits
RANGE_TOL = 1e-12  # of the size: how far from the range of M rounding may lead
MAX_GRAM_SIDE = 1000  # rows or columns; above, the Frobenius norm stands for the 2-norm


@dataclass(slots=True)
class ImageMemory(Memory):
    """Memory of the inner oracle, and buffers for both sides of the map."""

    inner: Memory
    gradient: Array
    array: Array


class LinearImage(Region, Formulation):
    r"""The points :math:`My` for y in a region.

    The oracle asks the region for :math:`M^\top g` and returns M times its atom. Zonotopes are
    images of boxes, ellipsoids of balls, hulls of points of simplices.

    Parameters
    ----------
    matrix : array or scipy sparse matrix of shape (n, k)
        M.
    region : Region
        A region of vectors with k variables.

    Notes
    -----
    The diameter is an upper bound: the region's times the largest singular value of M (its
    Frobenius norm, where M has more than 1000 rows and columns), or twice what the norms of the
    columns allow. It is exact for the image of a ball of the 1- or the 2-norm around zero.
    Whether a point lies in the image is found from y, where M is of moderate size and has
    independent columns. Else it is found by an iteration (:mod:`frankwolfe.subproblems.nearest`),
    and `violation` is what the oracle proves of the distance: by accelerated gradients where the
    region can project, or by Wolfe's method, exactly for polytopes of moderate size.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> M = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 2.0]])
    >>> zonotope = fw.regions.LinearImage(M, fw.Box(0.0, 1.0))
    >>> zonotope.lmo(np.array([-1.0, 0.4])).dense(2)
    array([2., 1.])
    >>> zonotope.contains([2.0, 2.0]), zonotope.contains([0.0, 2.5])
    (True, False)
    """

    family = "combined"
    formula = r"\{My : y \in C\}"
    atom = "M times an atom"
    cost = "the region's, and two products with M"

    def __init__(self, matrix: Matrix, region: Region) -> None:
        self.region = a_region("region", region, vectors=True)
        self._map = as_map("matrix", matrix, rows="variables")
        self.dimension, self.inner = self._map.shape
        if region.dimension not in (None, self.inner):
            raise InvalidInput(
                f"matrix must have a column for each of the {region.dimension} variables of "
                f"{region!r}, got {self.inner}."
            )
        region.check_dimension(self.inner)
        self.polytope = region.polytope
        self.many_vertices, self.exactness = region.many_vertices, region.exactness
        self._sizes = as_map("matrix", abs(matrix) if is_sparse(matrix) else np.abs(matrix))

    @property
    def flat_faces(self) -> bool:
        return self.region.flat_faces

    def ability(self, kind: type[A]) -> A | None:
        """Abilities of the image: a formulation only where the inner region has one."""
        known = kind is not Formulation or self.region.formulation is not None
        return super().ability(kind) if known else None

    def _times(self, atom: Atom, out: Array) -> Array:
        """Write M times an atom into `out`."""
        atom.image(self._map, out)
        return out

    def _back(self, g: Array, room: Array | None = None) -> Array:
        """Product M'g, in `room` or a new vector."""
        if room is None:
            room = np.empty(self.inner, dtype=np.result_type(self._map.dtype, g.dtype))
        self._map.adjoint(g, room)
        return room

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        atom = self.region.ask(self._back(g))
        return self._written(atom, g, out)

    def _written(self, atom: Atom, g: Array, out: Array | None) -> Atom:
        """M times an atom as a dense atom of the type of g."""
        out = np.empty_like(g) if out is None else out
        wide = np.result_type(self._map.dtype, g.dtype)
        if out.dtype == wide:
            return Dense(self._times(atom, out))
        out[:] = self._times(atom, np.empty(g.size, dtype=wide))
        return Dense(out)

    def oracle_memory(self, shape: Shape, dtype: Dtype) -> Memory:
        both = np.result_type(self._map.dtype, dtype)
        inner = self.region.oracle_memory(self.inner, both)
        return ImageMemory(inner, np.empty(self.inner, dtype=both), np.empty(shape, dtype=dtype))

    def inexact_lmo(self, g: Array, memory: ImageMemory, wanted: Accuracy) -> InexactAtom:
        """Oracle whose error includes the rounding of products with M, besides the region's."""
        back = self._back(g, memory.gradient)
        atom, _, error = self.region.inexact_lmo(back, memory.inner, wanted)
        found = self._written(atom, g, memory.array)
        eps = 2.0**-23 if g.itemsize == 4 else 2.0**-52
        return found, found.dot(g), error + 8.0 * eps * self._longest * frobenius(g)

    def failure_probability(self, memory: ImageMemory) -> float:
        return self.region.failure_probability(memory.inner)

    @cached_property
    def _longest(self) -> float:
        """Upper bound on the 2-norm of a point, by the norms of the columns."""
        return self.region.reach(np.asarray(self._map.column_norms, np.float64), self.inner)

    @cached_property
    def _stretch(self) -> float:
        """Largest singular value of M, or an upper bound."""
        if min(self._map.shape) > MAX_GRAM_SIDE:
            return self._map.norm
        side = "columns" if self._map.shape[1] <= self._map.shape[0] else "rows"
        gram = np.asarray(self._map.gram(side), dtype=np.float64)
        return math.sqrt(max(float(np.linalg.eigvalsh(gram)[-1]), 0.0))

    def standard_form(self, n: int) -> StandardForm | None:
        inner = self.region.formulation
        found = None if inner is None else inner.standard_form(self.inner)
        if found is None:
            return None
        center = np.zeros(self.inner) if found.center is None else found.center
        atoms = [Dense(self._point(atom)) for atom in found.atoms]
        return replace(found, atoms=atoms, center=self._point(Dense(center)))

    def _point(self, y: Atom) -> Array:
        """M y as a new vector in double precision."""
        if isinstance(y, Dense):
            y = Dense(y.array.astype(np.float64))
        return self._times(y, np.empty(self._map.shape[0]))

    def diameter(self, n: int) -> float:
        return min(2.0 * self._longest, self._stretch * self.region.diameter(self.inner))

    def reach(self, weights: Array, n: int) -> float:
        each = np.empty(self.inner, dtype=self._sizes.dtype)
        self._sizes.adjoint(np.array(np.broadcast_to(weights, (n,)), dtype=each.dtype), each)
        return self.region.reach(each.astype(np.float64), self.inner)

    def resolution(self, n: int, dtype: Dtype) -> float:
        inner = self.region.resolution(self.inner, dtype)
        size = self.diameter(n) if inner else 0.0  # not known where that is zero
        return max(inner, spacing(dtype, self._longest, size)) if size > 0.0 else inner

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        if not np.isfinite(x).all():
            return math.inf
        if self._inverse is not None:
            y = self._inverse @ x
            off = float(np.linalg.norm(self._point(Dense(y)) - x)) / self._size
            return max(self.region.violation(y), off if off > RANGE_TOL else 0.0)
        return self._nearest(x).below / self._size

    def _nearest(self, x: Array) -> Nearest:
        """Projection of x: by projections onto the region where it has them, else by atoms."""
        n = x.size
        projection = self.region.projection
        if projection is None or quickly_by_atoms(n, self.polytope):
            return nearest(lambda g: self.ask(g).dense(n), x, self.start(n))

        square = self._stretch**2 or 1.0
        image = Image(
            lambda y: self._point(Dense(y)), self._back, square, lambda q: projection.project(q).x
        )
        start = np.asarray(self.region.start(self.inner), dtype=np.float64)
        return nearest_image(image, lambda g: self.ask(g).dense(n), x, start)

    @property
    def _size(self) -> float:
        """Size of the image, to which distances are relative."""
        return self.diameter(self._map.shape[0]) or self._longest or 1.0

    @cached_property
    def _inverse(self) -> Array | None:
        """Pseudo-inverse of M, which finds y from My; None where it would lose digits."""
        n, k = self._map.shape
        if k > n or n * k > MAX_INVERTED_ENTRIES:
            return None
        columns = np.transpose([self._point(Vertex(j, 1.0)) for j in range(k)])
        sizes = np.linalg.svd(columns, compute_uv=False)
        return np.linalg.pinv(columns) if sizes[-1] * MAX_CONDITION > sizes[0] else None

    def start(self, n: int) -> Array:
        return self._point(Dense(self.region.start(self.inner)))

    def middle(self, n: int) -> Array:
        return self._point(Dense(self.region.middle(self.inner)))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        from scipy.sparse import csr_array

        wide = rng.standard_normal((n, n + 2))
        stretch = csr_array(np.diag(rng.uniform(0.5, 2.0, n)))
        return [cls(wide, L1Ball(0.5)), cls(stretch, L2Ball(0.7))]

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [*self._map.parts(), self.region.fingerprint()])

    def __repr__(self) -> str:
        return f"LinearImage({self.dimension} x {self.inner} matrix, {self.region!r})"
