"""A function that depends on the first variables only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from frankwolfe.base import Array, Matrix
from frankwolfe.core import (
    Atom,
    Dense,
    Diameter,
    Objective,
    ProductRounding,
    SecondOrder,
    Sparse,
    WeightedSupport,
    stored_entries,
)

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
        for name in ("dtype", "convex", "quadratic", "cheap_line_search"):
            setattr(self, name, getattr(objective, name))
        # not `identity` or `carries_x`: z has fewer entries than x
        for name in ("everywhere", "where", "least", "offset", "place", "sparse"):
            setattr(self, name, getattr(objective, name))

    def first(self, atom: Atom) -> Atom:
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
        self.objective.image_of(self.first(atom), out)

    @property
    def second_order(self) -> FirstBlockCurvature | None:  # type: ignore[override]
        """The second derivatives of f, with zeros for the other variables."""
        part = self.objective.second_order
        return None if part is None else FirstBlockCurvature(self, part)

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

    @property
    def rounding(self) -> FirstBlockRounding | None:  # type: ignore[override]
        """The rounding of f, whose products are with the first variables alone."""
        part = self.objective.rounding
        return None if part is None else FirstBlockRounding(self, part)

    def lost(self, weighted_support: WeightedSupport, diameter: Diameter) -> float:
        return self.objective.lost(self.within(weighted_support), diameter)

    def within(self, weighted_support: WeightedSupport) -> WeightedSupport:
        """Bound Σ_j w_j |v_j| for weights w of the first variables, by the one for all."""

        def first(weights: Array) -> float:
            whole = np.zeros(self.n)
            whole[: self.objective.n] = weights
            return weighted_support(whole)

        return first

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        from frankwolfe.objectives import SquaredError

        return cls(SquaredError.example(n - n // 2, rng), n)

    def fingerprint(self) -> str:
        return f"{self.objective.fingerprint()} of the first, {self.n}"

    def __repr__(self) -> str:
        return f"FirstBlock({self.objective!r}, of {self.n})"


class FirstBlockCurvature:
    """Second derivatives of a function of the first variables, by those of f."""

    def __init__(self, whole: FirstBlock, part: SecondOrder) -> None:
        self._whole, self._part = whole, part
        self.hessian = part.hessian  # the image is that of f

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        return self._part.images([self._whole.first(atom) for atom in atoms])

    def full_hessian(self, z: Array) -> Array:
        n, k = self._whole.n, self._whole.objective.n
        whole = np.zeros((n, n))
        whole[:k, :k] = self._part.full_hessian(z)
        return whole


class FirstBlockRounding:
    """Rounding of a function of the first variables, by that of f."""

    def __init__(self, whole: FirstBlock, part: ProductRounding) -> None:
        self._whole, self._part = whole, part
        self.size, self.steepening = part.size, part.steepening  # the image is that of f

    def gain(self, weighted_support: WeightedSupport, *, sharp: bool) -> float:
        return self._part.gain(self._whole.within(weighted_support), sharp=sharp)
