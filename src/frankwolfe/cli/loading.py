"""Import of slow packages with Ctrl-C held back until it is complete."""

from __future__ import annotations

from importlib import import_module

from frankwolfe.interrupts import held_back

__all__ = ["READING", "load"]

READING = ("scipy.sparse", "pyarrow", "pyarrow.csv", "pandas", "frankwolfe.datasets.readers")
"""Modules that readers need.

pyarrow imports pandas where it is installed, and accepts one whose import was broken off: so pandas
is imported here, where Ctrl-C waits.
"""


def load(*names: str) -> None:
    """Import slow modules; a missing one is reported where it is used."""
    with held_back():
        for name in names:
            try:
                import_module(name)
            except ImportError:
                continue
