"""Methods at work in the plane: an animation, and a page to step through.

>>> from frankwolfe.visual.animation import polygon, walk
>>> trajectory = walk(polygon(), "away steps", steps=10)
>>> trajectory.points.shape
(11, 2)
"""

from __future__ import annotations

from frankwolfe.visual.animation.animation import animate, show
from frankwolfe.visual.animation.scene import (
    SCENES,
    WALKERS,
    Scene,
    Trajectory,
    disc,
    polygon,
    walk,
)
from frankwolfe.visual.animation.view import write_view

__all__ = [
    "SCENES",
    "WALKERS",
    "Scene",
    "Trajectory",
    "animate",
    "disc",
    "polygon",
    "show",
    "walk",
    "write_view",
]
