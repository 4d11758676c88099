"""A loop compiled a second time: for threads, or around another term."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from numba import njit

__all__ = ["twin"]


def twin(loop: Any, kind: str, names: dict[str, Any] | None = None, **options: Any) -> Any:
    """The same loop, compiled with other options, or with other functions for its `names`.

    `kind` is part of the name by which Numba finds it on disk; the loop itself has its own.
    """
    code = loop.py_func.__code__
    code = code.replace(co_qualname=f"{kind}_{code.co_qualname}")
    same = FunctionType(code, {**loop.py_func.__globals__, **(names or {})})
    return njit(cache=True, nogil=True, error_model="numpy", **options)(same)
