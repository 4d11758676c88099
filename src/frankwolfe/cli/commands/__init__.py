"""The commands of the command line: `add` of a module defines its options, `run` does the work."""

from __future__ import annotations

__all__ = ["MODULES"]

MODULES = (
    *("fit", "predict", "complete", "traffic", "race", "reproduce", "show"),
    *("lists", "cite", "completion"),
)
"""In the order of the help."""
