"""Registries: a package ("room") imports its classes, a line each; its tables are made of these."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import isfunction
from types import FunctionType
from typing import Any, TypeAlias

Room: TypeAlias = Mapping[str, Any]
"""The globals() of a package, or a table made of them: names and what they stand for."""

__all__ = ["by_short_name", "classes", "exported", "key_of", "listed", "own", "recipes"]


def exported(room: Room) -> list[str]:
    """Names for a room's `__all__`: what its files define, and its own tables.

    A room sets it as ``globals()["__all__"]``, out of sight of type checkers, for which an
    imported name is exported by the line that imports it, as in ``import Box as Box``.
    """
    inside = room["__name__"] + "."
    public = {name: value for name, value in room.items() if not name.startswith("_")}
    return sorted(
        name
        for name, value in public.items()
        if name.isupper() or str(getattr(value, "__module__", "")).startswith(inside)
    )


def classes(room: Room, base: type, keep: Callable[[Any], bool] = bool) -> dict[str, Any]:
    """Subclasses of `base` in a room for which `keep` holds, by their keys and in order."""
    kinds = [kind for kind in room.values() if isinstance(kind, type) and base in kind.__mro__]
    table = {key_of(kind): kind for kind in kinds if kind is not base and keep(kind)}
    _LISTED.setdefault(base, []).extend(table.values())
    return table


_LISTED: dict[type, list[type]] = {}


def listed(base: type) -> list[type]:
    """All classes below `base` that rooms have listed by `classes` so far, in their order."""
    return _LISTED.get(base, [])


def by_short_name(table: Room) -> dict[str, Any]:
    """Classes of a table with a `short` name of their own, by that name."""
    return {own(kind, "short"): kind for kind in table.values() if own(kind, "short")}


def recipes(room: Room) -> dict[str, Callable[[], Any]]:
    """Functions of a room that can be called without an argument, by name and in order."""
    return {name: value for name, value in room.items() if isfunction(value) and _alone(value)}


def _alone(function: FunctionType) -> bool:
    """True if a function can be called without an argument."""
    code, optional = function.__code__, function.__defaults__ or ()
    keywords = function.__kwdefaults__ or {}
    needed = code.co_argcount + code.co_kwonlyargcount - len(optional) - len(keywords)
    return bool(needed == 0)


def key_of(kind: type) -> str:
    """Key of a class: its name in snake case (L1Ball is l1_ball), unless it has its own `key`.

    Examples
    --------
    >>> from frankwolfe.base.registry import key_of
    >>> key_of(type("KSparse", (), {})), key_of(type("LpBall", (), {}))
    ('k_sparse', 'lp_ball')
    """
    return own(kind, "key") or re.sub(r"(?!^)([A-Z])", r"_\1", kind.__name__).lower()


def own(kind: type, attribute: str) -> str:
    """Text attribute that a class defines itself; empty if it only inherits one."""
    return str(kind.__dict__.get(attribute, ""))
