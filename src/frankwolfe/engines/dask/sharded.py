"""Objective whose rows are spread over the workers of a Dask cluster."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.atoms import Atom
from frankwolfe.core.columns import AtomColumns
from frankwolfe.core.enclosure import Enclosed, RegionFacts, together
from frankwolfe.core.objective_abilities import Itself, ShiftedDerivatives, Traffic
from frankwolfe.core.place import HERE, Place
from frankwolfe.core.products import WeightedSupport, as_columns
from frankwolfe.engines.dask.build import described
from frankwolfe.engines.dask.cluster import Cluster
from frankwolfe.engines.dask.columns import ShardedColumns
from frankwolfe.engines.dask.named import NamedAtoms, NamedVector, Recent, named, named_columns
from frankwolfe.engines.dask.told import Guarded
from frankwolfe.objectives import Objective

if TYPE_CHECKING:
    from frankwolfe.engines.dask.cluster import Answer
    from frankwolfe.engines.dask.profiled import ShardedProfiled
    from frankwolfe.engines.dask.waiting import Future
    from frankwolfe.objectives.weighted import Weighted

__all__ = ["Sharded", "as_atoms", "total"]


class Sharded(Objective):
    r"""A loss as a sum over shards, :math:`f(x) = \sum_s \varphi_s(A_s x)`.

    Every shard is an ordinary objective of some rows. One question to all shards is a round;
    their answers are summed here, in their order, so that a run has the same bits wherever
    the shards are. An image is *named by its point*: here it is x itself, and a worker makes its
    part of Ax when it is asked. A worker that dies takes nothing with it but time.

    Made by the losses themselves where their data are a Dask array or DataFrame, as an instance
    of a class below both (`kinds.sharded_kind`).

    Attributes
    ----------
    kind : type
        Class of the loss.
    cluster : Cluster
        Connection by which the shards are asked.
    shards : list of futures
        Futures of :class:`~frankwolfe.engines.dask.shard.Shard`.
    """

    kind: type[Weighted]

    carries_x = distant = True
    second_order = enclosure = rounding = Itself()

    @classmethod
    def of(cls, cluster: Cluster, shards: Sequence[Future[object]]) -> Self:
        """Sum over shards that are on workers already."""
        made = object.__new__(cls)
        made.ask_all(cluster, shards)
        return made

    def ask_all(self, cluster: Cluster, shards: Sequence[Future[object]]) -> None:
        """Set the shards, and what is known of the whole by asking each of them."""
        self.cluster, self.shards = cluster, list(shards)
        parts = cluster.results(cluster.client.map(Guarded(described), self.shards))
        self._bare = bare = parts[0].objective
        self.observations = sum(part.rows for part in parts)
        self.nbytes = sum(part.nbytes for part in parts)
        self.n = self.m = bare.n
        self.dtype = bare.dtype
        self.sparse, self.scale = bool(bare.is_sparse_data), bare.scale
        self.convex, self.quadratic, self.everywhere = bare.convex, bare.quadratic, bare.everywhere
        self.where, self.short, self.least = bare.where, bare.short, bare.least
        self.intercepts, self.classes = bare.intercepts, getattr(bare, "classes", None)
        self._evaluated: Recent[bytes, tuple[float, float, float, Array]] = Recent(2)
        bare.linear = ShardedMap(self, sum(part.square for part in parts))
        bare.weight = np.array([max(part.weight for part in parts)])

    @property
    def profile(self) -> type[ShardedProfiled]:  # type: ignore[override]
        """Class of the objective with its intercepts minimized out."""
        from frankwolfe.engines.dask.profiled import ShardedProfiled

        return ShardedProfiled

    # rounds ------------------------------------------------------------------------------------

    def ask(self, question: str, *arguments: object) -> list[Answer]:
        """Answers of all shards to a question, a method of shards: one round."""
        return self.cluster.ask(self.shards, question, *arguments)

    def value(self, z: Array) -> float:
        return float(sum(self.ask("value", named(z))))

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        value, inner, square, gradient = self._evaluate(named(z))
        slope[:] = gradient
        self._length = gradient, math.sqrt(square)
        return value, inner

    def _evaluate(self, point: NamedVector) -> tuple[float, float, float, Array]:
        """phi, <phi', z>, |phi'|^2 and the gradient; no round for the last two points."""
        known = self._evaluated.find(point.name)
        if known is None:
            parts = self.ask("evaluate", point)
            value, inner, square = (float(sum(part[k] for part in parts)) for k in range(3))
            known = value, inner, square, total([part[3] for part in parts])
            self._evaluated.keep(point.name, known)
        return known

    def evaluated(self, point: NamedVector) -> tuple[float, Array]:
        """f and its gradient at a point; no round if it was evaluated just now."""
        value, _, _, gradient = self._evaluate(point)
        return value, gradient

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        found = self.ask("along", named(z), named(dz), float(t))
        value, slope, curvature = (float(sum(part)) for part in zip(*found, strict=True))
        return value, slope, curvature

    def squared_length(self, z: Array) -> float:
        return float(sum(self.ask("squared_length", named(z))))

    def curvature_bound(self, dz: Array) -> float | None:
        if not self.everywhere:
            return None
        return float(sum(self.ask("curvature_bound", named(dz)))) if dz.any() else 0.0

    def in_domain(self, z: Array) -> bool:
        return self.everywhere or all(self.ask("in_domain", named(z)))

    def max_step(self, z: Array, dz: Array, t: float) -> float:
        if self.everywhere:
            return t
        return float(min(self.ask("max_step", named(z), named(dz), float(t))))

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        first = as_atoms(left)
        second = None if left is right else as_atoms(right)
        return total(self.ask("hessian", named(z), first, second))

    def restricted(self, point: NamedVector, atoms: NamedAtoms) -> tuple[float, Array, Array]:
        """f with its gradient and Hessian in the weights of atoms: one round."""
        value, slopes, hessian = zip(*self.ask("restricted", point, atoms), strict=True)
        return float(sum(value)), total(slopes), total(hessian)

    def constant_hessian(self, left: NamedAtoms, right: NamedAtoms | None) -> Array:
        """Hessian of a quadratic between two sets of atoms, or of one: one round."""
        zero = named(np.zeros(self.n, dtype=self.dtype))
        return total(self.ask("hessian", zero, left, right))

    def enclosed(self, x: Array, region: RegionFacts) -> Enclosed:
        return together(self.ask("enclosed", x, region))

    def full_hessian(self, z: Array) -> Array:
        return total(self.ask("full_hessian", named(z)))

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> ShiftedDerivatives:
        d = named(dz) if dz.size else None
        parts = self.ask("shifted", named(z), d, float(t), np.asarray(b))
        return ShiftedDerivatives(*(sum(part[1:], part[0]) for part in zip(*parts, strict=True)))

    # the image of x is x ------------------------------------------------------------------------

    def image(self, x: Array, out: Array) -> None:
        out[:] = x

    def image_of(self, atom: Atom, out: Array) -> None:
        out[:] = 0.0
        atom.add_to(out, 1.0)

    def gradient(self, slope: Array, out: Array) -> None:
        out[:] = slope

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        return as_columns(atoms, self.n).tocsc()

    def columns(self) -> AtomColumns:
        return ShardedColumns(self)

    # what is known of the whole -------------------------------------------------------------------

    @property
    def traffic(self) -> Traffic:
        """Number of rounds and bytes so far."""
        return self.cluster.traffic

    @cached_property
    def smoothness(self) -> float | None:
        """Lipschitz constant of the gradient, by the loss's own formula; None if unknown."""
        found: float | None = self._bare.smoothness
        return found

    def gain(self, weighted_support: WeightedSupport, *, sharp: bool) -> float:
        return float(self._bare.gain(weighted_support, sharp=sharp))

    def size(self, slope: Array, value: float) -> float:
        if self.everywhere:
            return float(self._bare.size(slope, value))
        known, length = self._length
        return length if np.array_equal(known, slope) else math.inf

    def steepening(self, slope: Array, off: float) -> float:
        return float(self._bare.steepening(slope, off)) if self.everywhere else 0.0

    def times(self, factor: float | Fraction) -> Self:
        return self._with("times", factor)

    def in_double(self) -> Self:
        return self if self.dtype == np.float64 else self._with("in_double")

    def _with(self, change: str, *arguments: object) -> Self:
        """Objective whose shards are changed by one of their methods, on their workers."""
        futures = [self.cluster.changed(shard, change, *arguments) for shard in self.shards]
        return self.of(self.cluster, futures)

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint(repr(self), self.ask("fingerprint"))

    def fingerprint(self) -> str:
        return self._fingerprint

    def close(self) -> None:
        """Release the data, and end a cluster that was started for them."""
        self.shards = []
        self.cluster.close()

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        raise InvalidInput("a Sharded is made by a loss of a Dask collection: pass it one.")

    def __repr__(self) -> str:
        kind = "sparse" if self.sparse else "dense"
        return (
            f"{type(self._bare).__name__}({self.observations} observations x {self.n} variables, "
            f"{kind} {self.dtype}, {len(self.shards)} shards)"
        )


