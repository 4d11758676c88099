r"""Truncated Newton steps on the factors of a matrix.

The factors w = (U, V), with the slack of the region's bound, lie on a sphere,
:math:`\frac12\|w\|^2 = R`. There the Hessian of the loss along a move d with
:math:`\langle w, d\rangle = 0` is

.. math:: P(\nabla^2 f\, d + \mu d), \qquad \mu = -\langle \nabla f, w\rangle / \|w\|^2,

where P takes out what is along w (P.-A. Absil, R. Mahony and R. Sepulchre, *Optimization Algorithms
on Matrix Manifolds*, 2008). Conjugate gradients solve for a step until the residual is small, or
the curvature is not positive (T. Steihaug, SIAM Journal on Numerical Analysis 20, 1983), with the
diagonal of the Hessian as a preconditioner: for factors made of singular vectors it does nearly as
much as the blocks of alternating least squares.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.methods.matrix.factor_loss import FactorHessian, FactorLoss
from frankwolfe.methods.matrix.policy import POLICY

if TYPE_CHECKING:
    from frankwolfe.subproblems.lbfgs import VectorLoops

__all__ = ["Moved", "newton_step"]


class Moved(NamedTuple):
    """New factors, number of Hessian products, the residual before; `good` if the loss fell."""

    flat: Array
    products: int
    residual: float
    good: bool


class TangentPlane:
    """Tangent plane of the sphere |w| = const at the factors w, with its preconditioner."""

    def __init__(self, flat: Array, scaling: Array, loops: VectorLoops) -> None:
        self._normal, self._scaling, self._loops = flat, scaling, loops
        self._scaled = flat / scaling
        self._length = loops.dot(flat, self._scaled)

    def preconditioned(self, residual: Array) -> Array:
        """Apply the preconditioner to the residual, and project onto the plane.

        The residual itself is projected too: the part off the plane would not shrink with the
        rest, whose digits it would take (N. Gould, M. Hribar and J. Nocedal, SIAM Journal on
        Scientific Computing 23, 2001).
        """
        self._take_out(residual, residual / self._scaling, self._normal)
        out = residual / self._scaling
        self._take_out(out, out, self._scaled)
        return out

    def _take_out(self, vector: Array, scaled: Array, along: Array) -> None:
        """vector <- vector - (<w, scaled> / <w, w / scaling>) along."""
        dot, add = self._loops.dot, self._loops.add_scaled
        add(vector, -dot(self._normal, scaled) / self._length, along)


def newton_step(
    loss: FactorLoss, hessian: FactorHessian, flat: Array, ease: float, due: Callable[[], bool]
) -> Moved:
    """Make a truncated Newton step from factors with tau = 1, with forcing term `ease`.

    The step is found in single precision, which is more than the forcing term asks for; what is
    left of the gradient after it is not.
    """
    here = loss(flat)
    scaling, hessian = hessian.scaling(), hessian.single()
    loops = loss.objective.place.vectors(flat.size)
    size = math.sqrt(loops.dot(here[1], here[1]))
    if not 0.0 < size < math.inf:
        return Moved(flat, 0, 0.0, False)
    dtype = hessian.dtype
    plane = TangentPlane(flat.astype(dtype), scaling.astype(dtype), loops)
    right = (here[1] / -size).astype(dtype)
    ease = min(ease, POLICY.forcing)
    move, products, residual = _conjugate(hessian, right, plane, ease, loops, due)
    move = move.astype(flat.dtype) * size
    length = _length(loss, flat, move, here, loops)
    if length == 0.0:
        return Moved(flat, products, size * residual, False)
    loops.combine(move, length, 1.0, flat)
    return Moved(loss.on_edge(move), products, size * residual, True)


def _conjugate(
    hessian: FactorHessian, left: Array, plane: TangentPlane, ease: float, loops: VectorLoops,
    due: Callable[[], bool],
) -> tuple[Array, int, float]:  # fmt: skip
    """Preconditioned conjugate gradients on the plane for H move = left (Steihaug).

    Returns the move, the number of products, and the length of `left`, which is overwritten.
    """
    dot, add = loops.dot, loops.add_scaled
    ahead = plane.preconditioned(left)
    direction, move = ahead.copy(), np.zeros_like(left)
    square = first = dot(left, ahead)
    if not first > 0.0:
        return move, 0, 0.0
    for k in range(1, POLICY.hessian_products + 1):
        image = hessian.times(direction)
        curvature = dot(direction, image)
        if not curvature > 0.0:  # no minimum that way: the first direction, or the move so far
            return (direction if k == 1 else move), k, math.sqrt(first)
        length = square / curvature
        add(move, length, direction)
        add(left, -length, image)
        ahead = plane.preconditioned(left)
        new = dot(left, ahead)
        if new <= ease**2 * first or due():
            break
        loops.combine(direction, new / square, 1.0, ahead)
        square = new
    return move, k, math.sqrt(first)


def _length(
    loss: FactorLoss, flat: Array, move: Array, here: tuple[float, Array], loops: VectorLoops
) -> float:
    """Step size along the move by backtracking: 1, or less where the loss would rise.

    Slopes decide where values differ by rounding alone.
    """
    value, gradient = here
    slope = loops.dot(gradient, move)
    # units of the factors, or of a sum over cells, which is made in double precision
    unit = max(float(np.finfo(flat.dtype).eps), 2.0**-52 * math.sqrt(loss.objective.m))
    noise = POLICY.value_rounding * unit * abs(value)
    length = 1.0
    while slope < 0.0 and length >= POLICY.min_newton_step:
        ahead, new = loss(flat + length * move)
        end = loops.dot(new, move)
        if (
            ahead <= value + POLICY.armijo * length * slope + noise
            and end <= POLICY.newton_slope_left * -slope
        ):
            return length
        past = end > 0.0 and ahead <= value + noise  # the lowest point lies before, by its slopes
        length *= min(max(slope / (slope - end), 0.1), 0.5) if past else 0.5
    return 0.0
