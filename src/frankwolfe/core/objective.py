"""What every objective f(x) = phi(Ax) offers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from frankwolfe.base.arrays import Array, Shape
from frankwolfe.base.checks import finite_vector, quiet
from frankwolfe.core.atoms import Atom
from frankwolfe.core.maps import DenseMap
from frankwolfe.core.objective_abilities import Abilities, Near, Traffic
from frankwolfe.core.place import HERE, Place
from frankwolfe.core.points import DensePoint, MovingPoint
from frankwolfe.core.scaled_point import ScaledPoint

if TYPE_CHECKING:
    from frankwolfe.core.columns import Columns

__all__ = ["Objective"]


class Objective(Abilities, ABC):
    r"""A smooth function in the form :math:`f(x) = \varphi(Ax)`.

    The iterate carries its image :math:`z = Ax`, and everything below works on z: a value
    or a line search needs no pass over A, a gradient needs one. The variable's side (x,
    gradients, atoms) is NumPy's; where images live is the objective's own affair (`new_image`,
    `loops`, `columns`): in memory, on another device, or spread over machines.

    Attributes
    ----------
    n, m : int
        Number of variables, and length of the image.
    dtype : numpy.dtype
        Type of x and z (float32 or float64).
    convex : bool
        Whether f is convex; without it no gap is a certificate.
    quadratic : bool
        Whether phi is quadratic, so that one Newton step is an exact line search.
    cheap_line_search : bool
        Whether phi along a direction costs no more than a pass over z.
    twice_differentiable : bool
        Whether second derivatives are at hand (`images`, `hessian`).
    everywhere : bool
        Whether f is finite at every x. Where it is not, `in_domain` and `max_step` say how far a
        step may go, and f is never evaluated beyond.
    where : str
        In words, where f is finite.
    identity : bool
        Whether A is the identity: z is x, and phi'(z) the gradient.
    carries_x : bool
        Whether the image is x itself, so that it never has to be made again.
    matrix : bool
        Whether x is a matrix.
    short : str
        What estimators and commands call the loss; empty where they do not offer it.
    intercepts : int
        How many entries of z an observation has, each of which may have an intercept
        (`shifted`); 0 where z has no observations.
    least : float
        A number that f is nowhere below: 0 for losses, where f itself bounds the error.
    by_rows : bool
        Whether f is a sum over the rows of a data matrix, read a few at a time (`slopes`,
        `row_slopes`, `add_gradient`).
    """

    n: int
    m: int
    dtype: np.dtype[Any]
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
    place: Place = HERE  # where images live
    profile: type[Any] | None = None  # a kind of Profiled of its own, where its images need one
    averages: bool = True  # whether gradients are arrays, which can be averaged
    distant: bool = False  # whether a question to the data costs far more than its arithmetic
    opaque: bool = False  # whether f is the caller's own code, called at the points of a run alone
    check_gradient: bool = False  # whether its gradient may be wrong, which is then looked at
    offset: float = 0.0  # size of a term that others may cancel in f, with its rounding

    @property
    def own_loops(self) -> bool:
        """Whether large products with A are loops of ours, beside which BLAS has one thread."""
        return False

    @property
    def sparse(self) -> bool:
        """Whether A is a sparse matrix of data."""
        return False

    @property
    def dense_data(self) -> DenseMap | None:
        """A, where it is a dense matrix of data, whose columns can be read one by one."""
        return None

    @property
    def most_terms(self) -> int:
        """Most terms of x where it is a factored matrix (`linearize_factors`); else 0."""
        return 0

    @abstractmethod
    def image(self, x: Any, out: Array) -> None:
        """out = A x."""

    @abstractmethod
    def image_of(self, atom: Atom, out: Array) -> None:
        """out = A s, at the atom's own cost."""

    @abstractmethod
    def value(self, z: Array) -> float:
        """phi(z)."""

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
        """An upper bound on the second derivative along dz anywhere, where one is known."""

    @property
    @abstractmethod
    def smoothness(self) -> float | None:
        """Lipschitz constant L of the gradient in the 2-norm, from above; None if unknown."""

    @classmethod
    @abstractmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        """A small random instance with n variables (tests and documentation)."""

    def over(self, n: int | None, snap: Callable[[Array], Array]) -> Objective:
        """f over a region of n variables (None: any number) whose points `snap` corrects."""
        return self

    def new_image(self) -> Array:
        """Room for an image, where images of this objective live."""
        return self.place.empty(self.m, self.dtype)

    def image_at(self, x: Any) -> Array:
        """The image of x: x itself where A is the identity, else a new one."""
        if self.identity:
            return np.asarray(x)
        z = self.new_image()
        self.image(x, z)
        return z

    def new_gradient(self) -> Array:
        """Room for a gradient."""
        return np.empty(self.gradient_size, dtype=self.dtype)

    def returned(self, x: Any) -> Any:
        """A point of a run as callers get it: in this process's memory."""
        return x

    def zero_image(self) -> Array:
        """The image of zero."""
        z = self.new_image()
        z[:] = 0.0
        return z

    def stored(self, z: Array) -> Array:
        """An image as a NumPy array (checkpoints)."""
        return self.place.get(z)

    def recalled(self, z: Array) -> Array:
        """The image that `stored` gave as a NumPy array."""
        return self.place.put(z)

    @property
    def loops(self) -> Any:
        """The vector loops of images."""
        return self.place.vectors(self.m)

    def squared_length(self, z: Array) -> float:
        """The square of the 2-norm of an image."""
        return float(z.dot(z))

    def evaluate(self, z: Array, slope: Array, out: Array) -> tuple[float, float]:
        """`linearize`, and `gradient` of its slope: one pass over A, one round on a cluster."""
        pair = self.linearize(z, slope)
        self.gradient(slope, out)
        return pair

    @property
    def leaps(self) -> bool:
        """Whether `leap` is there, and better than the image of an atom and `evaluate`."""
        return False

    def leap(
        self, s: Array, z: Array, gamma: float, ahead: Array, slope: Array, out: Array
    ) -> tuple[float, float]:
        """`evaluate` at ahead = (1 - gamma) z + gamma A s, in one pass over A."""
        raise NotImplementedError

    def columns(self) -> Columns:
        """f as a function of the weights of a few points, none yet (corrective methods)."""
        from frankwolfe.core.columns import ImageColumns

        return ImageColumns(self)

    @property
    def traffic(self) -> Traffic | None:
        """What has gone to where the data live and back; None where they are here."""
        moved = self.place.moved
        return None if moved is None else Traffic(*moved)

    def here(self) -> Objective:
        """The same function with its data in this process's memory, for what works there alone."""
        return self

    def linearize_shifted(self, z: Array, b: Array, slope: Array) -> tuple[float, float]:
        """`linearize` where b is added to each observation; the second number may be another."""
        moved = z.reshape(-1, b.size) + self.place.put(b)
        return self.linearize(moved.astype(np.float64, copy=False).ravel(), slope)

    def fitting_levels(self) -> Array:
        """The intercepts of zero coefficients where they are known, or zeros."""
        return np.zeros(self.intercepts)

    def near(self, z: Array, value: float) -> Near:
        """`linearize` at points close to one another, the first close to z, where f is `value`.

        What it returns takes an image, room for phi' and by how much f may be off.
        """
        return lambda z, slope, error: self.linearize(z, slope)[0]

    def _changed(self) -> Self:
        """A copy, to be changed, without what was computed of this one."""
        other = copy(self)
        other.__dict__.pop("smoothness", None)
        return other

    def block_gradient(self, z: Array, block: slice, slope: Array, out: Array) -> None:
        """out = the entries `block` of the gradient; `slope` is room of the size of z."""
        whole = np.empty(self.n, dtype=self.dtype)
        self.linearize(z, slope)
        self.gradient(slope, whole)
        out[:] = whole[block]

    def block_image(self, v: Array, block: slice, out: Array) -> None:
        """out = A times the vector that is v on `block` and zero elsewhere."""
        whole = np.zeros(self.n, dtype=self.dtype)
        whole[block] = v
        self.image(whole, out)

    def in_domain(self, z: Array) -> bool:
        """Whether f is finite at the point with image z."""
        return True

    def max_step(self, z: Array, dz: Array, t: float) -> float:
        """A step in [0, t] along dz up to which phi is finite: t itself where it can be."""
        return t

    @property
    def shape(self) -> Shape:
        """Shape of x: a length, or (rows, columns)."""
        return self.n

    @property
    def gradient_size(self) -> int:
        """How many numbers a gradient has."""
        return self.n

    def covector(self, gradient: Array) -> Any:
        """The gradient in the form that the region's oracle takes."""
        return gradient

    def seen_point(self, x: Any, name: str = "x0") -> Any:
        """A point that the caller passes, checked; his own array where that is as it should be."""
        return finite_vector(name, x, self.n).astype(self.dtype, copy=False)

    def read_point(self, x: Any, name: str = "x0") -> Any:
        """A checked copy of a point that the caller passes."""
        return finite_vector(name, x, self.n).astype(self.dtype, copy=True)

    def new_point(self, x: Any, *, sparse: bool) -> MovingPoint:
        """The moving form of x, whose own that is; `sparse` where atoms are single coordinates."""
        return ScaledPoint(x) if sparse else DensePoint(x)

    def fingerprint(self) -> str:
        """A short text that tells two objectives apart (checkpoints)."""
        return f"{self!r}"

    def __call__(self, x: Any) -> float:
        """f(x)."""
        z = self.new_image()
        with quiet():
            self.image(self.seen_point(x, "x"), z)
            return self.value(z)

    def grad(self, x: Any) -> Array:
        """The gradient of f at x, as a new array."""
        z, slope = self.new_image(), self.new_image()
        out = self.new_gradient()
        with quiet():
            self.image(self.seen_point(x, "x"), z)
            self.evaluate(z, slope, out)
        return out
