"""Arrays that are not NumPy's or SciPy's, and the engine that takes them in."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol, cast

__all__ = ["Engine", "alongside", "engine_of", "here", "like", "register"]

_ENGINES: dict[str, str] = {}


class Engine(Protocol):
    """Where data live that are not in this process's memory, as a module."""

    lazy: bool  # whether arrays are made only when they are asked for, block by block

    def takes(self, array: Any) -> bool:
        """Whether the array lives there, and is not an ordinary one after all."""

    def pose(self, kind: type, data: Any, *rest: Any, **options: Any) -> Any:
        """The objective `kind` of these data; a bare instance of it where its own way will do."""

    def as_map(self, name: str, matrix: Any) -> Any:
        """The matrix as a linear map (:class:`~frankwolfe.core.maps.DataMap`), checked."""

    def triples(self, ratings: Any) -> tuple[Any, Any, Any]:
        """Rows, columns and values of ratings, all there: of a sparse matrix, or three arrays."""

    def as_cells(self, rows: Any, columns: Any, shape: tuple[int, int], dtype: Any) -> Any:
        """The cells there, and the permutation that sorts them by row (None where sorted)."""

    def here(self, array: Any) -> Any:
        """An array from there as NumPy's."""

    def like(self, sample: Any, array: Any) -> Any:
        """A NumPy array where `sample` lives, as a new one."""


def register(package: str, module: str) -> None:
    """Arrays whose type is defined in `package` are for the engine in `module`."""
    _ENGINES[package] = module


def engine_of(array: Any) -> Engine | None:
    """The engine of an array, which is loaded where it is needed; None for NumPy's and SciPy's."""
    module = _ENGINES.get(type(array).__module__.partition(".")[0])
    if module is None:
        return None
    engine = cast(Engine, import_module(module))
    return engine if engine.takes(array) else None


def here(array: Any) -> Any:
    """An array that lives elsewhere as NumPy's; anything else as it is."""
    engine = engine_of(array)
    return array if engine is None else engine.here(array)


def like(sample: Any, array: Any) -> Any:
    """A copy of a NumPy array, where `sample` lives."""
    engine = engine_of(sample)
    return array.copy() if engine is None else engine.like(sample, array)


def alongside(sample: Any, array: Any) -> Any:
    """A NumPy array where `sample` lives: itself where that is here, or where it lives there."""
    engine = engine_of(sample)
    return array if engine is None or engine_of(array) is engine else engine.like(sample, array)
