"""Compiled loops over plain arrays; the only place where Numba is imported.

Every function here is free, cached on disk, and allocates no more than a little room of its
own, whatever the length of the data. The modules are loaded when a function of theirs is first
called, so that importing the library stays light.
"""

from __future__ import annotations

from typing import Any

from frankwolfe.numerics.kernels.cache import load
from frankwolfe.numerics.threads import LONG, many, may_thread

__all__ = ["LONG", "for_length", "may_thread"]


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


blocks, parallel, vectors = map(__getattr__, ("blocks", "parallel", "vectors"))


def for_length(size: int) -> Any:
    """The vector loops for arrays of that length: plain, or in blocks, on all threads."""
    if size < LONG:
        return vectors
    return parallel if many(size) else blocks
