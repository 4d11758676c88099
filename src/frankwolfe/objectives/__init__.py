"""Objectives f(x) = phi(Ax). Adding one is a class in a file here and a line below."""

from __future__ import annotations

from frankwolfe.objectives.base import Objective
from frankwolfe.objectives.completion import Completion
from frankwolfe.objectives.design import DOptimal
from frankwolfe.objectives.function import Function
from frankwolfe.objectives.logs import LogPortfolio, Poisson
from frankwolfe.objectives.losses import Huber, Logistic, SquaredError, squared_distance
from frankwolfe.objectives.multinomial import Multinomial
from frankwolfe.objectives.profiled import Profiled
from frankwolfe.objectives.quadratic import Quadratic
from frankwolfe.objectives.quantile import Quantile

__all__ = [
    "DOMAIN_OBJECTIVES",
    "OBJECTIVES",
    "Completion",
    "DOptimal",
    "Function",
    "Huber",
    "LogPortfolio",
    "Logistic",
    "Multinomial",
    "Objective",
    "Poisson",
    "Profiled",
    "Quadratic",
    "Quantile",
    "SquaredError",
    "squared_distance",
]

OBJECTIVES: dict[str, type[Objective]] = {
    "logistic": Logistic,
    "squared_error": SquaredError,
    "huber": Huber,
    "quadratic": Quadratic,
    "function": Function,
    "quantile": Quantile,
    "profiled": Profiled,
    "multinomial": Multinomial,
}

DOMAIN_OBJECTIVES: dict[str, type[Objective]] = {  # not finite everywhere
    "poisson": Poisson,
    "log_portfolio": LogPortfolio,
    "d_optimal": DOptimal,
}
