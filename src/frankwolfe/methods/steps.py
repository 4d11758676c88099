"""Step rules: how far a step goes along its direction. Adding one is a class and a line below.

Open-loop rules need nothing of f:

- `OpenLoop`: ℓ/(k+ℓ), the classical 2/(k+2) by default
- `LogAdaptive`: ℓ grows with the logarithm of k
- `Constant`: the same step throughout
- `NonConvexDecay`: 1/√(k+1), for an f that is not convex

Rules that know or estimate the smoothness of f:

- `ShortStep`: the minimizer of the quadratic bound for a known Lipschitz constant
- `Backtracking`: the same for an estimate that trials correct, by values
- `Adaptive`: the same, by slopes
- `LookBack`: estimates by the steps so far, without a trial

Line searches: `ExactLineSearch`, `Secant`, `GoldenRatio`; and `Monotone`, which takes the step of
another rule where that lowers f.
"""

# ruff: noqa: I001  (the order below is the one in which they are listed)
from __future__ import annotations

from typing import Any

from frankwolfe.base.registry import classes
from frankwolfe.methods.parts.base import Step as Step
from frankwolfe.methods.parts.base import StepRule as StepRule

from frankwolfe.methods.parts.steps import OpenLoop as OpenLoop
from frankwolfe.methods.parts.steps import LogAdaptive as LogAdaptive
from frankwolfe.methods.parts.steps import Constant as Constant
from frankwolfe.methods.parts.steps import ShortStep as ShortStep
from frankwolfe.methods.parts.look_back import LookBack as LookBack
from frankwolfe.methods.parts.searches import Backtracking as Backtracking
from frankwolfe.methods.parts.searches import ExactLineSearch as ExactLineSearch
from frankwolfe.methods.parts.searches import Secant as Secant
from frankwolfe.methods.parts.searches import GoldenRatio as GoldenRatio
from frankwolfe.methods.parts.searches import Adaptive as Adaptive
from frankwolfe.methods.parts.steps import Monotone as Monotone
from frankwolfe.methods.parts.steps import NonConvexDecay as NonConvexDecay

STEPS: dict[str, type[Any]] = classes(globals(), Step, lambda kind: kind is not StepRule)
"""The step rules, by name."""

globals()["__all__"] = ["STEPS", "Step", "StepRule", *(kind.__name__ for kind in STEPS.values())]
