"""Balls of the lp norms, any p >= 1, with a centre."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from frankwolfe.numerics.arrays import Array, Indices
from frankwolfe.numerics.atoms import Atom, Dense, Vertex
from frankwolfe.numerics.checks import finite_vector, number
from frankwolfe.numerics.kernels import vectors
from frankwolfe.numerics.vertices import l1_vertex
from frankwolfe.regions.base import Region
from frankwolfe.regions.bounds import corner, l1_room, rounding, snap, within
from frankwolfe.regions.select import smallest

__all__ = ["L1Ball", "L2Ball", "LInfBall", "LpBall"]


class _Ball(Region):
    """The part common to all norm balls; a subclass gives the atom around zero."""

    p: float

    def __init__(self, radius: float = 1.0, *, center: Any = None) -> None:
        self.radius = number("radius", radius, above=0.0)
        self.center = None if center is None else finite_vector("center", center).copy()
        self.dimension = None if self.center is None else self.center.size
        self.sparse_atoms = self.sparse_atoms and self.center is None

    def _centered_atom(self, g: Array, out: Array) -> Atom:
        """The atom of the ball around zero; a dense one is written into `out`."""
        raise NotImplementedError

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        g = self._gradient(g)
        if out is None and not self.sparse_atoms:
            out = np.empty_like(g)
        atom = self._centered_atom(g, out)  # type: ignore[arg-type]
        if self.center is None:
            return atom
        assert out is not None
        if isinstance(atom, Vertex):
            out[:] = 0.0
            atom.add_to(out, 1.0)
        out += self.center
        return Dense(out)

    def from_center(self, x: Array) -> Array:
        """x as seen from the centre."""
        return x if self.center is None else (x - self.center).astype(x.dtype)

    def to_center(self, away: Array) -> Array:
        """The point that is seen so from the centre."""
        return away if self.center is None else (away + self.center).astype(away.dtype)

    def diameter(self, n: Any) -> float:
        # the farthest point of the unit lp ball from 0: a vertex for p <= 2, a corner above
        return 2.0 * self.radius * math.pow(n, max(0.0, 0.5 - 1.0 / self.p))

    def violation(self, x: Array) -> float:
        away = self.from_center(np.asarray(x, dtype=np.float64))
        largest = float(np.abs(away).max())
        if largest == 0.0:
            return 0.0
        norm = float(np.linalg.norm(away / largest, ord=self.p))  # no power overflows
        return max(0.0, largest / self.radius * norm - 1.0)

    def start(self, n: Any) -> Any:
        return np.zeros(n) if self.center is None else self.center.astype(np.float64)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(1.5), cls(0.7, center=rng.standard_normal(n))]

    def _order(self) -> str:
        return ""

    def __repr__(self) -> str:
        center = "" if self.center is None else f", center of {self.center.size} entries"
        return f"{type(self).__name__}({self._order()}radius={self.radius:g}{center})"


def _l1_vertex(g: Array, radius: float) -> Vertex:
    """The coordinate where g is largest in size, against its sign."""
    top, bottom = int(g.argmax()), int(g.argmin())
    return Vertex(*l1_vertex(bottom, g[bottom], top, g[top], radius))


def _corner(g: Array, radius: float, out: Array) -> None:
    """The corner of the cube against the signs of g."""
    np.copysign(radius, g, out=out)
    np.negative(out, out=out)


class L2Ball(_Ball):
    """The Euclidean ball, experiments (a) and (b) of the paper.

    Parameters
    ----------
    radius : float
        Radius, > 0.
    center : array, optional
        Centre, zero by default.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.L2Ball(5.0).lmo(np.array([3.0, 4.0])).dense(2)
    array([-3., -4.])
    """

    short = "l2"
    p = 2.0
    strongly_convex = True

    def _centered_atom(self, g: Array, out: Array) -> Atom:
        vectors.l2_vertex(out, g, self.radius)
        return Dense(out)


class L1Ball(_Ball):
    """The l1 ball; its vertices are single coordinates.

    Parameters are those of :class:`L2Ball`. With a centre the atoms are dense.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.L1Ball(2.0).lmo(np.array([1.0, -3.0]))
    Vertex(index=1, value=2.0)
    """

    short = "l1"
    p = 1.0
    polytope = True
    sparse_atoms = True
    vertex_faces = True

    def _centered_atom(self, g: Array, out: Array) -> Atom:
        return _l1_vertex(g, self.radius)

    def several(self, g: Array, count: int) -> list[Atom]:
        """Vertices, and the centre: a point inside needs no pair of opposite vertices."""
        if self.center is not None:
            return super().several(g, count)
        size = np.abs(g)
        places = smallest(-size, min(count, g.size))
        places = places[np.argsort(-size[places])]
        signed = np.copysign(self.radius, -g[places])
        vertices: list[Atom] = [
            Vertex(int(i), float(v)) for i, v in zip(places, signed, strict=True)
        ]
        return [*vertices, Vertex(0, 0.0)]

    def decompose(self, x: Array) -> list[tuple[float, Atom]] | None:
        """What x leaves of the radius goes to two opposite vertices."""
        if self.center is not None:
            return None
        share = np.abs(x) / self.radius
        rest = 0.5 * max(0.0, 1.0 - float(share.sum()))
        pair: list[tuple[float, Atom]] = [(rest, Vertex(0, r)) for r in (self.radius, -self.radius)]
        places = np.flatnonzero(share)
        signed = np.copysign(self.radius, x)
        return [*((float(share[i]), Vertex(int(i), float(signed[i]))) for i in places), *pair]

    def face_atom(self, g: Array, x: Array) -> Atom:
        """On the surface the vertices of x's own signs; inside, all of them."""
        away = self.from_center(x)
        sizes, near = np.abs(away), rounding(x) * self.radius
        if float(sizes.sum()) < self.radius - near:
            return self.lmo(-g)
        support = np.flatnonzero(sizes > near)
        best = int(support[(np.sign(away[support]) * g[support]).argmax()])
        vertex = Vertex(best, math.copysign(self.radius, float(away[best])))
        if self.center is None:
            return vertex
        return Dense((vertex.dense(g.size) + self.center).astype(g.dtype))

    def tidy(self, x: Array) -> Array:
        away = self.from_center(x)
        away = np.where(np.abs(away) > rounding(x) * self.radius, away, 0.0)
        norm = float(np.abs(away).sum())
        if norm >= self.radius * (1.0 - rounding(x)):
            away *= self.radius / norm
        return (away if self.center is None else away + self.center).astype(x.dtype)

    def _room(self, x: Array, where: Indices, d: Array) -> float:
        away = self.from_center(x)
        away = np.where(np.abs(away) > rounding(x) * self.radius, away, 0.0)
        moving = away[where]
        still = float(np.abs(away).sum()) - float(np.abs(moving).sum())
        return l1_room(moving, d, self.radius - still)


