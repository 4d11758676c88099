"""The one loop around a method: its start, stopping rules, callbacks and results."""

from __future__ import annotations

from frankwolfe.solver.callbacks import Callback, Checkpoint, Progress, Trace, callback_context
from frankwolfe.solver.entry import minimize
from frankwolfe.solver.loop import solve, states
from frankwolfe.solver.loop import uninterrupted as uninterrupted
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
from frankwolfe.solver.stopping import StoppingRule as StoppingRule

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
