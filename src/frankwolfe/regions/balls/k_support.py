"""The ball of the k-support norm."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one, frobenius, number
from frankwolfe.core.atoms import Atom, Sparse
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Projection, Projector
from frankwolfe.regions.kernels import support
from frankwolfe.regions.select import largest

__all__ = ["KSupportBall"]

MAX_PROJECTED_NORM = 1e13  # radii; from farther off all digits of the nearest point are known


class KSupportBall(Region, Projector):
    r"""The ball of the k-support norm: the hull of vectors with k entries and 2-norm radius.

    The tightest convex set around sparse vectors of bounded 2-norm: the l1 ball for k = 1, the
    Euclidean ball for k >= n. Between them it takes correlated features in together, as the
    elastic net does.

    Parameters
    ----------
    k : int
        Entries that are not zero, >= 1.
    radius : float
        > 0.

    References
    ----------
    A. Argyriou, R. Foygel and N. Srebro, *Sparse prediction with the k-support norm*, NeurIPS
    2012; A. McDonald, M. Pontil and D. Stamos, *New perspectives on k-support and cluster norms*,
    Journal of Machine Learning Research 17, 2016, for the form from which nearest points follow.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.KSupportBall(2, 5.0).lmo(np.array([3.0, 1.0, -4.0])).dense(3)
    array([-3.,  0.,  4.])
    """

    family = "norms"
    formula = r"\mathrm{conv}\{x : \|x\|_0 \le k,\ \|x\|_2 \le r\}"
    atom = "k entries, 2-norm r"
    cost = "n"

    flat_faces = True
    needs_room = False

    def __init__(self, k: int, radius: float = 1.0) -> None:
        self.k = at_least_one("k", k)
        self.radius = number("radius", radius, above=0.0)
        self.polytope = self.k == 1

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        indices = largest(g, self.k)
        values = g[indices].astype(np.float64)
        unit = float(np.abs(values).max())
        if unit == 0.0:
            values[0] = unit = 1.0
        values = values / unit
        values *= -self.radius / float(np.linalg.norm(values))
        return Sparse(indices, values.astype(g.dtype))

    def project(self, p: Array) -> Projection:
        norm = self.norm(p)
        if norm <= self.radius:
            return Projection(p.copy())
        if (
            norm >= MAX_PROJECTED_NORM * self.radius
        ):  # nearest in all digits is the point farthest toward p
            return Projection(self.ask(-p).dense(p.size).astype(p.dtype))
        wide = np.abs(p, dtype=np.float64)
        unit = float(wide.max())  # no square over- or underflows
        wide /= unit
        if np.count_nonzero(wide) <= self.k:
            return Projection((p * (self.radius / norm)).astype(p.dtype))
        mu, c = self._shrinkage(wide, self.radius / unit)
        theta = c * wide
        theta -= mu
        x = np.multiply(wide, np.clip(theta, 0.0, 1.0, out=theta), out=wide)
        theta += mu
        x /= theta
        x *= unit
        x *= self.radius / self.norm(x)
        return Projection(np.copysign(x, p, out=x).astype(p.dtype, copy=False))

    def _shrinkage(self, sizes: Array, radius: float) -> tuple[float, float]:
        """Multipliers mu, c of x = a theta / (theta + mu), theta = clip(ca - mu, 0, 1)."""
        a, sums, squares = np.negative(sizes), np.zeros(sizes.size + 1), np.zeros(sizes.size + 1)
        a.sort()
        np.negative(a, out=a)  # the largest first
        np.cumsum(a, out=sums[1:])
        np.cumsum(np.multiply(a, a, out=squares[1:]), out=squares[1:])
        pair: tuple[float, float] = support.shrinkage(a, sums, squares, self.k, radius)
        return pair

    def norm(self, x: Array) -> float:
        """The k-support norm of x: its largest entries, and the rest pooled."""
        split = np.abs(np.asarray(x, dtype=np.float64))
        unit = float(split.max())
        if self.k >= split.size or not 0.0 < unit < math.inf:
            return frobenius(split)
        split /= unit
        split.partition(split.size - self.k)
        top = np.sort(split[-self.k :])  # the k-th largest first
        tails = float(split[: -self.k].sum()) + np.cumsum(top)  # with 1, 2, ... of them
        counts = np.arange(1, self.k + 1)
        beyond = np.append(top[1:], math.inf)
        pooled = int((counts * beyond > tails).argmax()) + 1  # so many go with the rest
        square = float(top[pooled:] @ top[pooled:]) + float(tails[pooled - 1]) ** 2 / pooled
        return unit * math.sqrt(square)

    def diameter(self, n: int) -> float:
        return 2.0 * self.radius

    def reach(self, weights: Array, n: int) -> float:
        each = np.broadcast_to(weights, (n,))
        most = min(self.k, n)
        return self.radius * frobenius(np.partition(each, n - most)[n - most :])

    def violation(self, x: Array) -> float:
        return max(0.0, self.norm(x) / self.radius - 1.0)

    def start(self, n: int) -> Array:
        return np.zeros(n)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(2, 1.5), cls(3, 0.7)]

    def __repr__(self) -> str:
        return f"KSupportBall(k={self.k}, radius={self.radius:g})"
