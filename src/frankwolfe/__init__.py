"""Projection-free constrained optimization: Frank-Wolfe methods with true certificates."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from frankwolfe import polynomials
from frankwolfe.errors import CheckpointError, InvalidInput, MissingExtra
from frankwolfe.estimators import MatrixCompletion
from frankwolfe.factored import FactoredMatrix
from frankwolfe.history import History
from frankwolfe.hybrid import hybrid
from frankwolfe.in_face import in_face
from frankwolfe.loop import solve, states
from frankwolfe.method import FrankWolfe
from frankwolfe.minimize import minimize
from frankwolfe.objectives import (
    Completion,
    Function,
    Huber,
    Logistic,
    Objective,
    Quadratic,
    SquaredError,
)
from frankwolfe.parts.steps import (
    Backtracking,
    Constant,
    ExactLineSearch,
    LogAdaptive,
    OpenLoop,
    Secant,
    ShortStep,
)
from frankwolfe.problem import Problem
from frankwolfe.recipes import afw, frank_wolfe, jacobi, jacobi_momentum
from frankwolfe.regions import (
    Box,
    L1Ball,
    L2Ball,
    LInfBall,
    LpBall,
    NuclearBall,
    Region,
    Simplex,
    Spectraplex,
    UnitSimplex,
)
from frankwolfe.result import Result
from frankwolfe.state import State
from frankwolfe.stopping import Gap, Iterations, RelativeGap, Seconds, Stalled, Status, Target
from frankwolfe.watchers import Checkpoint, Progress

__version__ = "0.1.0"

__all__ = [
    "Backtracking",
    "Box",
    "Checkpoint",
    "CheckpointError",
    "Completion",
    "Constant",
    "ExactLineSearch",
    "FactoredMatrix",
    "FrankWolfe",
    "Function",
    "Gap",
    "History",
    "Huber",
    "InvalidInput",
    "Iterations",
    "L1Ball",
    "L2Ball",
    "LInfBall",
    "LogAdaptive",
    "Logistic",
    "LpBall",
    "MatrixCompletion",
    "MissingExtra",
    "NuclearBall",
    "Objective",
    "OpenLoop",
    "Problem",
    "Progress",
    "Quadratic",
    "Region",
    "RelativeGap",
    "Result",
    "Secant",
    "Seconds",
    "ShortStep",
    "Simplex",
    "Spectraplex",
    "SquaredError",
    "Stalled",
    "State",
    "Status",
    "Target",
    "UnitSimplex",
    "afw",
    "datasets",
    "frank_wolfe",
    "hybrid",
    "in_face",
    "jacobi",
    "jacobi_momentum",
    "minimize",
    "plots",
    "polynomials",
    "solve",
    "states",
]


def __getattr__(name: str) -> Any:
    if name in ("datasets", "plots"):  # loaded when used
        return import_module(f"frankwolfe.{name}")
    raise AttributeError(f"module 'frankwolfe' has no attribute {name!r}")
