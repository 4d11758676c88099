"""A region."""

from __future__ import annotations

import numpy as np

from frankwolfe.core.atoms import Dense
from frankwolfe.core.region import Region

__all__ = ["Oval"]


class Oval(Region):
    """The oval of all x with sum((x - center)^2 / axes^2) <= 1."""

    strongly_convex = True

    def __init__(self, axes, center):
        self.axes, self.center = np.array(axes, float), np.array(center, float)
        self.dimension = self.axes.size

    def lmo(self, g, out=None):
        g = self._gradient(g)
        out = np.empty_like(g) if out is None else out
        scaled = self.axes * g.astype(float)
        norm = np.linalg.norm(scaled)
        out[:] = self.center - (self.axes * scaled / norm if norm != 0.0 else 0.0)
        return Dense(out)

    def diameter(self, n):
        return 2.0 * float(self.axes.max())

    def violation(self, x):
        return max(0.0, float(np.linalg.norm((x - self.center) / self.axes)) - 1.0)

    def start(self, n):
        return self.center.copy()

    @classmethod
    def examples(cls, n, rng):
        return [cls(rng.uniform(0.3, 2.0, n), 0.3 * rng.standard_normal(n))]

    def __repr__(self):
        return f"Oval({self.dimension} variables)"
