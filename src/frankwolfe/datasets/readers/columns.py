"""Choice of a file's feature and target columns, by names or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from frankwolfe.base.errors import InvalidInput
from frankwolfe.datasets.readers.table import Request

__all__ = ["ChosenColumns", "listed", "place_of"]


@dataclass(frozen=True)
class ChosenColumns:
    """Indices of the feature columns, and of the target column or None."""

    features: list[int]
    target: int | None

    @classmethod
    def of(cls, request: Request, names: Sequence[str], count: int) -> ChosenColumns:
        """Choose by a request among `count` columns; `names` is empty where the file has none."""
        if request.features is not None and names:
            return cls([place_of(request, name, names, count) for name in request.features], None)
        if request.width is not None and not request.wants_target:
            return cls._to_predict(request, names, count)
        left = _left(request, names, count)
        target = left[-1] if left and request.target_file is None else None
        if request.target is not None:
            target = place_of(request, request.target, names, count)
            if target not in left:
                raise InvalidInput(
                    f"{request.path}: column {request.target} cannot be both the target and "
                    "left out."
                )
        features = [c for c in left if c != target]
        if not features:
            raise InvalidInput(
                f"{request.path} has no column left for features: it has {count} in all."
            )
        _refuse_duplicates(request, names, features if target is None else [*features, target])
        return cls(features, target)

    def left_out(self, count: int) -> tuple[int, ...]:
        """Numbers, from 1, of all columns but the features."""
        return tuple(sorted(c + 1 for c in set(range(count)) - set(self.features)))

    @classmethod
    def _to_predict(cls, request: Request, names: Sequence[str], count: int) -> ChosenColumns:
        """All columns but those left out at the time of the fit, where these are still there."""
        if count == request.width:
            return cls(list(range(count)), None)
        numbers = [name for name in request.drop if _is_number(name)]
        # Such a file may lack dropped columns, and the target: what is left must fit the model.
        features = _left(replace(request, drop=numbers), names, count, strict=False)
        if len(features) != request.width and request.target is None:
            features = features[:-1]
        elif len(features) != request.width and _is_number(request.target):
            target = place_of(request, request.target, names, count)
            features = [c for c in features if c != target]
        if len(features) != request.width:
            raise InvalidInput(
                f"{request.path} has {count} columns, but the model has {request.width} features."
            )
        return cls(features, None)


def _is_number(which: str | int | None) -> TypeGuard[str | int]:
    """True if a column is given by its number."""
    return isinstance(which, int) or (which is not None and which.lstrip("-").isdigit())


def _left(request: Request, names: Sequence[str], count: int, *, strict: bool = True) -> list[int]:
    """Indices of all columns but those to drop; a name drops all columns of that name."""
    dropped: set[int] = set()
    for which in request.drop:
        named = {c for c, name in enumerate(names) if name == which}
        if named or strict:
            dropped |= named or {place_of(request, which, names, count)}
        elif abs(int(which)) <= count:
            dropped.add(place_of(request, which, names, count))
    return [c for c in range(count) if c not in dropped]


def _refuse_duplicates(request: Request, names: Sequence[str], used: Sequence[int]) -> None:
    """Raise if two used columns have one name: a model finds its features by name."""
    seen: dict[str, int] = {}
    for c in sorted(used) if names else ():
        if names[c] in seen:
            raise InvalidInput(
                f"{request.path}: columns {seen[names[c]] + 1} and {c + 1} are both named "
                f"{names[c]!r}; rename one, or leave it out by its number."
            )
        seen[names[c]] = c


def listed(names: Sequence[str]) -> str:
    """First eight names between commas, for a message."""
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")


def place_of(request: Request, which: str | int, names: Sequence[str], count: int) -> int:
    """Index of a column that is given by name, or by number from 1 (negative from the end)."""
    if isinstance(which, str) and which in names:
        if names.count(which) > 1:
            _refuse_duplicates(request, names, [c for c in range(count) if names[c] == which])
        return names.index(which)
    try:
        number = int(which)
    except ValueError:
        number = 0
    if 1 <= number <= count:
        return number - 1
    if -count <= number <= -1:
        return count + number
    have = f"its columns are {listed(names)}" if names else f"it has {count} columns and no names"
    raise InvalidInput(f"{request.path} has no column {which!r}: {have}.")
