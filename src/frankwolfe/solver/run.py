"""A run in progress: its state, its history, and the best point so far."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Array
from frankwolfe.base.errors import MissingExtra
from frankwolfe.core.certificate import improves
from frankwolfe.core.low_rank import pack_point, unpack_point
from frankwolfe.core.objective_abilities import Traffic
from frankwolfe.core.state import State
from frankwolfe.methods.base import Method

__all__ = ["History", "Incumbent", "Part", "Run", "Table"]


class Table:
    """Rows of figures that are read by column, as arrays."""

    columns: tuple[str, ...]

    def __init__(self) -> None:
        self._rows = np.empty((64, len(self.columns)))
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


class History(Table):
    """The course of a run, as arrays.

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
        """The step times k + 2, by row: 2 for Frank-Wolfe, 4 (1 - gamma) late in JFW."""
        return self["step"] * (self["iteration"] + 1.0)  # the step after k steps led to k + 1

    @property
    def jacobi_gamma(self) -> NDArray[np.float64]:
        """The gamma_k with which Algorithm 2 makes the same steps, for alpha = beta = -1/2."""
        return 1.0 - 0.25 * self.pace

    def frame(self) -> Any:
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
        """The history that `pack` gave."""
        history = cls()
        history.extend(rows)
        return history


@dataclass
class Incumbent:
    """The best point visited, copied only when the iterate leaves it for a worse one."""

    value: float = math.inf
    x: Any = None  # None: the current point is the best
    gap: float = math.inf  # of the model at that point

    def see(self, state: State) -> None:
        """Compare with the point just evaluated."""
        if improves(state.value, self.value):
            self.value, self.x = state.value, None
            self.gap = max(state.model_gap, 0.0)
        elif self.x is None:  # NaN comes here too
            self.x = state.iterate.before()

    def point(self, state: State) -> Any:
        """The best point, sharing nothing with the run."""
        if self.x is None:
            return state.x
        return state.problem.region.snap(state.problem.objective.returned(self.x.copy()))


@dataclass
class Part:
    """The place of a run in a computation of several, as rounds under constraints are.

    Attributes
    ----------
    arrays : mapping
        What the computation knew when the run began: checkpoints keep it beside the run.
    kept : bool
        Whether the computation can go on from within the run; checkpoints leave it otherwise.
    notes : dict
        For the message of the whole result, by callback.
    """

    arrays: Mapping[str, Array]
    kept: bool = True
    notes: dict[str, str] = field(default_factory=dict)


@dataclass
class Run:
    """What callbacks see and checkpoints keep."""

    method: Method
    state: State
    history: History = field(default_factory=History)
    best: Incumbent = field(default_factory=Incumbent)
    done: bool = False
    renewed: bool = False  # whether the image was made anew at the end
    again: float = math.nan  # f at the current point, by its own image, where that was looked at
    resumed: bool = False  # from a checkpoint, whose bound is taken over
    notes: dict[str, str] = field(default_factory=dict)  # for the result's message, by callback
    before: Traffic | None = None  # what had gone to the data and back when it began
    first: Any = None  # where the run began, if f is not finite everywhere
    aside: Any = None  # the point before the step in progress, where data live elsewhere
    lost: str = ""  # why they can no longer be reached
    part: Part | None = None  # of a computation of several runs

    @property
    def traffic(self) -> Traffic | None:
        """What has gone to where the data live and back; None where they are here."""
        now = self.state.problem.objective.traffic
        return now if now is None or self.before is None else now.since(self.before)

    def record(self) -> None:
        """Record the state just evaluated."""
        self.best.see(self.state)
        self.history.record(self.state)

    def give_up(self) -> None:
        """Leave a step that broke down: of the points around it the better one is the best."""
        state = self.state
        if self.best.x is None:
            points = (state.iterate.point.previous(), state.iterate.point.array())
            values = [state.problem.value(x) for x in points]
            self.best.x = points[int(np.argmin(values))]
            self.best.value = min(values)
        state.value = math.inf

    def set_aside(self) -> None:
        """Keep the current point where a step may be broken off, since its data live elsewhere."""
        if self.before is not None and self.best.x is None:
            self.aside = self.state.iterate.here()

    def lose(self, why: str) -> None:
        """Leave a step whose data can no longer be reached."""
        if self.best.x is None:
            self.best.x = self.aside
        self.lost, self.state.value = why, math.inf

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
