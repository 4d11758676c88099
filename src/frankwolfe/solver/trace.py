"""Trace, a callback that records more than the history."""

from __future__ import annotations

import math
from typing import Self

from frankwolfe.solver.callbacks import Callback
from frankwolfe.solver.run import ColumnTable, Run

__all__ = ["Trace"]


class Trace(Callback, ColumnTable):
    """Record at every evaluation what the history leaves out: atoms and passes over the data.

    Columns: ``iteration``, ``value``, ``gap``, ``seconds`` as in the history, ``atoms`` (in the
    active set; NaN where the method keeps none), ``passes`` (gradients computed, of samples or
    blocks as their share of the data) and ``oracle_calls``. Read them as ``trace["atoms"]``.
    A trace is drawn like a result by :func:`frankwolfe.visual.plots.convergence`.

    A run with a trace makes one step at a time where it would make compiled blocks of steps:
    the same bits, a little later.

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
        super().__init__()
        self.certified, self.method = True, ""

    def __enter__(self) -> Self:
        ColumnTable.__init__(self)
        return self

    def on_step(self, run: Run) -> None:
        state, atoms = run.state, run.state.made_of()
        self.certified, self.method = state.certified, run.method.name
        count = math.nan if atoms is None else len(atoms)
        calls = (state.gradient_calls, state.oracle_calls)
        self.append((state.k, state.value, state.gap, state.seconds, count, *calls))

    @property
    def history(self) -> Trace:
        """The trace itself, since it is read by column like a history."""
        return self
