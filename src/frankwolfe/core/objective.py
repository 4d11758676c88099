"""The base class of objectives f(x) = phi(Ax)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Indices, Point, Shape
from frankwolfe.base.checks import finite_vector, quiet
from frankwolfe.core.atoms import Atom
from frankwolfe.core.conjugate_function import ConjugateFunction
from frankwolfe.core.maps import DenseMap
from frankwolfe.core.objective_abilities import (
    Diameter,
    Enclosure,
    Factors,
    Near,
    ProductRounding,
    RowTerms,
    Scores,
    SecondOrder,
    SinglePass,
    Thinned,
    Traffic,
)
from frankwolfe.core.place import HERE, Place
from frankwolfe.core.points import DensePoint, MovingPoint
from frankwolfe.core.products import WeightedSupport
from frankwolfe.core.scaled_point import ScaledPoint

if TYPE_CHECKING:
    from frankwolfe.core.columns import AtomColumns

__all__ = ["Covector", "Loops", "Objective"]

Covector: TypeAlias = Any
"""A gradient as oracles take it: an array, or a `MatrixGradient`."""

Loops: TypeAlias = Any
"""A module of compiled loops, or an object with the same functions for another place."""


class Objective(ABC):
    r"""A smooth function in the form :math:`f(x) = \varphi(Ax)`.

    The iterate carries its image :math:`z = Ax`, and everything below works on z: a value
    or a line search needs no pass over A, a gradient needs one. The variable's side (x,
    gradients, atoms) is NumPy's; the objective decides where images live (`new_image`,
    `loops`, `columns`): in memory, on another device, or spread over machines.

    Attributes
    ----------
    n, m : int
        Number of variables, and length of the image.
    dtype : numpy.dtype
        Type of x and z (float32 or float64).
    convex : bool
        True if f is convex; otherwise no gap is a certificate.
    quadratic : bool
        True if phi is quadratic, so that one Newton step is an exact line search.
    cheap_line_search : bool
        True if evaluating phi along a direction costs no more than a pass over z.
    everywhere : bool
        True if f is finite at every x. Otherwise `in_domain` and `max_step` limit the steps, and f
        is never evaluated beyond.
    where : str
        The domain of f, in words.
    identity : bool
        True if A is the identity: z is x, and phi'(z) the gradient.
    carries_x : bool
        True if the image is x itself, so that it never has to be recomputed.
    matrix : bool
        True if x is a matrix.
    short : str
        Name of the loss in estimators and commands; empty where they do not offer it.
    intercepts : int
        Number of entries of z for each observation, each of which may have an intercept; 0 where
        z has no observations.
    least : float
        A lower bound on f everywhere: 0 for losses, where f itself bounds the error.
    """

    n: int
    m: int
    dtype: Dtype
    convex: bool = True
    quadratic: bool = False
    cheap_line_search: bool = True
    identity: bool = False
    carries_x: bool = False
    everywhere: bool = True
    where: str = "everywhere"
    matrix: bool = False
    short: str = ""
    intercepts: int = 0
    least: float = -math.inf
    # abilities, each None where f lacks it
    second_order: SecondOrder | None = None  # second derivatives
    row_terms: RowTerms | None = None  # f as a sum over rows of data in memory
    scores: Scores | None = None  # phi as a loss of scores in memory, which intercepts move
    factors: Factors | None = None  # f of a matrix as a function of its factors
    rounding: ProductRounding | None = None  # what rounding of products with A takes from f
    single_pass: SinglePass | None = None  # a step and evaluation in one pass over the data
    enclosure: Enclosure | None = None  # f with all errors of floating point, for proofs
    place: Place = HERE  # the memory in which images live
    profile: type[Any] | None = None  # the kind of Profiled that its images need, if another
    sparse: bool = False  # A is a sparse matrix of data
    dense_data: DenseMap | None = None  # A, where it is dense and columns are read one by one
    own_loops: bool = False  # large products with A are our own loops: BLAS gets one thread
    averages: bool = True  # gradients are arrays, which can be averaged
    distant: bool = False  # a question to the data costs far more than its arithmetic (clusters)
    opaque: bool = False  # f is the caller's own code, called at the points of a run alone
    check_gradient: bool = False  # the gradient may be wrong: runs compare it with differences
    scale: Fraction = Fraction(1)  # the exact product of all factors of `times`
    offset: float = 0.0  # |constant term|, which others may cancel in f but for its rounding

    @abstractmethod
    def image(self, x: Point, out: Array) -> None:
        """out = A x."""

    @abstractmethod
    def image_of(self, atom: Atom, out: Array) -> None:
        """out = A s, at the atom's own cost."""

    @abstractmethod
    def value(self, z: Array) -> float:
        """Return phi(z)."""

    @abstractmethod
    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        """Write phi'(z) into `slope`; return phi(z) and <phi'(z), z> = <grad f(x), x>."""

    @abstractmethod
    def gradient(self, slope: Array, out: Array) -> None:
        """out = A' slope: the gradient of f where `slope` is phi'(Ax)."""

    @abstractmethod
    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        """Value, slope and curvature of t -> phi(z + t dz); no curvature is None."""

    @abstractmethod
    def curvature_bound(self, dz: Array) -> float | None:
        """Upper bound on dz' phi''(z) dz over all z; None where none is known."""

    @property
    @abstractmethod
    def smoothness(self) -> float | None:
        """Upper bound on the Lipschitz constant of the gradient in the 2-norm; None if unknown."""

    @classmethod
    @abstractmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        """A small random instance with n variables (tests and documentation)."""

    def over(self, n: int | None, snap: Callable[[Array], Array]) -> Objective:
        """f over a region of n variables (None: any number) whose points `snap` corrects."""
        return self

    def new_image(self) -> Array:
        """An uninitialized image, in the memory where images of this objective live."""
        return self.place.empty(self.m, self.dtype)

    def image_at(self, x: Point) -> Array:
        """The image of x: x itself where A is the identity, else a new one."""
        if self.identity:
            return np.asarray(x)
        z = self.new_image()
        self.image(x, z)
        return z

    def new_gradient(self) -> Array:
        """An uninitialized gradient."""
        return np.empty(self.gradient_size, dtype=self.dtype)

    def returned(self, x: Point) -> Point:
        """The point as callers get it: in this process's memory, in its full shape."""
        return x

    def zero_image(self) -> Array:
        """A new image of x = 0."""
        z = self.new_image()
        z[:] = 0.0
        return z

    def stored(self, z: Array) -> Array:
        """The image as a NumPy array, for checkpoints."""
        return self.place.get(z)

    def recalled(self, z: Array) -> Array:
        """The image from the NumPy array that `stored` made of it."""
        return self.place.put(z)

    @property
    def loops(self) -> Loops:
        """Compiled loops over images: dot products, norms and updates."""
        return self.place.vectors(self.m)

    def squared_length(self, z: Array) -> float:
        """Squared 2-norm |z|^2 of an image."""
        return float(z.dot(z))

    def evaluate(self, z: Array, slope: Array, out: Array) -> tuple[float, float]:
        """Call `linearize` and `gradient` together: one pass over A, one round on a cluster."""
        pair = self.linearize(z, slope)
        self.gradient(slope, out)
        return pair

    def columns(self) -> AtomColumns:
        """f restricted to weights of atoms, of which there are none yet (corrective methods)."""
        from frankwolfe.core.columns import ImageColumns

        return ImageColumns(self)

    @property
    def traffic(self) -> Traffic | None:
        """Rounds and bytes exchanged with the data's place; None for data in this process."""
        moved = self.place.moved
        return None if moved is None else Traffic(*moved)

    def here(self) -> Objective:
        """A copy with its data in this process's memory, for what works only there."""
        return self

    def lost(self, weighted_support: WeightedSupport, diameter: Diameter) -> float:
        """Upper bound on f(x) + <grad f(x), v - x> - f(v): what rounding takes from convexity."""
        return 0.0

    def times(self, factor: float | Fraction) -> Objective | None:
        """A copy with all weights multiplied by `factor`; None where terms have no weights."""
        return None

    def conjugate(self) -> tuple[ConjugateFunction, Array] | None:
        """Conjugates of the terms, and columns of free variables; None where they are not known."""
        return None

    def distance_to(self) -> tuple[Array, float] | None:
        """Return p and c if ``f(x) = c |x - p|^2 / 2`` plus a constant; otherwise None."""
        return None

    def only(self, terms: Indices) -> Objective | None:
        """phi as a function of the entries `terms` of z alone; None where it cannot be split.

        The result works on images; its A is still that of the whole.
        """
        return None

    def thinned(self, step: int, z: Array) -> Thinned | None:
        """The loss of every `step`-th observation, for images near those of z.

        None where taking rows is expensive.
        """
        return None

    def in_double(self) -> Objective | None:
        """A copy with x and z in double precision; None where there is no such form."""
        return None

    def near(self, z: Array, value: float) -> Near:
        """A function that linearizes at points close to one another, the first close to z.

        It takes an image, room for phi' and the error allowed in f, and returns f; f(z) is `value`.
        """
        return lambda z, slope, error: self.linearize(z, slope)[0]

    def _changed(self) -> Self:
        """A shallow copy that may be changed, without cached properties."""
        other = copy(self)
        other.__dict__.pop("smoothness", None)
        return other

    def block_gradient(self, z: Array, block: slice, slope: Array, out: Array) -> None:
        """Write the entries `block` of the gradient into `out`; `slope` is scratch of z's size."""
        whole = np.empty(self.n, dtype=self.dtype)
        self.linearize(z, slope)
        self.gradient(slope, whole)
        out[:] = whole[block]

    def block_image(self, v: Array, block: slice, out: Array) -> None:
        """Write A u into `out`, where u is v on `block` and zero elsewhere."""
        whole = np.zeros(self.n, dtype=self.dtype)
        whole[block] = v
        self.image(whole, out)

    def in_domain(self, z: Array) -> bool:
        """True if f is finite at the point with image z."""
        return True

    def max_step(self, z: Array, dz: Array, t: float) -> float:
        """Largest usable step in [0, t] along dz: t itself where phi is finite up to there."""
        return t

    @property
    def shape(self) -> Shape:
        """Shape of x: its length, or (rows, columns)."""
        return self.n

    @property
    def gradient_size(self) -> int:
        """Number of entries of a gradient array."""
        return self.n

    def covector(self, gradient: Array) -> Covector:
        """The gradient in the form that the region's oracle takes."""
        return gradient

    def seen_point(self, x: Point, name: str = "x0") -> Point:
        """The caller's point, checked; not copied where type and shape are right."""
        return finite_vector(name, x, self.n).astype(self.dtype, copy=False)

    def read_point(self, x: Point, name: str = "x0") -> Point:
        """A checked copy of a point that the caller passes."""
        return finite_vector(name, x, self.n).astype(self.dtype, copy=True)

    def new_point(self, x: Point, *, sparse: bool) -> MovingPoint:
        """The mutable iterate that takes over x; `sparse` where atoms are single coordinates."""
        return ScaledPoint(x) if sparse else DensePoint(x)

    def fingerprint(self) -> str:
        """A short text that tells two objectives apart, for checkpoints."""
        return f"{self!r}"

    def __call__(self, x: Point) -> float:
        """Return f(x)."""
        z = self.new_image()
        with quiet():
            self.image(self.seen_point(x, "x"), z)
            return self.value(z)

    def grad(self, x: Point) -> Array:
        """The gradient of f at x, as a new array."""
        z, slope = self.new_image(), self.new_image()
        out = self.new_gradient()
        with quiet():
            self.image(self.seen_point(x, "x"), z)
            self.evaluate(z, slope, out)
        return out
