"""Variants of a compiled loop: on all threads, or around another pointwise term.

A loop written with `prange` is compiled twice from one source, plain and with `parallel=True`, so
that both have the same pieces, and with them the same bits.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, TypeAlias

from numba import njit

__all__ = ["variant"]


Kernel: TypeAlias = Any
"""A function compiled by Numba, which has no types."""


def variant(
    loop: Kernel, kind: str, names: dict[str, object] | None = None, **options: object
) -> Kernel:
    """Variant of a compiled loop: compiled with other options, or with other globals `names`.

    `kind` becomes part of the variant's qualified name, which is its key in Numba's cache on
    disk: two variants of one name would overwrite each other's entries.
    """
    plain: Kernel = getattr(
        loop, "py_func", loop
    )  # itself, where NUMBA_DISABLE_JIT leaves it as it is
    code = plain.__code__
    code = code.replace(co_qualname=f"{kind}_{code.co_qualname}")
    copy = FunctionType(code, {**plain.__globals__, **(names or {})})
    return njit(cache=True, nogil=True, error_model="numpy", **options)(copy)
