"""Linear constraints beside a region, by the method of multipliers, with proved bounds."""

from __future__ import annotations

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.affine_cells import diagonal
from frankwolfe.apps.constraints.intersection import Intersection
from frankwolfe.apps.constraints.intersection import in_all as in_all
from frankwolfe.apps.constraints.intersection import sized as sized
from frankwolfe.apps.constraints.result import ConstrainedResult
from frankwolfe.apps.constraints.result import constrained as constrained
from frankwolfe.apps.constraints.result import unconstrained as unconstrained
from frankwolfe.apps.constraints.rounds import Options as Options

__all__ = ["Affine", "ConstrainedResult", "Intersection", "diagonal"]
