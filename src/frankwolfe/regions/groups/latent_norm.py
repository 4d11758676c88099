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
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Indices

__all__ = ["Bounds", "latent_norm"]

TIGHT = 1e-14  # between the bounds, relative
NEWTON = 200  # steps, at most
LOWER = 0.01  # by which the wall falls
EPS = 1e-15
TINY = 1e-100  # of the largest entry: what is below adds nothing
SMALL = 1000  # groups up to which a matrix of their size is factored
FIXED = 1000  # steps of the plain iteration, for more
DENSE = 100_000  # entries times groups up to which their matrix is full


class Bounds(NamedTuple):
    """A norm lies between them."""

    low: float
    high: float


def latent_norm(x: Array, order: Indices, starts: Indices, w: Array, enough: float) -> Bounds:
    """Bounds of the norm of x; loose ones where the upper is at most `enough`.

    Group g holds the entries `order[starts[g] : starts[g + 1]]` and has weight w[g].
    """
    unit = float(np.abs(x).max())
    if not 0.0 < unit < math.inf:
        return Bounds(unit, unit)
    of = _restricted(x / unit, order, starts, w)
    eta = of.scaled(of.first())
    best = of.bounds(eta)
    for better in of.newton(eta) if of.w.size <= SMALL else of.fixed(eta):
        if best.high * unit <= enough or best.high - best.low <= TIGHT * best.high:
            break
        now = of.bounds(better)
        best = Bounds(max(best.low, now.low), min(best.high, now.high))
    return Bounds(unit * best.low, unit * best.high)


class _Parts(NamedTuple):
    """Entries that are not zero, squared, and which groups have them."""

    squares: Array
    B: Any  # entries x groups, full or sparse
    w: Array

    def first(self) -> Array:
        """Where each group has its own share."""
        return np.asarray(np.sqrt(self.B.T @ self.squares) / self.w)

    def scaled(self, eta: Array) -> Array:
        """The best multiple."""
        fit = float((self.squares / (self.B @ eta)).sum())
        return eta * math.sqrt(fit / float((self.w**2) @ eta))

    def duals(self, eta: Array) -> Array:
        """The 2-norms of u = x / zeta, group by group."""
        return np.asarray(np.sqrt(self.B.T @ (self.squares / (self.B @ eta) ** 2)))

    def bounds(self, eta: Array) -> Bounds:
        """What eta proves."""
        lengths = self.duals(eta)
        fit = float((self.squares / (self.B @ eta)).sum())
        return Bounds(fit / float((lengths / self.w).max()), float((self.w * eta) @ lengths))

    def fixed(self, eta: Array) -> Any:
        """eta_g becomes |v_g| / w_g, again and again: each is better than the one before."""
        for _ in range(FIXED):
            eta = eta * self.duals(eta) / self.w
            yield eta

    def barrier(self, eta: Array, mu: float) -> float:
        """What is minimized, with a wall before eta = 0."""
        fit = 0.5 * float((self.squares / (self.B @ eta)).sum())
        return fit + 0.5 * float((self.w**2) @ eta) - mu * float(np.log(eta).sum())

    def newton(self, eta: Array) -> Any:
        """Newton's method with a lower and lower wall."""
        mu = 0.1 * float((self.w**2) @ eta) / eta.size
        for _ in range(NEWTON):
            d, promised = self._direction(eta, mu)
            longest = step = min(1.0, 0.9 * _room(eta, d))
            now = self.barrier(eta, mu)
            while self.barrier(eta + step * d, mu) > now - 0.1 * step * promised:
                step *= 0.5
                if step * promised <= EPS * abs(now):  # rounding: as far as it goes
                    step = longest
                    break
            eta = eta + step * d
            if promised <= 0.1 * mu * eta.size:  # near enough to where this wall leads
                yield eta
                mu *= LOWER
        yield eta

    def _direction(self, eta: Array, mu: float) -> tuple[Array, float]:
        """A Newton step, and how steep it leads down."""
        zeta = self.B @ eta
        slope = 0.5 * (self.w**2 - self.B.T @ (self.squares / zeta**2)) - mu / eta
        product = self.B.T @ (self.B * (self.squares / zeta**3)[:, None])
        H = product if isinstance(product, np.ndarray) else product.toarray()
        H[np.diag_indices_from(H)] += mu / eta / eta
        scale = 1.0 / np.sqrt(np.diagonal(H))
        H = H * scale[:, None] * scale
        H[np.diag_indices_from(H)] += EPS
        d = -scale * np.linalg.solve(H, scale * slope)
        return d, -float(slope @ d)


def _room(v: Array, d: Array) -> float:
    """The largest step for which v + step d is not negative."""
    falling = d < 0.0
    return float((v[falling] / -d[falling]).min(initial=math.inf))


def _restricted(x: Array, order: Indices, starts: Indices, w: Array) -> _Parts:
    """To the entries whose squares are not zero beside the largest, 1; the groups with one."""
    places = np.flatnonzero(np.abs(x) > TINY)
    rank = np.full(x.size, -1)
    rank[places] = np.arange(places.size)
    groups = np.repeat(np.arange(w.size), np.diff(starts))
    rows, columns = rank[order], groups
    columns = columns[rows >= 0]
    rows = rows[rows >= 0]
    there, columns = np.unique(columns, return_inverse=True)
    shape = places.size, there.size
    if shape[0] * shape[1] <= DENSE:
        B: Any = np.zeros(shape)
        B[rows, columns] = 1.0
    else:
        from scipy.sparse import csr_array

        B = csr_array((np.ones(rows.size), (rows, columns)), shape=shape)
    return _Parts(np.square(x[places]), B, w[there])
