"""The l1 ball."""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.core.atoms import Atom, Dense, Vertex
from frankwolfe.core.feasibility import l1_room, project_sizes, rounding
from frankwolfe.core.region_abilities import (
    CompiledOracle,
    CoordinateScores,
    Faces,
    Formulation,
    Projection,
    Projector,
)
from frankwolfe.core.standard_form.form import StandardForm, split
from frankwolfe.core.vertices import L1, l1_vertex
from frankwolfe.regions.balls.norm_ball import NormBall
from frankwolfe.regions.select import smallest

__all__ = ["L1Ball", "vertex_against"]


def vertex_against(g: Array, radius: float) -> Vertex:
    """Vertex at the coordinate where |g| is largest, against the sign of g."""
    top, bottom = int(g.argmax()), int(g.argmin())
    return Vertex(*l1_vertex(bottom, g[bottom], top, g[top], radius))


class L1Ball(NormBall, Projector, Faces, Formulation, CoordinateScores):
    """The l1 ball; its vertices are single coordinates.

    Parameters are those of :class:`~frankwolfe.L2Ball`. With a centre the atoms are dense.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.L1Ball(2.0).lmo(np.array([1.0, -3.0]))
    Vertex(index=1, value=2.0)
    """

    family = "norms"
    formula = r"\|x\|_1 \le r"
    atom = "one coordinate, ± r"
    cost = "n"

    short = "l1"
    p = 1.0
    polytope = sparse_atoms = True

    def _centered_atom(self, g: Array, out: Array) -> Atom:
        return vertex_against(g, self.radius)

    def compiled(self, n: int) -> CompiledOracle:
        return self._compiled(L1)

    def merit(self, g: Array) -> Array:
        return -np.abs(g)

    def passed_by(self, found: Array) -> float:
        return 0.0

    def project(self, p: Array) -> Projection:
        away = self.from_center(p)
        x = project_sizes(away, math.inf, self.radius)
        inside = self.center is not None and np.array_equal(x, away)
        return Projection(p.copy() if inside else self.to_center(x))

    def standard_form(self, n: int) -> StandardForm:
        return split(n, math.inf, self.radius, self.center)

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
        """Convex combination by |x_i|; two opposite vertices share what is left of the radius."""
        if self.center is not None:
            return None
        share = np.abs(x) / self.radius
        rest = 0.5 * max(0.0, 1.0 - float(share.sum()))
        pair: list[tuple[float, Atom]] = [(rest, Vertex(0, r)) for r in (self.radius, -self.radius)]
        places = np.flatnonzero(share)
        signed = np.copysign(self.radius, x)
        return [*((float(share[i]), Vertex(int(i), float(signed[i]))) for i in places), *pair]

    def face_atom(self, g: Array, x: Array) -> Atom:
        """Best vertex of the face: of x's own signs on the surface, of all vertices inside."""
        away = self.from_center(x)
        sizes, near = np.abs(away), rounding(x) * self.radius
        if float(sizes.sum()) < self.radius - near:
            return self.ask(-g)
        support = np.flatnonzero(sizes > near)
        best = int(support[(np.sign(away[support]) * g[support]).argmax()])
        vertex = Vertex(best, math.copysign(self.radius, float(away[best])))
        if self.center is None:
            return vertex
        return Dense((vertex.dense(g.size) + self.center).astype(g.dtype))

    def snap_to_face(self, x: Array) -> Array:
        away = self.from_center(x)
        away = np.where(np.abs(away) > rounding(x) * self.radius, away, 0.0)
        norm = float(np.abs(away).sum())
        if norm >= self.radius * (1.0 - rounding(x)):
            away *= self.radius / norm
        return (away if self.center is None else away + self.center).astype(x.dtype)

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        away = self.from_center(x)
        away = np.where(np.abs(away) > rounding(x) * self.radius, away, 0.0)
        moving = away[where]
        still = float(np.abs(away).sum()) - float(np.abs(moving).sum())
        return l1_room(moving, d, self.radius - still)
