"""The words that every room speaks: regions, objectives, atoms, points, problems and states."""

from __future__ import annotations

from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.atoms import Atom as Atom
from frankwolfe.core.atoms import Dense as Dense
from frankwolfe.core.atoms import RankOne as RankOne
from frankwolfe.core.atoms import Sparse as Sparse
from frankwolfe.core.atoms import stored_entries as stored_entries
from frankwolfe.core.entries import CellMatrix as CellMatrix
from frankwolfe.core.entries import cells_at as cells_at
from frankwolfe.core.factor_curvature import CellCurvature as CellCurvature
from frankwolfe.core.feasibility import clip_rounding as clip_rounding
from frankwolfe.core.feasibility import spacing as spacing
from frankwolfe.core.gradients import MatrixGradient as MatrixGradient
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.low_rank import pack_point as pack_point
from frankwolfe.core.low_rank import unpack_point as unpack_point
from frankwolfe.core.maps import DataMap as DataMap
from frankwolfe.core.maps import as_map as as_map
from frankwolfe.core.objective import Covector as Covector
from frankwolfe.core.objective import Objective
from frankwolfe.core.objective_abilities import Diameter as Diameter
from frankwolfe.core.objective_abilities import Itself as Itself
from frankwolfe.core.objective_abilities import ProductRounding as ProductRounding
from frankwolfe.core.objective_abilities import SecondOrder as SecondOrder
from frankwolfe.core.operators import rows_of as rows_of
from frankwolfe.core.problem import Problem
from frankwolfe.core.products import WeightedSupport as WeightedSupport
from frankwolfe.core.products import as_columns as as_columns
from frankwolfe.core.products import product_noise as product_noise
from frankwolfe.core.proof import Proof, prove
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Accuracy as Accuracy
from frankwolfe.core.rounding import rounding_at as rounding_at
from frankwolfe.core.standard_form.form import StandardForm as StandardForm
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
