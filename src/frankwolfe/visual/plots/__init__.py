"""Pictures of runs, regions and networks; every function returns matplotlib axes.

Colour-blind readers can distinguish the colours; in grey, dashes and markers distinguish the lines.
"""

from __future__ import annotations

from frankwolfe.visual.plots.network import network
from frankwolfe.visual.plots.runs import HistoryLike as HistoryLike
from frankwolfe.visual.plots.runs import RunLike, active_set_size, convergence
from frankwolfe.visual.plots.shadow import shadow
from frankwolfe.visual.plots.solutions import regularization_path, singular_values
from frankwolfe.visual.plots.style import PALETTE, new_axes
from frankwolfe.visual.plots.style import Axes as Axes
from frankwolfe.visual.plots.style import Dash as Dash
from frankwolfe.visual.plots.style import Figure as Figure

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
