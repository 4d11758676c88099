"""Callbacks: they see the states of a run, and never change one.

- `Progress`: a line with the gap while the run goes on
- `Checkpoint`: the run in a file every few steps, to be resumed from
- `Trace`: a table of every step, with the number of atoms and passes over the data
- `Callback`: the class that one of your own extends
- `callback_context`: callbacks of every run inside a ``with`` block
"""

from __future__ import annotations

import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Self, TextIO, TypeAlias, cast

from frankwolfe.base.checks import at_least_one, number
from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.solver.checkpoint import save
from frankwolfe.solver.result import Result
from frankwolfe.solver.run import ColumnTable, Run

__all__ = ["Callback", "Checkpoint", "Progress", "Trace", "callback_context"]


class Callback:
    """Base class of callbacks, which the loop calls during a run; every default does nothing.

    It is entered before the run's first step and left after the last, also where that ends in
    an error.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> class Count(fw.callbacks.Callback):
    ...     steps = 0
    ...     def on_step(self, run):
    ...         self.steps = run.state.k
    ...     def on_end(self, result):
    ...         print(self.steps == result.nit)
    >>> f = fw.SquaredError(np.eye(2), [1.0, 2.0])
    >>> result = fw.minimize(f, fw.L2Ball(1.0), callback=Count())
    True
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def on_step(self, run: Run) -> None:
        """Look at the run, at its start and after steps; `run.done` marks the last call."""

    def next_step(self, k: int) -> float:
        """The step, after step k, at which `on_step` must be called again at the latest.

        By default the next one. With more, steps between are made without a stop where the
        method has a compiled path; infinity stands for a few times a second.
        """
        return k + 1

    def on_end(self, result: Result) -> None:
        """Look at the result, before it is returned to the caller."""


class _Plain(Callback):
    """A plain function of the run, called after every step."""

    def __init__(self, function: Callable[[Run], object]) -> None:
        self.function = function

    def on_step(self, run: Run) -> None:
        self.function(run)


Callbacks: TypeAlias = (
    Callback | Callable[[Run], object] | Iterable[Callback | Callable[[Run], object]] | None
)
"""One callback, several or none, as callers pass them."""

_AROUND: ContextVar[tuple[Callback, ...]] = ContextVar("callbacks", default=())


@contextmanager
def callback_context(*callbacks: Callback | Callable[[Run], object]) -> Iterator[None]:
    """Call back from every run that is begun inside the block, also those of an estimator.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f, trace = fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.callbacks.Trace()
    >>> with fw.callbacks.callback_context(trace):
    ...     result = fw.minimize(f, fw.L2Ball(1.0))
    >>> len(trace) == result.nit + 1
    True
    """
    token = _AROUND.set((*_AROUND.get(), *map(_callback, callbacks)))
    try:
        yield
    finally:
        _AROUND.reset(token)


def all_callbacks(given: Callbacks) -> list[Callback]:
    """The callbacks that a caller passes (one, several or none), and those of the open blocks."""
    several: list[object] = []
    if isinstance(given, Callback) or callable(given):
        several = [given]
    elif given is not None:
        try:
            several = list(given)
        except TypeError:  # `_callback` says what is wrong with it
            several = [given]
    return [*map(_callback, several), *_AROUND.get()]


def _callback(given: object) -> Callback:
    """The given callback, or a plain function as one."""
    kind = type(given)  # its class, not `__class__`, must have `__enter__`: `with` asks that
    if issubclass(kind, Callback) and issubclass(kind, AbstractContextManager):
        return cast("Callback", given)
    if callable(given) and not isinstance(given, type):
        return _Plain(given)
    raise InvalidInput(
        "callback must be a Callback such as Progress(), a function of the run, or a list of "
        f"these, got {given.__name__ if isinstance(given, type) else type(given).__name__}."
    )


class Checkpoint(Callback):
    """Write the run to a file from time to time, so that it can be resumed.

    The file is written beside its place and moved there when complete, so a crash while
    writing leaves the one before. Where it cannot be written, because the disk is full perhaps,
    a warning says so, the run goes on and the file before stays; the result's message tells of
    it unless a later one was written. Resume with ``minimize(..., resume=path)``. Under
    `subject_to` it is written at the end of each round, too.

    Parameters
    ----------
    path : str or path-like
        The file.
    every : int, optional
        Steps from one file to the next.
    seconds : float
        Seconds from one file to the next, where `every` is not given; 60 by default.

    Examples
    --------
    >>> import os, tempfile, numpy as np, frankwolfe as fw
    >>> f, ball = fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.L2Ball(1.0)
    >>> path = os.path.join(tempfile.mkdtemp(), "run.npz")
    >>> _ = fw.minimize(f, ball, method="afw", max_iter=50, callback=fw.Checkpoint(path, every=10))
    >>> fw.minimize(f, ball, method="afw", max_iter=80, resume=path).nit
    80
    """

    def __init__(
        self, path: str | os.PathLike[str], *, every: int | None = None, seconds: float = 60.0
    ) -> None:
        if not isinstance(path, str | os.PathLike):
            raise InvalidInput(f"path must name a file, got {path!r}.")
        self.path = path
        self.every = None if every is None else at_least_one("every", every)
        self.seconds = number("seconds", seconds, low=0.0)
        self._last = time.monotonic()
        self._step = -1  # at which the file was written; -1 for none of this run

    def __enter__(self) -> Self:
        self._step = -1
        path = Path(self.path).absolute()
        if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
            raise InvalidInput(
                f"a checkpoint cannot be written to {path}: name a file in a folder "
                "that exists and can be written."
            )
        return self

    def next_step(self, k: int) -> float:
        return math.inf if self.every is None else k + self.every - k % self.every

    def on_step(self, run: Run) -> None:
        if run.part is not None and not run.part.kept:  # nothing could be resumed from it
            return
        if self.every is not None:
            due = run.state.k % self.every == 0
        else:
            due = time.monotonic() - self._last >= self.seconds
        # a state that is not finite is no point to resume from: the file before stays
        if (due or run.done) and math.isfinite(run.state.value + run.state.model_gap):
            self._write(run)
            self._last = time.monotonic()

    def _write(self, run: Run) -> None:
        """Write the file; where that fails, warn once and leave a note for the message."""
        note = f"checkpoint {self.path}"
        try:
            save(run, self.path)
        except (OSError, InvalidInput) as error:
            reason = getattr(error, "strerror", None) or str(error).rstrip(".")
            left = f"is that of step {self._step:,}" if self._step >= 0 else "was not written"
            message = (
                f"The checkpoint {self.path} could not be written at step {run.state.k:,} "
                f"({reason}): the file {left}."
            )
            if note not in run.notes:
                warnings.warn(message, RuntimeWarning, stacklevel=2)
            run.notes[note] = message
        else:
            self._step = run.state.k
            run.notes.pop(note, None)


class Progress(Callback):
    """A live line with iteration, value and gap (rich); silent where the output is no terminal.

    Parameters
    ----------
    file : text stream, optional
        The stream to draw on, standard error by default; nothing is drawn unless it is a terminal.
    label : str
        Text before the figures.
    """

    def __init__(self, file: TextIO | None = None, *, label: str = "frankwolfe") -> None:
        self.file = sys.stderr if file is None else file
        self.label = label
        self._status: Any = None
        self._next = 0.0

    def __enter__(self) -> Self:
        if self.file.isatty():
            try:
                from rich.console import Console
            except ImportError:
                raise MissingExtra("Progress", "rich", "progress") from None
            self._status = Console(file=self.file).status(self.label)
            self._status.start()
        return self

    def next_step(self, k: int) -> float:
        return math.inf

    def __exit__(self, *error: object) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None

    def on_step(self, run: Run) -> None:
        now = time.monotonic()
        if self._status is None or now < self._next:
            return
        self._next = now + 0.1  # ten times a second is all that an eye follows
        state = run.state
        bound = "gap" if state.certified else "gap (no certificate)"
        apart = "" if run.traffic is None else f"  {run.traffic}"
        self._status.update(
            f"{self.label}  iteration {state.k:,}  f = {state.value:.8g}  {bound} {state.gap:.2e}  "
            f"{state.seconds:.1f} s{apart}"
        )


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
    >>> f, trace = fw.SquaredError(np.eye(3), [0.6, 0.3, -0.4]), fw.callbacks.Trace()
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
