"""Bounds on what rounding may take from f, and from products with A, in one run."""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.base.arrays import Array, Point
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.objective_abilities import ProductRounding
from frankwolfe.core.problem import Problem

__all__ = ["Rounding", "rounding_at"]

EPS = 2.0**-52  # of the double precision in which f is summed
NEGLIGIBLE = 1e-11  # of f: noise below what anyone asks for, where A need not be read for a bound


class Rounding:
    """Rounding errors of f and its products with A at a point, by a few numbers of the run.

    Attributes
    ----------
    eps : float
        Machine epsilon of x and its image.
    lost : float
        Concavity defect: how far f may lie below its tangents where it is convex up to rounding.
    gain : float
        Error of products with A, over eps and the size of phi'; 0 where it is unknown, NaN before
        it is measured, at the first point.
    """

    __slots__ = ("_objective", "_problem", "_products", "eps", "gain", "lost")

    def __init__(self, problem: Problem) -> None:
        objective = problem.objective
        self._problem, self._objective = problem, objective
        self._products = objective.rounding
        self.eps = 2.0**-23 if objective.dtype == np.float32 else 2.0**-52
        self.lost = (
            objective.lost(self._weighted_support, self._diameter) if objective.convex else 0.0
        )
        self.gain = 0.0 if objective.rounding is None else math.nan

    def cancelling(self, slope: Array, value: float) -> float:
        r"""Sum of the sizes of terms that may cancel in f and in products with the gradient.

        The image that f is computed at is Ax but for a rounding e of the size eps times `gain`,
        whether it was made of x or moved along with it, and f(x) is above the tangent there:

        .. math:: f(x) \le \varphi(z) + \|\varphi'(z)\| \|e\| + \tfrac12 L \|e\|^2.

        The last term is all that is left where z fits so well that :math:`\varphi'(z)` rounds to
        zero. (Lower bounds do not have it: a tangent at z lies below f whatever z is.)
        """
        products = self._products
        offset = self._objective.offset  # of a function in single precision it is f's size so far
        if products is None:
            return offset
        if math.isnan(self.gain):
            self.gain = self._measured(products, slope, value)
        return offset + self._lost_by(products, self.gain, slope, value)

    def floor(self, x: Point, slope: Array, cancelling: float) -> float:
        """Gap that rounding of x, its gradient and Q may leave at a minimizer."""
        products, eps = self._products, self.eps
        if products is None:
            return 8.0 * (eps * cancelling) + 2.0 * self.lost

        def here(weights: Array) -> float:
            return float(np.abs(x).dot(np.broadcast_to(weights, x.shape)))

        around = 0.0 if self._objective.matrix else products.gain(here, sharp=True)
        steps = (products.steepening(slope, eps * size) for size in (self.gain, around))
        turned = math.prod(map(math.sqrt, steps)) / eps  # of the slopes at z, by rounding of x
        return 8.0 * (eps * cancelling + turned) + 2.0 * self.lost

    def _lost_by(self, products: ProductRounding, gain: float, slope: Array, value: float) -> float:
        """Error of f by the rounding of an image, over eps: first and second order."""
        second = products.steepening(slope, self.eps * gain)
        return gain * products.size(slope, value) + second / self.eps

    def _measured(self, products: ProductRounding, slope: Array, value: float) -> float:
        """Bound on the error of products with A: rough where that suffices, else sharp.

        The sharp one reads all of A.
        """
        gain = products.gain(self._weighted_support, sharp=False)
        noise = self.eps * self._lost_by(products, gain, slope, value)
        if not noise <= NEGLIGIBLE * abs(value):
            gain = min(gain, products.gain(self._weighted_support, sharp=True))
        return gain

    def _weighted_support(self, weights: Array) -> float:
        """Upper bound on sum_j w_j |v_j| over v in C; 0 where it is unknown."""
        if self._objective.matrix:  # the largest norm of a point, for one weight
            known = self._diameter()
            return float(weights.max()) * known if math.isfinite(known) else 0.0
        return self._problem.region.reach(weights, self._problem.n)

    def _diameter(self) -> float:
        """Diameter of the region; infinite where that is unknown."""
        try:
            return self._problem.diameter
        except InvalidInput:
            return math.inf


def rounding_at(problem: Problem, x: Point) -> float:
    """Bound on the error of f(x) as it is computed from x."""
    objective, errors = problem.objective, Rounding(problem)
    z, slope = objective.new_image(), objective.new_image()
    objective.image(x, z)
    value, _ = objective.linearize(z, slope)
    narrow = 2.0 * errors.eps * abs(value)  # of f through a narrow image
    return 8.0 * (errors.eps * errors.cancelling(slope, value) + EPS * abs(value)) + narrow
