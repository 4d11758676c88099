"""What an objective may be able to do beyond values and gradients; by default it is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from frankwolfe.base.arrays import Array, Indices, Matrix
from frankwolfe.base.errors import Unproven
from frankwolfe.core.atoms import Atom
from frankwolfe.core.conjugate_function import Conjugate
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.enclosure import Enclosed
from frankwolfe.core.factor_curvature import CellCurvature, FactorCurvature
from frankwolfe.core.intercepts import Shiftable

if TYPE_CHECKING:
    from frankwolfe.core.objective import Objective

__all__ = ["Abilities", "Centred", "Near", "Shifted", "Thinned", "Traffic"]


Near = Callable[[Array, Array, float], float]


class Shifted(NamedTuple):
    """Derivatives of (t, b) -> phi(z + t dz + U b).

    In a direction b that changes nothing `gram` may have any curvature.
    """

    value: float
    slope: float  # <phi', dz>
    curvature: float
    sums: Array  # U' phi'
    sizes: Array  # |U|' |phi'|
    cross: Array  # U' phi'' dz
    gram: Array  # U' phi'' U


class Centred(NamedTuple):
    """phi(Ax + b) = psi((A - 1 m')x + b + <m, x> - level): another loss, with another intercept."""

    objective: Objective  # psi((A - 1 m')x)
    shift: Array  # m: one number for each column of A
    level: float  # by how much the targets were moved


class Thinned(NamedTuple):
    """The loss of some observations, weighted as all of them."""

    objective: Objective
    entries: Indices  # of the image, which are theirs


class Traffic(NamedTuple):
    """What has gone between the variable's side and the data's, where these live elsewhere."""

    rounds: int  # questions to which an answer was waited for
    bytes: int  # both ways, together

    def since(self, before: Traffic) -> Traffic:
        """What has gone since then."""
        return Traffic(self.rounds - before.rounds, self.bytes - before.bytes)

    def __str__(self) -> str:
        size, unit = float(self.bytes), "bytes"
        for larger in ("kB", "MB", "GB", "TB"):
            if size < 1000.0:
                break
            size, unit = size / 1000.0, larger
        return f"{self.rounds:,} rounds, {size:.3g} {unit}"


class Abilities:
    """Second derivatives, rounding, intercepts, parts of the data: each where it is known how."""

    def lost(self, reach: Callable[[Array], float], diameter: Callable[[], float]) -> float:
        """How far f may lie below its tangents where it is convex up to rounding only.

        `reach` is as in `gain`; `diameter()` is infinite where it is unknown.
        """
        return 0.0

    def gain(self, reach: Callable[[Array], float], *, sharp: bool) -> float:
        """What the products with A, over `size`, may lose by cancellation, over eps.

        ``reach(w)`` bounds the sum of :math:`w_j |v_j|` over the points v of the region, w
        being one number for each variable, or one for all. A `sharp` gain measures the columns
        of A, at the cost of a pass.
        """
        return 0.0

    def size(self, slope: Array, value: float) -> float:
        """The size of phi' where it is `slope` and phi is `value`, as `gain` counts it.

        Their product has the unit of f.
        """
        return 0.0

    def steepening(self, slope: Array, off: float) -> float:
        """How far phi may rise above its tangent at an image that is `off`, in the unit of `gain`.

        `slope` is phi' there. A square of `off` times a curvature, it has the unit of f.
        """
        return 0.0

    def enclosed(self, x: Any, region: Any) -> Enclosed:
        """f and its gradient at x, with bounds that hold in floating point.

        Over `region` f may fall below its tangent at x by what the result says, no more.
        """
        raise Unproven(
            f"the rounding of {self!r} is not known, so that nothing can be proved of it: "
            "result.gap holds up to rounding."
        )

    def shiftable(self, x: Any, region: Any) -> Shiftable:
        """The loss at x with one number free for each score, for proofs (`Profiled`)."""
        raise Unproven(f"the intercepts of {self!r} cannot be bounded by a proof.")

    def pulled(self, slope: Doubled) -> Doubled:
        """A' slope with its errors, where slopes have a row an observation."""
        raise NotImplementedError

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        """The images of atoms as columns, dense or scipy sparse."""
        raise NotImplementedError

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        """B' phi''(z) C for images B and C."""
        raise NotImplementedError

    def hessian_times(self, z: Array, columns: Array) -> Array:
        """phi''(z) times the columns of a dense matrix."""
        raise NotImplementedError

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> Shifted:
        """`along` where b is added to each observation, and what phi does along b.

        Where dz is empty, b alone.
        """
        raise NotImplementedError

    def centred(self) -> Centred | None:
        """The same loss of A - 1 m' where columns of A or targets are far from zero; else None.

        With an intercept both are the same problem, and this one keeps its digits.
        """
        return None

    @property
    def scale(self) -> Fraction:
        """What `times` has made of all weights."""
        return Fraction(1)

    def times(self, factor: float | Fraction) -> Self:
        """The same loss with all its weights multiplied by `factor`."""
        raise NotImplementedError

    def conjugate(self) -> tuple[Conjugate, Array] | None:
        """The terms by their slopes, and the columns of free variables; None where it has none."""
        return None

    def distance_to(self) -> tuple[Array, float] | None:
        """The p and c with ``f(x) = c |x - p|^2 / 2`` plus a constant; None where f is another."""
        return None

    def only(self, terms: Indices) -> Objective | None:
        """phi with these entries of z alone, the others being constant; None where it has none.

        It works on images; A stays that of the whole.
        """
        return None

    def full_hessian(self, z: Array) -> Array:
        """A' phi''(z) A, for few variables."""
        raise NotImplementedError

    def thinned(self, step: int) -> Thinned | None:
        """The loss of every so many observations; None where rows cost much to take."""
        return None

    def rough_hessian(self, z: Array, step: int) -> Array | None:
        """`full_hessian` of every so many observations; None where it has none."""
        thin = self.thinned(step)
        return None if thin is None else thin.objective.full_hessian(z[thin.entries])

    def slopes(self, terms: Indices, z: Array, factor: float = 1.0) -> Array:
        """`factor` times the entries `terms` of phi', where z holds those entries alone."""
        raise NotImplementedError

    def row_slopes(self, rows: Indices, x: Array, factor: float = 1.0) -> Array:
        """`factor` times the entries `rows` of phi'(Ax); only those rows are read."""
        raise NotImplementedError

    def add_gradient(self, rows: Indices, slopes: Array, out: Array) -> None:
        """out = out + the sum of `slopes` times `rows`."""
        raise NotImplementedError

    def linearize_factors(
        self, tau: float, left: Array, right: Array, by_row: Array, by_column: Array
    ) -> tuple[float, float]:
        """f and <G, X> at X = tau L R', with G R and G' L written into the last two."""
        raise NotImplementedError

    def cell_curvature(self, z: Array) -> CellCurvature:
        """phi'' at z, of a function of cells."""
        raise NotImplementedError

    def bend_factors(self, left: Array, right: Array) -> FactorCurvature | None:
        """The second derivatives of (L, R) -> f(L R'); None where they are not to be had."""
        return None

    def in_double(self) -> Objective | None:
        """The same function with x and z in double precision; None where it has no such form."""
        return None
