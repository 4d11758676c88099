"""Where data live that are not in this process's memory: a line for each kind of array.

An engine is loaded when one of its arrays is first met.
"""

from __future__ import annotations

from frankwolfe.numerics.foreign import register

__all__: list[str] = []

register("dask", "frankwolfe.engines.dask")
register("cupy", "frankwolfe.engines.cuda")
register("cupyx", "frankwolfe.engines.cuda")
