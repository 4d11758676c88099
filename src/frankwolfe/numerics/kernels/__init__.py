"""Compiled loops over plain arrays; the only place where Numba is imported.

Every function here is free, cached on disk, and allocates no more than a little room of its
own, whatever the length of the data. The modules are loaded when a function of theirs is first
called, so that importing the library stays light.
"""

from __future__ import annotations

import os
import threading
from typing import Any

from frankwolfe.numerics.blas import one_of_many
from frankwolfe.numerics.kernels.cache import load

__all__ = ["LONG", "for_length", "may_thread"]

PROCESS = os.getpid()  # in which the library was imported
LONG = 4_000_000  # from this length on loops run on all threads; below, BLAS gets in the way


class _Deferred:
    """A module that is imported when an attribute is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        value = getattr(load(self._name), attribute)
        self.__dict__[attribute] = value  # found without this method from now on
        return value


def __getattr__(name: str) -> Any:
    """A module of this package, not loaded yet."""
    if name.startswith("_"):
        raise AttributeError(name)
    module = globals()[name] = _Deferred(f"{__name__}.{name}")
    return module


parallel, vectors = __getattr__("parallel"), __getattr__("vectors")


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
