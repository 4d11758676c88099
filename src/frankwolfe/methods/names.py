"""How names of methods speak of their parts."""

from __future__ import annotations

from frankwolfe.methods.parts.base import Step
from frankwolfe.methods.parts.steps import Monotone, OpenLoop

__all__ = ["describe"]


def describe(step: Step) -> str:
    """A step rule in a few words."""
    if isinstance(step, OpenLoop) and step.delay == 0.0:
        return f"{step.ell:g}/(k+{step.ell:g})"
    if isinstance(step, Monotone):
        return f"monotone {describe(step.step)}"
    words = {
        "AdaptiveZerothOrder": "adaptive, by values",
        "ExactLineSearch": "exact line search",
        "GoldenRatio": "golden section",
        "NonConvexDecay": "1/sqrt(k+1)",
        "ShortStep": "short step",
    }
    kind = type(step).__name__
    return words.get(kind, kind.lower())
