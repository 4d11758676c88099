"""Arrays of other packages than NumPy and SciPy, and the engines that compute with them."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, TypeVar

from frankwolfe.base.arrays import AnyArray, Dtype

__all__ = ["Engine", "engine_of", "like", "to_host", "to_same_device"]

T = TypeVar("T")

ForeignArray: TypeAlias = Any
"""An array of any package: NumPy's, a device's, a cluster's; or what is made of one there."""

PLAIN = frozenset(("builtins", "numpy", "scipy", "frankwolfe"))
"""Packages whose arrays need no engine."""


class Engine(Protocol):
    """A module that computes with arrays of another package, on a device or a cluster."""

    lazy: bool
    """True if arrays are computed only when asked for, block by block."""

    def takes(self, array: object) -> bool:
        """True if the array lives there; a package may also have types that do not."""

    def class_for(self, kind: type[T]) -> type[T]:
        """Class of objectives of data there: `kind` itself, or one below it."""

    def as_map(self, name: str, matrix: ForeignArray) -> ForeignArray:
        """The matrix as a linear map (:class:`~frankwolfe.core.maps.DataMap`), checked."""

    def triples(self, ratings: object) -> tuple[ForeignArray, ForeignArray, ForeignArray]:
        """Rows, columns and values of ratings there, from a sparse matrix or three arrays."""

    def as_cells(
        self, rows: ForeignArray, columns: ForeignArray, shape: tuple[int, int], dtype: Dtype
    ) -> ForeignArray:
        """The cells there, and the permutation that sorts them by row (None if sorted)."""

    def to_host(self, array: ForeignArray) -> AnyArray:
        """Copy an array from there to NumPy's memory."""

    def like(self, sample: ForeignArray, array: AnyArray) -> ForeignArray:
        """Copy a NumPy array to where `sample` lives."""


def engine_of(array: object) -> Engine | None:
    """The engine of an array, loaded when one of its arrays is first met; None for NumPy's."""
    package = type(array).__module__.partition(".")[0]
    if package in PLAIN:
        return None
    # engines are above this room: this import is declared in pyproject.toml
    from frankwolfe.engines import ENGINES

    load = ENGINES.get(package)
    if load is None:
        return None
    engine = load()
    return engine if engine.takes(array) else None


def to_host(array: ForeignArray) -> ForeignArray:
    """Copy a foreign array to NumPy's memory; anything else is returned as it is."""
    engine = engine_of(array)
    return array if engine is None else engine.to_host(array)


def like(sample: ForeignArray, array: AnyArray) -> ForeignArray:
    """Copy a NumPy array to where `sample` lives."""
    engine = engine_of(sample)
    return array.copy() if engine is None else engine.like(sample, array)


def to_same_device(sample: ForeignArray, array: ForeignArray) -> ForeignArray:
    """An array in the memory of `sample`: copied there only if it lives elsewhere."""
    engine = engine_of(sample)
    return array if engine is None or engine_of(array) is engine else engine.like(sample, array)
