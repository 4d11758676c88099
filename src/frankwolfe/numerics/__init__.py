"""Arrays in, arrays out: what the mathematics above is computed with."""

from __future__ import annotations

from frankwolfe.numerics import polynomials
from frankwolfe.numerics.active_set import ActiveSet
from frankwolfe.numerics.affine import Affine
from frankwolfe.numerics.affine_cells import diagonal
from frankwolfe.numerics.errors import CheckpointError, InvalidInput, MissingExtra, Unproven
from frankwolfe.numerics.low_rank import FactoredMatrix

__all__ = [
    "ActiveSet",
    "Affine",
    "CheckpointError",
    "FactoredMatrix",
    "InvalidInput",
    "MissingExtra",
    "Unproven",
    "diagonal",
    "polynomials",
]
