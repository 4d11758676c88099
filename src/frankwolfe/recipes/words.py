"""How names of methods speak of their parts."""

from __future__ import annotations

from frankwolfe.parts.base import Step
from frankwolfe.parts.steps import OpenLoop

__all__ = ["describe"]


def describe(step: Step) -> str:
    """A step rule in a few words."""
    if isinstance(step, OpenLoop) and step.delay == 0.0:
        return f"{step.ell:g}/(k+{step.ell:g})"
    words = {"ExactLineSearch": "exact line search", "ShortStep": "short step"}
    kind = type(step).__name__
    return words.get(kind, kind.lower())
