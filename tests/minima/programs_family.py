"""Integer points one by one."""

from __future__ import annotations

import numpy as np
from programs import program

import frankwolfe as fw
from minima import least


@least.register
def best_point(region: fw.IntegerPolytope, g: np.ndarray) -> float:
    written = program(region, g.size)
    return float((g @ written.lift).min())
