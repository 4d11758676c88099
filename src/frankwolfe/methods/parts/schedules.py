"""Schedules of minibatch methods: batch sizes, step sizes and ends of epochs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

from frankwolfe.base.checks import at_least_one
from frankwolfe.methods.parts.steps import OpenLoop

__all__ = ["BatchSchedule", "Doubling", "Restarted", "Steady"]


class BatchSchedule(Protocol):
    """Batch size and step size at step k, counted over the whole run, and ends of epochs."""

    def batch(self, k: int, m: int) -> int:
        """Number of rows to draw, of m; more than m means all."""

    def step(self, k: int) -> float:
        """Step size in [0, 1]."""

    def ends(self, k: int) -> bool:
        """True if an epoch ends after k steps, which calls for an evaluation."""


@dataclass(frozen=True)
class Steady:
    """Batches of one size, the root of m by default, and a step rule over the whole run."""

    size: int | None = None
    rule: OpenLoop = field(default_factory=OpenLoop)

    def __post_init__(self) -> None:
        if self.size is not None:
            at_least_one("batch", self.size)

    def batch(self, k: int, m: int) -> int:
        return math.isqrt(m - 1) + 1 if self.size is None else self.size

    def step(self, k: int) -> float:
        return self.rule.at(k)

    def ends(self, k: int) -> bool:
        return False


@dataclass(frozen=True)
class Doubling:
    """Epochs of 1, 2, 4, ... steps with `factor` times as many rows a batch; the step 2/(k+2).

    Yurtsever, Sra and Cevher's for a convex f: epoch t = 1, 2, ... has :math:`K_t = 2^{t-1}`
    steps with :math:`K_t` rows each and the step :math:`2/(K_t + j)`, j = 1, 2, ...; over
    the whole run that is 2/(k+2).
    """

    factor: int = 1

    def __post_init__(self) -> None:
        at_least_one("batch", self.factor)

    def batch(self, k: int, m: int) -> int:
        return self.factor << ((k + 1).bit_length() - 1)

    def step(self, k: int) -> float:
        return 2.0 / (k + 2.0)

    def ends(self, k: int) -> bool:
        return (k + 1) & k == 0  # k = 1, 3, 7, ...


@dataclass(frozen=True)
class Restarted:
    """One step to a vertex, then epochs of 14, 30, 62, ... steps, each starting afresh.

    Hazan and Luo's: epoch t = 1, 2, ... has :math:`2^{t+3} - 2` steps; step j = 1, 2, ... of an
    epoch takes `factor` (j+1) rows and goes 2/(j+1) far. The expected error after epoch t is at
    most :math:`LD^2/2^{t+1}`, with L the largest smoothness constant of one row's loss.
    """

    factor: int = 96

    def __post_init__(self) -> None:
        at_least_one("batch", self.factor)

    def batch(self, k: int, m: int) -> int:
        return self.factor * (self._within(k) + 2)

    def step(self, k: int) -> float:
        return 2.0 / (self._within(k) + 2.0)

    def ends(self, k: int) -> bool:
        return self._within(k) == 0

    def _within(self, k: int) -> int:
        """Number of steps done in the current epoch."""
        done, length = k - 1, 14  # 2^(t+3) - 2 for t = 1
        while done >= length:
            done -= length
            length = 2 * length + 2
        return max(done, 0)
