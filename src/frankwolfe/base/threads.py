"""The policy of threads, for our own loops and for BLAS.

Our loops use them. While a run goes on whose products are loops of ours, BLAS has one thread
(`blas.one_thread`): OpenBLAS's threads go on spinning after a call, and so do those of a
parallel loop, and where the two alternate each waits for the other's cores.

- A loop uses threads where it has so much to do that waking them, and waiting for the last, is
  little beside what they save. That is counted in numbers of a long array that are read in their
  order, about half a nanosecond each; what follows here are the only figures that say how many
  are many. Two threads save half at most, and where another program has one of the two cores
  they lose many times as much: fewer threads need more to do.
- How many threads there are is the caller's to say: by NUMBA_NUM_THREADS or
  `numba.set_num_threads`, by OMP_NUM_THREADS, or by `threadpoolctl` around a call.
- One process of many, a forked one, and any thread but the main one use none.

The pieces of a loop do not depend on the number of threads, and their sums are added in order:
a result has the same bits on one thread and on many.
"""

from __future__ import annotations

import os
import threading
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Indices
from frankwolfe.base.blas import limit_of_libraries, one_of_many, one_thread

__all__ = [
    "GATHER_COST",
    "LOG_TERM_COST",
    "MIN_CHUNKED_LENGTH",
    "PARTS",
    "PIECES",
    "balanced",
    "many",
    "may_thread",
    "threads_of_a_run",
]

Numba: TypeAlias = Any
"""The module numba, which ships no types."""

PROCESS = os.getpid()  # that imported the library: in a fork OpenMP would end the process
MIN_CHUNKED_LENGTH = 500_000  # numbers from which a loop is cut into pieces
MIN_THREADED_WORK = 8_000_000  # numbers times threads: fewer threads save less, so need more to do
GATHER_COST = 2  # of a number that is read at an index from a list, in numbers read in order
LOG_TERM_COST = 16  # of a term with a logarithm, in numbers read in order
PIECES = 64  # of a loop: more than there are threads, so that all have as much to do
MAX_THREADS = 2**16  # a number that limits nothing, where nobody has set one
SPIN, TURNS = "GOMP_SPINCOUNT", "1000"  # some twenty microseconds
PARTS = 16  # partial sums of a sum of vectors: each takes as much memory as the sum


def may_thread() -> bool:
    """True if loops may use threads: not in one process of many, nor beside another thread.

    A forked process that uses OpenMP as its parent did is ended by it, the processes of a pool
    have the cores between them, and Numba's own threads serve one caller at a time.
    """
    if os.getpid() != PROCESS or not _in_main_thread() or one_of_many():
        return False
    _LIMITED.lower()
    return True


def many(work: float) -> bool:
    """True if a loop is to use threads; `work` counts numbers of an array read in order."""
    return work >= MIN_CHUNKED_LENGTH and may_thread() and work * _count() >= MIN_THREADED_WORK


def _count() -> int:
    """Number of threads that a loop may use, 0 for none; asking starts Numba's threads."""
    count = min(int(_numba().get_num_threads()), _LIMITED.limit or MAX_THREADS)
    return count if count > 1 else 0


@cache
def _numba() -> Numba:
    """Import Numba and start its threads with little spinning, unless the environment sets it.

    By default threads of GNU's OpenMP spin for some ten milliseconds before they sleep: whatever
    runs on one thread between two loops then has to share its core, or its caches, with them.
    """
    import numba

    if SPIN in os.environ or "OMP_WAIT_POLICY" in os.environ:
        return numba
    os.environ[SPIN] = TURNS
    numba.get_num_threads()
    del os.environ[SPIN]
    return numba


def balanced(indptr: Indices, pieces: int) -> NDArray[np.int64]:
    """Row numbers that cut compressed rows into pieces of about as many entries each."""
    targets = np.linspace(0, indptr[-1], pieces + 1)
    splits = np.searchsorted(indptr, targets).astype(np.int64)
    splits[0], splits[-1] = 0, indptr.size - 1
    return splits


def threads_of_a_run(*, ours: bool) -> AbstractContextManager[None]:
    """Context of a run that sets threads; `ours` if its large products are loops of ours."""
    if one_of_many():
        import scipy.linalg  # noqa: F401  (loaded now, its BLAS is seen)

        return one_thread()
    if not ours:
        return nullcontext()
    outermost = _in_main_thread() and not _LIMITED.entered
    return _LIMITED if outermost else one_thread()


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


class _Limited:
    """Context with BLAS on one thread, and our loops on as many as the caller allows either.

    Numba's number is lowered when a loop first asks, not before: reading it starts all threads.
    """

    def __init__(self) -> None:
        self.entered = False
        self._blas: AbstractContextManager[None] = nullcontext()
        self._given: int | None = None
        self._before: int | None = None  # Numba's number

    def __enter__(self) -> None:
        self._given, self.entered = limit_of_libraries(), True
        self._blas = one_thread()
        self._blas.__enter__()

    def __exit__(self, *_: object) -> None:
        self._blas.__exit__(None, None, None)
        if self._before is not None:
            _numba().set_num_threads(self._before)
        self.entered, self._before = False, None

    def lower(self) -> None:
        """Lower Numba's number of threads to the limit of the run, if there is one."""
        if not self.entered or self._given is None or self._before is not None:
            return
        self._before = _numba().get_num_threads()
        _numba().set_num_threads(min(self._given, self._before))

    @property
    def limit(self) -> int | None:
        """Number of threads that the caller allows BLAS and OpenMP; None if it is not limited."""
        return self._given if self.entered else limit_of_libraries()


_LIMITED = _Limited()
