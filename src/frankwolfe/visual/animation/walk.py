"""Trajectories of methods in a scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.state import State
from frankwolfe.methods import METHODS, away_step, blended_pairwise, frank_wolfe, jacobi
from frankwolfe.methods.base import Method
from frankwolfe.methods.parts.steps import ExactLineSearch
from frankwolfe.solver.loop import states
from frankwolfe.visual.animation.scene import Scene

__all__ = ["WALKERS", "Trajectory", "walk"]

Floats: TypeAlias = NDArray[np.float64]

WALKERS: dict[str, Callable[[], Method]] = {
    "FW, line search": lambda: frank_wolfe(ExactLineSearch()),
    "JFW": jacobi,
    "away steps": away_step,
    "blended pairwise": blended_pairwise,
}
"""Methods shown by default, by the name shown."""


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
