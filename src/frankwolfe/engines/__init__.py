"""Engines for data outside of this process's memory, registered by the package of their arrays.

An engine is loaded when one of its arrays is first met.
"""

from __future__ import annotations

from frankwolfe.base.foreign import register

__all__: list[str] = []

register("dask", "frankwolfe.engines.dask")
for package in ("cupy", "cupyx", "torch", "jax", "jaxlib"):
    register(package, "frankwolfe.engines.cuda")
