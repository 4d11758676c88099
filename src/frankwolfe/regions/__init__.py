"""Regions. Adding one is a class in a file here and a line below."""

# ruff: noqa: I001  (the order below is the one in which they are listed)
from __future__ import annotations

from frankwolfe.numerics.rooms import by_short_name, classes, exported
from frankwolfe.regions.base import Region as Region

from frankwolfe.regions.l1_ball import L1Ball as L1Ball
from frankwolfe.regions.l2_ball import L2Ball as L2Ball
from frankwolfe.regions.linf_ball import LInfBall as LInfBall
from frankwolfe.regions.lp_ball import LpBall as LpBall
from frankwolfe.regions.simplex import Simplex as Simplex
from frankwolfe.regions.simplex import UnitSimplex as UnitSimplex
from frankwolfe.regions.box import Box as Box
from frankwolfe.regions.groups import GroupBall as GroupBall
from frankwolfe.regions.ksparse import KSparse as KSparse
from frankwolfe.regions.hypersimplex import Hypersimplex as Hypersimplex
from frankwolfe.regions.hypersimplex import UnitHypersimplex as UnitHypersimplex
from frankwolfe.regions.birkhoff import Birkhoff as Birkhoff
from frankwolfe.regions.hull import ConvexHull as ConvexHull
from frankwolfe.regions.programs.polytope import Polytope as Polytope
from frankwolfe.regions.programs.integer_polytope import IntegerPolytope as IntegerPolytope
from frankwolfe.regions.programs.cvxpy_set import CvxpySet as CvxpySet
from frankwolfe.regions.product import Product as Product
from frankwolfe.regions.oracle import OracleRegion as OracleRegion
from frankwolfe.regions.nuclear import NuclearBall as NuclearBall
from frankwolfe.regions.spectraplex import Spectraplex as Spectraplex

REGIONS: dict[str, type[Region]] = classes(globals(), Region, lambda kind: not kind.matrix)
"""Regions of vectors, by name."""

MATRIX_REGIONS: dict[str, type[Region]] = classes(globals(), Region, lambda kind: kind.matrix)
"""Regions of matrices, by name."""

REGION_NAMES: dict[str, type[Region]] = by_short_name(REGIONS)
"""Those that a radius makes (`Region.of_radius`), by what estimators and commands call them.

"group" is the group-lasso ball: of `groups` of features, or, without them, of single features
with all their classes. "simplex" and "unit_simplex" are coefficients >= 0 whose sum is the
radius, or at most that.
"""

globals()["__all__"] = exported(globals())
