"""Step rules without parameters beside JFW by hand, by what each of them asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from frankwolfe.apps.paper.experiments import Panel, perturbed_errors
from frankwolfe.methods import FrankWolfe, afw, frank_wolfe, jacobi
from frankwolfe.methods.steps import (
    Backtracking,
    ExactLineSearch,
    LogAdaptive,
    LookBack,
    OpenLoop,
    ShortStep,
)
from frankwolfe.solver import Iterations, Target, solve, uninterrupted

__all__ = ["HEADER", "Comparison", "compare"]

LEVEL = 1e-3  # of f(x_0) - f*: the accuracy to which iterations are counted
HEADER = (
    "method",
    "asks for",
    "f - f* over f*, the worse of the last two",
    f"iterations to {LEVEL:g}",
    "gradients",
    "values",
    "ms",
)


@dataclass(frozen=True)
class Entry:
    """Row of the comparison: error, steps, evaluations and seconds of one method."""

    name: str
    asks: str
    error: float  # the worse of the last two iterates, over f*
    steps: int | None  # to the level; None: not reached
    gradients: int
    values: int  # beside those that come with a gradient
    seconds: float

    def row(self, most: int) -> tuple[str, ...]:
        """Row of the table, as text; `most` steps were allowed."""
        reached = f"> {most}" if self.steps is None else str(self.steps)
        counts = (str(self.gradients), str(self.values), f"{1e3 * self.seconds:.1f}")
        return self.name, self.asks, f"{max(self.error, 0.0):.1e}", reached, *counts


@dataclass(frozen=True)
class Comparison:
    """Comparison of methods on one experiment, and the spread of two of them by rounding."""

    panel: Panel
    entries: list[Entry]
    spreads: dict[str, tuple[float, float]]
    runs: int

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Rows of the table with columns HEADER, a method each, as text."""
        return [entry.row(int(self.panel.iterations[-1])) for entry in self.entries]

    @property
    def words(self) -> str:
        """Sentences below the table: what it shows, and how far rounding moves the results."""
        most, spreads = int(self.panel.iterations[-1]), self.spreads.items()
        ranges = ", ".join(f"{m} {low:.1e} to {high:.1e}" for m, (low, high) in spreads)
        return (
            f"After {most} steps, and what it took to come {1 / LEVEL:g} times nearer to f* than "
            "the start is (or all steps). Values are those beside the ones that come with a "
            f"gradient. |f - f*| after {most} steps from {self.runs} starts that differ by 1e-15: "
            f"{ranges}."
        )


def _methods(panel: Panel) -> dict[str, tuple[str, FrankWolfe]]:
    by_hand = panel.setup.methods()["JFW"]
    return {
        "FW 2/(k+2)": ("nothing", frank_wolfe()),
        "FW 4/(k+4)": ("nothing", frank_wolfe(OpenLoop(4.0))),
        "FW 6/(k+6)": ("nothing", frank_wolfe(OpenLoop(6.0))),
        "FW log-adaptive": ("nothing", frank_wolfe(LogAdaptive())),
        "AFW": ("nothing", afw()),
        "JFW by hand": ("α, β, γ", by_hand),
        "JFW auto": ("nothing", jacobi("auto")),
        "FW look back": ("nothing", frank_wolfe(LookBack())),
        "FW short step": ("a bound on φ''", frank_wolfe(ShortStep())),
        "FW backtracking": ("values of f", frank_wolfe(Backtracking())),
        "FW line search": ("slopes along a line", frank_wolfe(ExactLineSearch())),
    }


def compare(panel: Panel, runs: int, say: Callable[[str], None]) -> Comparison:
    """Run every rule to the level LEVEL, and for as many steps as the panel has."""
    problem, best = panel.setup.problem(), panel.optimum.value
    start, most = float(panel.error("FW")[0]), int(panel.iterations[-1])
    entries = []
    for name, (asks, method) in _methods(panel).items():
        say(f"({panel.setup.key}) without parameters: {name}")
        whole = uninterrupted(solve(problem, method, Iterations(most)))
        stop = Target(best + LEVEL * start) | Iterations(most)
        there = uninterrupted(solve(problem, method, stop))
        error = float(whole.history["value"][-2:].max() - best) / best
        steps = there.nit if there.success else None
        calls = there.njev, there.nfev - there.njev
        entries.append(Entry(name, asks, error, steps, *calls, there.seconds))
    spreads = {
        name: (float(found.min()), float(found.max()))
        for name in ("JFW", "JFW auto")
        for found in [np.abs(perturbed_errors(panel, name, runs)[:, -1])]
    }
    return Comparison(panel, entries, spreads, runs)
