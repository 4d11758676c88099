"""What an objective may know besides values and gradients, each a small object or None."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, overload

from frankwolfe.base.arrays import Array, Indices, Matrix, Point
from frankwolfe.core.atoms import Atom
from frankwolfe.core.enclosure import Enclosed, RegionFacts
from frankwolfe.core.factor_curvature import CellCurvature, FactorCurvature
from frankwolfe.core.intercepts import Shiftable
from frankwolfe.core.products import WeightedSupport

if TYPE_CHECKING:
    from frankwolfe.core.objective import Objective

__all__ = [
    "Centred",
    "Diameter",
    "Enclosure",
    "Factors",
    "Itself",
    "Near",
    "ProductRounding",
    "RowTerms",
    "Scores",
    "SecondOrder",
    "ShiftedDerivatives",
    "SinglePass",
    "Thinned",
    "Traffic",
]

T = TypeVar("T")

Diameter = Callable[[], float]
"""Upper bound on the distance of two points of a region; infinite where none is known."""

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


class Itself:
    """An ability that an objective has itself: in a class, ``second_order = Itself()``."""

    @overload
    def __get__(self, instance: None, owner: type) -> Itself: ...

    @overload
    def __get__(self, instance: T, owner: type) -> T: ...

    def __get__(self, instance: object, owner: type) -> object:
        return self if instance is None else instance


class SecondOrder(Protocol):
    """Second derivatives of f = phi(Ax), in all variables or in the weights of some atoms."""

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        """The images of atoms as the columns of a matrix, dense or scipy sparse."""

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        """The matrix B' phi''(z) C, for images B = `left` and C = `right`."""

    def full_hessian(self, z: Array) -> Array:
        """The Hessian A' phi''(z) A of f, for few variables."""


class Enclosure(Protocol):
    """A function that is known with all errors of floating point, for proofs."""

    def enclosed(self, x: Point, region: RegionFacts) -> Enclosed:
        """Enclosures of f(x) and its gradient, and how far f falls below its tangent at x.

        The last is a bound over the region.
        """


class Scores(Protocol):
    """A loss phi of scores z in memory, as many for each observation as there are intercepts."""

    @property
    def intercepts(self) -> int:
        """Number of scores of an observation, each of which may have an intercept."""

    def shifted(self, z: Array, dz: Array, t: float, b: Array) -> ShiftedDerivatives:
        """Value and derivatives of phi at z + t dz + b, b added to each observation.

        Where dz is empty, the derivatives in b alone.
        """

    def linearize_shifted(self, z: Array, b: Array, slope: Array) -> tuple[float, float]:
        """Linearize phi at z + b, where b is added to each observation.

        The second number returned may be another than <phi', z>.
        """

    def hessian_times(self, z: Array, columns: Array) -> Array:
        """The product phi''(z) V with a dense matrix V of columns."""

    def fitting_levels(self) -> Array:
        """Best intercepts at x = 0, where a formula gives them; otherwise zeros."""

    def centred(self) -> Centred | None:
        """The loss of A - 1 m' where columns of A or targets are far from zero; else None.

        With an intercept both pose the same problem, but products with A - 1 m' lose no digits.
        """

    def shiftable(self, x: Point, region: RegionFacts) -> Shiftable | None:
        """The loss at x by its intercepts, for proofs; None where these cannot be bounded."""


class SinglePass(Protocol):
    """A loss that is evaluated after a step in one pass over A, where two are the rule."""

    def leap(
        self, s: Array, z: Array, gamma: float, ahead: Array, slope: Array, out: Array
    ) -> tuple[float, float]:
        """Evaluate f at the image ahead = (1 - gamma) z + gamma A s, as `Objective.evaluate`."""


class ProductRounding(Protocol):
    """What rounding of products with A may take from f, first and second order."""

    def gain(self, weighted_support: WeightedSupport, *, sharp: bool) -> float:
        """Rounding of products with A by cancellation, in units of eps times `size`.

        A `sharp` gain measures the columns of A, at the cost of a pass.
        """

    def size(self, slope: Array, value: float) -> float:
        """A norm of phi', where it is `slope` and phi is `value`, dual to the unit of `gain`.

        The product of both has the unit of f.
        """

    def steepening(self, slope: Array, off: float) -> float:
        """Upper bound on phi above its tangent at an image with an error `off`.

        The unit of `off` is that of `gain`, and `slope` is phi' there. The bound, `off` squared
        times a curvature, has the unit of f.
        """


class RowTerms(Protocol):
    """A sum f(x) = Σ_i f_i(<a_i, x>) over the rows of a data matrix, read a few at a time."""

    @property
    def m(self) -> int:
        """Number of rows."""

    def slopes(self, terms: Indices, z: Array, factor: float = 1.0) -> Array:
        """Entries `terms` of phi' times `factor`; z holds these entries of the image alone."""

    def row_slopes(self, rows: Indices, x: Array, factor: float = 1.0) -> Array:
        """Entries `rows` of phi'(Ax) times `factor`; only those rows of A are read."""

    def add_gradient(self, rows: Indices, slopes: Array, out: Array) -> None:
        """Add the sum of `slopes[i]` times row `rows[i]` of A to `out`."""


class Factors(Protocol):
    """A function of a matrix X = L R' that is kept as its factors L and R, and never formed."""

    @property
    def most_terms(self) -> int:
        """Largest number of columns of L and R."""

    def linearize_factors(
        self, tau: float, left: Array, right: Array, by_row: Array, by_column: Array
    ) -> tuple[float, float]:
        """Return f and <G, X> at X = tau L R'; G R and G' L are written into the last two."""

    def factor_curvature(self, left: Array, right: Array) -> FactorCurvature | None:
        """Second derivatives of (L, R) -> f(L R'); None where each product would be a round."""

    def cell_curvature(self, z: Array) -> CellCurvature:
        """Second derivative phi''(z) of f as a function of the cells of X."""
