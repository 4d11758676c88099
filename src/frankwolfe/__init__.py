"""Projection-free constrained optimization: Frank-Wolfe methods with true certificates.

``fw.minimize(objective, region)`` is the way in. What is used most has its name here; the rest is
in namespaces, which are loaded when they are first used:

- `objectives`, `adapters`: functions f(x) = φ(Ax), and those of PyTorch and JAX
- `regions`: convex sets with a linear minimization oracle
- `methods`, `steps`, `polynomials`: methods, step rules, Jacobi polynomials
- `stopping`, `callbacks`: when a run ends, and what looks on
- `core`, `solver`: problems, states and atoms; the loop and its history
- `constraints`, `everyday`, `traffic`: linear constraints, projections and designs, road traffic
- `datasets`, `readers`: data sets and files
- `plots`, `report`, `geometry`: pictures, pages, animations
- `sklearn`: estimators for scikit-learn
- `errors`: exceptions
"""

from __future__ import annotations

from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for type checkers and editors; a test compares it with the tables below
    from frankwolfe import core as core
    from frankwolfe import datasets as datasets
    from frankwolfe import methods as methods
    from frankwolfe import objectives as objectives
    from frankwolfe import regions as regions
    from frankwolfe import sklearn as sklearn
    from frankwolfe import solver as solver
    from frankwolfe.apps import constraints as constraints
    from frankwolfe.apps import everyday as everyday
    from frankwolfe.apps import traffic as traffic
    from frankwolfe.apps.constraints import Affine as Affine
    from frankwolfe.apps.constraints import ConstrainedResult as ConstrainedResult
    from frankwolfe.apps.constraints import Intersection as Intersection
    from frankwolfe.apps.constraints import diagonal as diagonal
    from frankwolfe.apps.everyday import enclosing_ball as enclosing_ball
    from frankwolfe.apps.everyday import enclosing_ellipsoid as enclosing_ellipsoid
    from frankwolfe.apps.everyday import herd as herd
    from frankwolfe.apps.everyday import min_norm as min_norm
    from frankwolfe.apps.everyday import optimal_design as optimal_design
    from frankwolfe.apps.everyday import project as project
    from frankwolfe.apps.everyday import quadratic_assignment as quadratic_assignment
    from frankwolfe.base import errors as errors
    from frankwolfe.base.errors import InvalidInput as InvalidInput
    from frankwolfe.core import FactoredMatrix as FactoredMatrix
    from frankwolfe.core import Objective as Objective
    from frankwolfe.core import Problem as Problem
    from frankwolfe.core import Region as Region
    from frankwolfe.core import prove as prove
    from frankwolfe.datasets import readers as readers
    from frankwolfe.methods import FrankWolfe as FrankWolfe
    from frankwolfe.methods import afw as afw
    from frankwolfe.methods import blended_pairwise as blended_pairwise
    from frankwolfe.methods import frank_wolfe as frank_wolfe
    from frankwolfe.methods import jacobi as jacobi
    from frankwolfe.methods import pairwise as pairwise
    from frankwolfe.methods import polynomials as polynomials
    from frankwolfe.methods import steps as steps
    from frankwolfe.objectives import Completion as Completion
    from frankwolfe.objectives import DOptimal as DOptimal
    from frankwolfe.objectives import Function as Function
    from frankwolfe.objectives import Huber as Huber
    from frankwolfe.objectives import Logistic as Logistic
    from frankwolfe.objectives import LogPortfolio as LogPortfolio
    from frankwolfe.objectives import Multinomial as Multinomial
    from frankwolfe.objectives import Poisson as Poisson
    from frankwolfe.objectives import Profiled as Profiled
    from frankwolfe.objectives import Quadratic as Quadratic
    from frankwolfe.objectives import Quantile as Quantile
    from frankwolfe.objectives import SquaredError as SquaredError
    from frankwolfe.objectives import adapters as adapters
    from frankwolfe.objectives import squared_distance as squared_distance
    from frankwolfe.regions import Birkhoff as Birkhoff
    from frankwolfe.regions import Box as Box
    from frankwolfe.regions import CappedSimplex as CappedSimplex
    from frankwolfe.regions import ConvexHull as ConvexHull
    from frankwolfe.regions import Ellipsoid as Ellipsoid
    from frankwolfe.regions import GroupBall as GroupBall
    from frankwolfe.regions import Hypersimplex as Hypersimplex
    from frankwolfe.regions import KSparse as KSparse
    from frankwolfe.regions import KSupportBall as KSupportBall
    from frankwolfe.regions import L1Ball as L1Ball
    from frankwolfe.regions import L2Ball as L2Ball
    from frankwolfe.regions import LInfBall as LInfBall
    from frankwolfe.regions import LpBall as LpBall
    from frankwolfe.regions import MinkowskiSum as MinkowskiSum
    from frankwolfe.regions import NuclearBall as NuclearBall
    from frankwolfe.regions import OWLBall as OWLBall
    from frankwolfe.regions import Permutahedron as Permutahedron
    from frankwolfe.regions import Polytope as Polytope
    from frankwolfe.regions import Product as Product
    from frankwolfe.regions import Simplex as Simplex
    from frankwolfe.regions import Spectraplex as Spectraplex
    from frankwolfe.regions import Transport as Transport
    from frankwolfe.regions import UnitSimplex as UnitSimplex
    from frankwolfe.solver import Checkpoint as Checkpoint
    from frankwolfe.solver import Gap as Gap
    from frankwolfe.solver import Iterations as Iterations
    from frankwolfe.solver import Progress as Progress
    from frankwolfe.solver import RelativeGap as RelativeGap
    from frankwolfe.solver import Result as Result
    from frankwolfe.solver import Seconds as Seconds
    from frankwolfe.solver import Status as Status
    from frankwolfe.solver import callbacks as callbacks
    from frankwolfe.solver import solve as solve
    from frankwolfe.solver import states as states
    from frankwolfe.solver import stopping as stopping
    from frankwolfe.solver.entry import minimize as minimize
    from frankwolfe.visual import animation as geometry
    from frankwolfe.visual import plots as plots
    from frankwolfe.visual import report as report

