"""Where data live that are not in this process's memory: a line for each kind of array.

An engine is loaded when one of its arrays is first met.
"""

from __future__ import annotations

from frankwolfe.base.foreign import register

__all__: list[str] = []

register("dask", "frankwolfe.engines.dask")
for package in ("cupy", "cupyx", "torch", "jax", "jaxlib"):
    register(package, "frankwolfe.engines.cuda")
