r"""The latent group norm, between two bounds that prove each other.

.. math:: \Omega(x) = \min_{\sum_g v_g = x} \sum_g w_g \|v_g\|_2
          = \min_{\eta \ge 0} \tfrac12 \sum_i \frac{x_i^2}{\zeta_i} + \tfrac12 \sum_g w_g^2 \eta_g,
          \quad \zeta_i = \sum_{g \ni i} \eta_g

with :math:`v_g` supported in group g. Any :math:`\eta` gives parts :math:`v_g = \eta_g x / \zeta`,
whose sum of norms is not below the norm, and a dual vector :math:`u = x / \zeta`, scaled to
:math:`\|u_g\| \le w_g`, for which :math:`\langle u, x \rangle` is not above it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Indices, Matrix

__all__ = ["NormBounds", "latent_norm"]

GAP_TOL = 1e-14  # relative, between the two bounds
NEWTON_STEPS = 200  # at most
BARRIER_FACTOR = 0.01  # of mu from one barrier to the next
UNIT_ROUNDING = 1e-15  # relative: ridge of the scaled Hessian, and no more to gain in a search
NEGLIGIBLE_ENTRY = 1e-100  # of the largest: its square adds nothing
MAX_NEWTON_GROUPS = 1000  # above, a groups x groups matrix costs too much: fixed point
FIXED_POINT_STEPS = 1000  # at most
MAX_DENSE_CELLS = 100_000  # entries times groups; above, their matrix is sparse


class NormBounds(NamedTuple):
    """Lower and upper bound of a norm."""

    low: float
    high: float


def latent_norm(x: Array, order: Indices, starts: Indices, w: Array, enough: float) -> NormBounds:
    """Bounds of the norm of x; loose ones where the upper is at most `enough`.

    Group g holds the entries `order[starts[g] : starts[g + 1]]` and has weight w[g].
    """
    unit = float(np.abs(x).max())
    if not 0.0 < unit < math.inf:
        return NormBounds(unit, unit)
    of = _restricted(x / unit, order, starts, w)
    eta = of.scaled(of.first())
    best = of.bounds(eta)
    for better in of.newton(eta) if of.w.size <= MAX_NEWTON_GROUPS else of.fixed(eta):
        if best.high * unit <= enough or best.high - best.low <= GAP_TOL * best.high:
            break
        now = of.bounds(better)
        best = NormBounds(max(best.low, now.low), min(best.high, now.high))
    return NormBounds(unit * best.low, unit * best.high)


class _LatentProgram(NamedTuple):
    """Program in eta: squares of the nonzero entries, their groups, and the weights."""

    squares: Array
    B: Matrix  # entries x groups, full or sparse
    w: Array

    def first(self) -> Array:
        """Start eta_g = |x_g| / w_g, each group for itself."""
        return np.asarray(np.sqrt(self.B.T @ self.squares) / self.w)

    def scaled(self, eta: Array) -> Array:
        """Multiple of eta with the least objective."""
        fit = float((self.squares / (self.B @ eta)).sum())
        return eta * math.sqrt(fit / float((self.w**2) @ eta))

    def duals(self, eta: Array) -> Array:
        """Norms |u_g| of u = x / zeta, group by group."""
        return np.asarray(np.sqrt(self.B.T @ (self.squares / (self.B @ eta) ** 2)))

    def bounds(self, eta: Array) -> NormBounds:
        """Bounds of the norm that eta proves, by its parts and its dual vector."""
        lengths = self.duals(eta)
        fit = float((self.squares / (self.B @ eta)).sum())
        return NormBounds(fit / float((lengths / self.w).max()), float((self.w * eta) @ lengths))

    def fixed(self, eta: Array) -> Iterator[Array]:
        """Fixed-point iteration eta_g <- |v_g| / w_g, which improves in every step."""
        for _ in range(FIXED_POINT_STEPS):
            eta = eta * self.duals(eta) / self.w
            yield eta

    def barrier(self, eta: Array, mu: float) -> float:
        """Objective with a barrier: ½ Σ x_i²/zeta_i + ½ Σ w_g² eta_g - mu Σ log eta_g."""
        fit = 0.5 * float((self.squares / (self.B @ eta)).sum())
        return fit + 0.5 * float((self.w**2) @ eta) - mu * float(np.log(eta).sum())

    def newton(self, eta: Array) -> Iterator[Array]:
        """Newton's method for the barrier problems of a falling mu, the last point of each."""
        mu = 0.1 * float((self.w**2) @ eta) / eta.size
        for _ in range(NEWTON_STEPS):
            d, promised = self._direction(eta, mu)
            longest = step = min(1.0, 0.9 * _room(eta, d))
            now = self.barrier(eta, mu)
            while self.barrier(eta + step * d, mu) > now - 0.1 * step * promised:
                step *= 0.5
                if step * promised <= UNIT_ROUNDING * abs(now):  # rounding: as far as it goes
                    step = longest
                    break
            eta = eta + step * d
            if promised <= 0.1 * mu * eta.size:  # near the centre of this barrier
                yield eta
                mu *= BARRIER_FACTOR
        yield eta

    def _direction(self, eta: Array, mu: float) -> tuple[Array, float]:
        """Newton step d, and the decrease -<slope, d> that it promises."""
        zeta = self.B @ eta
        slope = 0.5 * (self.w**2 - self.B.T @ (self.squares / zeta**2)) - mu / eta
        product = self.B.T @ (self.B * (self.squares / zeta**3)[:, None])
        H = product if isinstance(product, np.ndarray) else product.toarray()
        H[np.diag_indices_from(H)] += mu / eta / eta
        scale = 1.0 / np.sqrt(np.diagonal(H))
        # diagonal scaling: near the boundary mu/eta² spans many orders of magnitude
        H = H * scale[:, None] * scale
        H[np.diag_indices_from(H)] += UNIT_ROUNDING
        d = -scale * np.linalg.solve(H, scale * slope)
        return d, -float(slope @ d)


def _room(v: Array, d: Array) -> float:
    """Largest step for which v + step d >= 0."""
    falling = d < 0.0
    return float((v[falling] / -d[falling]).min(initial=math.inf))


def _restricted(x: Array, order: Indices, starts: Indices, w: Array) -> _LatentProgram:
    """Program of the entries that count beside the largest, 1, and of the groups with one."""
    places = np.flatnonzero(np.abs(x) > NEGLIGIBLE_ENTRY)
    rank = np.full(x.size, -1)
    rank[places] = np.arange(places.size)
    groups = np.repeat(np.arange(w.size), np.diff(starts))
    rows, columns = rank[order], groups
    columns = columns[rows >= 0]
    rows = rows[rows >= 0]
    there, columns = np.unique(columns, return_inverse=True)
    shape = places.size, there.size
    if shape[0] * shape[1] <= MAX_DENSE_CELLS:
        B: Matrix = np.zeros(shape)
        B[rows, columns] = 1.0
    else:
        from scipy.sparse import csr_array

        B = csr_array((np.ones(rows.size), (rows, columns)), shape=shape)
    return _LatentProgram(np.square(x[places]), B, w[there])
