"""A problem, and where a run on it stands."""

from __future__ import annotations

from frankwolfe.core.problem import Problem
from frankwolfe.core.proof import Proof, prove
from frankwolfe.core.state import State

__all__ = [
    "Problem",
    "Proof",
    "State",
    "prove",
]
