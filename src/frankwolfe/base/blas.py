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
from typing import Any, TypeAlias

__all__ = ["limit_of_libraries", "one_of_many", "one_thread"]

Library: TypeAlias = Any
"""A loaded library with threads, as threadpoolctl controls it."""

# by one of these a user, or joblib for its workers, says how many threads a process may have
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
LATE_LOADERS = ("scipy.linalg", "numba.np.ufunc.omppool")  # modules that load one more library
LOWERED: dict[int, int] = {}  # id of a library that `one_thread` holds -> the caller's threads


@cache
def _libraries(process: int, *loaded: bool) -> tuple[list[Library], list[Library]]:
    """BLAS and OpenMP libraries loaded now; SciPy brings its own BLAS, Numba its own OpenMP.

    The arguments are the key of the cache: a search through all libraries of a process is slow.
    """
    from threadpoolctl import ThreadpoolController

    found = ThreadpoolController().lib_controllers
    blas, openmp = ([x for x in found if x.user_api == api] for api in ("blas", "openmp"))
    return blas, openmp


def _found() -> tuple[list[Library], list[Library]]:
    return _libraries(os.getpid(), LATE_LOADERS[0] in sys.modules, LATE_LOADERS[1] in sys.modules)


class _OneThread:
    """Context in which each BLAS has one thread; their numbers are restored at the end.

    `ThreadpoolController.limit` does the same, but lists all that it knows of each library each
    time, which takes as long as a step on small data.
    """

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        counts = [(library, library.get_num_threads()) for library in _found()[0]]
        self._before = [(library, count) for library, count in counts if count != 1]
        for library, count in self._before:
            LOWERED[id(library)] = count
            library.set_num_threads(1)

    def __exit__(self, *_: object) -> None:
        for library, count in self._before:
            library.set_num_threads(count)
            LOWERED.pop(id(library), None)


def one_thread() -> AbstractContextManager[None]:
    """Context within which BLAS uses one thread."""
    return _OneThread()


def limit_of_libraries() -> int | None:
    """Smallest number of threads that the caller allows OpenMP or BLAS; None if nobody set one.

    Set by OMP_NUM_THREADS, or while the program runs, as `threadpoolctl` does. A number that only
    a variable of BLAS's own gives limits BLAS alone, not our loops.
    """
    cores, (blas, openmp) = _cores(), _found()
    said, usual = _said(cores)
    counts = [said] if said else []
    for libraries, begun in ((blas, usual), (openmp, min(said or cores, cores))):
        found = [LOWERED.get(id(x)) or x.get_num_threads() or begun for x in libraries]
        counts += [count for count in found if count < begun]  # lowered since the library began
    return min(counts, default=None)


@cache
def _said(cores: int) -> tuple[int | None, int]:
    """OMP_NUM_THREADS if set, and the number of threads with which BLAS begins by the variables."""
    said = [_number(name) for name in THREAD_VARIABLES[:3]]
    return said[0], min([cores, *(number for number in said if number)])


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _number(name: str) -> int | None:
    """First number in an environment variable (OpenMP's lists one for each level), or None."""
    first = os.environ.get(name, "").split(",")[0].strip()
    return int(first) if first.isdigit() and int(first) > 0 else None


def one_of_many() -> bool:
    """True in a child process of `multiprocessing` whose threads no environment variable sets.

    The processes of a pool share the cores: with threads in each of them they would wait for each
    other.
    """
    return _one_of_many(os.getpid())


@cache
def _one_of_many(process: int) -> bool:
    started_by = sys.modules.get("multiprocessing.process")  # not loaded: nobody did
    child = started_by is not None and started_by.parent_process() is not None
    return child and not any(os.environ.get(name) for name in THREAD_VARIABLES)
