"""Answers of shards about a loss with intercepts b: numbers and arrays that are added up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import NamedTuple

from frankwolfe.base.arrays import Array

__all__ = ["Bordered", "Level"]


class Level(NamedTuple):
    """phi at z + b: value, <phi', z>, <|phi'|, |z|>, max |z|, sums of phi' by class, gradient."""

    value: float
    inner: float
    size: float
    largest: float
    sums: Array
    gradient: Array

    @classmethod
    def sum(cls, parts: Sequence[Level]) -> Level:
        """Sum of the shards' answers."""
        total = [reduce(add, part) for part in zip(*parts, strict=True)]
        total[3] = max(part.largest for part in parts)
        return cls(*total)


class Bordered(NamedTuple):
    """phi at z + b, with its derivatives in b and in the weights of two sets of atoms."""

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
        """Sum of the shards' answers."""
        return cls(*(reduce(add, part) for part in zip(*parts, strict=True)))
