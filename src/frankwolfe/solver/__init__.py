"""The one loop around a method, and what it starts and returns."""

from __future__ import annotations

from frankwolfe.solver.callbacks import Callback, Checkpoint, Progress, callback_context
from frankwolfe.solver.constraints.cgal import cgal
from frankwolfe.solver.constraints.constrained import ConstrainedResult
from frankwolfe.solver.constraints.intersection import Intersection
from frankwolfe.solver.everyday.enclosing_ball import enclosing_ball
from frankwolfe.solver.everyday.enclosing_ellipsoid import enclosing_ellipsoid
from frankwolfe.solver.everyday.herd import herd
from frankwolfe.solver.everyday.min_norm import min_norm
from frankwolfe.solver.everyday.optimal_design import optimal_design
from frankwolfe.solver.everyday.project import project
from frankwolfe.solver.everyday.quadratic_assignment import quadratic_assignment
from frankwolfe.solver.loop import solve, states
from frankwolfe.solver.minimize import minimize
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.run import History
from frankwolfe.solver.stopping import (
    Gap,
    Iterations,
    RelativeGap,
    Seconds,
    Settled,
    Stalled,
    Target,
)
from frankwolfe.solver.trace import Trace

__all__ = [
    "Callback",
    "Checkpoint",
    "ConstrainedResult",
    "Gap",
    "History",
    "Intersection",
    "Iterations",
    "Progress",
    "RelativeGap",
    "Result",
    "Seconds",
    "Settled",
    "Stalled",
    "Status",
    "Target",
    "Trace",
    "callback_context",
    "cgal",
    "enclosing_ball",
    "enclosing_ellipsoid",
    "herd",
    "min_norm",
    "minimize",
    "optimal_design",
    "project",
    "quadratic_assignment",
    "solve",
    "states",
]
