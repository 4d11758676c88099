"""Stopping rules: they combine with | and &, and say why they stopped."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from frankwolfe.core.state import State
from frankwolfe.numerics.checks import at_least_one, number
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.solver.alarm import Alarm
from frankwolfe.solver.history import History

__all__ = [
    "Gap",
    "Iterations",
    "RelativeGap",
    "Seconds",
    "Settled",
    "Stalled",
    "Status",
    "Stop",
    "StoppingRule",
    "Target",
]


class Status(IntEnum):
    """Why a run ended; 0 and 1 mean that what was asked for is reached.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> fw.Status.MAX_ITERATIONS.message
    'The iteration limit was reached: raise max_iter, loosen tol, or try another method.'
    """

    CONVERGED = 0
    TARGET_REACHED = 1
    MAX_ITERATIONS = 2
    MAX_TIME = 3
    STALLED = 4
    NOT_FINITE = 5
    INTERRUPTED = 6
    SETTLED = 7

    @property
    def message(self) -> str:
        """What it means, and what to do."""
        return _MESSAGES[self]


_MESSAGES = {
    Status.CONVERGED: "The gap is below the tolerance.",
    Status.TARGET_REACHED: "The target value was reached.",
    Status.MAX_ITERATIONS: "The iteration limit was reached: raise max_iter, loosen tol, "
    "or try another method.",
    Status.MAX_TIME: "The time limit was reached: allow more seconds or loosen tol.",
    Status.STALLED: "No progress for many iterations: the tolerance may be below rounding, "
    "or the step too small; try another step rule.",
    Status.NOT_FINITE: "The objective or its gradient became NaN or infinite; this is the last "
    "good point: check the scale of the data.",
    Status.SETTLED: "The value no longer changes; the gap says how far it may be from the best.",
    Status.INTERRUPTED: "Interrupted; this is the best point so far.",
}


@dataclass(frozen=True)
class Stop:
    """A rule's verdict."""

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
        """A verdict if the run should end here."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "check" in vars(cls) and "alarm" not in vars(cls):
            cls.alarm = StoppingRule.alarm  # type: ignore[method-assign]  # another check, another alarm

    def alarm(self, state: State, history: History) -> Alarm:
        """Until when `check` need not be asked; by default it is, after every step."""
        return Alarm(step=state.k + 1)

    def __or__(self, other: StoppingRule) -> StoppingRule:
        return Either(self, _rule(other))

    def __and__(self, other: StoppingRule) -> StoppingRule:
        return Both(self, _rule(other))


def _rule(other: object) -> StoppingRule:
    if isinstance(other, StoppingRule):
        return other
    raise InvalidInput(f"only stopping rules combine with | and &, got {other!r}.")


@dataclass(frozen=True, repr=False)
class Either(StoppingRule):
    """Stops when the left or the right rule does."""

    left: StoppingRule
    right: StoppingRule

    def check(self, state: State, history: History) -> Stop | None:
        return self.left.check(state, history) or self.right.check(state, history)

    def alarm(self, state: State, history: History) -> Alarm:
        return self.left.alarm(state, history).earlier(self.right.alarm(state, history))

    def __repr__(self) -> str:
        return f"{_inner(self.left)} | {_inner(self.right)}"


@dataclass(frozen=True, repr=False)
class Both(StoppingRule):
    """Stops when both rules do at the same point."""

    left: StoppingRule
    right: StoppingRule

    def check(self, state: State, history: History) -> Stop | None:
        first = self.left.check(state, history)
        second = first and self.right.check(state, history)
        if not first or not second:
            return None
        main = first if first.converged or not second.converged else second
        reason = f"{first.reason} and {second.reason}"
        return Stop(main.status, reason, first.converged or second.converged)

    def alarm(self, state: State, history: History) -> Alarm:
        waiting = self.left if self.left.check(state, history) is None else self.right
        return waiting.alarm(state, history)

    def __repr__(self) -> str:
        return f"{_inner(self.left)} & {_inner(self.right)}"


def _inner(rule: StoppingRule) -> str:
    return f"({rule!r})" if isinstance(rule, Both) else f"{rule!r}"


def _gap_name(state: State) -> str:
    if not state.convex:
        return "Frank-Wolfe gap (stationarity, no certificate)"
    return "certified gap" if state.certified else "Frank-Wolfe gap (no certificate)"


@dataclass(frozen=True)
class Gap(StoppingRule):
    """The gap is at most `tolerance`."""

    tolerance: float

    def __post_init__(self) -> None:
        number("tolerance", self.tolerance, low=0.0)

    def check(self, state: State, history: History) -> Stop | None:
        if state.gap > self.tolerance:
            return None
        reason = f"{_gap_name(state)} {state.gap:.2e} <= {self.tolerance:.2e}"
        return Stop(Status.CONVERGED, reason, True)

    def alarm(self, state: State, history: History) -> Alarm:
        return Alarm(gap=self.tolerance)


@dataclass(frozen=True)
class RelativeGap(StoppingRule):
    """The gap is at most `tolerance` times ``max(1, |f|)``."""

    tolerance: float

    def __post_init__(self) -> None:
        number("tolerance", self.tolerance, low=0.0)

    def check(self, state: State, history: History) -> Stop | None:
        if state.gap > self.tolerance * max(1.0, abs(state.value)):
            return None
        reason = f"{_gap_name(state)} {state.gap:.2e} <= {self.tolerance:.2e} max(1, |f|)"
        return Stop(Status.CONVERGED, reason, True)

    def alarm(self, state: State, history: History) -> Alarm:
        return Alarm(relative=self.tolerance)


@dataclass(frozen=True)
class Iterations(StoppingRule):
    """So many steps are done."""

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
    """The method has run so long."""

    limit: float

    def __post_init__(self) -> None:
        number("limit", self.limit, above=0.0)

    def check(self, state: State, history: History) -> Stop | None:
        if state.seconds < self.limit:
            return None
        return Stop(Status.MAX_TIME, f"{state.seconds:.3g} s of {self.limit:g} s used", False)

    def alarm(self, state: State, history: History) -> Alarm:
        return Alarm(seconds=self.limit)


@dataclass(frozen=True)
class Target(StoppingRule):
    """The objective is at most `value`."""

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
    """In `patience` steps neither the best value nor the best gap has shrunk.

    A change below `tolerance` times ``max(1, |f|)`` does not count.
    """

    patience: int = 1000
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        at_least_one("patience", self.patience)
        number("tolerance", self.tolerance, low=0.0)

    def check(self, state: State, history: History) -> Stop | None:
        window = self.patience
        if len(history) < 2 * window or len(history) % window:
            return None  # look once a window, so that a step pays O(1)
        least = self.tolerance * max(1.0, abs(state.value))
        for name in ("value", "gap"):
            column = history[name]
            if column[-window:].min() < column[:-window].min() - least:
                return None
        return Stop(Status.STALLED, f"no progress in {window} iterations", False)

    def alarm(self, state: State, history: History) -> Alarm:
        return Alarm(step=state.k + self.patience - len(history) % self.patience)


@dataclass(frozen=True)
class Settled(StoppingRule):
    """The last step changed f by at most `tolerance` times ``max(1, |f|)``.

    No certificate: a slow method settles far from the optimum. For long steps, where a
    value that no longer changes is all that is asked for.
    """

    tolerance: float

    def __post_init__(self) -> None:
        number("tolerance", self.tolerance, low=0.0)

    def check(self, state: State, history: History) -> Stop | None:
        if len(history) < 2:
            return None
        before = float(history["value"][-2])
        if abs(before - state.value) > self.tolerance * max(1.0, abs(state.value)):
            return None
        return Stop(Status.SETTLED, f"the last step changed f by {before - state.value:.2g}", False)
