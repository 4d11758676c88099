"""Scenes: a region of the plane, and a quadratic to minimize over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.problem import Problem
from frankwolfe.objectives import Quadratic
from frankwolfe.regions import ConvexHull, L2Ball, Region
from frankwolfe.solver.entry import minimize
from frankwolfe.solver.result import Result

__all__ = ["SCENES", "Scene", "disc", "polygon"]

Floats: TypeAlias = NDArray[np.float64]
DIRECTIONS = 360  # of the plane, in which the oracle is asked for the outline: a degree apart
RINGS = 9  # level lines of the quadratic


@dataclass(frozen=True)
class Scene:
    """Problem of minimizing (x - center)' Q (x - center) / 2 over a region of the plane.

    Parameters
    ----------
    title : str
        What is shown.
    region : Region
        A region of two variables.
    Q : array of shape (2, 2)
        Symmetric and positive definite.
    center : array of shape (2,)
        Where the quadratic is smallest; outside of the region, or inside.
    start : array of shape (2,)
        Where every method starts.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> from frankwolfe.visual.animation import Scene
    >>> scene = Scene("a square", fw.LInfBall(1.0), np.eye(2), np.array([2.0, 0.5]), np.zeros(2))
    >>> scene.optimum.x.round(6)
    array([1. , 0.5])
    >>> len(scene.outline)
    4
    """

    title: str
    region: Region
    Q: Floats
    center: Floats
    start: Floats

    def __post_init__(self) -> None:
        Q, symmetric = self.Q, np.allclose(self.Q, self.Q.T)
        if Q.shape != (2, 2) or not symmetric or np.linalg.eigvalsh(Q)[0] <= 0.0:
            raise InvalidInput("Q must be a symmetric, positive definite array of shape (2, 2).")
        if self.center.shape != (2,) or self.start.shape != (2,):
            raise InvalidInput("center and start must be points of the plane.")

    @cached_property
    def problem(self) -> Problem:
        """Problem of the quadratic over the region."""
        constant = 0.5 * float(self.center @ self.Q @ self.center)
        objective = Quadratic(self.Q, -self.Q @ self.center, constant=constant)
        return Problem(objective, self.region)

    @cached_property
    def optimum(self) -> Result:
        """Result of minimizing to a gap of 1e-14: the optimal point and value."""
        return minimize(self.problem.objective, self.region, tol=1e-14)

    @cached_property
    def outline(self) -> Floats:
        """Points of the boundary, as the oracle answers all around; of a polygon its vertices."""
        angles = np.linspace(0.0, 2.0 * np.pi, DIRECTIONS, endpoint=False)
        directions = -np.column_stack([np.cos(angles), np.sin(angles)])
        points = np.array([self.region.lmo(g).dense(2) for g in directions])
        new = np.abs(points - np.roll(points, 1, axis=0)).max(axis=1) > 1e-9
        return np.asarray(points[new])

    @property
    def polygonal(self) -> bool:
        """True if the outline has corners: the oracle then gives few different points."""
        return len(self.outline) < DIRECTIONS // 2

    def rings(self) -> list[tuple[float, float, float]]:
        """Level lines as ellipses: both half-axes, and the angle of the first in degrees."""
        curvatures, axes = np.linalg.eigh(self.Q)
        values = [self.problem.objective(point) for point in self.outline]
        least, most = float(self.optimum.fun), float(max(values))
        # evenly spaced radii, one of them through the optimum where that is not the center
        radii = np.linspace(np.sqrt(2.0 * max(least, 0.0)), np.sqrt(2.0 * most), RINGS)
        angle = float(np.degrees(np.arctan2(axes[1, 0], axes[0, 0])))
        a, b = 1.0 / np.sqrt(curvatures)
        return [(float(r * a), float(r * b), angle) for r in radii if r > 0.0]

    def frame(self, room: float = 0.08) -> tuple[float, float, float, float]:
        """Least and largest x, and least and largest y to show, with a margin of share `room`."""
        points = np.vstack([self.outline, self.start])
        low, high = points.min(axis=0), points.max(axis=0)
        edge = room * float((high - low).max())
        return (
            float(low[0] - edge),
            float(high[0] + edge),
            float(low[1] - edge),
            float(high[1] + edge),
        )


def polygon() -> Scene:
    """Scene with a polygon and the optimum inside an edge: plain Frank-Wolfe zig-zags.

    Examples
    --------
    >>> from frankwolfe.visual.animation import polygon
    >>> polygon().polygonal
    True
    """
    corners = np.array([[0.35, -2.3], [1.9, -1.6], [2.6, 1.1], [-2.2, 1.5], [-2.0, -0.9]])
    Q = np.array([[1.0, 0.1], [0.1, 0.9]])
    return Scene("A polygon", ConvexHull(corners), Q, np.array([0.3, 1.45]), corners[0])


def disc() -> Scene:
    """Scene with a disc and the optimum on its curved boundary: there is no edge to zig-zag along.

    Examples
    --------
    >>> from frankwolfe.visual.animation import disc
    >>> disc().polygonal
    False
    """
    Q = np.array([[1.0, 0.75], [0.75, 1.6]])
    start = 2.0 * np.array([np.cos(2.5), np.sin(2.5)])
    return Scene("A disc", L2Ball(2.0), Q, np.array([2.1, 0.55]), start)


SCENES: dict[str, Callable[[], Scene]] = {"polygon": polygon, "disc": disc}