__version__ = "0.1.0"

NAMESPACES = {
    "adapters": "frankwolfe.objectives.adapters",
    "callbacks": "frankwolfe.solver.callbacks",
    "constraints": "frankwolfe.apps.constraints",
    "core": "frankwolfe.core",
    "datasets": "frankwolfe.datasets",
    "errors": "frankwolfe.base.errors",
    "everyday": "frankwolfe.apps.everyday",
    "geometry": "frankwolfe.visual.animation",
    "methods": "frankwolfe.methods",
    "objectives": "frankwolfe.objectives",
    "plots": "frankwolfe.visual.plots",
    "polynomials": "frankwolfe.methods.polynomials",
    "readers": "frankwolfe.datasets.readers",
    "regions": "frankwolfe.regions",
    "report": "frankwolfe.visual.report",
    "sklearn": "frankwolfe.sklearn",
    "solver": "frankwolfe.solver",
    "steps": "frankwolfe.methods.steps",
    "stopping": "frankwolfe.solver.stopping",
    "traffic": "frankwolfe.apps.traffic",
}
"""Modules that are attributes of this package."""

_HOMES = {
    "frankwolfe.apps.constraints": "Affine ConstrainedResult Intersection diagonal",
    "frankwolfe.apps.everyday": (
        "enclosing_ball enclosing_ellipsoid herd min_norm optimal_design project "
        "quadratic_assignment"
    ),
    "frankwolfe.base.errors": "InvalidInput",
    "frankwolfe.core": "FactoredMatrix Objective Problem Region prove",
    "frankwolfe.methods": "FrankWolfe afw blended_pairwise frank_wolfe jacobi pairwise",
    "frankwolfe.objectives": (
        "Completion DOptimal Function Huber LogPortfolio Logistic Multinomial Poisson Profiled "
        "Quadratic Quantile SquaredError squared_distance"
    ),
    "frankwolfe.regions": (
        "Birkhoff Box CappedSimplex ConvexHull Ellipsoid GroupBall Hypersimplex KSparse "
        "KSupportBall L1Ball L2Ball LInfBall LpBall MinkowskiSum NuclearBall OWLBall "
        "Permutahedron Polytope Product Simplex Spectraplex Transport UnitSimplex"
    ),
    "frankwolfe.solver": (
        "Checkpoint Gap Iterations Progress RelativeGap Result Seconds Status minimize solve states"
    ),
}
"""Names at the top, by the room that each comes from."""

_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

# sklearn is left out: star imports must not need an extra
globals()["__all__"] = sorted({*NAMESPACES, *_HOME} - {"sklearn"})

# rooms import each other: two threads that load them at once would see halves of modules
_LOADING = RLock()

if not TYPE_CHECKING:

    def __getattr__(name):
        """Load what is first asked for: importing the package itself loads nothing."""
        if name not in NAMESPACES and name not in _HOME:
            raise AttributeError(f"module 'frankwolfe' has no attribute {name!r}")
        with _LOADING:
            if name in NAMESPACES:
                value = import_module(NAMESPACES[name])
            else:
                value = getattr(import_module(_HOME[name]), name)
            globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *NAMESPACES, *_HOME})
