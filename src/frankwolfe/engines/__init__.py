"""Engines: where data live that are not in this process's memory, by the package of their arrays.

An engine is a module that is an :class:`~frankwolfe.base.foreign.Engine`. It is loaded when one of
its arrays is first met.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from frankwolfe.base.foreign import Engine

__all__: list[str] = []


def _dask() -> Engine:
    """Import the engine for collections of Dask, which live on a cluster."""
    from frankwolfe.engines import dask

    return cast("Engine", dask)


def _cuda() -> Engine:
    """Import the engine for arrays on a GPU: those of CuPy, PyTorch and JAX."""
    from frankwolfe.engines import cuda

    return cast("Engine", cuda)


ENGINES: dict[str, Callable[[], Engine]] = {
    "dask": _dask,
    **dict.fromkeys(("cupy", "cupyx", "torch", "jax", "jaxlib"), _cuda),
}
"""Loaders of engines by the package that defines an array's type."""
