"""Compiled loops over plain arrays; Numba is imported in packages called `kernels` alone.

Every function here is free, cached on disk, and allocates no more than a little room of its
own, whatever the length of the data. The modules are loaded when a function of theirs is first
called, so that importing the library stays light. With NUMBA_DISABLE_JIT=1 all of them run as
Python, slowly, and a debugger can step through them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeAlias

from frankwolfe.base.kernels.cache import load
from frankwolfe.base.threads import MIN_CHUNKED_LENGTH, many, may_thread

__all__ = ["MIN_CHUNKED_LENGTH", "deferred", "for_length", "may_thread"]

Kernel: TypeAlias = Any
"""A function compiled by Numba, which has no types, a constant, or a module of these."""


class _Deferred:
    """A module that is imported when an attribute is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Kernel:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        value = getattr(load(self._name), attribute)
        self.__dict__[attribute] = value  # found without this method from now on
        return value


def deferred(package: str) -> Callable[[str], Kernel]:
    """The `__getattr__` of a package of kernels, which loads its modules when they are used."""

    def module_of(name: str) -> Kernel:
        if name.startswith("_"):
            raise AttributeError(name)
        module = sys.modules[package].__dict__[name] = _Deferred(f"{package}.{name}")
        return module

    return module_of


__getattr__ = deferred(__name__)
blocks, parallel, vectors = map(__getattr__, ("blocks", "parallel", "vectors"))


def for_length(size: int) -> Kernel:
    """The module of vector loops for arrays of `size` entries: plain, in blocks, or on threads."""
    if size < MIN_CHUNKED_LENGTH:
        return vectors
    return parallel if many(size) else blocks
