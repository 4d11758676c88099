"""Everyday problems over Frank-Wolfe methods, each with the names of its own field."""

from __future__ import annotations

from frankwolfe.apps.everyday.enclosing_ball import enclosing_ball
from frankwolfe.apps.everyday.enclosing_ellipsoid import enclosing_ellipsoid
from frankwolfe.apps.everyday.herd import herd
from frankwolfe.apps.everyday.min_norm import min_norm
from frankwolfe.apps.everyday.optimal_design import optimal_design
from frankwolfe.apps.everyday.project import project
from frankwolfe.apps.everyday.quadratic_assignment import quadratic_assignment

__all__ = [
    "enclosing_ball",
    "enclosing_ellipsoid",
    "herd",
    "min_norm",
    "optimal_design",
    "project",
    "quadratic_assignment",
]
