"""The augmented Lagrangian of an objective under linear constraints."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from frankwolfe import base
from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.penalty import Penalty
from frankwolfe.base import Array, Matrix, is_sparse
from frankwolfe.core import Atom, Objective, product_noise

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
        self.twice_differentiable = objective.twice_differentiable
        self.cheap_line_search = objective.cheap_line_search
        self.offset = objective.offset + self.penalty.constant
        self._unit = 0.0  # rows' gain in the unit of f's gain; set when both are first known

    @property
    def sparse(self) -> bool:
        """True if f has a sparse data matrix."""
        return self.objective.sparse

    @property
    def own_loops(self) -> bool:
        """True if large products with the data of f are our own loops."""
        return self.objective.own_loops

    def image(self, x: Array, out: Array) -> None:
        self.objective.image(x, out[: self.inner])
        self.rows.linear.apply(x, out[self.inner :])

    def image_of(self, atom: Atom, out: Array) -> None:
        self.objective.image_of(atom, out[: self.inner])
        atom.image(self.rows.linear, out[self.inner :])

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        import scipy.sparse as sp

        first, ours = self.objective.images(atoms), self.rows.linear.images(atoms)
        # dense rows below a long sparse image: still mostly zeros, so sparse
        if is_sparse(first) and (is_sparse(ours) or self.inner > self.rows.rows):
            return sp.vstack([first, sp.csc_array(ours)]).tocsc()
        return np.asfortranarray(
            np.vstack([part.toarray() if is_sparse(part) else part for part in (first, ours)])
        )

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

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        k = self.inner
        weights = self.penalty.curvature(z[k:])
        ours = right[k:]
        weighed = ours.multiply(weights[:, None]) if is_sparse(ours) else weights[:, None] * ours
        more = left[k:].T @ weighed
        more = more.toarray() if is_sparse(more) else more
        first = (left[:k],) * 2 if left is right else (left[:k], right[:k])
        return self.objective.hessian(z[:k], *first) + np.asarray(more, dtype=np.float64)

    def hessian_times(self, z: Array, columns: Array) -> Array:
        k = self.inner
        out = np.empty_like(columns)
        out[:k] = self.objective.hessian_times(z[:k], columns[:k])
        out[k:] = self.penalty.curvature(z[k:])[:, None] * columns[k:]
        return out

    def full_hessian(self, z: Array) -> Array:
        weights = self.penalty.curvature(z[self.inner :])
        whole = self.objective.full_hessian(z[: self.inner])
        return whole + self.rows.linear.weighted_gram(weights)

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

    def lost(self, reach: Callable[[Array], float], diameter: Callable[[], float]) -> float:
        return self.objective.lost(reach, diameter)

    def gain(self, reach: Callable[[Array], float], *, sharp: bool) -> float:
        ours, rows = self.objective.gain(reach, sharp=sharp), self._rows_gain(reach, sharp=sharp)
        # products with f's data and with the rows have different units: made one, and then kept
        if not self._unit:
            self._unit = ours / rows if ours > 0.0 and rows > 0.0 else 1.0
        return ours + self._unit * rows

    def _rows_gain(self, reach: Callable[[Array], float], *, sharp: bool) -> float:
        """Rounding of the products with the constraints, over eps."""
        return product_noise(self.rows.linear, reach, sharp=sharp)

    def size(self, slope: Array, value: float) -> float:
        ours = slope[self.inner :]
        plain = value - self.penalty.value(ours)
        rows = math.sqrt(float(ours @ ours)) / self._unit
        return self.objective.size(slope[: self.inner], plain) + rows

    def steepening(self, slope: Array, off: float) -> float:
        away = off / self._unit
        plain = self.objective.steepening(slope[: self.inner], off)
        return plain + 0.5 * self.penalty.rho * away * away

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        from frankwolfe.objectives import SquaredError

        inner = SquaredError.example(n, rng)
        middle = rng.standard_normal(3)
        rows = Affine(rng.standard_normal((3, n)), middle - [0.0, 0.5, np.inf], middle)
        return cls(inner, rows, rng.standard_normal(3), 2.0)

    def fingerprint(self) -> str:
        return base.fingerprint(self.objective.fingerprint(), self.penalty.numbers())

    def __repr__(self) -> str:
        return f"Augmented({self.objective!r}, {self.rows!r}, penalty={self.penalty.rho:.3g})"
