"""A run in progress: its state, its history, and the best point so far."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array, Point
from frankwolfe.base.errors import MissingExtra
from frankwolfe.core.certificate import improves
from frankwolfe.core.low_rank import pack_point, unpack_point
from frankwolfe.core.objective_abilities import Traffic
from frankwolfe.core.state import State
from frankwolfe.methods.base import Method

__all__ = ["ColumnTable", "History", "Incumbent", "Run", "RunPart"]


DataFrame: TypeAlias = Any
"""A DataFrame of pandas, which is loaded only where it is asked for."""


class ColumnTable:
    """A growing table of numbers, appended by row and read by column."""

    columns: tuple[str, ...]

    def __init__(self) -> None:
        self._rows = np.empty((64, len(self.columns)))  # doubled as it fills: O(1) a row
        self._length = 0

    def extend(self, rows: NDArray[np.float64]) -> None:
        """Append rows, all columns in order."""
        needed = self._length + rows.shape[0]
        if needed > self._rows.shape[0]:
            more = np.empty((max(needed, 2 * self._length), len(self.columns)))
            more[: self._length] = self._rows[: self._length]
            self._rows = more
        self._rows[self._length : needed] = rows
        self._length = needed

    def append(self, row: tuple[float, ...]) -> None:
        """Append one row, all columns in order."""
        if self._length == self._rows.shape[0]:
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[self._length] = row
        self._length += 1

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self.columns:
            raise KeyError(name)
        return self._rows[: self._length, self.columns.index(name)]

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """All columns, by name."""
        return {name: self[name] for name in self.columns}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} rows: {', '.join(self.columns)})"


class History(ColumnTable):
    """The figures of a run after each step, as arrays.

    Columns: ``iteration``, ``value``, ``gap``, ``lower_bound``, ``step`` (the one that led
    here), ``seconds`` (in the method). Read them as ``history["gap"]`` or ``history.gap``.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.SquaredError(np.diag([1.0, 3.0]), [1.0, 2.0])
    >>> history = fw.minimize(f, fw.L2Ball(1.0), method="frank_wolfe", max_iter=3).history
    >>> history.iteration
    array([0., 1., 2., 3.])
    >>> history
    History(4 rows: iteration, value, gap, lower_bound, step, seconds)
    """

    columns = ("iteration", "value", "gap", "lower_bound", "step", "seconds")

    def record(self, state: State) -> None:
        """Append the state's figures."""
        s = state
        self.append((s.k, s.value, s.gap, s.lower_bound, s.step, s.seconds))

    def __getattr__(self, name: str) -> NDArray[np.float64]:
        if name in History.columns:
            return self[name]
        raise AttributeError(name)

    @property
    def pace(self) -> NDArray[np.float64]:
        """The step times k + 2, by row: 2 for open-loop Frank-Wolfe, 4 (1 - gamma) late in JFW."""
        return self["step"] * (self["iteration"] + 1.0)  # a row's step led to its iteration

    @property
    def jacobi_gamma(self) -> NDArray[np.float64]:
        """The gamma_k with which Algorithm 2 makes these steps, for alpha = beta = -1/2."""
        return 1.0 - 0.25 * self.pace

    def frame(self) -> DataFrame:
        """The history as a pandas DataFrame."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("A DataFrame", "pandas", "all") from None
        return pandas.DataFrame(self.arrays()).astype({"iteration": "int64"})

    def pack(self) -> NDArray[np.float64]:
        """All rows as one array."""
        return self._rows[: self._length]

    @classmethod
    def unpack(cls, rows: NDArray[np.float64]) -> Self:
        """The history from the array that `pack` made of it."""
        history = cls()
        history.extend(rows)
        return history


@dataclass
class Incumbent:
    """The best point visited, copied only when the iterate leaves it for a worse one."""

    value: float = math.inf
    x: Point = None  # None: the current point is the best
    gap: float = math.inf  # of the model, at that point

    def see(self, state: State) -> None:
        """Compare the best point with the one just evaluated."""
        if improves(state.value, self.value):
            self.value, self.x = state.value, None
            self.gap = max(state.model_gap, 0.0)
        elif self.x is None:  # a NaN, too, is no improvement
            self.x = state.iterate.before()

    def point(self, state: State) -> Point:
        """The best point, sharing nothing with the run."""
        if self.x is None:
            return state.x
        return state.problem.region.snap(state.problem.objective.returned(self.x.copy()))


@dataclass
class RunPart:
    """Data of a computation of several runs, such as rounds under constraints, for one of them.

    Attributes
    ----------
    arrays : mapping
        State of the computation when the run began; checkpoints keep it beside the run.
    kept : bool
        True if the computation can be resumed from within the run; otherwise no checkpoint is
        written.
    notes : dict
        Sentences for the message of the whole result, by callback.
    """

    arrays: Mapping[str, Array]
    kept: bool = True
    notes: dict[str, str] = field(default_factory=dict)


@dataclass
class Run:
    """A run in progress, as callbacks see it and checkpoints keep it."""

    method: Method
    state: State
    history: History = field(default_factory=History)
    best: Incumbent = field(default_factory=Incumbent)
    done: bool = False
    renewed: bool = False  # the image was recomputed once, at a first end
    again: float = math.nan  # f at the current point by a new image, if that was computed
    resumed: bool = False  # from a checkpoint, whose bound is taken over
    notes: dict[str, str] = field(default_factory=dict)  # for the result's message, by callback
    before: Traffic | None = None  # counted when the run began; None for data in this process
    first: Point = None  # the start, if f is not finite everywhere
    aside: Point = None  # the point before the step in progress, if data live elsewhere
    lost: str = ""  # why the data can no longer be reached
    part: RunPart | None = None  # of a computation of several runs

    @property
    def traffic(self) -> Traffic | None:
        """Rounds and bytes exchanged with the data's place; None for data in this process."""
        now = self.state.problem.objective.traffic
        return now if now is None or self.before is None else now.since(self.before)

    def record(self) -> None:
        """Record the state just evaluated."""
        self.best.see(self.state)
        self.history.record(self.state)

    def give_up(self) -> None:
        """Abandon a step that broke down, and keep the better of the points around it."""
        state = self.state
        if self.best.x is None:
            points = (state.iterate.point.previous(), state.iterate.point.array())
            values = [state.problem.value(x) for x in points]
            self.best.x = points[int(np.argmin(values))]
            self.best.value = min(values)
        state.value = math.inf

    def set_aside(self) -> None:
        """Keep a copy of the current point, if data live elsewhere and the step may fail."""
        if self.before is not None and self.best.x is None:
            self.aside = self.state.iterate.here()

    def lose(self, why: str) -> None:
        """Abandon a step whose data can no longer be reached."""
        if self.best.x is None:
            self.best.x = self.aside
        self.lost, self.state.value = why, math.inf

    def pack(self) -> dict[str, Array]:
        """All arrays that a later process needs to go on."""
        arrays = self.state.pack()
        arrays["history"] = self.history.pack()
        arrays["best.value"] = np.asarray(self.best.value)
        arrays["best.gap"] = np.asarray(self.best.gap)
        if self.best.x is not None:
            parts = pack_point(self.best.x)
            arrays.update({f"best.x/{name}": array for name, array in parts.items()})
        return arrays

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Restore what `pack` returned."""
        self.state.restore(arrays)
        self.history = History.unpack(np.asarray(arrays["history"], dtype=np.float64))
        best = {key[7:]: array for key, array in arrays.items() if key.startswith("best.x/")}
        value, gap = float(arrays["best.value"]), float(arrays["best.gap"])
        self.best = Incumbent(value, unpack_point(best), gap)
