"""The words that every room speaks: regions, objectives, atoms, points, problems and states."""

from __future__ import annotations

from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.objective import Objective
from frankwolfe.core.problem import Problem
from frankwolfe.core.proof import Proof, prove
from frankwolfe.core.region import Region
from frankwolfe.core.state import State
from frankwolfe.core.structure import checked_structure as checked_structure

__all__ = [
    "ActiveSet",
    "FactoredMatrix",
    "Objective",
    "Problem",
    "Proof",
    "Region",
    "State",
    "prove",
]
