"""A region without abilities, and one with two."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from frankwolfe.core.atoms import Dense, Vertex
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Formulation, Projection, Projector
from frankwolfe.core.standard_form.form import ball

__all__ = ["Oval", "QuickOval"]


class Oval(Region):
    """The oval of all x with sum((x - center)^2 / axes^2) <= 1."""

    strongly_convex = True

    def __init__(self, axes, center):
        self.axes, self.center = np.array(axes, float), np.array(center, float)
        self.dimension = self.axes.size

    def lmo(self, g, out=None):
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
        return f"{type(self).__name__}({self.dimension} variables)"


class QuickOval(Oval, Projector, Formulation):
    """The oval, which can also project and be written by equations, bounds and norms."""

    def project(self, p):
        away, squares = (p - self.center).astype(float), self.axes**2
        if self.violation(p) == 0.0:
            return Projection(p.copy())

        def outside(t):  # of the point that is nearest for the multiplier t
            return float(np.linalg.norm(self.axes * away / (squares + t))) - 1.0

        t = brentq(outside, 0.0, self.axes.max() * float(np.linalg.norm(away)))
        x = squares * away / (squares + t)
        x = self.center + x / np.linalg.norm(x / self.axes)
        return Projection(x.astype(p.dtype))

    def standard_form(self, n):
        axes = [Vertex(j, axis) for j, axis in enumerate(self.axes.tolist())]
        return replace(ball(n, 2.0, 1.0, self.center), atoms=axes)
