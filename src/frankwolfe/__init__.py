"""Projection-free constrained optimization: Frank-Wolfe methods with true certificates."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from frankwolfe import polynomials
from frankwolfe.active_set import ActiveSet
from frankwolfe.corrective import fully_corrective, working_set
from frankwolfe.errors import CheckpointError, InvalidInput, MissingExtra
from frankwolfe.estimators import MatrixCompletion
from frankwolfe.factored import FactoredMatrix
from frankwolfe.history import History
from frankwolfe.hybrid import hybrid
from frankwolfe.in_face import in_face
from frankwolfe.loop import solve, states
from frankwolfe.method import FrankWolfe, Method
from frankwolfe.methods import METHODS
from frankwolfe.minimize import minimize
from frankwolfe.nearest_point import nearest_point
from frankwolfe.objectives import (
    Completion,
    DOptimal,
    Function,
    Huber,
    Logistic,
    LogPortfolio,
    Multinomial,
    Objective,
    Poisson,
    Profiled,
    Quadratic,
    Quantile,
    SquaredError,
    squared_distance,
)
from frankwolfe.parts.steps import (
    Adaptive,
    AdaptiveZerothOrder,
    Backtracking,
    Constant,
    ExactLineSearch,
    GoldenRatio,
    LogAdaptive,
    Monotone,
    NonConvexDecay,
    OpenLoop,
    Secant,
    ShortStep,
)
from frankwolfe.problem import Problem
from frankwolfe.recipes import (
    afw,
    away_step,
    blended_conditional_gradients,
    blended_pairwise,
    block_coordinate,
    boosted,
    decomposition_invariant,
    extra_fw,
    frank_wolfe,
    heavy_ball,
    jacobi,
    jacobi_momentum,
    lazy,
    lazy_away_step,
    lazy_blended_pairwise,
    lazy_frank_wolfe,
    pairwise,
    partan,
    sliding,
    sparing,
    spider_fw,
    stochastic,
    svrf,
)
from frankwolfe.regions import (
    Birkhoff,
    Box,
    ConvexHull,
    GroupBall,
    Hypersimplex,
    KSparse,
    L1Ball,
    L2Ball,
    LInfBall,
    LpBall,
    NuclearBall,
    OracleRegion,
    Product,
    Region,
    Simplex,
    Spectraplex,
    UnitHypersimplex,
    UnitSimplex,
)
from frankwolfe.relay import relay
from frankwolfe.result import Result
from frankwolfe.second_order import second_order
from frankwolfe.state import State
from frankwolfe.stopping import (
    Gap,
    Iterations,
    RelativeGap,
    Seconds,
    Settled,
    Stalled,
    Status,
    Target,
)
from frankwolfe.trace import Trace
from frankwolfe.watchers import Checkpoint, Progress, watching

__version__ = "0.1.0"

__all__ = [
    "METHODS",
    "ActiveSet",
    "Adaptive",
    "AdaptiveZerothOrder",
    "Backtracking",
    "Birkhoff",
    "Box",
    "Checkpoint",
    "CheckpointError",
    "Completion",
    "Constant",
    "ConvexHull",
    "DOptimal",
    "ExactLineSearch",
    "FactoredMatrix",
    "FrankWolfe",
    "Function",
    "Gap",
    "GoldenRatio",
    "GroupBall",
    "History",
    "Huber",
    "Hypersimplex",
    "InvalidInput",
    "Iterations",
    "KSparse",
    "L1Ball",
    "L2Ball",
    "LInfBall",
    "LogAdaptive",
    "LogPortfolio",
    "Logistic",
    "LpBall",
    "MatrixCompletion",
    "Method",
    "MissingExtra",
    "Monotone",
    "Multinomial",
    "NonConvexDecay",
    "NuclearBall",
    "Objective",
    "OpenLoop",
    "OracleRegion",
    "Poisson",
    "Problem",
    "Product",
    "Profiled",
    "Progress",
    "Quadratic",
    "Quantile",
    "Region",
    "RelativeGap",
    "Result",
    "Secant",
    "Seconds",
    "Settled",
    "ShortStep",
    "Simplex",
    "Spectraplex",
    "SquaredError",
    "Stalled",
    "State",
    "Status",
    "Target",
    "Trace",
    "UnitHypersimplex",
    "UnitSimplex",
    "adapters",
    "afw",
    "away_step",
    "blended_conditional_gradients",
    "blended_pairwise",
    "block_coordinate",
    "boosted",
    "datasets",
    "decomposition_invariant",
    "extra_fw",
    "frank_wolfe",
    "fully_corrective",
    "geometry",
    "heavy_ball",
    "hybrid",
    "in_face",
    "jacobi",
    "jacobi_momentum",
    "lazy",
    "lazy_away_step",
    "lazy_blended_pairwise",
    "lazy_frank_wolfe",
    "minimize",
    "nearest_point",
    "pairwise",
    "partan",
    "plots",
    "polynomials",
    "relay",
    "report",
    "second_order",
    "sliding",
    "solve",
    "sparing",
    "spider_fw",
    "squared_distance",
    "states",
    "stochastic",
    "svrf",
    "watching",
    "working_set",
]


LOADED_WHEN_USED = ("adapters", "datasets", "geometry", "plots", "readers", "report", "sklearn")


def __getattr__(name: str) -> Any:
    if name in LOADED_WHEN_USED:
        return import_module(f"frankwolfe.{name}")
    raise AttributeError(f"module 'frankwolfe' has no attribute {name!r}")
