"""BLAS on one thread, where its threads and those of our loops would wait for each other.

OpenBLAS's threads go on spinning after a call, and so do those of a parallel loop: where the
two alternate every few milliseconds each waits for the other's cores. On two cores the hybrid
method took 20 s with BLAS on two threads and 2.3 s on one. `threads` has the policy.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

__all__ = ["limit_of_libraries", "one_of_many", "one_thread"]

# by one of these a user, or joblib for its workers, says how many threads a process may have
SAID = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
LATER = ("scipy.linalg", "numba.np.ufunc.omppool")  # which bring a library with them


@cache
def _libraries(process: int, loaded: tuple[bool, ...]) -> list[Any]:
    """Those of BLAS and OpenMP that are loaded now; SciPy has its own, and so has Numba."""
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().lib_controllers)


def _found(*apis: str) -> list[Any]:
    found = _libraries(os.getpid(), tuple(name in sys.modules for name in LATER))
    return [library for library in found if library.user_api in apis]


class _OneThread:
    """Sets the threads of what has more than one, and sets them back.

    `ThreadpoolController.limit` does the same, but lists all that it knows of each library each
    time, which takes as long as a step on small data.
    """

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        counts = [(library, library.get_num_threads()) for library in _found("blas")]
        self._before = [(library, count) for library, count in counts if count != 1]
        for library, _ in self._before:
            library.set_num_threads(1)

    def __exit__(self, *_: object) -> None:
        for library, count in self._before:
            library.set_num_threads(count)


def one_thread() -> AbstractContextManager[Any]:
    """Within it BLAS uses one thread."""
    return _OneThread()


def limit_of_libraries() -> int | None:
    """The fewest threads that somebody has left to OpenMP or BLAS; None where nobody has.

    By OMP_NUM_THREADS, or while the program runs, as `threadpoolctl` does. What other variables
    say of BLAS is for BLAS alone.
    """
    said = [_number(name) for name in SAID[:3]]
    usual = min((number for number in said if number), default=_cores())
    counts = [library.get_num_threads() or usual for library in _found("blas", "openmp")]
    lower = [count for count in counts if count < usual]
    return min([*lower, said[0]] if said[0] else lower, default=None)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _number(name: str) -> int | None:
    """What a variable says, where it is a number; OpenMP's may have one for each level."""
    first = os.environ.get(name, "").split(",")[0].strip()
    return int(first) if first.isdigit() and int(first) > 0 else None


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
