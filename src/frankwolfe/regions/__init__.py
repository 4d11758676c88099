"""Regions. Adding one is a class in a file here and a line below."""

# ruff: noqa: I001, E402  (the order below is the one in which they are listed)
from __future__ import annotations

from frankwolfe.base.registry import by_short_name, classes, exported
from frankwolfe.core.region import Region as Region

from frankwolfe.regions.balls.l1_ball import L1Ball as L1Ball
from frankwolfe.regions.balls.l2_ball import L2Ball as L2Ball
from frankwolfe.regions.balls.linf_ball import LInfBall as LInfBall
from frankwolfe.regions.balls.lp_ball import LpBall as LpBall
from frankwolfe.regions.simplices.simplex import Simplex as Simplex
from frankwolfe.regions.simplices.simplex import UnitSimplex as UnitSimplex
from frankwolfe.regions.balls.box import Box as Box
from frankwolfe.regions.groups.group_ball import GroupBall as GroupBall
from frankwolfe.regions.simplices.ksparse import KSparse as KSparse
from frankwolfe.regions.simplices.hypersimplex import Hypersimplex as Hypersimplex
from frankwolfe.regions.simplices.hypersimplex import UnitHypersimplex as UnitHypersimplex
from frankwolfe.regions.balls.weighted_l1 import WeightedL1Ball as WeightedL1Ball
from frankwolfe.regions.balls.weighted_linf import WeightedLInfBall as WeightedLInfBall
from frankwolfe.regions.balls.owl import OWLBall as OWLBall
from frankwolfe.regions.balls.k_support import KSupportBall as KSupportBall
from frankwolfe.regions.balls.top_k import TopKBall as TopKBall
from frankwolfe.regions.balls.ellipsoid import Ellipsoid as Ellipsoid
from frankwolfe.regions.balls.tv import TVBall as TVBall
from frankwolfe.regions.groups.latent_group_ball import LatentGroupBall as LatentGroupBall
from frankwolfe.regions.balls.isotonic_ball import IsotonicBall as IsotonicBall
from frankwolfe.regions.simplices.capped_simplex import CappedSimplex as CappedSimplex
from frankwolfe.regions.simplices.permutahedron import Permutahedron as Permutahedron
from frankwolfe.regions.transport.birkhoff import Birkhoff as Birkhoff
from frankwolfe.regions.graphs.unit_flow import UnitFlow as UnitFlow
from frankwolfe.regions.graphs.min_cost_flow import MinCostFlow as MinCostFlow
from frankwolfe.regions.graphs.spanning_trees import SpanningTrees as SpanningTrees
from frankwolfe.regions.graphs.bipartite_matching import BipartiteMatching as BipartiteMatching
from frankwolfe.regions.graphs.matching import Matching as Matching
from frankwolfe.regions.graphs.cuts import Cuts as Cuts
from frankwolfe.regions.graphs.matroid import Matroid as Matroid
from frankwolfe.regions.graphs.submodular_base import SubmodularBase as SubmodularBase
from frankwolfe.regions.transport.transport import Transport as Transport
from frankwolfe.regions.programs.hull import ConvexHull as ConvexHull
from frankwolfe.regions.programs.polytope import Polytope as Polytope
from frankwolfe.regions.programs.integer_polytope import IntegerPolytope as IntegerPolytope
from frankwolfe.regions.programs.cvxpy_set import CvxpySet as CvxpySet
from frankwolfe.regions.around.product import Product as Product
from frankwolfe.regions.around.scaled import Scaled as Scaled
from frankwolfe.regions.around.shifted import Shifted as Shifted
from frankwolfe.regions.around.minkowski import MinkowskiSum as MinkowskiSum
from frankwolfe.regions.around.image import LinearImage as LinearImage
from frankwolfe.regions.around.cached import Cached as Cached
from frankwolfe.regions.around.counted import Counted as Counted
from frankwolfe.regions.around.oracle import OracleRegion as OracleRegion
from frankwolfe.regions.matrices.nuclear import NuclearBall as NuclearBall
from frankwolfe.regions.matrices.spectraplex import Spectraplex as Spectraplex
from frankwolfe.regions.matrices.unit_spectraplex import UnitSpectraplex as UnitSpectraplex
from frankwolfe.regions.matrices.weighted_nuclear import WeightedNuclearBall as WeightedNuclearBall
from frankwolfe.regions.matrices.spectral_ball import SpectralBall as SpectralBall
from frankwolfe.regions.matrices.fantope import Fantope as Fantope
from frankwolfe.regions.matrices.elliptope import Elliptope as Elliptope

REGIONS: dict[str, type[Region]] = classes(globals(), Region, lambda kind: not kind.matrix)
"""Regions of vectors, by name."""

MATRIX_REGIONS: dict[str, type[Region]] = classes(globals(), Region, lambda kind: kind.matrix)
"""Regions of matrices, by name."""

REGION_NAMES: dict[str, type[Region]] = by_short_name(REGIONS)
"""Regions that a radius makes (`Region.of_radius`), by their names in estimators and commands.

"group" is the group-lasso ball: of `groups` of features, or, without them, of single features
with all their classes. "simplex" and "unit_simplex" are coefficients >= 0 whose sum is the
radius, or at most that.
"""

globals()["__all__"] = exported(globals())

# names that applications need; in no table, and so not in `__all__`
from frankwolfe.regions.matrices.spectral import MatrixRegion as MatrixRegion
