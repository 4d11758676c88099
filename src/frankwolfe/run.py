"""A run in progress: the state, its history, and the best point so far."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from frankwolfe.arrays import Array
from frankwolfe.history import History
from frankwolfe.method import Method
from frankwolfe.state import State

__all__ = ["Incumbent", "Run"]


@dataclass
class Incumbent:
    """The best point visited, copied only when the iterate leaves it for a worse one."""

    value: float = math.inf
    x: Array | None = None  # None: the current point is the best

    def see(self, state: State) -> None:
        """Compare with the point just looked at."""
        if state.value <= self.value:
            self.value, self.x = state.value, None
        elif self.x is None:  # NaN comes here too
            self.x = state.iterate.point.previous()

    def point(self, state: State) -> Array:
        """The best point, as an array of its own."""
        return state.x if self.x is None else self.x.copy()


@dataclass
class Run:
    """What watchers see and checkpoints keep."""

    method: Method
    state: State
    history: History = field(default_factory=History)
    best: Incumbent = field(default_factory=Incumbent)
    done: bool = False

    def record(self) -> None:
        """Take down the state just looked at."""
        self.best.see(self.state)
        self.history.record(self.state)

    def pack(self) -> dict[str, Array]:
        """Everything a later process needs to go on."""
        arrays = self.state.pack()
        arrays["history"] = self.history.pack()
        arrays["best.value"] = np.asarray(self.best.value)
        if self.best.x is not None:
            arrays["best.x"] = self.best.x
        return arrays

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take what `pack` gave."""
        self.state.restore(arrays)
        self.history = History.unpack(np.asarray(arrays["history"], dtype=np.float64))
        x = arrays["best.x"].copy() if "best.x" in arrays else None
        self.best = Incumbent(float(arrays["best.value"]), x)
