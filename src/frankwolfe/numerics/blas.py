"""BLAS on one thread, where its threads and those of our loops would wait for each other.

OpenBLAS's threads go on spinning after a call, and so do those of a parallel loop: where the
two alternate every few milliseconds each waits for the other's cores. On two cores the hybrid
method took 20 s with BLAS on two threads and 2.3 s on one.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

__all__ = ["one_thread"]


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Within it BLAS uses one thread."""
    context: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return context
