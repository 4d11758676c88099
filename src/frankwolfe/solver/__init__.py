"""The one loop around a method: its start, stopping rules, callbacks and results."""

from __future__ import annotations

from frankwolfe.solver.callbacks import Callback, Checkpoint, Progress, Trace, callback_context
from frankwolfe.solver.callbacks import Callbacks as Callbacks
from frankwolfe.solver.checkpoint import UNCONSTRAINED_RUN as UNCONSTRAINED_RUN
from frankwolfe.solver.checkpoint import Saved as Saved
from frankwolfe.solver.checkpoint import read_checkpoint as read_checkpoint
from frankwolfe.solver.checkpoint import restored as restored
from frankwolfe.solver.entry import DEFAULT_MAX_ITER as DEFAULT_MAX_ITER
from frankwolfe.solver.entry import minimize
from frankwolfe.solver.figures import Figures as Figures
from frankwolfe.solver.figures import figures_under_constraints as figures_under_constraints
from frankwolfe.solver.loop import solve, states
from frankwolfe.solver.loop import solve_part as solve_part
from frankwolfe.solver.loop import uninterrupted as uninterrupted
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.run import History
from frankwolfe.solver.run import Run as Run
from frankwolfe.solver.run import RunPart as RunPart
from frankwolfe.solver.stopping import (
    Gap,
    Iterations,
    RelativeGap,
    Seconds,
    Settled,
    Stalled,
    Target,
)
from frankwolfe.solver.stopping import Spent as Spent
from frankwolfe.solver.stopping import Stop as Stop
from frankwolfe.solver.stopping import StoppingRule as StoppingRule
from frankwolfe.solver.stopping import Within as Within

__all__ = [
    "Callback",
    "Checkpoint",
    "Gap",
    "History",
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
    "minimize",
    "solve",
    "states",
]
