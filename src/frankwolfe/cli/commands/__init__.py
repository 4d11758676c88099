"""The commands of the command line, a module each: `add` says what it takes, `run` does it."""

from __future__ import annotations

__all__ = ["COMMANDS"]

COMMANDS = (
    "fit",
    "predict",
    "complete",
    "race",
    "reproduce",
    "show",
    "methods",
    "regions",
    "datasets",
    "cite",
    "completion",
)
"""Their names, which are those of their modules, in the order of the help."""
