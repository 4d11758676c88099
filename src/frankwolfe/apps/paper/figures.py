"""Figures of the reproduction: the paper's, the steps of JFW, and the audit's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from frankwolfe.apps.paper.audit import Audit
from frankwolfe.apps.paper.completion import CompletionPanel
from frankwolfe.apps.paper.experiments import Panel
from frankwolfe.visual.plots import PALETTE, Axes, Dash, Figure, new_axes

__all__ = ["draw_audit", "draw_paces", "draw_panels"]

STYLES: dict[str, tuple[str, Dash, float]] = {
    "FW": (PALETTE[0], "-", 1.6),
    "AFW": (PALETTE[2], "--", 1.6),
    "JFW": (PALETTE[1], "-", 1.6),
    "JFW auto": ("0.1", "-", 1.6),
    "JFW momentum": (PALETTE[3], "-.", 0.8),
    "FW 4/(k+4)": (PALETTE[4], ":", 1.4),
    "FW 6/(k+6)": (PALETTE[5], ":", 1.4),
    "FW line search": (PALETTE[6], (0, (5, 2)), 1.1),
}
"""Colour, dashes and width of each method's line."""
FLOOR = 1e-14  # f - f*; smaller differences are rounding, for f is about 1


def _line(name: str) -> dict[str, object]:
    """Options of the line of a method, for matplotlib's `plot`."""
    color, dash, width = STYLES[name]
    return {"color": color, "ls": dash, "lw": width, "label": name}


def _label(ax: Axes, title: str, y: str, x: str = "iteration k") -> None:
    """Set the title and the names of the axes, and draw a grid."""
    ax.set_title(title, fontsize=10)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True, alpha=0.3)


def draw_panels(panels: Sequence[Panel], completions: Sequence[CompletionPanel] = ()) -> Figure:
    """Draw figure 1: suboptimality against iterations, with Theorem 2's bound.

    JFW's iterates jump between even and odd steps: a line is drawn through the even ones,
    as the paper's figures are read at k = 10, 100, ..., and a band spans the neighbours.
    """
    count = len(panels) + len(completions)
    columns = min(count, 2)
    figure, axes = new_axes(columns, size=(5.6, 4.4), rows=-(-count // columns))
    for panel, ax in zip(panels, axes[: len(panels)], strict=True):
        k = panel.iterations
        for name, (color, _, _) in STYLES.items():
            error = np.maximum(panel.error(name), FLOOR)
            worse, better = np.maximum(error[1:], error[:-1]), np.minimum(error[1:], error[:-1])
            ax.semilogy(k[::2], error[::2], **_line(name))
            ax.fill_between(k[1:], better, worse, color=color, alpha=0.15, linewidth=0)
        ax.semilogy(k, panel.theorem2(), color="0.45", lw=1.0, label="Theorem 2's bound")
        ax.axhline(panel.error("FW")[0], color="0.75", linewidth=0.8, label="the start, x = 0")
        y = "f(x_k) - f*   (line: even k, band: odd k too)"
        _label(ax, f"({panel.setup.key}) {panel.setup.title}", y)
    for completion, ax in zip(completions, axes[len(panels) : count], strict=True):
        _draw_completion(completion, ax)
    for ax in axes[count:]:
        ax.set_visible(False)
    entries = axes[0].get_legend_handles_labels()
    figure.legend(*entries, loc="outside lower center", ncols=5 if columns > 1 else 3)
    return figure


def draw_paces(panels: Sequence[Panel]) -> Figure:
    """Draw c_k = γ_k (k + 2), γ_k the step, of FW, JFW by hand and JFW without parameters."""
    figure, axes = new_axes(len(panels), size=(5.0, 3.8))
    for panel, ax in zip(panels, axes, strict=True):
        for name in ("FW", "JFW", "JFW auto"):
            pace = np.maximum(panel.results[name].history.pace[1:], FLOOR)
            ax.loglog(panel.iterations[1:], pace, **_line(name))
        _label(ax, f"({panel.setup.key}) {panel.setup.title}", "c in the step c/(k+2)")
        ax.legend(fontsize=8, loc="lower left")
    return figure


def _draw_completion(panel: CompletionPanel, ax: Axes) -> None:
    """Draw normalized test errors against iterations."""
    for name, curve in panel.curves.items():
        ax.plot(curve.steps, curve.test, **_line(name))
    _label(ax, f"(c) MovieLens 100K, {panel.reading.title}", "normalized test error")
    if panel.curves["FW"].test[-1] < 0.5:
        ax.set_yscale("log")
    ax.grid(True, alpha=0.3, which="both")


def draw_audit(audit: Audit) -> Figure:
    """Draw the audit of Theorem 2: errors, the floor of every vertex method, and the bound."""
    figure, (ax,) = new_axes(1, size=(6.0, 4.2))
    k = audit.iterations + 1
    gap = {"color": "0.85", "label": "no vertex method gets here, Theorem 2 promises it"}
    ax.fill_between(k, audit.bound, audit.floor, where=audit.floor > audit.bound, **gap)
    ax.loglog(k, audit.bound, color="0.45", linewidth=1.2, label="Theorem 2's bound")
    positive = audit.floor > 0
    floor = {"color": PALETTE[6], "lw": 1.2, "ls": (0, (5, 2)), "label": "floor 1/(k+1) - 1/n"}
    ax.loglog(k[positive], audit.floor[positive], **floor)
    for name, error in audit.errors.items():
        ax.loglog(k, error, **_line(name))
    _label(ax, f"|x|² on the simplex, n = {audit.n}", "f(x_k) - f*", x="k + 1")
    ax.legend(fontsize=8, loc="lower left")
    return figure
