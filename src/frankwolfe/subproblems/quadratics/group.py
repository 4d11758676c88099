"""A convex quadratic over the ball of a group norm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import power
from frankwolfe.base.clock import Pieces
from frankwolfe.subproblems.kernels import simplex
from frankwolfe.subproblems.quadratics import solve_definite

__all__ = ["GroupPart", "group_gap", "group_norms", "minimize_over_groups"]

MAX_ROUNDS = 30  # a better point is enough where the quadratic is only a model
HALVINGS = 3  # of a Newton step
SUFFICIENT_DECREASE = 0.1  # of the decrease that the slope promises (Armijo)
RIDGE = 1e-13  # of the mean curvature: it holds back flat directions
ON_SPHERE = 1e-12  # of the radius: a point this close to the sphere is on it
MAX_PIVOTS_PER_ATOM = 20  # of the active-set method over the atoms' weights
GAP_ROUNDING = 2.0**-52  # of radius |c|: a smaller gap is rounding


@dataclass(frozen=True)
class GroupPart:
    """The ball of a group norm over some of its groups, which begin at `starts`."""

    starts: Indices
    radius: float

    def gap(self, r: Array, x: Array) -> float:
        """Gap <r, x> - min <r, y> over the ball."""
        return group_gap(r, x, self.starts, self.radius)

    def minimize(self, H: Array, c: Array, x: Array, tolerance: float) -> Array:
        """Minimizer of y'Hy/2 + c'y over the ball, from x."""
        return minimize_over_groups(H, c, self.starts, self.radius, x, tolerance)


def group_norms(x: Array, starts: Indices) -> Array:
    """2-norms of the groups of x that begin at `starts`."""
    unit = power(float(np.abs(x).max()))  # no square over- or underflows
    x = x / unit
    return np.asarray(unit * np.sqrt(np.add.reduceat(x * x, starts)))


def group_gap(r: Array, x: Array, starts: Indices, radius: float) -> float:
    """Gap <r, x> - min <r, y> over the ball: <r, x> + radius max_g |r_g|."""
    return float(r @ x) + radius * float(group_norms(r, starts).max())


def minimize_over_groups(
    H: Array, c: Array, starts: Indices, radius: float, x: Array, tolerance: float
) -> Array:
    r"""Minimizer of :math:`\frac12 x'Hx + c'x` over :math:`\sum_g \|x_g\|_2 \le` radius.

    H is positive semidefinite; group g begins at ``starts[g]``, and x lies in the ball. Two
    kinds of steps: the best combination of one atom a group along x, one against the gradient,
    and zero, which finds the groups that are not zero; and with these, where the norm is
    smooth, Newton's method on the conditions of optimality. Ends where the gap of the linear
    oracle is at most `tolerance`.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quadratics.group import minimize_over_groups
    >>> c = np.array([-3.0, -4.0, -0.5])
    >>> minimize_over_groups(np.eye(3), c, np.array([0, 2]), 2.0, np.zeros(3), 1e-12).round(6)
    array([1.2, 1.6, 0. ])
    """
    r: Array = H @ x + c
    model = _GroupBallModel(H, c, starts, radius, float(np.abs(r).max()))
    gap, steady = group_gap(r, x, starts, radius), True
    tolerance = max(tolerance, GAP_ROUNDING * radius * float(group_norms(c, starts).max()))
    steps = Pieces()
    for _ in range(MAX_ROUNDS):
        if not gap > tolerance or steps.due():
            break
        found = model.newton(x, r, gap) if steady and x.any() else None
        by_newton = found is not None
        found = found or model.combined(x, r, gap)
        if found is None:
            break
        x, r, new = found
        gap, steady = new, not by_newton or new <= 0.5 * gap  # else other groups are missing
    return x


class _GroupBallModel:
    """A quadratic over the ball of a group norm, with the two kinds of steps."""

    def __init__(self, H: Array, c: Array, starts: Indices, radius: float, steepest: float) -> None:
        self.H, self.starts, self.radius = H, starts, radius
        self.sizes = np.diff(starts, append=c.size)
        self.group = np.repeat(np.arange(starts.size), self.sizes)
        mean = max(float(np.trace(H)) / c.size, 1e-6 * steepest / radius)
        self.ridge = RIDGE * mean  # H may be zero (Huber)

    def moved(self, x: Array, r: Array, gap: float, y: Array) -> tuple[Array, Array, float] | None:
        """y with its gradient and gap if it is better than x, else None.

        Better in value, or by half the gap, where rounding hides a decrease of the value.
        """
        d = y - x
        Hd = self.H @ d
        slope = float(r @ d)
        ahead = r + Hd
        new = group_gap(ahead, y, self.starts, self.radius)
        down = slope < 0.0 and slope + 0.5 * float(d @ Hd) <= SUFFICIENT_DECREASE * slope
        return (y, ahead, new) if down or new <= 0.5 * gap else None

    def combined(self, x: Array, r: Array, gap: float) -> tuple[Array, Array, float] | None:
        """Best combination of zero and, for each group, one atom along x and one along -r.

        A quadratic over the simplex of the atoms' weights.
        """
        norms, steep = (group_norms(v, self.starts) for v in (x, r))
        atoms = [self.units(x, norms), -self.units(r, steep)]
        HU = np.hstack([np.add.reduceat(self.H * u, self.starts, axis=1) for u in atoms])
        G = np.vstack([np.add.reduceat(u[:, None] * HU, self.starts, axis=0) for u in atoms])
        slopes = np.concatenate([np.add.reduceat(u * r, self.starts) for u in atoms])
        count = slopes.size
        full = np.zeros((count + 1, count + 1))
        full[:count, :count] = self.radius * self.radius * G
        slopes = np.append(self.radius * slopes, 0.0)
        weights = np.concatenate([norms / self.radius, np.zeros(norms.size + 1)])
        weights[-1] = max(1.0 - float(weights.sum()), 0.0)
        weights /= weights.sum()
        scale = max(float(np.trace(full)) / count, 1e-6 * float(np.ptp(slopes)))
        simplex.minimize(
            full, slopes, weights, scale, RIDGE * scale, 0.01 * gap, MAX_PIVOTS_PER_ATOM * count
        )
        weights /= weights.sum()
        along, against = (self.radius * w for w in np.split(weights[:-1], 2))
        y = along[self.group] * atoms[0] + against[self.group] * atoms[1]
        return self.moved(x, r, gap, y)

    def units(self, x: Array, norms: Array) -> Array:
        """Every group of x scaled to length 1, or zero."""
        return x / np.where(norms > 0.0, norms, 1.0)[self.group]

    def newton(self, x: Array, r: Array, gap: float) -> tuple[Array, Array, float] | None:
        """Newton step within the nonzero groups; None where no trial of it is better."""
        norms = group_norms(x, self.starts)
        d = self.direction(x, r, norms)
        for _ in range(HALVINGS):
            y = x + d
            turned = np.add.reduceat(x * y, self.starts) < 0.0  # beyond zero: there it ends
            y[turned[self.group]] = 0.0
            far = float(group_norms(y, self.starts).sum())
            found = self.moved(x, r, gap, y * (self.radius / max(far, self.radius)))
            if found is not None:
                return found
            d = 0.5 * d
        return None

    def direction(self, x: Array, r: Array, norms: Array) -> Array:
        """Newton direction within the nonzero groups, in the interior or along the sphere."""
        places = np.flatnonzero((norms > 0.0)[self.group])
        lengths = norms[self.group][places]
        u, g = x[places] / lengths, r[places]
        K = self.H[np.ix_(places, places)]
        total, ridge, d = float(norms.sum()), self.ridge, np.zeros_like(x)
        left = self.radius - total
        if left > ON_SPHERE * self.radius:
            d[places] = solve_definite(K, -g, ridge)
            if float(group_norms(x + d, self.starts).sum()) <= self.radius:
                return d
        level = max(-float(g @ x[places]) / total, 0.0)  # the multiplier of the sphere
        group = self.group[places]
        curvature = np.where(group[:, None] == group, -np.outer(u, u), 0.0)
        curvature.ravel()[:: places.size + 1] += 1.0  # Hessian of the norm times the length
        both = np.column_stack([-g, -u])
        p, q = solve_definite(K + curvature * (level / lengths), both, ridge).T
        level = (left - float(u @ p)) / float(u @ q)
        d[places] = p + level * q if level > 0.0 else solve_definite(K, -g, ridge)
        return d
