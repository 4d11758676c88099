"""Methods at work in the plane: an animation, and a page to step through.

>>> from frankwolfe.geometry import polygon, walk
>>> course = walk(polygon(), "away steps", steps=10)
>>> course.points.shape
(11, 2)
"""

from __future__ import annotations

from frankwolfe.geometry.animation import animate
from frankwolfe.geometry.scene import SCENES, Scene, disc, polygon
from frankwolfe.geometry.show import show
from frankwolfe.geometry.view import write_view
from frankwolfe.geometry.walk import WALKERS, Walk, walk

__all__ = [
    "SCENES",
    "WALKERS",
    "Scene",
    "Walk",
    "animate",
    "disc",
    "polygon",
    "show",
    "walk",
    "write_view",
]
