"""What a method, or one of its parts, remembers between steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.foreign import here

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    M = TypeVar("M", bound="Memory", default=Any)
else:  # before Python 3.13 a type variable has no default
    from typing import TypeVar

    M = TypeVar("M", bound="Memory")

__all__ = ["Buffer", "M", "Memory", "group", "grouped"]


@dataclass(slots=True)
class Memory:
    """Numbers, arrays and memories, kept in the state and in checkpoints; nothing by itself."""

    def pack(self) -> dict[str, Array]:
        """The fields as arrays."""
        arrays: dict[str, Array] = {}
        for field in _stored(self):
            value = getattr(self, field.name)
            if isinstance(value, Memory):
                arrays.update(grouped(field.name, value.pack()))
            else:
                arrays[field.name] = np.asarray(here(value))
        return arrays

    def take_form(self, arrays: Mapping[str, Array]) -> None:
        """Take the form of what is to be restored, before it is checked; most have but one."""

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take the fields that `pack` gave; memories inside stay the same objects."""
        for field in _stored(self):
            value = getattr(self, field.name)
            if isinstance(value, Memory):
                value.restore(group(field.name, arrays))
            else:
                array = arrays[field.name]
                setattr(self, field.name, array.copy() if array.ndim else array.item())


def _stored(memory: Memory) -> list[Field[Any]]:
    """The fields, but those that are made anew in every step."""
    return [field for field in fields(memory) if field.metadata.get("stored", True)]


@dataclass(slots=True)
class Buffer(Memory):
    """A place for an oracle to write its atom."""

    array: Array


def grouped(name: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays under the name of a group."""
    return {f"{name}/{key}": array for key, array in arrays.items()}


def group(name: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays of one group, by their names in it."""
    prefix = f"{name}/"
    return {key[len(prefix) :]: arrays[key] for key in arrays if key.startswith(prefix)}
