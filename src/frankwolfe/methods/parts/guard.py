r"""The barycentric guard: how much momentum keeps a point inside the region.

Every point is a combination of the start and of the atoms seen, with weights that sum to
one; as long as they are all >= 0 the point lies in the region. A step shrinks the weights
of old atoms by 1 - t and adds mu times their last change,

    w_i(k+1) = (1 - t + mu) w_i(k) - mu w_i(k-1),

so w_i stays >= 0 while mu (rho_i - 1) <= 1 - t, with rho_i = w_i(k-1) / w_i(k). The ratio
changes by rho -> 1 / (1 - t + mu - mu rho), which increases with rho, and a new atom starts
at rho = 0: the oldest atom with a positive weight always has the largest ratio. One number
is therefore enough, and the guard costs O(1) a step; only when the oldest atom's weight
reaches zero is the ratio of the next one found, by replaying the recorded steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.memory import Memory
from frankwolfe.methods.kernels import guard

__all__ = ["Guard"]


@dataclass(slots=True)
class Guard(Memory):
    """Ratio rho of the oldest atom, and the recorded steps from which later ones follow."""

    ratio: float = 1.0  # the start has weight 1, now and before
    oldest: int = 0  # atom i entered in step i; 0 is the start
    steps: int = 0
    keeps: Array = field(default_factory=lambda: np.empty(64))  # 1 - t of each step
    momenta: Array = field(default_factory=lambda: np.empty(64))  # mu of each step

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Restore the guard from the arrays of `pack`."""
        Memory.restore(self, arrays)
        if not self.oldest <= self.steps <= self.keeps.size == self.momenta.size:
            raise ValueError("the guard has not as many steps")

    def allow(self, keep: float, wanted: float) -> float:
        """Largest momentum mu <= `wanted` that keeps all weights >= 0, for `keep` = 1 - t."""
        momentum = wanted
        if self.ratio > 1.0:  # mu (rho - 1) <= 1 - t; the oldest atom has the largest rho
            momentum = min(wanted, keep / (self.ratio - 1.0))
        self.took(keep, momentum, cut=momentum < wanted)
        return momentum

    def took(self, keep: float, momentum: float, *, cut: bool) -> None:
        """Record a step; one that was `cut` has brought the oldest atom's weight to zero."""
        gone = math.isinf(self.ratio)  # weight zero now: one step without momentum drops it
        self._record(keep, momentum)
        if gone:
            self._next_oldest()
        else:
            self.ratio = _advance(self.ratio, keep, momentum, cut=cut)

    def _record(self, keep: float, momentum: float) -> None:
        """Append a step; the arrays double when they are full."""
        if self.steps == self.keeps.size:
            self.keeps = np.concatenate([self.keeps, np.empty_like(self.keeps)])
            self.momenta = np.concatenate([self.momenta, np.empty_like(self.momenta)])
        self.keeps[self.steps], self.momenta[self.steps] = keep, momentum
        self.steps += 1

    def _next_oldest(self) -> None:
        """Find the oldest atom that still has weight, and its ratio, by replaying the steps."""
        while self.oldest < self.steps:
            self.oldest += 1
            self.ratio, ended = guard.replay(self.keeps, self.momenta, self.oldest, self.steps)
            if ended in (-1, self.steps - 1):  # alive, or zero only since the last step
                return


def _advance(ratio: float, keep: float, momentum: float, *, cut: bool) -> float:
    """Ratio 1 / (1 - t + mu - mu rho) after a step; infinite where the weight is zero now."""
    left = keep + momentum - momentum * ratio if momentum else keep
    return math.inf if cut or left <= 1e-14 else 1.0 / left
