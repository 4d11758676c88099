"""Base class of quadratic forms that carry their product Qx as the image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.core.atoms import Atom
from frankwolfe.core.objective import Objective
from frankwolfe.core.products import as_columns

__all__ = ["QuadraticForm"]


class QuadraticForm(Objective):
    r"""A form :math:`\frac12 x'Qx + c'x + \text{constant}`, Q given by a linear map.

    In the form :math:`\varphi(Ax)` its map is :math:`A = [I; Q]`: the image carries x and Qx, so
    a gradient costs O(n) and a move the image of one atom.

    Attributes
    ----------
    linear : LinearMap
        Q, which is symmetric.
    c : array
        The linear term.
    constant : float
        The constant term.
    """

    quadratic = True
    linear: Any
    c: Array
    constant: float = 0.0

    def image(self, x: Array, out: Array) -> None:
        out[: self.n] = x
        self.linear.apply(x, out[self.n :])

    def image_of(self, atom: Atom, out: Array) -> None:
        out[: self.n] = 0.0
        atom.add_to(out[: self.n], 1.0)
        atom.image(self.linear, out[self.n :])

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        both = as_columns(atoms, self.n).toarray(), self.linear.images(atoms)
        return np.vstack(
            [half if isinstance(half, np.ndarray) else half.toarray() for half in both]
        )

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        return np.asarray(left[: self.n].T @ right[self.n :], dtype=np.float64)

    def value(self, z: Array) -> float:
        x, qx = z[: self.n], z[self.n :]
        return 0.5 * float(x.dot(qx)) + float(x.dot(self.c)) + self.constant

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        x, qx = z[: self.n], z[self.n :]
        np.multiply(qx, 0.5, out=slope[: self.n])
        slope[: self.n] += self.c
        np.multiply(x, 0.5, out=slope[self.n :])
        form, linear_part = float(x.dot(qx)), float(x.dot(self.c))
        return 0.5 * form + linear_part + self.constant, form + linear_part

    def gradient(self, slope: Array, out: Array) -> None:
        # phi'(z) = (Qx/2 + c, x/2), hence A' phi'(z) = Qx + c = 2 (first half) - c
        np.multiply(slope[: self.n], 2.0, out=out)
        out -= self.c

    def block_gradient(self, z: Array, block: slice, slope: Array, out: Array) -> None:
        np.add(z[self.n :][block], self.c[block], out=out)  # Qx + c

    def block_image(self, v: Array, block: slice, out: Array) -> None:
        out[: self.n] = 0.0
        out[block] = v
        self.linear.apply_block(v, block, out[self.n :])

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        d, qd = dz[: self.n], dz[self.n :]
        curvature = float(d.dot(qd))
        start = float(d.dot(z[self.n :])) + float(d.dot(self.c))
        rise = t * start + 0.5 * t * t * curvature
        return self.value(z) + rise, start + t * curvature, curvature

    def curvature_bound(self, dz: Array) -> float:
        return float(dz[: self.n].dot(dz[self.n :]))
