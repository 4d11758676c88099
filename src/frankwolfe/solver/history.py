"""What a run looked like, one row a look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.core.state import State
from frankwolfe.numerics.errors import MissingExtra

__all__ = ["History"]


class History:
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

    def __init__(self) -> None:
        self._rows = np.empty((64, len(self.columns)))
        self._length = 0

    def record(self, state: State) -> None:
        """Append the state's figures."""
        if self._length == self._rows.shape[0]:
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[self._length] = (
            state.k,
            state.value,
            state.gap,
            state.lower_bound,
            state.step,
            state.seconds,
        )
        self._length += 1

    def extend(self, rows: NDArray[np.float64]) -> None:
        """Append rows, all columns in order."""
        needed = self._length + rows.shape[0]
        if needed > self._rows.shape[0]:
            more = np.empty((max(needed, 2 * self._length), len(self.columns)))
            more[: self._length] = self._rows[: self._length]
            self._rows = more
        self._rows[self._length : needed] = rows
        self._length = needed

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self.columns:
            raise KeyError(name)
        return self._rows[: self._length, self.columns.index(name)]

    def __getattr__(self, name: str) -> NDArray[np.float64]:
        if name in History.columns:
            return self[name]
        raise AttributeError(name)

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """All columns, by name."""
        return {name: self[name] for name in self.columns}

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
    def unpack(cls, rows: NDArray[np.float64]) -> History:
        """The history that `pack` gave."""
        history = cls()
        history._rows, history._length = rows.copy(), rows.shape[0]
        return history

    def __repr__(self) -> str:
        return f"History({len(self)} rows: {', '.join(self.columns)})"
