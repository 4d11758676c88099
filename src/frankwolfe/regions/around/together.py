"""Several oracles that are asked for one sum: what each may be off adds up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array, Shape
from frankwolfe.base.memory import Memory, group, grouped
from frankwolfe.core.atoms import Atom
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Accuracy

__all__ = ["Together", "ask_all", "doubt", "memories"]


class Together(Memory):
    """What each oracle keeps, what each found last, and room for an atom of all."""

    __slots__ = ("array", "found", "parts")

    def __init__(self, parts: Sequence[Memory], array: Array) -> None:
        self.parts, self.array = tuple(parts), array
        self.found: Array = np.zeros(len(self.parts))

    def pack(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {"array": self.array, "found": self.found}
        for i, part in enumerate(self.parts):
            arrays.update(grouped(str(i), part.pack()))
        return arrays

    def restore(self, arrays: Mapping[str, Array]) -> None:
        self.array, self.found = arrays["array"].copy(), arrays["found"].copy()
        for i, part in enumerate(self.parts):
            part.restore(group(str(i), arrays))


def memories(
    regions: Sequence[Region], shapes: Sequence[Shape], dtype: np.dtype[Any], room: int
) -> Together:
    """Memory for all of them."""
    parts = [r.oracle_memory(shape, dtype) for r, shape in zip(regions, shapes, strict=True)]
    return Together(parts, np.empty(room, dtype=dtype))


def ask_all(
    regions: Sequence[Region], gradients: Sequence[Array], memory: Together, wanted: Accuracy
) -> tuple[list[Atom], float, float]:
    """An atom of each, the sum of the products, and a bound on how far that is above the minimum.

    The gap of the sum is what each is to be accurate for: from what is wanted of all, what the
    others found is taken away, or what they found last where their turn is still to come.
    """
    atoms: list[Atom] = []
    error, count = 0.0, len(regions)
    for i, (region, g) in enumerate(zip(regions, gradients, strict=True)):
        others = math.fsum(memory.found) - float(memory.found[i])
        share = Accuracy(wanted.above - others, wanted.slack, wanted.share / count, wanted.between)
        atom, value, off = region.inexact_lmo(g, memory.parts[i], share)
        atoms.append(atom)
        memory.found[i] = value
        error += off
    return atoms, math.fsum(memory.found), error


def doubt(regions: Sequence[Region], memory: Together) -> float:
    """A bound on the probability that the bound of one of them fails."""
    each = zip(regions, memory.parts, strict=True)
    return sum(region.failure_probability(part) for region, part in each)
