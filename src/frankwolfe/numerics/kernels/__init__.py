"""Compiled loops over plain arrays; the only place where Numba is imported.

Every function here is free, cached on disk, and allocates no more than a little room of its
own, whatever the length of the data. The modules are loaded
when a function of theirs is first called, so that importing the library stays light.
"""

from __future__ import annotations

import os
import threading
from importlib import import_module
from typing import Any

from frankwolfe.numerics.blas import one_of_many

__all__ = [
    "LONG",
    "active",
    "box",
    "cells",
    "dense",
    "fast_path",
    "for_length",
    "groups",
    "guard",
    "krylov",
    "level",
    "logs",
    "losses",
    "low_rank",
    "may_thread",
    "multinomial",
    "parallel",
    "parallel_cells",
    "parallel_sparse",
    "rows",
    "select",
    "semidefinite",
    "simplex",
    "sparse",
    "vectors",
]


PROCESS = os.getpid()  # in which the library was imported
LONG = 4_000_000  # from this length on loops run on all threads; below, BLAS gets in the way


class _Deferred:
    """A module that is imported when an attribute is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        value = getattr(import_module(self._name), attribute)
        self.__dict__[attribute] = value  # found without this method from now on
        return value


active: Any = _Deferred("frankwolfe.numerics.kernels.active")
box: Any = _Deferred("frankwolfe.numerics.kernels.box")
cells: Any = _Deferred("frankwolfe.numerics.kernels.cells")
dense: Any = _Deferred("frankwolfe.numerics.kernels.dense")
low_rank: Any = _Deferred("frankwolfe.numerics.kernels.low_rank")
fast_path: Any = _Deferred("frankwolfe.numerics.kernels.fast_path")
groups: Any = _Deferred("frankwolfe.numerics.kernels.groups")
guard: Any = _Deferred("frankwolfe.numerics.kernels.guard")
krylov: Any = _Deferred("frankwolfe.numerics.kernels.krylov")
level: Any = _Deferred("frankwolfe.numerics.kernels.level")
logs: Any = _Deferred("frankwolfe.numerics.kernels.logs")
losses: Any = _Deferred("frankwolfe.numerics.kernels.losses")
multinomial: Any = _Deferred("frankwolfe.numerics.kernels.multinomial")
parallel: Any = _Deferred("frankwolfe.numerics.kernels.parallel")
parallel_cells: Any = _Deferred("frankwolfe.numerics.kernels.parallel_cells")
parallel_sparse: Any = _Deferred("frankwolfe.numerics.kernels.parallel_sparse")
simplex: Any = _Deferred("frankwolfe.numerics.kernels.simplex")
rows: Any = _Deferred("frankwolfe.numerics.kernels.rows")
select: Any = _Deferred("frankwolfe.numerics.kernels.select")
semidefinite: Any = _Deferred("frankwolfe.numerics.kernels.semidefinite")
sparse: Any = _Deferred("frankwolfe.numerics.kernels.sparse")
vectors: Any = _Deferred("frankwolfe.numerics.kernels.vectors")


def may_thread() -> bool:
    """Whether loops may use threads: not in one process of many, nor beside another thread's.

    A forked process that uses OpenMP as its parent did is ended by it, the processes of a pool
    have the cores between them, and Numba's own threads serve one caller at a time.
    """
    mine = os.getpid() == PROCESS and threading.current_thread() is threading.main_thread()
    return mine and not one_of_many()


def for_length(size: int) -> Any:
    """The vector loops for arrays of that length: plain, or on all threads."""
    return parallel if size >= LONG and may_thread() else vectors
