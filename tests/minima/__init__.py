"""The least <g, s> over a region, found by somebody else: one function for each region.

A family has a file here. `least` is asked for every registered region by `regions/test_oracles`.
"""

from __future__ import annotations

from functools import singledispatch

import numpy as np
from programs import program

import frankwolfe as fw


@singledispatch
def least(region: fw.Region, g: np.ndarray) -> float:
    """The minimum by another solver, by all vertices, or by a formula; a linear program here."""
    written = program(region, g.size)
    if written is None:
        raise NotImplementedError(f"tests/minima knows no other way for {type(region).__name__}")
    size = float(np.abs(g).max()) or 1.0  # solvers have absolute tolerances
    return size * written.minimum(g / size)


from minima import basic as basic  # noqa: E402  (they register themselves)
from minima import combined as combined  # noqa: E402
from minima import graphs as graphs  # noqa: E402
from minima import matrices as matrices  # noqa: E402
from minima import norms as norms  # noqa: E402
from minima import programs_family as programs_family  # noqa: E402
from minima import transport as transport  # noqa: E402
