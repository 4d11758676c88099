"""Plot of the number of atoms that the iterate is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from frankwolfe.base.errors import InvalidInput
from frankwolfe.visual.plots.convergence import Floats, HistoryLike
from frankwolfe.visual.plots.style import Axes, new_axes, styles

__all__ = ["active_set_size"]


class Traced(Protocol):
    """Run whose atoms were counted; a :class:`~frankwolfe.solver.callbacks.Trace` is one."""

    @property
    def history(self) -> HistoryLike:
        """History with one row a step, and a column ``atoms``."""


def active_set_size(results: Mapping[str, Traced] | Traced, *, ax: Axes = None) -> Axes:
    """Plot the number of atoms in the active set against iterations.

    Parameters
    ----------
    results : Trace, or mapping of str to Trace
        A run, or runs by the name to show, each recorded by a `Trace`.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f, trace = fw.SquaredError(np.eye(3), [0.6, 0.3, -0.4]), fw.callbacks.Trace()
    >>> _ = fw.minimize(f, fw.Simplex(), method="away_step", callback=trace)
    >>> fw.plots.active_set_size({"away steps": trace}).get_ylabel()
    'atoms in the active set'
    """
    runs = results if isinstance(results, Mapping) else {"run": results}
    ax = new_axes()[1][0] if ax is None else ax
    for (name, run), line in zip(runs.items(), styles(), strict=False):
        k, atoms = run.history["iteration"], _atoms(name, run)
        ax.plot(k, atoms, label=name, drawstyle="steps-post", **line)
    ax.set_xlabel("iteration")
    ax.set_ylabel("atoms in the active set")
    ax.set_ylim(bottom=0)
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.grid(True, alpha=0.3)
    ax.legend()
    return ax


def _atoms(name: str, run: Traced) -> Floats:
    """Column ``atoms`` of a run's history, checked."""
    try:
        atoms = run.history["atoms"]
    except KeyError:
        raise InvalidInput(
            f"the history of {name} does not count atoms: run it with callback=trace, "
            "trace = frankwolfe.solver.callbacks.Trace(), and draw the trace."
        ) from None
    if np.isnan(atoms).all():
        raise InvalidInput(
            f"{name} keeps no active set: draw a method that does, such as away_step or pairwise."
        )
    return atoms
