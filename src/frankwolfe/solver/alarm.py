"""When a run must be looked at again."""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = ["Alarm"]


class Alarm(NamedTuple):
    """When a rule must be asked again: at a step, at a time, or at a level. Earlier is allowed."""

    step: float = math.inf
    seconds: float = math.inf
    gap: float = -1.0  # as soon as the gap is at most this,
    relative: float = -1.0  # or this times max(1, |f|),
    value: float = -math.inf  # or f at most this

    def earlier(self, other: Alarm) -> Alarm:
        """When either of two must be asked."""
        return Alarm(
            min(self.step, other.step),
            min(self.seconds, other.seconds),
            max(self.gap, other.gap),
            max(self.relative, other.relative),
            max(self.value, other.value),
        )
