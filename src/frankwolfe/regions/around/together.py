"""Joint calls of several regions: their inexact oracles, whose errors add up; standard forms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Shape
from frankwolfe.base.memory import Memory, group, grouped
from frankwolfe.core.atoms import Atom
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.core.standard_form.form import StandardForm

__all__ = ["OracleMemories", "all_able", "all_formulated", "ask_all", "doubt", "memories"]

A = TypeVar("A")


class OracleMemories(Memory):
    """Memories of several oracles, the value each found last, and a buffer for a joint atom."""

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
    regions: Sequence[Region], shapes: Sequence[Shape], dtype: Dtype, room: int
) -> OracleMemories:
    """Make the memory for the oracles of several regions."""
    parts = [r.oracle_memory(shape, dtype) for r, shape in zip(regions, shapes, strict=True)]
    return OracleMemories(parts, np.empty(room, dtype=dtype))


def ask_all(
    regions: Sequence[Region], gradients: Sequence[Array], memory: OracleMemories, wanted: Accuracy
) -> tuple[list[Atom], float, float]:
    """Atoms s_i of all regions, Σ_i <g_i, s_i>, and an upper bound on its excess over the minimum.

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


def doubt(regions: Sequence[Region], memory: OracleMemories) -> float:
    """Union bound on the probability that the bound of one of the oracles fails."""
    each = zip(regions, memory.parts, strict=True)
    return sum(region.failure_probability(part) for region, part in each)


def all_able(regions: Sequence[Region], kind: type[A]) -> list[A] | None:
    """Abilities of this kind of all regions; None where one of them lacks it."""
    found = [ability for region in regions if (ability := region.ability(kind)) is not None]
    return found if len(found) == len(regions) else None


def all_formulated(parts: Iterable[tuple[Region, int]]) -> list[StandardForm] | None:
    """Standard forms of all regions of these sizes; None where one of them has none."""
    forms = []
    for region, n in parts:
        formulation = region.formulation
        form = None if formulation is None else formulation.standard_form(n)
        if form is None:
            return None
        forms.append(form)
    return forms
