"""A run in progress: the state, its history, and the best point so far."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from frankwolfe.core.state import State
from frankwolfe.methods.base import Method
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.certificate import improves
from frankwolfe.numerics.low_rank import pack_point, unpack_point
from frankwolfe.solver.history import History

__all__ = ["Incumbent", "Run"]


@dataclass
class Incumbent:
    """The best point visited, copied only when the iterate leaves it for a worse one."""

    value: float = math.inf
    x: Any = None  # None: the current point is the best
    gap: float = math.inf  # of the model at that point

    def see(self, state: State) -> None:
        """Compare with the point just looked at."""
        if improves(state.value, self.value):
            self.value, self.x = state.value, None
            self.gap = max(state.model_gap, 0.0)
        elif self.x is None:  # NaN comes here too
            self.x = state.iterate.point.previous()

    def point(self, state: State) -> Any:
        """The best point, sharing nothing with the run."""
        x = state.x if self.x is None else self.x.copy()
        return state.problem.region.snap(x)


@dataclass
class Run:
    """What callbacks see and checkpoints keep."""

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
        arrays["best.gap"] = np.asarray(self.best.gap)
        if self.best.x is not None:
            parts = pack_point(self.best.x)
            arrays.update({f"best.x/{name}": array for name, array in parts.items()})
        return arrays

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take what `pack` gave."""
        self.state.restore(arrays)
        self.history = History.unpack(np.asarray(arrays["history"], dtype=np.float64))
        best = {key[7:]: array for key, array in arrays.items() if key.startswith("best.x/")}
        value, gap = float(arrays["best.value"]), float(arrays["best.gap"])
        self.best = Incumbent(value, unpack_point(best), gap)
