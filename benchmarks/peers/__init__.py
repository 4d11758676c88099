"""One file for each contestant; a file's SOLVERS take part. See ../README.md to add one."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from peers.base import Budget, Solver, interior, multiplier, only

__all__ = ["Budget", "Solver", "interior", "multiplier", "only", "solvers"]

OURS = "frankwolfe"


def solvers(names: list[str] | None = None) -> list[Solver]:
    """All contestants, ours first; with `names`, those whose name holds one of them."""
    files = sorted(module.name for module in iter_modules(__path__) if module.name != "base")
    found = [solver for file in files for solver in import_module(f"peers.{file}").SOLVERS]
    found.sort(key=lambda solver: solver.name != OURS)
    if names is None:
        return found
    return [s for s in found if s.name == OURS or any(word in s.name for word in names)]
