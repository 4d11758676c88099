"""Compiled loops over plain arrays; the only place where Numba is imported.

Every function here is free, cached on disk, and allocates nothing. The modules are loaded
when a function of theirs is first called, so that importing the library stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["guard", "losses", "parallel", "sparse", "vectors"]


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


guard: Any = _Deferred("frankwolfe.kernels.guard")
losses: Any = _Deferred("frankwolfe.kernels.losses")
parallel: Any = _Deferred("frankwolfe.kernels.parallel")
sparse: Any = _Deferred("frankwolfe.kernels.sparse")
vectors: Any = _Deferred("frankwolfe.kernels.vectors")
