"""A function that depends on the first variables only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from frankwolfe.base import Array, Matrix
from frankwolfe.core import Atom, Dense, Objective, Sparse, stored_entries

__all__ = ["FirstBlock"]


class FirstBlock(Objective):
    """The function x -> f(x_1, ..., x_k) of n >= k variables.

    Parameters
    ----------
    objective : Objective
        f, with its data in this process's memory.
    n : int
        Number of variables.
    """

    def __init__(self, objective: Objective, n: int) -> None:
        self.objective, self.n, self.m = objective, n, objective.m
        for name in ("dtype", "convex", "quadratic", "cheap_line_search", "twice_differentiable"):
            setattr(self, name, getattr(objective, name))
        # not `identity` or `carries_x`: z has fewer entries than x
        for name in ("everywhere", "where", "least", "offset", "place"):
            setattr(self, name, getattr(objective, name))

    @property
    def sparse(self) -> bool:
        """True if f has a sparse data matrix."""
        return self.objective.sparse

    def _first(self, atom: Atom) -> Atom:
        """The first k entries of an atom, which f sees."""
        k = self.objective.n
        if isinstance(atom, Dense):
            return Dense(atom.dense(self.n)[:k])
        where, values = stored_entries(atom)
        seen = where < k
        return Sparse(where[seen], values[seen])

    def image(self, x: Array, out: Array) -> None:
        self.objective.image(x[: self.objective.n], out)

    def image_of(self, atom: Atom, out: Array) -> None:
        self.objective.image_of(self._first(atom), out)

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        return self.objective.images([self._first(atom) for atom in atoms])

    def value(self, z: Array) -> float:
        return self.objective.value(z)

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        return self.objective.linearize(z, slope)

    def gradient(self, slope: Array, out: Array) -> None:
        k = self.objective.n
        self.objective.gradient(slope, out[:k])
        out[k:] = 0.0

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        return self.objective.along(z, dz, t)

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        return self.objective.hessian(z, left, right)

    def hessian_times(self, z: Array, columns: Array) -> Array:
        return self.objective.hessian_times(z, columns)

    def full_hessian(self, z: Array) -> Array:
        k, whole = self.objective.n, np.zeros((self.n, self.n))
        whole[:k, :k] = self.objective.full_hessian(z)
        return whole

    def in_domain(self, z: Array) -> bool:
        return self.objective.in_domain(z)

    def max_step(self, z: Array, dz: Array, t: float) -> float:
        return self.objective.max_step(z, dz, t)

    def curvature_bound(self, dz: Array) -> float | None:
        return self.objective.curvature_bound(dz)

    @property
    def smoothness(self) -> float | None:
        """Lipschitz constant of the gradient of f; None if unknown."""
        return self.objective.smoothness

    def lost(self, reach: Callable[[Array], float], diameter: Callable[[], float]) -> float:
        return self.objective.lost(self._within(reach), diameter)

    def gain(self, reach: Callable[[Array], float], *, sharp: bool) -> float:
        return self.objective.gain(self._within(reach), sharp=sharp)

    def _within(self, reach: Callable[[Array], float]) -> Callable[[Array], float]:
        """Bound Σ_j w_j |v_j| for weights w of the first variables, by the one for all."""

        def first(weights: Array) -> float:
            whole = np.zeros(self.n)
            whole[: self.objective.n] = weights
            return reach(whole)

        return first

    def size(self, slope: Array, value: float) -> float:
        return self.objective.size(slope, value)

    def steepening(self, slope: Array, off: float) -> float:
        return self.objective.steepening(slope, off)

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        from frankwolfe.objectives import SquaredError

        return cls(SquaredError.example(n - n // 2, rng), n)

    def fingerprint(self) -> str:
        return f"{self.objective.fingerprint()} of the first, {self.n}"

    def __repr__(self) -> str:
        return f"FirstBlock({self.objective!r}, of {self.n})"
