"""What one part of a method remembers between steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from frankwolfe.numerics.arrays import Array

__all__ = ["Buffer", "Memory"]


@dataclass(slots=True)
class Memory:
    """Numbers and arrays of one part, kept in the state and in checkpoints."""

    @property
    def of_region(self) -> Memory:
        """What the region's oracle keeps: this itself, unless another memory is around it."""
        return self

    def made_of(self) -> Any:
        """The atoms of which x is made, as a new active set; None where they are not kept."""
        return None

    def pack(self) -> dict[str, Array]:
        """The fields as arrays."""
        return {f.name: np.asarray(getattr(self, f.name)) for f in fields(self)}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take the fields that `pack` gave."""
        for field in fields(self):
            array = arrays[field.name]
            setattr(self, field.name, array.copy() if array.ndim else array.item())


@dataclass(slots=True)
class Buffer(Memory):
    """A place for an oracle to write its atom."""

    array: Array