class LInfBall(_Ball):
    """The l-infinity ball, a cube.

    Parameters are those of :class:`L2Ball`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.LInfBall(2.0).lmo(np.array([1.0, -3.0])).dense(2)
    array([-2.,  2.])
    """

    key, short = "linf_ball", "linf"
    p = math.inf
    polytope = True
    boxlike = True
    vertex_faces = True

    def _centered_atom(self, g: Array, out: Array) -> Atom:
        _corner(g, self.radius, out)
        return Dense(out)

    def bounds(self, n: int) -> tuple[Array, Array]:
        center = self.start(n)
        return center - self.radius, center + self.radius

    def face_atom(self, g: Array, x: Array) -> Atom:
        return Dense(corner(g, x, *self.bounds(x.size)))

    def tidy(self, x: Array) -> Array:
        return snap(x, *self.bounds(x.size), self.radius)

    def _room(self, x: Array, where: Indices, d: Array) -> float:
        lower, upper = self.bounds(x.size)
        return within(x[where], d, lower[where], upper[where])


class LpBall(_Ball):
    r"""The ball of :math:`\|x\|_p`, any p >= 1 (infinity included).

    Parameters
    ----------
    p : float
        Order of the norm, >= 1. The ball is strongly convex for 1 < p <= 2.
    radius, center
        As in :class:`L2Ball`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> s = fw.LpBall(3.0, radius=2.0).lmo(np.array([1.0, -2.0])).dense(2)
    >>> round(float(np.linalg.norm(s, 3)), 12)
    2.0
    """

    def __init__(self, p: float, radius: float = 1.0, *, center: Any = None) -> None:
        self.p = number("p", p, low=1.0, infinite=True)
        super().__init__(radius, center=center)
        self.polytope = self.p in (1.0, math.inf)
        self.strongly_convex = 1.0 < self.p <= 2.0

    def _centered_atom(self, g: Array, out: Array) -> Atom:
        if self.p == 1.0:
            out[:] = 0.0
            _l1_vertex(g, self.radius).add_to(out, 1.0)
        elif self.p == math.inf:
            _corner(g, self.radius, out)
        else:
            vectors.lp_vertex(out, g, self.radius, self.p)
        return Dense(out)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        orders = (1.0, 1.2, 1.5, 2.0, 3.0, 8.0, math.inf)
        return [*(cls(p, 1.5) for p in orders), cls(1.7, 0.7, center=rng.standard_normal(n))]

    def _order(self) -> str:
        return f"p={self.p:g}, "
