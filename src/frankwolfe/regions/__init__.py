"""Regions. Adding one is a class in a file here and a line below."""

from __future__ import annotations

from frankwolfe.regions.base import Region
from frankwolfe.regions.birkhoff import Birkhoff
from frankwolfe.regions.box import Box
from frankwolfe.regions.groups import GroupBall
from frankwolfe.regions.hull import ConvexHull
from frankwolfe.regions.hypersimplex import Hypersimplex, UnitHypersimplex
from frankwolfe.regions.ksparse import KSparse
from frankwolfe.regions.l1_ball import L1Ball
from frankwolfe.regions.l2_ball import L2Ball
from frankwolfe.regions.linf_ball import LInfBall
from frankwolfe.regions.lp_ball import LpBall
from frankwolfe.regions.nuclear import NuclearBall
from frankwolfe.regions.oracle import OracleRegion
from frankwolfe.regions.product import Product
from frankwolfe.regions.simplex import Simplex, UnitSimplex
from frankwolfe.regions.spectraplex import Spectraplex

__all__ = [
    "MATRIX_REGIONS",
    "REGIONS",
    "Birkhoff",
    "Box",
    "ConvexHull",
    "GroupBall",
    "Hypersimplex",
    "KSparse",
    "L1Ball",
    "L2Ball",
    "LInfBall",
    "LpBall",
    "NuclearBall",
    "OracleRegion",
    "Product",
    "Region",
    "Simplex",
    "Spectraplex",
    "UnitHypersimplex",
    "UnitSimplex",
]

REGIONS: dict[str, type[Region]] = {
    "l1_ball": L1Ball,
    "l2_ball": L2Ball,
    "linf_ball": LInfBall,
    "lp_ball": LpBall,
    "simplex": Simplex,
    "unit_simplex": UnitSimplex,
    "box": Box,
    "group_ball": GroupBall,
    "k_sparse": KSparse,
    "hypersimplex": Hypersimplex,
    "unit_hypersimplex": UnitHypersimplex,
    "birkhoff": Birkhoff,
    "convex_hull": ConvexHull,
    "product": Product,
    "oracle_region": OracleRegion,
}

MATRIX_REGIONS: dict[str, type[Region]] = {
    "nuclear_ball": NuclearBall,
    "spectraplex": Spectraplex,
}
