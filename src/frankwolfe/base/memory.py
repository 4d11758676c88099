"""Memories: the data that methods and their parts keep between steps and in checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.foreign import to_host

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    M = TypeVar("M", bound="Memory", default=Any)
else:  # before Python 3.13 a type variable has no default
    from typing import TypeVar

    M = TypeVar("M", bound="Memory")

__all__ = ["Buffer", "M", "Memory", "group", "grouped"]


@dataclass(slots=True)
class Memory:
    """Base of dataclasses of numbers, arrays and memories that are kept in checkpoints.

    A field with the metadata ``stored=False`` is made anew in every step and not kept.
    """

    def pack(self) -> dict[str, Array]:
        """Stored fields as named arrays, from which `restore` fills them again."""
        arrays: dict[str, Array] = {}
        for field in _stored(self):
            value = getattr(self, field.name)
            if isinstance(value, Memory):
                arrays.update(grouped(field.name, value.pack()))
            else:
                arrays[field.name] = np.asarray(to_host(value))
        return arrays

    def take_form(self, arrays: Mapping[str, Array]) -> None:
        """Give fields the shapes of what is to be restored, which is then checked against them."""

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Fill the fields from the arrays of `pack`; memories inside stay the same objects."""
        for field in _stored(self):
            value = getattr(self, field.name)
            if isinstance(value, Memory):
                value.restore(group(field.name, arrays))
            else:
                array = arrays[field.name]
                setattr(self, field.name, array.copy() if array.ndim else array.item())


def _stored(memory: Memory) -> list[Field[Any]]:
    """Fields to be kept: all but those that are made anew in every step."""
    return [field for field in fields(memory) if field.metadata.get("stored", True)]


@dataclass(slots=True)
class Buffer(Memory):
    """A workspace into which an oracle writes its atom."""

    array: Array


def grouped(name: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Arrays renamed to ``name/key``, as a group."""
    return {f"{name}/{key}": array for key, array in arrays.items()}


def group(name: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Arrays of one group, by their names in it."""
    prefix = f"{name}/"
    return {key[len(prefix) :]: arrays[key] for key in arrays if key.startswith(prefix)}
