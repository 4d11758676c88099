"""What commands need of other packages, loaded at once: Ctrl-C waits for that."""

from __future__ import annotations

from importlib import import_module

from frankwolfe.interrupts import held_back

__all__ = ["READING", "load"]

READING = ("scipy.sparse", "pyarrow", "pyarrow.csv", "pandas", "frankwolfe.datasets.readers")
"""Of readers; pyarrow loads pandas where that is installed, and takes a broken one."""


def load(*names: str) -> None:
    """Import modules that are slow; what is not installed is told of where it is used."""
    with held_back():
        for name in names:
            try:
                import_module(name)
            except ImportError:
                continue
