"""Objectives f(x) = phi(Ax). Adding one is a class in a file here and a line below."""

from __future__ import annotations

from frankwolfe.objectives.base import Objective
from frankwolfe.objectives.completion import Completion
from frankwolfe.objectives.function import Function
from frankwolfe.objectives.losses import Huber, Logistic, SquaredError
from frankwolfe.objectives.quadratic import Quadratic

__all__ = [
    "OBJECTIVES",
    "Completion",
    "Function",
    "Huber",
    "Logistic",
    "Objective",
    "Quadratic",
    "SquaredError",
]

OBJECTIVES: dict[str, type[Objective]] = {
    "logistic": Logistic,
    "squared_error": SquaredError,
    "huber": Huber,
    "quadratic": Quadratic,
    "function": Function,
}
