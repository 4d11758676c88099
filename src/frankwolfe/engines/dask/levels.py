"""What shards say of a loss at a level: numbers and arrays that are added up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import NamedTuple

from frankwolfe.base.arrays import Array

__all__ = ["Bordered", "Level"]


class Level(NamedTuple):
    """phi at z + b: value, <phi', z>, the sum of the sizes of its terms, |z|, sums, gradient."""

    value: float
    inner: float
    size: float
    largest: float
    sums: Array
    gradient: Array

    @classmethod
    def sum(cls, parts: Sequence[Level]) -> Level:
        """All of them together."""
        total = [reduce(add, part) for part in zip(*parts, strict=True)]
        total[3] = max(part.largest for part in parts)
        return cls(*total)


class Bordered(NamedTuple):
    """phi at z + b, and its derivatives in the weights of atoms (two sets) and in b."""

    value: float
    slopes: Array
    sums: Array
    sizes: Array
    hessian: Array
    cross: Array
    other: Array
    gram: Array

    @classmethod
    def sum(cls, parts: Sequence[Bordered]) -> Bordered:
        """All of them together."""
        return cls(*(reduce(add, part) for part in zip(*parts, strict=True)))
