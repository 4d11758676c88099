"""Pictures of runs; every function returns matplotlib axes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any, Literal, Protocol

import numpy as np

from frankwolfe.errors import MissingExtra
from frankwolfe.history import History

__all__ = ["PALETTE", "Course", "convergence", "new_axes"]

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito's colours, told apart by colour-blind readers."""

DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


class Course(Protocol):
    """A run as it is drawn; a :class:`~frankwolfe.Result` is one."""

    @property
    def history(self) -> History:
        """One row a step."""

    @property
    def certified(self) -> bool:
        """Whether the gap is a bound."""


def new_axes(
    columns: int = 1, size: tuple[float, float] = (5.2, 3.8), rows: int = 1
) -> tuple[Any, Any]:
    """A figure with rows x columns axes, in one list, drawn without a window system."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("A plot", "matplotlib", "plot") from None
    figure = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).ravel()


def convergence(
    results: Mapping[str, Course],
    *,
    optimum: float | None = None,
    against: Literal["iteration", "seconds"] = "iteration",
    ax: Any = None,
) -> Any:
    """Gap of one or many runs, on logarithmic axes.

    Parameters
    ----------
    results : mapping of str to Result
        Runs by the name to show.
    optimum : float, optional
        The optimal value; then f(x) - optimum is drawn, and the gap as a thin line above it.
    against : {"iteration", "seconds"}
        The horizontal axis.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default (``ax.figure.savefig(...)`` writes it).

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f, ball = fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.L2Ball(1.0)
    >>> runs = {name: fw.minimize(f, ball, method=name, max_iter=50) for name in ("afw", "jacobi")}
    >>> ax = fw.plots.convergence(runs)
    >>> ax.get_ylabel()
    'certified gap'
    """
    if ax is None:
        ax = new_axes()[1][0]
    styles = cycle(zip(PALETTE, DASHES, strict=True))
    for (name, result), (color, dash) in zip(results.items(), styles, strict=False):
        history = result.history
        x = history[against] + (1 if against == "iteration" else 0)
        gap = np.maximum(history["gap"], 1e-17)
        if optimum is None:
            ax.loglog(x, gap, color=color, linestyle=dash, label=name)
        else:
            error = np.maximum(history["value"] - optimum, 1e-17)
            ax.loglog(x, error, color=color, linestyle=dash, label=name)
            ax.loglog(x, gap, color=color, linewidth=0.6, alpha=0.6)
    certified = all(result.certified for result in results.values())
    gap_name = "certified gap" if certified else "Frank-Wolfe gap (no certificate)"
    ax.set_ylabel(gap_name if optimum is None else f"f(x) - f* (thin: {gap_name})")
    ax.set_xlabel("iteration + 1" if against == "iteration" else "seconds")
    ax.grid(True, which="major", alpha=0.3)
    ax.legend()
    return ax
