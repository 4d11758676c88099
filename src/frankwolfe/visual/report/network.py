"""Drawing of a network as SVG inside a page: widths are flows, colours are congestion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Floats, Indices
from frankwolfe.visual.report.markup import short
from frankwolfe.visual.roads import COLORS, RoadMap, level_names, levels

__all__ = ["MAX_DETAILED_LINKS", "drawing", "network_style"]

MAX_DETAILED_LINKS = 5000  # the busiest, each an element with words; browsers get slow with more
MAX_PLAIN_LINKS = 40_000  # further links, all as thin lines of one path
MAX_NODE_LABELS = 60  # nodes; names of more would cover the links
ACROSS, LOWEST, HIGHEST, EDGE = 1000.0, 360.0, 1000.0, 24.0  # units: width, heights, margin
DARK = ("#46596a", "#4f9fd6", "#f1bd4b", "#ff8b42", "#ff5c74")
"""COLORS on dark paper, where jammed links must be light."""


class Viewport(NamedTuple):
    """Map from coordinates of nodes to points of the drawing, which has this height."""

    scale: float
    shift: Floats
    height: float

    def points(self, places: Floats) -> Floats:
        """Points of the drawing, where y grows downwards."""
        return self.shift + self.scale * places * [1.0, -1.0]


def network_style() -> str:
    """Style sheet with the colours of links, on light and on dark paper."""
    light, dark = (
        " ".join(f"--road{k}: {color};" for k, color in enumerate(palette))
        for palette in (COLORS, DARK)
    )
    rules = "".join(f".road{k} {{ stroke: var(--road{k}); }}\n" for k, _ in enumerate(COLORS))
    return (
        f":root {{ {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{rules}"
    )


def drawing(
    label: str, roads: RoadMap, words: Callable[[int], str], names: Sequence[object]
) -> str:
    """HTML of the links as SVG, with a legend and sentences on what is left out or laid out."""
    frame = _frame(roads)
    seen = roads.seen()
    busiest, others = seen[-MAX_DETAILED_LINKS:], seen[:-MAX_DETAILED_LINKS][-MAX_PLAIN_LINKS:]
    widest = _widest(roads, busiest, frame)
    lines = _links(roads, busiest, frame, words, widest)
    nodes = _nodes(roads, frame, names) if len(roads.places) <= MAX_NODE_LABELS else ""
    return (
        f'<div class="roads"><svg viewBox="0 0 {ACROSS:.0f} {frame.height:.0f}" role="img" '
        f'aria-label="{escape(label)}">{_behind(roads, others, frame)}'
        f'<g class="links">{lines}</g>{nodes}</svg></div>'
        f"{_legend(roads, widest)}{_sentences(roads, seen, busiest, others)}"
    )


def _frame(roads: RoadMap) -> Viewport:
    used = np.unique(np.concatenate([roads.tails, roads.heads]))
    low, high = roads.places[used].min(axis=0), roads.places[used].max(axis=0)
    span = high - low
    span = np.where(span > 0.0, span, span.max() if span.max() > 0.0 else 1.0)  # all in a line
    scale = float(min((ACROSS - 2.0 * EDGE) / span[0], (HIGHEST - 2.0 * EDGE) / span[1]))
    height = max(LOWEST, scale * float(high[1] - low[1]) + 2.0 * EDGE)
    middle = 0.5 * (low + high) * [1.0, -1.0]
    return Viewport(scale, np.array([ACROSS / 2.0, height / 2.0]) - scale * middle, height)


def _widest(roads: RoadMap, links: Indices, frame: Viewport) -> float:
    """Width of the busiest link: 0.3 of the median length of a link, within 4 and 14 units."""
    if not len(links):
        return 4.0
    along = roads.places[roads.heads[links]] - roads.places[roads.tails[links]]
    return float(np.clip(0.3 * frame.scale * np.median(np.hypot(*along.T)), 4.0, 14.0))


def _links(
    roads: RoadMap, links: Indices, frame: Viewport, words: Callable[[int], str], widest: float
) -> str:
    widths = roads.widths(links, 0.7, widest)
    normals = roads.normals(links) * [1.0, -1.0]
    aside = roads.shifts(links, widths + 0.5)[:, None] * normals
    start = frame.points(roads.places[roads.tails[links]]) + aside
    end = frame.points(roads.places[roads.heads[links]]) + aside
    shades = levels(roads.congestion[links])
    rows = zip(links.tolist(), start, end, widths.tolist(), shades.tolist(), strict=True)
    return "\n".join(
        f'<path class="road{k}" d="M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}" stroke-width="{w:.1f}">'
        f"<title>{escape(words(i))}</title></path>"
        for i, (a, b), (c, d), w, k in rows
    )


def _behind(roads: RoadMap, links: Indices, frame: Viewport) -> str:
    """SVG of links without words, in one path: an element each would be slow."""
    if not len(links):
        return ""
    start, end = (frame.points(roads.places[nodes[links]]) for nodes in (roads.tails, roads.heads))
    lines = "".join(
        f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}" for (a, b), (c, d) in zip(start, end, strict=True)
    )
    return f'<path class="behind" d="{lines}"/>'


def _nodes(roads: RoadMap, frame: Viewport, names: Sequence[object]) -> str:
    places = zip(frame.points(roads.places), names, strict=True)
    return "".join(
        f'<g class="node" transform="translate({x:.1f} {y:.1f})"><circle r="11"/>'
        f'<text dy="4">{escape(str(name))}</text></g>'
        for (x, y), name in places
    )


def _legend(roads: RoadMap, widest: float) -> str:
    shown = np.unique(levels(roads.congestion)).tolist()
    names = level_names()
    colors = "".join(f"<li>{_swatch(k, 5.0)}{escape(names[k])}</li>" for k in shown)
    most = float(roads.flows.max(initial=0.0))
    widths = "".join(
        f"<li>{_swatch(0, max(0.7, widest * share))}{short(float(f'{most * share:.3g}'))}</li>"
        for share in (1.0, 0.5, 0.1)
    )
    return (
        f'<div class="keys"><div><span>time over free-flow time</span>'
        f'<ul aria-label="Colours">{colors}</ul></div>'
        f'<div><span>flow</span><ul aria-label="Widths">{widths}</ul></div></div>'
    )


def _swatch(k: int, width: float) -> str:
    return (
        f'<svg class="swatch" viewBox="0 0 30 14" aria-hidden="true"><path class="road{k}" '
        f'd="M1 7H29" stroke-width="{width:.1f}"/></svg>'
    )


def _sentences(roads: RoadMap, seen: Indices, busiest: Indices, others: Indices) -> str:
    """HTML that says what is laid out without coordinates, and what is left out."""
    said = []
    if not roads.known:
        said.append(
            "The nodes have no coordinates: they are laid out by the lengths of the links, and lie "
            "where they do for the eye alone."
        )
    if len(others):
        said.append(
            f"Widths, colours and figures are shown for the {len(busiest):,} busiest of "
            f"{len(roads.flows):,} links, and {len(others):,} others as thin lines."
        )
    left = len(seen) - len(busiest) - len(others)
    if left:
        said.append(f"Left out: {left:,} links with less flow.")
    return f'<p class="said">{" ".join(said)}</p>' if said else ""
