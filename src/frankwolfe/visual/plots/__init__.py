"""Pictures of runs, regions and networks; every function returns matplotlib axes.

Colour-blind readers can distinguish the colours; in grey, dashes and markers distinguish the lines.
"""

from __future__ import annotations

from frankwolfe.visual.plots.active import active_set_size
from frankwolfe.visual.plots.convergence import RunLike, convergence
from frankwolfe.visual.plots.network import network
from frankwolfe.visual.plots.path import regularization_path
from frankwolfe.visual.plots.shadow import shadow
from frankwolfe.visual.plots.spectrum import singular_values
from frankwolfe.visual.plots.style import PALETTE, new_axes

__all__ = [
    "PALETTE",
    "RunLike",
    "active_set_size",
    "convergence",
    "network",
    "new_axes",
    "regularization_path",
    "shadow",
    "singular_values",
]
