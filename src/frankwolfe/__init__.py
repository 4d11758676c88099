"""Projection-free constrained optimization: Frank-Wolfe methods with true certificates."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from frankwolfe import interrupts as interrupts  # first: loading the rest takes a while

# isort: split
from frankwolfe import base, core, methods, objectives, regions, solver
from frankwolfe import engines as engines
from frankwolfe.apps import constraints, everyday
from frankwolfe.apps.constraints import *
from frankwolfe.apps.everyday import *
from frankwolfe.base import *
from frankwolfe.core import *
from frankwolfe.methods import *
from frankwolfe.methods import polynomials as polynomials
from frankwolfe.objectives import *
from frankwolfe.regions import *
from frankwolfe.solver import *

__version__ = "0.1.0"

LOADED_WHEN_USED = {
    "adapters": "frankwolfe.objectives.adapters",
    "datasets": "frankwolfe.datasets",
    "geometry": "frankwolfe.visual.animation",
    "plots": "frankwolfe.visual.plots",
    "readers": "frankwolfe.datasets.readers",
    "report": "frankwolfe.visual.report",
    "sklearn": "frankwolfe.sklearn",
    "traffic": "frankwolfe.apps.traffic",
}

ROOMS = (base, core, objectives, regions, methods, solver, constraints, everyday)
globals()["__all__"] = [
    "polynomials",
    *sorted({*LOADED_WHEN_USED} - {"sklearn"}),  # which is not always installed
    *(name for room in ROOMS for name in vars(room)["__all__"]),
]


def __getattr__(name: str) -> Any:
    if name in LOADED_WHEN_USED:
        return import_module(LOADED_WHEN_USED[name])
    if name == "Beckmann":  # the objective of its room
        return import_module("frankwolfe.apps.traffic").Beckmann
    raise AttributeError(f"module 'frankwolfe' has no attribute {name!r}")
