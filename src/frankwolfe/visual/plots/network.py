"""Plot of a network of roads: flow as width, congestion as colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import AnyArray
from frankwolfe.visual.plots.style import Axes, new_axes
from frankwolfe.visual.roads import COLORS, NetworkLike, RoadMap, level_names, levels, roads_of

__all__ = ["network"]

WIDEST = 7.0  # points, of the link with most flow
THINNEST = 0.5  # points: a link without flow is still seen
MAX_NODE_LABELS = 60  # nodes; names of more would cover the links


def network(
    network: NetworkLike,
    flows: ArrayLike | None = None,
    *,
    congestion: ArrayLike | None = None,
    ax: Axes = None,
) -> Axes:
    """Plot the links of a network: wider with more flow, darker with more congestion.

    The two directions of a road lie side by side, traffic on the right. A network without
    coordinates is laid out by the lengths of its links.

    Parameters
    ----------
    network : traffic.Network
        Or anything with its ``tails``, ``heads``, ``nodes``, ``length`` and ``coordinates``.
    flows : array of m numbers, optional
        Flow of each link; without it all links are alike.
    congestion : array of m numbers, optional
        What the colour shows: how many times as long as an empty link each takes; by default what
        ``network.congestion(flows)`` says.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import frankwolfe as fw
    >>> network, trips = fw.traffic.braess()
    >>> result = fw.traffic.equilibrium(network, trips)
    >>> ax = fw.plots.network(network, result.flows)
    >>> ax.get_legend().get_title().get_text()
    'time over free-flow time'
    """
    roads = roads_of(network, flows, congestion)
    ax = new_axes(size=_size(roads))[1][0] if ax is None else ax
    _draw_links(ax, roads, flows is not None)
    if len(roads.places) <= MAX_NODE_LABELS:
        _draw_nodes(ax, roads, network.nodes)
    ax.set_aspect("equal", adjustable="datalim")  # the box stays, as layouts expect
    ax.margins(0.04)
    ax.autoscale_view()
    ax.axis("off")
    return ax


def _size(roads: RoadMap) -> tuple[float, float]:
    """Size of a new figure in inches, in the proportions of the network."""
    wide, high = np.maximum(np.ptp(roads.places, axis=0), 1e-300)
    ratio = float(np.clip(high / wide, 0.4, 1.4))
    return (7.0, 7.0 * ratio) if ratio <= 1.0 else (7.0 / ratio, 7.0)


def _draw_links(ax: Axes, roads: RoadMap, used: bool) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.transforms import Affine2D

    links = roads.seen()
    ends = np.stack([roads.places[roads.tails[links]], roads.places[roads.heads[links]]], axis=1)
    widths = roads.widths(links, THINNEST, WIDEST) if used else np.full(len(links), 1.0)
    shades = levels(roads.congestion[links])
    aside = roads.shifts(links, widths + 0.4)[:, None] * roads.normals(links)
    points = Affine2D().scale(1.0 / 72.0) + ax.get_figure().dpi_scale_trans
    lines = LineCollection(
        list(ends),
        linewidths=widths,
        colors=[COLORS[k] for k in shades.tolist()],
        capstyle="round",
        offsets=aside,
        offset_transform=points,
    )
    lines.set_in_layout(False)  # the layout knows the nodes, and nothing of shifts in points
    ax.add_collection(lines, autolim=False)
    ax.update_datalim(roads.places[np.unique(np.concatenate([roads.tails, roads.heads]))])
    if used:
        _draw_legend(ax, np.unique(shades).tolist())


def _draw_legend(ax: Axes, shown: list[int]) -> None:
    from matplotlib.lines import Line2D

    names = level_names()
    handles = [Line2D([], [], color=COLORS[k], linewidth=4, label=names[k]) for k in shown]
    ax.legend(
        handles=handles,
        title="time over free-flow time",
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=5 if ax.get_position().width * ax.get_figure().get_figwidth() > 4.5 else 3,
        frameon=False,
        fontsize="small",
        title_fontsize="small",
        handlelength=1.5,
        columnspacing=1.2,
    )


def _draw_nodes(ax: Axes, roads: RoadMap, names: AnyArray) -> None:
    box = {"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": "0.4", "lw": 0.6}
    words = {"ha": "center", "va": "center", "fontsize": 7, "zorder": 3, "bbox": box}
    for (x, y), name in zip(roads.places, np.asarray(names).tolist(), strict=True):
        ax.text(x, y, str(name), **words)
