"""Objectives with a few free variables, such as an intercept, minimized out."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, Matrix, Point
from frankwolfe.base.checks import all_finite, as_float_array, is_sparse
from frankwolfe.base.errors import InvalidInput, Unproven
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.kernels import semidefinite
from frankwolfe.core.atoms import Atom
from frankwolfe.core.conjugate_function import ConjugateFunction
from frankwolfe.core.enclosure import Enclosed, RegionFacts
from frankwolfe.core.intercepts import free_bound
from frankwolfe.core.objective import Objective
from frankwolfe.core.objective_abilities import (
    Itself,
    Near,
    Scores,
    ShiftedDerivatives,
    Thinned,
    Traffic,
)
from frankwolfe.core.place import HERE
from frankwolfe.objectives.losses import Logistic
from frankwolfe.objectives.profiled_variables import (
    FLAT_CURVATURE,
    NO_DIRECTION,
    STATIONARITY_TOL,
    FreeColumns,
    FreeMatrix,
    Intercepts,
)

__all__ = ["Profiled", "rounding_of"]

ALONG_TOL = 1e-6  # |<u, phi'>| / <|u|, |phi'|> before a last Newton step, which squares the error


class Profiled(Objective):
    r"""An objective with a few more variables, free of constraints and minimized out.

    .. math:: \tilde f(x) = \min_b \varphi(Ax + Ub)

    With a column of ones for U, b is an intercept. It is :math:`\tilde\varphi(Ax)` with
    :math:`\tilde\varphi(z) = \min_b \varphi(z + Ub)`, convex and as smooth as
    :math:`\varphi`, so that every method and its certificate hold as they are; the region is
    that of x alone.

    For each z the b is found afresh by Newton's method, from that of zero, until
    :math:`|\langle u_j, \varphi' \rangle| \le 8 \cdot 2^{-52} \langle |u_j|, |\varphi'|
    \rangle`, or as far as the rounding of z allows. It is a function of z alone, so a run does
    not depend on where it was interrupted. On a line from z on, b is sought from where its
    tangent at z leads, until those products are :math:`10^{-6}` of the sum of sizes; value and
    slope then include the effect of one more Newton step, which is not made: the error is of
    second order in the products, :math:`10^{-12}`.
    The gradient is :math:`A'\varphi'(z + Ub)`, the curvature
    :math:`H_{zz} - H_{zu} H_{uu}^{+} H_{uz}`.

    What is left of :math:`r = U'\varphi'` does no harm. The value reported is that of the point
    (x, b), which is attained, and is not below :math:`\tilde f(x)`. For any v and c convexity
    gives

    .. math:: \varphi(v + Uc) \ge \varphi(z + Ub) + \langle \varphi', v - z \rangle
              + \langle r, c - b \rangle,

    so the tangent lies below :math:`\tilde\varphi` up to :math:`|r| |c - b|`, where c is the
    minimizer at v. That term, with the size of b and of z for :math:`|c - b|`, is added to the
    gap. (With an intercept and a separable loss :math:`|c - b| \le \|v - z\|_\infty`.)

    Columns of A whose means are more than three times their spread are centred, and so are such
    targets, for products with them lose digits. That changes b by :math:`\langle m, x \rangle`
    and nothing else: the same x, value and certificate. The image is then that of the centred
    columns; `free_at` gives the b of the given ones. It takes a constant column in U.

    Parameters
    ----------
    objective : Objective
        A loss of observations, with second derivatives and finite everywhere.
    free : array of shape (m, p), optional
        The columns of U, a handful. By default those of an intercept: ones.

    References
    ----------
    G. H. Golub and V. Pereyra, *The Differentiation of Pseudo-Inverses and Nonlinear Least
    Squares Problems Whose Variables Separate*, SIAM Journal on Numerical Analysis 10, 1973.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> A = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> f = fw.Profiled(fw.SquaredError(A, [5.0, 6.0, 7.0]))
    >>> result = fw.minimize(f, fw.L2Ball(10.0), tol=1e-10)
    >>> result.x.round(4), f.free_at(result.x).round(4)
    (array([1., 2.]), array([4.]))
    """

    second_order = enclosure = scores = Itself()
    _scores: Scores  # those of the objective, where its images are in this process

    def __init__(self, objective: Objective, free: ArrayLike | None = None) -> None:
        if not isinstance(objective, Objective) or not (
            (objective.scores or objective.profile)
            and objective.second_order is not None
            and objective.everywhere
        ):
            raise InvalidInput(
                "objective must be a loss of observations with second derivatives that is finite "
                f"everywhere, such as Logistic or SquaredError, got {objective!r}."
            )
        self.n, self.m, self.dtype = objective.n, objective.m, objective.dtype
        self.convex, self.quadratic = objective.convex, objective.quadratic
        self.offset, self.intercepts = objective.offset, objective.intercepts
        self.least, self.place = objective.least, objective.place
        columns = self._intercepts(objective) if free is None else self._columns(objective, free)
        # centring shifts every score of an observation alike: U must hold that direction
        movable = columns.constant.any() and (free is None or self.intercepts == 1)
        self._given = objective  # as it came: proofs need no centring
        scores = objective.scores
        self._moved = scores.centred() if movable and scores is not None else None
        self._pose(self._moved.objective if self._moved else objective, columns)

    def __new__(cls, objective: object = None, free: ArrayLike | None = None) -> Self:
        """A bare instance, of the objective's own kind where its images live elsewhere."""
        own = objective.profile if isinstance(objective, Objective) else None
        return super().__new__(own or cls)

    def _intercepts(self, objective: Objective) -> FreeMatrix:
        """The free columns of intercepts."""
        return Intercepts(objective)

    def _pose(self, objective: Objective, columns: FreeMatrix) -> None:
        """Take an objective and free columns, and forget what was computed of others."""
        assert objective.second_order is not None
        self.objective, self._second = objective, objective.second_order
        self.scale = objective.scale
        self.sparse, self.own_loops = objective.sparse, objective.own_loops
        self.rounding = objective.rounding  # free variables take no part in products with A
        if objective.scores is not None:
            self._scores = objective.scores
        self._free = columns.of(objective)
        self._first: Array | None = None  # the b of x = 0
        self._known: tuple[Array, Array] | None = None  # the last z and its b
        # the last z and dz, with the b of z and the derivatives there
        self._kept: tuple[Array, Array, Array, ShiftedDerivatives] | None = None

    def times(self, factor: float | Fraction) -> Self | None:
        given, moved = self._given.times(factor), self.objective.times(factor)
        if given is None or moved is None:
            return None
        other = copy(self)
        other._given = given
        other._pose(moved, self._free)
        other._first = self._first  # as for any other factor
        return other

    @property
    def free(self) -> Array:
        """The matrix U of free columns."""
        return self._free.matrix

    def _columns(self, objective: Objective, free: ArrayLike) -> FreeMatrix:
        """The caller's free columns, checked."""
        columns = np.array(as_float_array("free", free), dtype=np.float64)
        columns = columns[:, None] if columns.ndim == 1 else columns
        if columns.ndim != 2 or columns.shape[0] != self.m or not columns.shape[1]:
            raise InvalidInput(
                f"free must be a matrix with {self.m} rows, as many as the image has entries, "
                f"got an array of shape {np.shape(free)}."
            )
        if not all_finite(columns):
            raise InvalidInput("free must be finite, but it holds NaN or infinity.")
        return FreeColumns(objective, columns)

    def free_at(self, x: Point) -> Array:
        """The minimizing b at x, for the columns as they were given."""
        x = self.read_point(x, "x")
        z = self.new_image()
        self.image(x, z)
        b = self.free_of(z)
        if self._moved is None:
            return b
        shift = self._moved.shift.astype(np.float64)
        return np.asarray(b - (shift @ x.reshape(shift.size, -1)) * self._free.constant)

    def free_of(self, z: Array) -> Array:
        """The minimizing b at the image z, as a new array."""
        b = self._found(z)
        return b.copy() if self._moved is None else b + self._moved.level * self._free.constant

    def _found(self, z: Array) -> Array:
        """The minimizing b at z; the last one is cached, which changes nothing but the time."""
        known = self._known  # read once: another thread may change it meanwhile
        if known is None or not np.array_equal(known[0], z):
            b = self._free.at(z, self._origin())
            known = self._known = z.copy(), b
        return known[1]

    def enclosed(self, x: Array, region: RegionFacts) -> Enclosed:
        if not isinstance(self._free, Intercepts):
            raise Unproven(
                "free columns other than intercepts cannot be bounded by a proof: result.gap "
                "holds up to rounding."
            )
        scores = self._given.scores
        loss = None if scores is None else scores.shiftable(x, region)
        if loss is None:
            raise Unproven(f"the intercepts of {self._given!r} cannot be bounded by a proof.")
        value, slope, lost = free_bound(loss, self.free_at(x))
        return Enclosed(value, loss.pulled(slope), lost)

    def _origin(self) -> Array:
        """The minimizing b at x = 0, from which all others are sought.

        A fixed start makes b a function of z alone, so that runs can be repeated bit by bit.
        """
        if self._first is None:
            self._first = self._free.at(self.zero_image(), self._free.of_zero())
        return self._first

    def value(self, z: Array) -> float:
        return self.objective.value(self._free.moved(z, self._found(z)))

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        b = self._found(z)
        value = self._free.linearize(z, b, slope)
        # |r| |c - b| of the class's docstring: r = U' phi', and c the minimizer at another point
        apart = np.abs(b) + float(np.abs(z).max()) / np.maximum(self._free.largest, 1e-300)
        left = float(np.abs(self._free.sums(slope)) @ apart)
        # <phi', z> may be small where both are large, and says nothing of the rounding of z
        narrow = 4.0 * float(np.finfo(self.dtype).eps) * float(np.abs(slope).dot(np.abs(z)))
        return value, float(slope.dot(z)) + left + narrow

    def near(self, z: Array, value: float) -> Near:
        last, lowest = self._found(z), value

        def found(z: Array, slope: Array, error: float) -> float:
            nonlocal last, lowest
            b = self._free.follow(z, last, error)
            value = self._free.linearize(z, b, slope)
            if value < lowest:  # a trial that led up is no start for the next
                last, lowest = b, value
            return value

        return found

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        # b from where its tangent at z leads; of a last Newton step only the effect is computed
        b, now = self._start(z, dz)
        if t != 0.0:
            b = b - np.float64(t) * _solution(now, now.cross)
            _, now = self._free.minimizer(z, dz, t, b, ALONG_TOL)
        left = _solution(now, now.sums)
        curvature = now.curvature - float(now.cross @ _solution(now, now.cross))
        value = now.value - 0.5 * float(now.sums @ left)
        return value, now.slope - float(now.cross @ left), max(curvature, 0.0)

    def _start(self, z: Array, dz: Array) -> tuple[Array, ShiftedDerivatives]:
        """The minimizing b at z and the derivatives there, cached for the last z and dz."""
        kept = self._kept
        if kept is None or not (np.array_equal(kept[0], z) and np.array_equal(kept[1], dz)):
            b = self._found(z)
            self._kept = kept = z.copy(), dz.copy(), b, self._free.shifted(z, dz, 0.0, b)
        return kept[2:]

    def _inverse(self, z: Array) -> Array:
        """Pseudo-inverse of U' phi'' U at z, zero along flat directions.

        From the pass that computes it without cancellation: as a difference of products a zero
        curvature would come out as rounding, and be inverted.
        """
        gram = self._free.shifted(z, NO_DIRECTION, 0.0, self._found(z)).gram
        found: Array = semidefinite.inverse(gram, FLAT_CURVATURE)
        return found

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        y = self._free.moved(z, self._found(z))
        beside = self._scores.hessian_times(y, self.free)
        get = self.place.get
        cross = np.asarray(get(left.T @ beside), dtype=np.float64)
        inverse = self._inverse(z)
        one = cross @ inverse
        if is_sparse(left) or is_sparse(right):
            whole = self._second.hessian(y, left, right)
            if left is right:
                return whole - one @ cross.T + rounding_of(whole)
            return whole - one @ np.asarray(get(right.T @ beside), dtype=np.float64).T
        # (B - U P)' phi'' (C - U Q): no digits cancel, as they may in the difference above
        first = second = self._free.moved(left, -one.T)
        if left is not right:
            second = self._free.moved(right, -inverse @ get(beside.T @ right))
        return self._second.hessian(y, first, second)

    def full_hessian(self, z: Array) -> Array:
        y = self._free.moved(z, self._found(z))
        beside = self._scores.hessian_times(y, self.free)
        cross = np.empty((beside.shape[1], self.n), dtype=self.dtype)
        for column, out in zip(beside.T, cross, strict=True):
            self.objective.gradient(column.astype(self.dtype), out)
        wide = cross.astype(np.float64)
        whole = self._second.full_hessian(y)
        return whole - wide.T @ self._inverse(z) @ wide + rounding_of(whole)

    def thinned(self, step: int, z: Array) -> Thinned | None:
        found = self.objective.thinned(step, z) if isinstance(self._free, Intercepts) else None
        if found is None:
            return None
        thin = copy(self)
        thin.m = found.objective.m
        thin._pose(found.objective, self._free)
        # the b of all observations: in the sample a class may have none, and no best b
        thin._known = z[found.entries], self._found(z)
        return Thinned(thin, found.entries)

    def conjugate(self) -> tuple[ConjugateFunction, Array] | None:
        found = self.objective.conjugate()
        return None if found is None else (found[0], np.hstack([found[1], self.free]))

    def hessian_times(self, z: Array, columns: Array) -> Array:
        y = self._free.moved(z, self._found(z))
        beside = self._scores.hessian_times(y, self.free)
        cross = self.place.put(self._inverse(z) @ self.place.get(beside.T @ columns))
        return self._scores.hessian_times(y, columns) - beside @ cross

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> ShiftedDerivatives:
        count = self.intercepts
        return FreeColumns(self, np.tile(np.eye(count), (self.m // count, 1))).shifted(z, dz, t, b)

    def linearize_shifted(self, z: Array, b: Array, slope: Array) -> tuple[float, float]:
        return self.linearize(Intercepts(self).moved(z, b), slope)

    def fitting_levels(self) -> Array:
        return np.zeros(self.intercepts)

    def centred(self) -> None:
        """None: the columns are centred already, where they can be."""

    def shiftable(self, x: Point, region: RegionFacts) -> None:
        """None: more intercepts, of a loss with some, cannot be bounded."""

    def here(self) -> Profiled:
        if self.place.here:
            return self
        other = copy(self)
        other.place = HERE
        other._given = self._given.here()
        other._pose(self.objective.here(), self._free)
        return other

    def squared_length(self, z: Array) -> float:
        return self.objective.squared_length(z)

    @property
    def traffic(self) -> Traffic | None:
        """Rounds and bytes exchanged with the data's place; None for data in this process."""
        return self.objective.traffic

    def image(self, x: Point, out: Array) -> None:
        self.objective.image(x, out)

    def image_of(self, atom: Atom, out: Array) -> None:
        self.objective.image_of(atom, out)

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        return self._second.images(atoms)

    def gradient(self, slope: Array, out: Array) -> None:
        self.objective.gradient(slope, out)

    def block_gradient(self, z: Array, block: slice, slope: Array, out: Array) -> None:
        self.objective.block_gradient(self._free.moved(z, self._found(z)), block, slope, out)

    def block_image(self, v: Array, block: slice, out: Array) -> None:
        self.objective.block_image(v, block, out)

    def curvature_bound(self, dz: Array) -> float | None:
        return self.objective.curvature_bound(dz)

    @property
    def smoothness(self) -> float | None:
        """The objective's own L: minimizing variables out only takes curvature away."""
        return self.objective.smoothness

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        return cls(Logistic.example(n, rng))

    def in_double(self) -> Profiled | None:
        wide = self.objective.in_double()
        free = None if isinstance(self._free, Intercepts) else self.free
        return None if wide is None else Profiled(wide, free)

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [self.objective.fingerprint(), self.free])

    def __repr__(self) -> str:
        return f"Profiled({self.objective!r}, {self._free.largest.size} free)"


def _solution(now: ShiftedDerivatives, r: Array) -> Array:
    """Solution of U' phi'' U x = r, zero along flat directions."""
    found: Array = semidefinite.solve(now.gram, FLAT_CURVATURE, r)
    return found


def rounding_of(whole: Array) -> Array:
    """A multiple of I that outweighs the rounding of a difference from `whole`.

    Without it rounding may look like negative curvature.
    """
    return np.eye(len(whole)) * (len(whole) * STATIONARITY_TOL * float(whole.diagonal().max()))
