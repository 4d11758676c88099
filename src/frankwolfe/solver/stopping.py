"""Stopping rules, which combine with | and & and give the reason for a stop.

- `RelativeGap`, `Gap`: the certified gap is small, relative to f or absolutely
- `Target`: f has come down to a value
- `Iterations`, `Seconds`: a budget is used up
- `Stalled`: the gap has not been halved for a number of steps
- `Settled`: f has not fallen for a number of steps
- `StoppingRule`: the class that one of your own extends
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from frankwolfe.base.checks import at_least_one, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.state import State
from frankwolfe.solver.result import Status
from frankwolfe.solver.run import History

__all__ = [
    "Gap",
    "Iterations",
    "RelativeGap",
    "Seconds",
    "Settled",
    "Stalled",
    "StoppingRule",
    "Target",
]

MAX_STILL_STEPS = 300  # of length zero: more than a method waits before it changes course


class Alarm(NamedTuple):
    """The earliest event at which a rule must be checked again: a step, a time, or a level."""

    step: float = math.inf
    seconds: float = math.inf
    gap: float = -1.0  # as soon as the gap is at most this; no gap is negative
    relative: float = -1.0  # as soon as the gap meets this relative tolerance
    value: float = -math.inf  # as soon as f is at most this

    def earlier(self, other: Alarm) -> Alarm:
        """The alarm at which either of two rules must be checked."""
        levels = (max(a, b) for a, b in zip(self[2:], other[2:], strict=True))
        return Alarm(min(self.step, other.step), min(self.seconds, other.seconds), *levels)


@dataclass(frozen=True)
class Stop:
    """The verdict of a stopping rule: why the run ends, and whether its aim is met."""

    status: Status
    reason: str
    converged: bool


class StoppingRule(ABC):
    """A stopping rule; `a | b` stops when one does, `a & b` when both do.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> fw.Gap(1e-8) | fw.Iterations(500) & fw.Seconds(2.0)
    Gap(tolerance=1e-08) | (Iterations(limit=500) & Seconds(limit=2.0))
    """

    @abstractmethod
    def check(self, state: State, history: History) -> Stop | None:
        """The verdict if the run should end here; None if it goes on."""

    @property
    def time_limit(self) -> float:
        """Seconds after which the rule ends every run; infinite if it has no limit."""
        return math.inf

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "check" in vars(cls) and "alarm" not in vars(cls):
            # an inherited alarm would be that of another check, and might skip this one
            cls.alarm = StoppingRule.alarm  # type: ignore[method-assign]

    def alarm(self, state: State, history: History) -> Alarm:
        """The earliest event at which `check` may stop; by default the next step."""
        return Alarm(step=state.k + 1)

    def __or__(self, other: StoppingRule) -> StoppingRule:
        return Either(self, _rule(other))

    def __and__(self, other: StoppingRule) -> StoppingRule:
        return Both(self, _rule(other))


def _rule(other: object) -> StoppingRule:
    """The other operand of | or &, which must be a rule."""
    if isinstance(other, StoppingRule):
        return other
    raise InvalidInput(f"only stopping rules combine with | and &, got {other!r}.")


def is_time_limit(rule: StoppingRule) -> bool:
    """True if a rule limits the time of a run and nothing else."""
    if isinstance(rule, _Two):
        return is_time_limit(rule.left) and is_time_limit(rule.right)
    return isinstance(rule, Seconds)


def checked_rule(stop: object) -> StoppingRule:
    """The argument `stop` of a caller, which must be a rule."""
    if isinstance(stop, StoppingRule):
        return stop
    raise InvalidInput(
        f"stop must be a rule such as Gap(1e-8) | Seconds(10), got {type(stop).__name__}."
    )


@dataclass(frozen=True, repr=False)
class _Two(StoppingRule):
    """A combination of two rules."""

    left: StoppingRule
    right: StoppingRule
    symbol: ClassVar[str]

    def __repr__(self) -> str:
        sides = (
            f"({side!r})" if isinstance(side, Both) else f"{side!r}"
            for side in (self.left, self.right)
        )
        return f" {self.symbol} ".join(sides)


@dataclass(frozen=True, repr=False)
class Either(_Two):
    """Stop when the left or the right rule does; an aim that is met comes before a limit."""

    symbol = "|"

    @property
    def time_limit(self) -> float:
        return min(self.left.time_limit, self.right.time_limit)

    def check(self, state: State, history: History) -> Stop | None:
        first = self.left.check(state, history)
        if first is not None and first.converged:
            return first
        second = self.right.check(state, history)
        return second if second is not None and second.converged else first or second

    def alarm(self, state: State, history: History) -> Alarm:
        return self.left.alarm(state, history).earlier(self.right.alarm(state, history))


@dataclass(frozen=True, repr=False)
class Both(_Two):
    """Stop when both rules do at the same point."""

    symbol = "&"

    @property
    def time_limit(self) -> float:
        return max(self.left.time_limit, self.right.time_limit)

    def check(self, state: State, history: History) -> Stop | None:
        first = self.left.check(state, history)
        second = first and self.right.check(state, history)
        if not first or not second:
            return None
        main = first if first.converged or not second.converged else second
        reason = f"{first.reason} and {second.reason}"
        return Stop(main.status, reason, first.converged or second.converged)

    def alarm(self, state: State, history: History) -> Alarm:
        # while one rule waits the other cannot stop the run: its alarm is enough
        waiting = self.left if self.left.check(state, history) is None else self.right
        return waiting.alarm(state, history)


def _converged(state: State, tolerance: float, relative: str = "") -> Stop:
    """The verdict of a rule whose tolerance on the gap is met."""
    name = "certified gap" if state.certified else "Frank-Wolfe gap (no certificate)"
    name = name if state.convex else "Frank-Wolfe gap (stationarity, no certificate)"
    return Stop(
        Status.CONVERGED, f"{name} {state.gap:.2e} <= {tolerance:.2e}{relative}", converged=True
    )


@dataclass(frozen=True)
class Within(StoppingRule):
    """Base class of rules with a tolerance."""

    tolerance: float

    def __post_init__(self) -> None:
        number("tolerance", self.tolerance, low=0.0)


@dataclass(frozen=True)
class Gap(Within):
    """Stop when the gap is at most `tolerance`, in the units of f."""

    def check(self, state: State, history: History) -> Stop | None:
        return _converged(state, self.tolerance) if state.gap <= self.tolerance else None

    def alarm(self, state: State, history: History) -> Alarm:
        return Alarm(gap=self.tolerance)


@dataclass(frozen=True)
class RelativeGap(Within):
    r"""Stop when the gap is at most `tolerance` times the size of f.

    That size is :math:`\max(\min(|f(x)|, R), F / 1000)`, where R is the change of f over the region
    and F its decrease so far: both from f at the region's own start, and R also from the first
    gap. So a tolerance asks for as many digits in every unit of f and x; a constant that is added
    to f changes little; and where f goes to zero the start counts. Twelve digits of f are always
    enough. ``Gap`` has a tolerance in the units of f.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> returns = 1e-3 * rng.standard_normal((60, 5))
    >>> for unit in (1.0, 2.0**20):  # the same steps in every unit
    ...     f = fw.SquaredError(unit * returns, np.zeros(60))
    ...     result = fw.minimize(f, fw.Simplex(), stop=fw.RelativeGap(1e-6))
    ...     print(result.nit, result.x.round(3))
    1 [0.337 0.092 0.224 0.234 0.112]
    1 [0.337 0.092 0.224 0.234 0.112]
    """

    def check(self, state: State, history: History) -> Stop | None:
        if not state.met(self.tolerance):
            return None
        return _converged(state, self.tolerance, f" times {state.enough(1.0):.3g}")

    def alarm(self, state: State, history: History) -> Alarm:
        return Alarm(relative=self.tolerance)


@dataclass(frozen=True)
class Iterations(StoppingRule):
    """Stop after `limit` steps."""

    limit: int

    def __post_init__(self) -> None:
        at_least_one("limit", self.limit)

    def check(self, state: State, history: History) -> Stop | None:
        if state.k < self.limit:
            return None
        return Stop(Status.MAX_ITERATIONS, f"{state.k} iterations done", False)

    def alarm(self, state: State, history: History) -> Alarm:
        return Alarm(step=self.limit)


@dataclass(frozen=True)
class Seconds(StoppingRule):
    """Stop when the method has run for `limit` seconds."""

    limit: float

    def __post_init__(self) -> None:
        number("limit", self.limit, above=0.0)

    def check(self, state: State, history: History) -> Stop | None:
        if state.seconds < self.limit:
            return None
        return Stop(Status.MAX_TIME, f"{state.seconds:.3g} s of {self.limit:g} s used", False)

    @property
    def time_limit(self) -> float:
        return self.limit

    def alarm(self, state: State, history: History) -> Alarm:
        return Alarm(seconds=self.limit)


@dataclass(frozen=True)
class Target(StoppingRule):
    """Stop when f is at most `value`."""

    value: float

    def __post_init__(self) -> None:
        number("value", self.value)

    def check(self, state: State, history: History) -> Stop | None:
        if state.value > self.value:
            return None
        return Stop(Status.TARGET_REACHED, f"f = {state.value:.6g} <= {self.value:g}", True)

    def alarm(self, state: State, history: History) -> Alarm:
        return Alarm(value=self.value)


@dataclass(frozen=True)
class Stalled(StoppingRule):
    """Stop when neither the best value nor the best gap has shrunk in `patience` steps.

    A change below `tolerance` times the size of f (`RelativeGap`) does not count.
    """

    patience: int = 1000
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        at_least_one("patience", self.patience)
        number("tolerance", self.tolerance, low=0.0)

    def check(self, state: State, history: History) -> Stop | None:
        window = self.patience
        if len(history) < 2 * window or len(history) % window:
            return None  # checked once a window, so that a step pays O(1)
        least = state.enough(self.tolerance)
        for name in ("value", "gap"):
            column = history[name]
            if column[-window:].min() < column[:-window].min() - least:
                return None
        return Stop(Status.STALLED, f"no progress in {window} iterations", False)

    def alarm(self, state: State, history: History) -> Alarm:
        return Alarm(step=state.k + self.patience - len(history) % self.patience)


@dataclass(frozen=True)
class Spent(StoppingRule):
    """Stop when the method reports no more progress, or x has not moved for a long time.

    x stays where it is if the oracle's error is larger than the tolerance.
    """

    def check(self, state: State, history: History) -> Stop | None:
        reason = f"no progress after {state.k} iterations"
        ended = state.spent or (state.step == 0.0 and _still(history))
        return Stop(Status.STALLED, reason, False) if ended else None

    def alarm(self, state: State, history: History) -> Alarm:
        return Alarm()  # methods with compiled blocks never report it


def _still(history: History) -> bool:
    """True if the last MAX_STILL_STEPS steps all had length zero."""
    steps = history["step"]
    return bool(steps.size > MAX_STILL_STEPS) and not steps[-MAX_STILL_STEPS:].any()


@dataclass(frozen=True)
class Settled(Within):
    """Stop when the last step changed f by at most `tolerance` times its size.

    The size is that of `RelativeGap`. It is no certificate: a slow method settles far from
    the optimum. Use it for long steps, where a value that no longer changes is all that is wanted.
    """

    def check(self, state: State, history: History) -> Stop | None:
        if len(history) < 2:
            return None
        before = float(history["value"][-2])  # the last row is this state's
        if abs(before - state.value) > state.enough(self.tolerance):
            return None
        return Stop(Status.SETTLED, f"the last step changed f by {before - state.value:.2g}", False)
