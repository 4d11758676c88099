"""An objective, without abilities and with one."""

from __future__ import annotations

import numpy as np

from frankwolfe.core.objective import Objective
from frankwolfe.core.objective_abilities import Itself

__all__ = ["CurvedLogCosh", "LogCosh"]


class LogCosh(Objective):
    """The mean of log cosh((Ax - b)_i), between a parabola and |.|."""

    dtype = np.dtype(np.float64)

    def __init__(self, A, b):
        self.A, self.b = np.array(A, float), np.array(b, float)
        self.m, self.n = self.A.shape

    def image(self, x, out):
        out[:] = self.A @ x

    def image_of(self, atom, out):
        out[:] = self.A @ atom.dense(self.n)

    def value(self, z):
        c = np.abs(z - self.b)
        return float(np.mean(c + np.log1p(np.exp(-2.0 * c)) - np.log(2.0)))

    def linearize(self, z, slope):
        slope[:] = np.tanh(z - self.b) / self.m
        return self.value(z), float(slope @ z)

    def gradient(self, slope, out):
        out[:] = self.A.T @ slope

    def along(self, z, dz, t):
        slope = np.tanh(z + t * dz - self.b)
        bend = float((1.0 - slope**2) @ dz**2) / self.m
        return self.value(z + t * dz), float(slope @ dz) / self.m, bend

    def curvature_bound(self, dz):
        return float(dz @ dz) / self.m

    @property
    def smoothness(self):
        return float(np.linalg.norm(self.A, 2)) ** 2 / self.m

    @classmethod
    def example(cls, n, rng):
        return cls(rng.standard_normal((3 * n, n)), rng.standard_normal(3 * n))

    def fingerprint(self):
        return f"LogCosh({self.A.tobytes().hex()}, {self.b.tobytes().hex()})"


class CurvedLogCosh(LogCosh):
    """With second derivatives, so that every method takes it."""

    second_order = Itself()

    def images(self, atoms):
        return np.column_stack([self.A @ atom.dense(self.n) for atom in atoms])

    def hessian(self, z, left, right):
        return left.T @ ((1.0 - np.tanh(z - self.b) ** 2)[:, None] * right) / self.m

    def full_hessian(self, z):
        return self.hessian(z, self.A, self.A)
