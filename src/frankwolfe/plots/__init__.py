"""Pictures of runs; every function returns matplotlib axes.

Colours are told apart by colour-blind readers, and lines by dashes and markers in grey.
"""

from __future__ import annotations

from frankwolfe.plots.active import active_set_size
from frankwolfe.plots.convergence import Course, convergence
from frankwolfe.plots.path import regularization_path
from frankwolfe.plots.spectrum import singular_values
from frankwolfe.plots.style import PALETTE, new_axes

__all__ = [
    "PALETTE",
    "Course",
    "active_set_size",
    "convergence",
    "new_axes",
    "regularization_path",
    "singular_values",
]
