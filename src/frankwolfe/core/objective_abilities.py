"""Optional abilities of objectives beyond values and gradients, with defaults that lack them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Self

from frankwolfe.base.arrays import Array, Indices, Matrix, Point
from frankwolfe.base.errors import Unproven
from frankwolfe.core.atoms import Atom
from frankwolfe.core.conjugate_function import ConjugateFunction
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.enclosure import Enclosed, RegionFacts
from frankwolfe.core.factor_curvature import CellCurvature, FactorCurvature
from frankwolfe.core.intercepts import Shiftable

if TYPE_CHECKING:
    from frankwolfe.core.objective import Objective

__all__ = ["Abilities", "Centred", "Near", "ShiftedDerivatives", "Thinned", "Traffic"]


Near = Callable[[Array, Array, float], float]
"""Value and phi' at an image z, by z, room for phi', and the error allowed (`Objective.near`)."""


class ShiftedDerivatives(NamedTuple):
    """Value and derivatives of (t, b) -> phi(z + t dz + U b).

    Along a b for which U b changes nothing, `gram` may have any curvature.
    """

    value: float
    slope: float  # <phi', dz>
    curvature: float
    sums: Array  # U' phi'
    sizes: Array  # |U|' |phi'|
    cross: Array  # U' phi'' dz
    gram: Array  # U' phi'' U


class Centred(NamedTuple):
    """A loss of centred columns: phi(Ax + b) = psi((A - 1 m')x + b + <m, x> - level)."""

    objective: Objective  # psi((A - 1 m')x)
    shift: Array  # m: one number for each column of A
    level: float  # subtracted from the targets


class Thinned(NamedTuple):
    """The loss of a sample of observations, scaled to the total weight of all."""

    objective: Objective
    entries: Indices  # of the image, those of the sample


class Traffic(NamedTuple):
    """Communication between the process of the variables and the place of the data."""

    rounds: int  # questions whose answer was waited for
    bytes: int  # in both directions together

    def since(self, before: Traffic) -> Traffic:
        """The communication since an earlier count."""
        return Traffic(self.rounds - before.rounds, self.bytes - before.bytes)

    def __str__(self) -> str:
        size, unit = float(self.bytes), "bytes"
        for larger in ("kB", "MB", "GB", "TB"):
            if size < 1000.0:
                break
            size, unit = size / 1000.0, larger
        return f"{self.rounds:,} rounds, {size:.3g} {unit}"


class Abilities:
    """Second derivatives, rounding, intercepts, parts of the data: absent unless overridden."""

    def lost(self, reach: Callable[[Array], float], diameter: Callable[[], float]) -> float:
        """Upper bound on f(x) + <grad f(x), v - x> - f(v): the loss of convexity by rounding.

        `reach` is as in `gain`; `diameter()` is infinite where it is unknown.
        """
        return 0.0

    def gain(self, reach: Callable[[Array], float], *, sharp: bool) -> float:
        r"""Rounding of products with A by cancellation, in units of eps times `size`.

        ``reach(w)`` bounds :math:`\sum_j w_j |v_j|` over the points v of the region, where w is
        one number for each variable, or one for all. A `sharp` gain measures the columns of A, at
        the cost of a pass.
        """
        return 0.0

    def size(self, slope: Array, value: float) -> float:
        """A norm of phi', where it is `slope` and phi is `value`, dual to the unit of `gain`.

        The product of both has the unit of f.
        """
        return 0.0

    def steepening(self, slope: Array, off: float) -> float:
        """Upper bound on phi above its tangent at an image with an error `off`.

        The unit of `off` is that of `gain`, and `slope` is phi' there. The bound, `off` squared
        times a curvature, has the unit of f.
        """
        return 0.0

    def enclosed(self, x: Point, region: RegionFacts) -> Enclosed:
        """Enclosures of f(x) and of its gradient that hold in floating point, for proofs.

        The result also bounds how far f falls below its tangent at x over `region`.
        """
        raise Unproven(
            f"the rounding of {self!r} is not known, so that nothing can be proved of it: "
            "result.gap holds up to rounding."
        )

    def shiftable(self, x: Point, region: RegionFacts) -> Shiftable:
        """The loss at x as a function of intercepts, for proofs about `Profiled`."""
        raise Unproven(f"the intercepts of {self!r} cannot be bounded by a proof.")

    def pulled(self, slope: Doubled) -> Doubled:
        """Enclosure of A' slope, where `slope` has a row for each observation."""
        raise NotImplementedError

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        """The images of atoms as the columns of a matrix, dense or scipy sparse."""
        raise NotImplementedError

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        """The matrix B' phi''(z) C, for images B = `left` and C = `right`."""
        raise NotImplementedError

    def hessian_times(self, z: Array, columns: Array) -> Array:
        """The product phi''(z) V with a dense matrix V of columns."""
        raise NotImplementedError

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> ShiftedDerivatives:
        """Value and derivatives of phi at z + t dz + b, b added to each observation.

        Where dz is empty, the derivatives in b alone.
        """
        raise NotImplementedError

    def centred(self) -> Centred | None:
        """The loss of A - 1 m' where columns of A or targets are far from zero; else None.

        With an intercept both pose the same problem, but products with A - 1 m' lose no digits.
        """
        return None

    @property
    def scale(self) -> Fraction:
        """The factor by which `times` has multiplied all weights."""
        return Fraction(1)

    def times(self, factor: float | Fraction) -> Self:
        """A copy of the loss with all weights multiplied by `factor`."""
        raise NotImplementedError

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

    def full_hessian(self, z: Array) -> Array:
        """The Hessian A' phi''(z) A of f, for few variables."""
        raise NotImplementedError

    def thinned(self, step: int) -> Thinned | None:
        """The loss of every `step`-th observation; None where taking rows is expensive."""
        return None

    def rough_hessian(self, z: Array, step: int) -> Array | None:
        """Estimate `full_hessian` from every `step`-th observation; None without `thinned`."""
        thin = self.thinned(step)
        return None if thin is None else thin.objective.full_hessian(z[thin.entries])

    def slopes(self, terms: Indices, z: Array, factor: float = 1.0) -> Array:
        """Entries `terms` of phi' times `factor`; z holds these entries of the image alone."""
        raise NotImplementedError

    def row_slopes(self, rows: Indices, x: Array, factor: float = 1.0) -> Array:
        """Entries `rows` of phi'(Ax) times `factor`; only those rows of A are read."""
        raise NotImplementedError

    def add_gradient(self, rows: Indices, slopes: Array, out: Array) -> None:
        """Add the sum of `slopes[i]` times row `rows[i]` of A to `out`."""
        raise NotImplementedError

    def linearize_factors(
        self, tau: float, left: Array, right: Array, by_row: Array, by_column: Array
    ) -> tuple[float, float]:
        """Return f and <G, X> at X = tau L R'; G R and G' L are written into the last two."""
        raise NotImplementedError

    def cell_curvature(self, z: Array) -> CellCurvature:
        """Second derivative phi''(z) of a function of the cells of a matrix."""
        raise NotImplementedError

    def bend_factors(self, left: Array, right: Array) -> FactorCurvature | None:
        """Second derivatives of (L, R) -> f(L R'); None where they are not available."""
        return None

    def in_double(self) -> Objective | None:
        """A copy with x and z in double precision; None where there is no such form."""
        return None
