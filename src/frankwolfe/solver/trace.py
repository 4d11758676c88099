"""A callback that takes down more than the history."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from frankwolfe.solver.callbacks import Callback
from frankwolfe.solver.run import Run

__all__ = ["Trace"]


class Trace(Callback):
    """Take down, at every look, what the history leaves out: atoms and passes over the data.

    Columns: ``iteration``, ``value``, ``gap``, ``seconds`` as in the history, ``atoms`` (in the
    active set; NaN where the method keeps none), ``passes`` (gradients computed, of samples or
    blocks as their share of the data) and ``oracle_calls``. Read them as ``trace["atoms"]``.
    A trace is drawn like a result by :func:`frankwolfe.visual.plots.convergence`.

    A run that is looked at this closely makes one step at a time where it would make compiled
    blocks of steps: the same bits, a little later.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f, trace = fw.SquaredError(np.eye(3), [0.6, 0.3, -0.4]), fw.Trace()
    >>> result = fw.minimize(f, fw.Simplex(), method="away_step", callback=trace)
    >>> int(trace["atoms"][-1]) == len(result.active_set)
    True
    >>> trace["iteration"].size == result.nit + 1
    True
    """

    columns = ("iteration", "value", "gap", "seconds", "atoms", "passes", "oracle_calls")

    def __init__(self) -> None:
        self.certified = True
        self.method = ""
        self._rows: list[tuple[float, ...]] = []

    def __enter__(self) -> Self:
        self._rows.clear()
        return self

    def on_step(self, run: Run) -> None:
        """Take down the state just looked at."""
        state, atoms = run.state, run.state.made_of()
        self.certified, self.method = state.certified, run.method.name
        self._rows.append(
            (
                state.k,
                state.value,
                state.gap,
                state.seconds,
                math.nan if atoms is None else len(atoms),
                state.gradient_calls,
                state.oracle_calls,
            )
        )

    @property
    def history(self) -> Trace:
        """The trace itself: it is read by column, as a history is."""
        return self

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self.columns:
            raise KeyError(name)
        place = self.columns.index(name)
        return np.array([row[place] for row in self._rows], dtype=np.float64)

    def arrays(self) -> dict[str, Any]:
        """All columns, by name."""
        return {name: self[name] for name in self.columns}

    def __repr__(self) -> str:
        return f"Trace({len(self)} rows: {', '.join(self.columns)})"