class ShardedMap:
    """Data matrix of a sharded loss, as far as the loss's formulas ask for it, by rounds."""

    place: Place = HERE
    sums_in_double = False

    def __init__(self, whole: Sharded, square: float) -> None:
        self._whole = whole
        self.norm = math.sqrt(square)
        width = whole.n // (whole.intercepts if whole.intercepts > 1 else 1)
        self.shape = (max(whole.observations, width), width)
        self.dtype = whole.dtype

    @cached_property
    def column_norms(self) -> Array:
        """2-norms of the columns of A."""
        return np.asarray(np.sqrt(total(self._whole.ask("column_squares"))))

    def gram(self, side: str) -> Array:
        """Gram matrix A'A of all rows."""
        return total(self._whole.ask("gram"))

    def apply(self, x: Array, out: Array) -> None:
        """Remember x, for `adjoint`: the image itself stays on the workers."""
        self._point = x.copy()

    def adjoint(self, y: Array, out: Array) -> None:
        """out = A'A x for the x of the last `apply`."""
        out[:] = total(self._whole.ask("squared_product", self._point))


def as_atoms(columns: Matrix) -> NamedAtoms:
    """Columns of a matrix as named atoms."""
    from scipy.sparse import csc_array

    return named_columns(columns.tocsc() if is_sparse(columns) else csc_array(columns))


def total(parts: Sequence[Array]) -> Array:
    """Sum of arrays as a new one, added in their order."""
    found = np.array(parts[0])
    for part in parts[1:]:
        found += part
    return found
