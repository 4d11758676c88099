"""The augmented Lagrangian of an objective under linear constraints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Self

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.penalty import Penalty
from frankwolfe.base import Array, Matrix, is_sparse
from frankwolfe.base import fingerprint as fingerprint_of
from frankwolfe.core import (
    Atom,
    Diameter,
    Objective,
    ProductRounding,
    SecondOrder,
    WeightedSupport,
    product_noise,
)

__all__ = ["Augmented"]


class Augmented(Objective):
    r"""The augmented Lagrangian of :math:`f` under :math:`l \le Ax \le u`.

    .. math:: L(x) = f(x) + \frac\rho2 \mathrm{dist}^2(Ax + y/\rho, [l, u])
              - \frac1{2\rho} \|y\|^2

    With f = phi(Bx) it is a function of the image (Bx, Ax): every method takes it as any other
    objective, and a line search reads neither B nor A. At a feasible point the distance is at most
    :math:`\|y\|/\rho`, so that L lies below f there: *a lower bound on L over a region is one on f
    under the constraints*, whatever y is.

    Parameters
    ----------
    objective : Objective
        f, of a vector, with its data in this process's memory.
    rows : Affine
        The constraints.
    multipliers : array
        y, a number for each constraint.
    penalty : float
        rho > 0.
    """

    def __init__(
        self, objective: Objective, rows: Affine, multipliers: Array, penalty: float
    ) -> None:
        self.objective, self.rows = objective, rows
        self.penalty = Penalty(rows, multipliers, penalty)
        self.n, self.inner, self.dtype = objective.n, objective.m, objective.dtype
        self.m = self.inner + rows.rows
        self.convex, self.everywhere, self.where = (
            objective.convex,
            objective.everywhere,
            objective.where,
        )
        # the distance to an interval is only piecewise quadratic
        self.quadratic = objective.quadratic and rows.equalities
        self.sparse, self.own_loops = objective.sparse, objective.own_loops
        self.cheap_line_search = objective.cheap_line_search
        self.offset = objective.offset + self.penalty.constant

    def image(self, x: Array, out: Array) -> None:
        self.objective.image(x, out[: self.inner])
        self.rows.linear.apply(x, out[self.inner :])

    def image_of(self, atom: Atom, out: Array) -> None:
        self.objective.image_of(atom, out[: self.inner])
        atom.image(self.rows.linear, out[self.inner :])

    @property
    def second_order(self) -> AugmentedCurvature | None:  # type: ignore[override]
        """The second derivatives of f with those of the penalty."""
        part = self.objective.second_order
        return None if part is None else AugmentedCurvature(part, self.penalty, self.inner)

    def next_multipliers(self, x: Array) -> Array:
        """First-order multiplier update y + ρ (Ax - proj(Ax + y/ρ))."""
        return self.penalty.slope(self.rows.apply(x))

    def value(self, z: Array) -> float:
        penalty = self.penalty
        return self.objective.value(z[: self.inner]) + penalty.value(penalty.slope(z[self.inner :]))

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        value, inner = self.objective.linearize(z[: self.inner], slope[: self.inner])
        off = self.penalty.slope(z[self.inner :])
        slope[self.inner :] = off
        return value + self.penalty.value(off), inner + float(off @ z[self.inner :])

    def gradient(self, slope: Array, out: Array) -> None:
        more = np.empty_like(out)
        self.objective.gradient(slope[: self.inner], out)
        self.rows.linear.adjoint(slope[self.inner :], more)
        out += more

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        value, slope, curvature = self.objective.along(z[: self.inner], dz[: self.inner], t)
        more = self.penalty.along(z[self.inner :], dz[self.inner :], t)
        curvature = None if curvature is None else curvature + more[2]
        return value + more[0], slope + more[1], curvature

    def in_domain(self, z: Array) -> bool:
        return self.objective.in_domain(z[: self.inner])

    def max_step(self, z: Array, dz: Array, t: float) -> float:
        return self.objective.max_step(z[: self.inner], dz[: self.inner], t)

    def curvature_bound(self, dz: Array) -> float | None:
        bound = self.objective.curvature_bound(dz[: self.inner])
        rise = dz[self.inner :]
        return None if bound is None else bound + self.penalty.rho * float(rise @ rise)

    @property
    def smoothness(self) -> float | None:
        """Lipschitz constant L_f + ρ ||A||^2 of the gradient; None where that of f is unknown."""
        bound = self.objective.smoothness
        return None if bound is None else bound + self.penalty.rho * self.rows.linear.norm**2

    def lost(self, weighted_support: WeightedSupport, diameter: Diameter) -> float:
        return self.objective.lost(weighted_support, diameter)

    @cached_property
    def rounding(self) -> AugmentedRounding:  # type: ignore[override]  # kept, with its unit
        """The rounding of f, if known, with that of products with the rows."""
        return AugmentedRounding(self.objective.rounding, self.penalty, self.inner)

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        from frankwolfe.objectives import SquaredError

        inner = SquaredError.example(n, rng)
        middle = rng.standard_normal(3)
        rows = Affine(rng.standard_normal((3, n)), middle - [0.0, 0.5, np.inf], middle)
        return cls(inner, rows, rng.standard_normal(3), 2.0)

    def fingerprint(self) -> str:
        return fingerprint_of(self.objective.fingerprint(), self.penalty.numbers())

    def __repr__(self) -> str:
        return f"Augmented({self.objective!r}, {self.rows!r}, penalty={self.penalty.rho:.3g})"


class AugmentedCurvature:
    """Second derivatives of an augmented Lagrangian: those of f with those of the penalty."""

    def __init__(self, part: SecondOrder, penalty: Penalty, inner: int) -> None:
        self._part, self._penalty, self._inner = part, penalty, inner

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        import scipy.sparse as sp

        first, ours = self._part.images(atoms), self._penalty.rows.linear.images(atoms)
        # dense rows below a long sparse image: still mostly zeros, so sparse
        if is_sparse(first) and (is_sparse(ours) or self._inner > self._penalty.rows.rows):
            return sp.vstack([first, sp.csc_array(ours)]).tocsc()
        return np.asfortranarray(
            np.vstack([part.toarray() if is_sparse(part) else part for part in (first, ours)])
        )

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        k = self._inner
        weights = self._penalty.curvature(z[k:])
        ours = right[k:]
        weighed = ours.multiply(weights[:, None]) if is_sparse(ours) else weights[:, None] * ours
        more = left[k:].T @ weighed
        more = more.toarray() if is_sparse(more) else more
        first = (left[:k],) * 2 if left is right else (left[:k], right[:k])
        return self._part.hessian(z[:k], *first) + np.asarray(more, dtype=np.float64)

    def full_hessian(self, z: Array) -> Array:
        weights = self._penalty.curvature(z[self._inner :])
        whole = self._part.full_hessian(z[: self._inner])
        return whole + self._penalty.rows.linear.weighted_gram(weights)


class AugmentedRounding:
    """Rounding of an augmented Lagrangian: that of f, if known, with that of the rows."""

    def __init__(self, part: ProductRounding | None, penalty: Penalty, inner: int) -> None:
        self._part, self._penalty, self._inner = part, penalty, inner
        self._unit = 0.0  # rows' gain in the unit of f's gain; set when both are first known

    def gain(self, weighted_support: WeightedSupport, *, sharp: bool) -> float:
        ours = 0.0 if self._part is None else self._part.gain(weighted_support, sharp=sharp)
        rows = product_noise(self._penalty.rows.linear, weighted_support, sharp=sharp)
        # products with f's data and with the rows have different units: made one, and then kept
        if not self._unit:
            self._unit = ours / rows if ours > 0.0 and rows > 0.0 else 1.0
        return ours + self._unit * rows

    def size(self, slope: Array, value: float) -> float:
        k, part = self._inner, self._part
        ours = slope[k:]
        plain = value - self._penalty.value(ours)
        rows = math.sqrt(float(ours @ ours)) / self._unit
        return (0.0 if part is None else part.size(slope[:k], plain)) + rows

    def steepening(self, slope: Array, off: float) -> float:
        k, part = self._inner, self._part
        away = off / self._unit
        plain = 0.0 if part is None else part.steepening(slope[:k], off)
        return plain + 0.5 * self._penalty.rho * away * away
