"""Plots of runs: gaps, errors where the optimum is known, and sizes of active sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Floats
from frankwolfe.base.errors import InvalidInput
from frankwolfe.visual.plots.style import Axes, new_axes, styles

__all__ = ["Against", "RunLike", "abscissa", "active_set_size", "convergence"]

Against: TypeAlias = Literal["iteration", "seconds", "passes"]

LOG_FLOOR = 1e-17  # drawn for zero on a logarithmic axis: below every gap that means something
NAMES = {"iteration": "iteration + 1", "seconds": "seconds", "passes": "passes over the data"}


class HistoryLike(Protocol):
    """History of a run: arrays by name; a :class:`~frankwolfe.solver.History` is one."""

    def __getitem__(self, name: str) -> Floats:
        """Column of that name."""


class Traced(Protocol):
    """Run with a history; that of a `Trace` counts more than that of a result."""

    @property
    def history(self) -> HistoryLike:
        """History with one row a step."""


class RunLike(Traced, Protocol):
    """Run that can be drawn; :class:`~frankwolfe.Result` and `Trace` are."""

    @property
    def certified(self) -> bool:
        """True if the gap is a bound on f(x) - f*."""


def convergence(
    results: Mapping[str, RunLike] | RunLike,
    *,
    optimum: float | None = None,
    against: Against = "iteration",
    slopes: Sequence[float] = (1, 2),
    ax: Axes = None,
) -> Axes:
    """Plot the certified gap of one or many runs, on logarithmic axes.

    The error f(x) - f* lies in the band below the gap. Where the optimum is known, the line is
    the error itself, and the band reaches from it up to the gap.

    Parameters
    ----------
    results : Result, or mapping of str to Result
        One run, or runs by the name to show; a `Trace` does as well.
    optimum : float, optional
        The optimal value f*; then f(x) - f* is drawn.
    against : {"iteration", "seconds", "passes"}
        The horizontal axis; passes over the data are counted by a `Trace`.
    slopes : sequence of float
        Exponents p of reference lines 1/k^p; none are drawn against seconds.
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
    runs = _runs(results)
    ax = new_axes()[1][0] if ax is None else ax
    bands = []
    for (name, run), line in zip(runs.items(), styles(), strict=False):
        x, gap = abscissa(name, run, against), positive(run.history["gap"])
        error = gap if optimum is None else positive(run.history["value"] - optimum)
        ax.loglog(x, error, label=name, **line)
        if run.certified:
            bands.append((x, error if optimum is not None else None, gap, line["color"]))
        elif optimum is not None:
            ax.loglog(x, gap, color=line["color"], linewidth=0.6, alpha=0.6)
    _draw_bands(ax, bands)
    if against != "seconds":
        _draw_slopes(ax, slopes)
    certified = all(run.certified for run in runs.values())
    gap_name = "certified gap" if certified else "Frank-Wolfe gap (no certificate)"
    ax.set_ylabel(gap_name if optimum is None else f"f(x) - f* (above: {gap_name})")
    ax.set_xlabel(NAMES[against])
    ax.grid(True, which="major", alpha=0.3)
    ax.legend()
    return ax


def abscissa(name: str, run: RunLike, against: Against) -> Floats:
    """Positions of a run's rows on the horizontal axis."""
    if against not in NAMES:
        raise InvalidInput(f"against must be one of {', '.join(NAMES)}, got {against!r}.")
    return _column(name, run, against) + (1.0 if against == "iteration" else 0.0)


def _column(name: str, run: Traced, column: str) -> Floats:
    """Column of a run's history; InvalidInput where it is one that only a trace counts."""
    try:
        return run.history[column]
    except KeyError:
        raise InvalidInput(
            f"the history of {name} does not count {column}: run it with callback=trace, "
            "trace = frankwolfe.solver.callbacks.Trace(), and draw the trace."
        ) from None


def positive(values: Floats) -> Floats:
    """Values as a logarithmic axis can show them: at least LOG_FLOOR, NaN where not finite."""
    return np.where(np.isfinite(values), np.maximum(values, LOG_FLOOR), np.nan)


def _runs(results: Mapping[str, RunLike] | RunLike) -> Mapping[str, RunLike]:
    """Runs by name, from one run or several."""
    if not isinstance(results, Mapping):
        return {getattr(results, "method", "") or "run": results}
    if not results:
        raise InvalidInput("results must hold one run at least.")
    return results


def _draw_bands(ax: Axes, bands: Sequence[tuple[Floats, Floats | None, Floats, str]]) -> None:
    """Draw the bands in which errors lie; one down to zero ends at the edge of the picture."""
    for x, low, gap, color in bands:
        if low is not None:
            ax.fill_between(x, low, gap, color=color, alpha=0.12, linewidth=0)
    limits = ax.get_ylim()
    for x, low, gap, color in bands:
        if low is None:
            ax.fill_between(x, limits[0], gap, color=color, alpha=0.1 / len(bands), linewidth=0)
    ax.set_ylim(limits)


def _draw_slopes(ax: Axes, slopes: Sequence[float]) -> None:
    """Draw lines 1/k^p from the first line's start, as far as the picture goes."""
    lines = ax.get_lines()
    x, y = lines[0].get_xdata(), lines[0].get_ydata()
    seen = np.isfinite(y) & (x > 0)
    if not seen.any():
        return
    first, start = float(x[seen][0]), float(y[seen][0])
    last, floor = float(max(line.get_xdata()[-1] for line in lines)), ax.get_ylim()[0]
    for p in slopes:
        end = min(last, first * (start / floor) ** (1 / p))
        if not first < end:
            continue
        ends = np.array([first, end])
        height = start * (ends / first) ** -p
        ax.plot(ends, height, color="0.6", linewidth=0.8, linestyle=(0, (1, 2)), zorder=1)
        name = "1/k" if p == 1 else f"1/k$^{{{p:g}}}$"
        late = (
            value[0] ** 0.3 * value[1] ** 0.7 for value in (ends, height)
        )  # the name stands near the end
        ax.annotate(
            name, tuple(late), color="0.45", fontsize=8, xytext=(3, 3), textcoords="offset points"
        )


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
    atoms = _column(name, run, "atoms")
    if np.isnan(atoms).all():
        raise InvalidInput(
            f"{name} keeps no active set: draw a method that does, such as away_step or pairwise."
        )
    return atoms
