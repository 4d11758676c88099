"""Objectives f(x) = phi(Ax). To add one, put its class into a file here, and a line below."""

# ruff: noqa: I001, E402  (the order below is the one in which they are listed)
from __future__ import annotations

from frankwolfe.base.registry import by_short_name, classes, exported
from frankwolfe.core.objective import Objective as Objective

from frankwolfe.objectives.losses import Logistic as Logistic
from frankwolfe.objectives.losses import SquaredError as SquaredError
from frankwolfe.objectives.losses import Huber as Huber
from frankwolfe.objectives.losses import squared_distance as squared_distance
from frankwolfe.objectives.quadratic import Quadratic as Quadratic
from frankwolfe.objectives.gromov import GromovWasserstein as GromovWasserstein
from frankwolfe.objectives.regularized_transport import (
    regularized_transport as regularized_transport,
)
from frankwolfe.objectives.function import Function as Function
from frankwolfe.objectives.quantile import Quantile as Quantile
from frankwolfe.objectives.profiled import Profiled as Profiled
from frankwolfe.objectives.multinomial import Multinomial as Multinomial
from frankwolfe.objectives.logs import Poisson as Poisson
from frankwolfe.objectives.logs import LogPortfolio as LogPortfolio
from frankwolfe.objectives.design import DOptimal as DOptimal
from frankwolfe.objectives.completion import Completion as Completion
from frankwolfe.objectives.trace_product import TraceProduct as TraceProduct

OBJECTIVES: dict[str, type[Objective]] = classes(
    globals(), Objective, lambda kind: kind.everywhere and not kind.matrix
)
"""Objectives of a vector that are finite everywhere, by name."""

DOMAIN_OBJECTIVES: dict[str, type[Objective]] = classes(
    globals(), Objective, lambda kind: not kind.everywhere
)
"""Objectives that are not finite everywhere, by name."""

MATRIX_OBJECTIVES: dict[str, type[Objective]] = classes(
    globals(), Objective, lambda kind: kind.matrix
)
"""Objectives of a matrix, by name."""

LOSSES: dict[str, type[Objective]] = by_short_name(OBJECTIVES)
"""Losses of a linear prediction, by what estimators and commands call them."""

globals()["__all__"] = exported(globals())

# names that applications need; in no table, and so not in `__all__`
from frankwolfe.objectives.over_cells import OverCells as OverCells
from frankwolfe.objectives.quadratic_form import QuadraticForm as QuadraticForm
