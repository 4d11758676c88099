"""Commands of the command line: `add` of a module defines its options, `run` does the work."""

from __future__ import annotations

__all__ = ["MODULES"]

MODULES = (
    *("fit", "predict", "complete", "traffic", "race", "reproduce", "show"),
    *("lists", "cite", "completion"),
)
"""Modules of the commands, in the order of the help."""
