"""Checks of the gradients that callers pass to oracles; calls by methods skip them."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import finite_vector
from frankwolfe.core.atoms import Atom
from frankwolfe.core.gradients import matrix_gradient
from frankwolfe.core.region_abilities import Gradient

if TYPE_CHECKING:
    from frankwolfe.core.region import Region

__all__ = ["check_oracle"]


def check_oracle(kind: type[Region]) -> None:
    """Make `lmo` of a class check its argument, and set `ask` to the unchecked oracle.

    A loop looks at its own numbers: its gradient is a float array of the right size, and one that
    is not finite ends the run. So only calls from outside pay for the check.
    """
    own: Any = kind.lmo
    if getattr(own, "__isabstractmethod__", False):
        return
    plain = getattr(own, "unchecked", own)

    @wraps(plain)
    def lmo(self: Region, g: Gradient, out: Array | None = None) -> Atom:
        # an oracle may ask that of the class above, with a gradient that has been checked
        checked = type(self).lmo is not lmo and (self.matrix or _is_float_vector(g))
        found: Atom = plain(self, g if checked else _gradient(self, g), out)
        return found

    lmo.unchecked = plain  # type: ignore[attr-defined]
    kind.lmo, kind.ask = lmo, plain  # type: ignore[method-assign]


def _is_float_vector(g: Gradient) -> bool:
    """True for a NumPy array of floats, the only thing that oracles need not convert."""
    return type(g) is np.ndarray and g.dtype.kind == "f"


def _gradient(region: Region, g: Gradient) -> Gradient:
    """Validate g as a finite vector or matrix of a shape that the region can have."""
    if region.matrix:
        matrix = matrix_gradient(g)
        region.check_dimension(matrix.shape)
        return matrix
    vector = finite_vector("g", g, region.dimension)
    region.check_dimension(vector.size)
    return vector
