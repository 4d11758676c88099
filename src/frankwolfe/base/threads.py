"""Who uses the cores: one policy for our own loops and for BLAS.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.blas import limit_of_libraries, one_of_many, one_thread

__all__ = [
    "GATHERED",
    "LONG",
    "PARTS",
    "PIECES",
    "TERM",
    "balanced",
    "many",
    "may_thread",
    "threads_of_a_run",
]

PROCESS = os.getpid()  # in which the library was imported
LONG = 500_000  # numbers from which on a loop is made in pieces
PAYS = 8_000_000  # and on threads, where numbers times threads are so many: 16 threads from LONG on
GATHERED = 2  # what a number counts for whose place is looked up
TERM = 16  # what a term with a logarithm counts for
PIECES = 64  # of a loop: more than there are threads, so that all have as much to do
MOST = 2**16  # threads, where nobody has said how many
SPIN, TURNS = "GOMP_SPINCOUNT", "1000"  # some twenty microseconds
PARTS = 16  # of a sum of vectors, each of which is as long as the sum


def may_thread() -> bool:
    """Whether loops may use threads: not in one process of many, nor beside another thread's.

    A forked process that uses OpenMP as its parent did is ended by it, the processes of a pool
    have the cores between them, and Numba's own threads serve one caller at a time.
    """
    if os.getpid() != PROCESS or not _in_main_thread() or one_of_many():
        return False
    _LIMITED.lower()
    return True


def many(work: float) -> bool:
    """Whether a loop with so much to do, in numbers, is to use threads."""
    return work >= LONG and may_thread() and work * _count() >= PAYS


def _count() -> int:
    """How many threads there are; asking starts them."""
    count = min(int(_numba().get_num_threads()), _LIMITED.limit or MOST)
    return count if count > 1 else 0


@cache
def _numba() -> Any:
    """Numba, its threads started with little patience where nobody has said how much they have.

    By default those of GNU's OpenMP spin for some ten milliseconds before they sleep: whatever
    runs on one thread between two loops has then to share its core with them, or its caches.
    """
    import numba

    if SPIN in os.environ or "OMP_WAIT_POLICY" in os.environ:
        return numba
    os.environ[SPIN] = TURNS
    numba.get_num_threads()
    del os.environ[SPIN]
    return numba


def balanced(indptr: NDArray[Any], pieces: int) -> NDArray[np.int64]:
    """Where to cut compressed rows so that each piece has about as many entries."""
    targets = np.linspace(0, indptr[-1], pieces + 1)
    splits = np.searchsorted(indptr, targets).astype(np.int64)
    splits[0], splits[-1] = 0, indptr.size - 1
    return splits


def threads_of_a_run(*, ours: bool) -> AbstractContextManager[Any]:
    """What a run is within; `ours` where its large products are loops of ours."""
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
    """BLAS on one thread, our loops on as many as the caller has left to either.

    Numba's number is lowered when a loop first asks, not before: it starts all threads to tell.
    """

    def __init__(self) -> None:
        self.entered = False
        self._blas: AbstractContextManager[Any] = nullcontext()
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
        """Keep to the limit, where the run has one."""
        if not self.entered or self._given is None or self._before is not None:
            return
        self._before = _numba().get_num_threads()
        _numba().set_num_threads(min(self._given, self._before))

    @property
    def limit(self) -> int | None:
        """What the caller has left to BLAS and OpenMP, where that is less than all."""
        return self._given if self.entered else limit_of_libraries()


_LIMITED = _Limited()
