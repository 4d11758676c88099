"""Regions. Adding one is a class in a file here and a line below."""

from __future__ import annotations

from frankwolfe.regions.balls import L1Ball, L2Ball, LInfBall, LpBall
from frankwolfe.regions.base import Need, Region
from frankwolfe.regions.box import Box
from frankwolfe.regions.simplex import Simplex, UnitSimplex
from frankwolfe.regions.spectral import NuclearBall, Spectraplex

__all__ = [
    "MATRIX_REGIONS",
    "REGIONS",
    "Box",
    "L1Ball",
    "L2Ball",
    "LInfBall",
    "LpBall",
    "Need",
    "NuclearBall",
    "Region",
    "Simplex",
    "Spectraplex",
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
}

MATRIX_REGIONS: dict[str, type[Region]] = {
    "nuclear_ball": NuclearBall,
    "spectraplex": Spectraplex,
}
