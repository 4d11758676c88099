"""Scenes of the plane: a region, a quadratic to minimize over it, and trajectories of methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from frankwolfe.base.arrays import Array, Floats
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods import METHODS, away_step, blended_pairwise, frank_wolfe, jacobi
from frankwolfe.methods.base import Method
from frankwolfe.methods.parts.steps import ExactLineSearch
from frankwolfe.objectives import Quadratic
from frankwolfe.regions import ConvexHull, L2Ball, Region
from frankwolfe.solver.entry import minimize
from frankwolfe.solver.loop import states
from frankwolfe.solver.result import Result

__all__ = ["SCENES", "WALKERS", "Scene", "Trajectory", "disc", "polygon", "walk"]

DIRECTIONS = 360  # of the plane, in which the oracle is asked for the outline: a degree apart
RINGS = 9  # level lines of the quadratic

WALKERS: dict[str, Callable[[], Method]] = {
    "FW, line search": lambda: frank_wolfe(ExactLineSearch()),
    "JFW": jacobi,
    "away steps": away_step,
    "blended pairwise": blended_pairwise,
}
"""Methods shown by default, by the name shown."""


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
        (left, bottom), (right, top) = (low - edge).tolist(), (high + edge).tolist()
        return left, right, bottom, top


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


@dataclass(frozen=True)
class Trajectory:
    """Trajectory of a method: its points, the oracle's answers, errors, gaps and kinds of moves.

    Attributes
    ----------
    name : str
    points, atoms : array of shape (steps + 1, 2)
        The points visited, and the oracle's answer at each.
    errors, gaps : array
        f(x) - f*, and the certified gap, at each.
    moves : sequence of str
        How each point was reached: "start", "toward" the oracle's answer, "away" from an earlier
        one, "between" two, "combined" of several, or "stay".
    """

    name: str
    points: Floats
    atoms: Floats
    errors: Floats
    gaps: Floats
    moves: Sequence[str]


def walk(scene: Scene, name: str, steps: int = 24) -> Trajectory:
    """Run a method in a scene and record its trajectory.

    Parameters
    ----------
    scene : Scene
        Where.
    name : str
        Of those shown by default ("FW, line search", "JFW", "away steps", "blended pairwise"),
        or a name in :data:`frankwolfe.methods.METHODS`.
    steps : int
        How many steps to make.

    Examples
    --------
    >>> from frankwolfe.visual.animation import disc, walk
    >>> bool(walk(disc(), "JFW", steps=5).errors[-1] > 0)
    True
    """
    recipes = {**METHODS, **WALKERS}
    if name not in recipes:
        raise InvalidInput(
            f"there is no method {name!r} to show: name one of {', '.join(WALKERS)}, or one that "
            "`frankwolfe.methods.METHODS` has."
        )
    rows: list[tuple[Array, Array, float, float]] = []
    moves: list[str] = []
    steps = at_least_one("steps", steps)
    for state in states(scene.problem, recipes[name](), scene.start):
        moves.append(_move(state, *rows[-1][:2]) if rows else "start")
        rows.append((state.x, state.atom.dense(2), state.value, state.gap))
        if state.k >= steps:
            break
    points, atoms, values, gaps = (np.array(column) for column in zip(*rows, strict=True))
    errors = np.maximum(values - scene.optimum.fun, 0.0)
    return Trajectory(name, points, atoms, errors, gaps, moves)


def walks(
    scenes: Sequence[Scene], methods: Sequence[str], steps: int, what: str
) -> list[tuple[Scene, list[Trajectory]]]:
    """Trajectories of methods in each scene; `what` is shown, and named if there are none."""
    if not scenes or not methods:
        raise InvalidInput(f"{what} needs one scene and one method at least.")
    return [(scene, [walk(scene, name, steps) for name in methods]) for scene in scenes]


def _move(state: State, before: Array, atom: Array) -> str:
    """Kind of the move from the point before, as in `Trajectory.moves`."""
    way, aim = state.x - before, atom - before
    across = abs(way[0] * aim[1] - way[1] * aim[0])
    if np.linalg.norm(way) < 1e-12:
        return "stay"
    if not state.direction.toward:
        return "away" if state.direction.own > 0.0 else "between"
    straight = across <= 1e-6 * np.linalg.norm(way) * np.linalg.norm(aim)
    return "toward" if straight and way @ aim > 0.0 else "combined"
