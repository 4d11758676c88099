"""Methods at work in the plane: an animation, and a page to step through.

>>> from frankwolfe.visual.animation import polygon, walk
>>> course = walk(polygon(), "away steps", steps=10)
>>> course.points.shape
(11, 2)
"""

from __future__ import annotations

from frankwolfe.visual.animation.animation import animate
from frankwolfe.visual.animation.scene import SCENES, Scene, disc, polygon
from frankwolfe.visual.animation.show import show
from frankwolfe.visual.animation.view import write_view
from frankwolfe.visual.animation.walk import WALKERS, Trajectory, walk

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
