"""The base class of objectives f(x) = phi(Ax)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Point, Shape
from frankwolfe.base.checks import finite_vector, quiet
from frankwolfe.core.atoms import Atom
from frankwolfe.core.maps import DenseMap
from frankwolfe.core.objective_abilities import Abilities, Near, Traffic
from frankwolfe.core.place import HERE, Place
from frankwolfe.core.points import DensePoint, MovingPoint
from frankwolfe.core.scaled_point import ScaledPoint

if TYPE_CHECKING:
    from frankwolfe.core.columns import AtomColumns

__all__ = ["Covector", "Loops", "Objective"]

Covector: TypeAlias = Any
"""A gradient as oracles take it: an array, or a `MatrixGradient`."""

Loops: TypeAlias = Any
"""A module of compiled loops, or an object with the same functions for another place."""


class Objective(Abilities, ABC):
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
    twice_differentiable : bool
        True if second derivatives are available (`images`, `hessian`).
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
        Number of entries of z for each observation, each of which may have an intercept
        (`shifted`); 0 where z has no observations.
    least : float
        A lower bound on f everywhere: 0 for losses, where f itself bounds the error.
    by_rows : bool
        True if f is a sum over the rows of a data matrix, read a few at a time (`slopes`,
        `row_slopes`, `add_gradient`).
    """

    n: int
    m: int
    dtype: Dtype
    convex: bool = True
    quadratic: bool = False
    cheap_line_search: bool = True
    identity: bool = False
    carries_x: bool = False
    twice_differentiable: bool = False
    everywhere: bool = True
    where: str = "everywhere"
    matrix: bool = False
    short: str = ""
    intercepts: int = 0
    least: float = -math.inf
    by_rows: bool = False
    place: Place = HERE  # the memory in which images live
    profile: type[Any] | None = None  # the kind of Profiled that its images need, if another
    averages: bool = True  # gradients are arrays, which can be averaged
    distant: bool = False  # a question to the data costs far more than its arithmetic (clusters)
    opaque: bool = False  # f is the caller's own code, called at the points of a run alone
    check_gradient: bool = False  # the gradient may be wrong: runs compare it with differences
    offset: float = 0.0  # |constant term|, which others may cancel in f but for its rounding

    @property
    def own_loops(self) -> bool:
        """True if large products with A are our own loops, beside which BLAS gets one thread."""
        return False

    @property
    def sparse(self) -> bool:
        """True if A is a sparse matrix of data."""
        return False

    @property
    def dense_data(self) -> DenseMap | None:
        """A, where it is a dense matrix of data, whose columns can be read one by one."""
        return None

    @property
    def most_terms(self) -> int:
        """Largest number of terms of a factored matrix x (`linearize_factors`); 0 for vectors."""
        return 0

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

    @property
    def leaps(self) -> bool:
        """True if `leap` exists, and is faster than the image of an atom and `evaluate`."""
        return False

    def leap(
        self, s: Array, z: Array, gamma: float, ahead: Array, slope: Array, out: Array
    ) -> tuple[float, float]:
        """Evaluate f at the image ahead = (1 - gamma) z + gamma A s, in one pass over A."""
        raise NotImplementedError

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

    def linearize_shifted(self, z: Array, b: Array, slope: Array) -> tuple[float, float]:
        """Linearize phi at z + b, where b is added to each observation.

        The second number returned may be another than <phi', z>.
        """
        moved = z.reshape(-1, b.size) + self.place.put(b)
        return self.linearize(moved.astype(np.float64, copy=False).ravel(), slope)

    def fitting_levels(self) -> Array:
        """Best intercepts at x = 0, where a formula gives them; otherwise zeros."""
        return np.zeros(self.intercepts)

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
