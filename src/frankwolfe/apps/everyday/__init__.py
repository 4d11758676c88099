"""Everyday problems over Frank-Wolfe methods, each with the names of its own field."""

from __future__ import annotations

from frankwolfe.apps.everyday.answer import ResultRecord as ResultRecord
from frankwolfe.apps.everyday.designs import optimal_design
from frankwolfe.apps.everyday.graph_matching import quadratic_assignment
from frankwolfe.apps.everyday.herding import herd
from frankwolfe.apps.everyday.nearest_point import project
from frankwolfe.apps.everyday.smallest_ball import enclosing_ball
from frankwolfe.apps.everyday.smallest_ellipsoid import enclosing_ellipsoid
from frankwolfe.apps.everyday.smallest_norm import min_norm

__all__ = [
    "enclosing_ball",
    "enclosing_ellipsoid",
    "herd",
    "min_norm",
    "optimal_design",
    "project",
    "quadratic_assignment",
]
