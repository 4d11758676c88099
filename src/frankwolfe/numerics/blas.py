"""BLAS on one thread, where its threads and those of our loops would wait for each other.

OpenBLAS's threads go on spinning after a call, and so do those of a parallel loop: where the
two alternate every few milliseconds each waits for the other's cores. On two cores the hybrid
method took 20 s with BLAS on two threads and 2.3 s on one.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

__all__ = ["one_of_many", "one_thread", "threads_of_a_run"]

# by one of these a user, or joblib for its workers, says how many threads a process may have
SAID = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@cache
def _libraries(process: int, *, scipy: bool) -> list[Any]:
    """Those of BLAS that are loaded now; SciPy has its own."""
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


class _OneThread:
    """Sets the threads of what has more than one, and sets them back.

    `ThreadpoolController.limit` does the same, but lists all that it knows of each library each
    time, which takes as long as a step on small data.
    """

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        found = _libraries(os.getpid(), scipy="scipy.linalg" in sys.modules)
        counts = [(library, library.get_num_threads()) for library in found]
        self._before = [(library, count) for library, count in counts if count != 1]
        for library, _ in self._before:
            library.set_num_threads(1)

    def __exit__(self, *_: object) -> None:
        for library, count in self._before:
            library.set_num_threads(count)


def one_thread() -> AbstractContextManager[Any]:
    """Within it BLAS uses one thread."""
    return _OneThread()


def threads_of_a_run() -> AbstractContextManager[Any]:
    """What a whole run is within: one thread for BLAS where this is one process of many."""
    if not one_of_many():
        return nullcontext()
    import scipy.linalg  # noqa: F401  (loaded now, its BLAS is seen)

    return one_thread()


def one_of_many() -> bool:
    """Whether this process is one that `multiprocessing` started, and nobody gave it threads.

    The processes of a pool have the cores between them: with as many threads each they would
    wait for each other.
    """
    return _one_of_many(os.getpid())


@cache
def _one_of_many(process: int) -> bool:
    started_by = sys.modules.get("multiprocessing.process")  # not loaded: nobody did
    child = started_by is not None and started_by.parent_process() is not None
    return child and not any(os.environ.get(name) for name in SAID)
