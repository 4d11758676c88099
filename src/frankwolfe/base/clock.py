"""The clock of a run, which long computations ask however deep inside the run they are.

It is a context variable: no argument carries it through the calls between.
"""

from __future__ import annotations

import math
from contextvars import ContextVar
from time import perf_counter

__all__ = ["Clock", "Pieces", "due", "outside", "seconds_left"]

LATE_SHARE = 0.15  # of the time limit: how late the evaluation after the last step may end


class Clock:
    """The end of a run: after a number of seconds, or as soon as Ctrl-C is pressed."""

    def __init__(self, seconds: float = math.inf, pressed: list[bool] | None = None) -> None:
        self.limit, self._pressed = seconds, [] if pressed is None else pressed
        self.full = False  # True once a piece of work would not fit into the time that is left
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """Set the end of the run to `seconds` from now."""
        self._end = perf_counter() + seconds

    def due(self) -> bool:
        """True if the step under way is to end now."""
        if self._pressed or self.full:
            return True
        return self._end < math.inf and perf_counter() >= self._end

    def fits(self, seconds: float) -> bool:
        """True if `seconds` are left; if not, the run is due to end from now on."""
        self.full = self.full or seconds > self.left()
        return not self.full

    def left(self, late: float = LATE_SHARE) -> float:
        """Seconds until the limit and the share `late` of it, when the last evaluation ends."""
        if self.limit == math.inf:
            return math.inf
        return max(self._end + late * self.limit - perf_counter(), 0.0)

    def running(self) -> _Asked:
        """Make this the clock that `due` and `seconds_left` ask, until the block ends."""
        return _Asked(self)


_CLOCK: ContextVar[Clock | None] = ContextVar("clock", default=None)


def due() -> bool:
    """True if the run around is to end; a long computation then returns what it has.

    Examples
    --------
    >>> from frankwolfe.base.clock import Clock, due
    >>> with Clock(0.0).running():
    ...     due()
    True
    >>> due()
    False
    """
    clock = _CLOCK.get()
    return clock is not None and clock.due()


def seconds_left(late: float = LATE_SHARE) -> float:
    """Seconds that an oracle may take within the run around; infinite outside of a run.

    Only an oracle that reports its error may ask (`inexact_lmo`): one that is taken for exact
    (`lmo`) would make false certificates if it ended early. `late` is the share of the limit by
    which it may overrun.
    """
    clock = _CLOCK.get()
    return math.inf if clock is None else clock.left(late)


class Pieces:
    """Stopwatch of a computation in pieces that ends before a piece that would not fit.

    The next piece is taken to be as long as the shorter of the last two: the first may compile.
    """

    def __init__(self) -> None:
        self.usual = self._last = 0.0
        self.begin()

    def begin(self) -> None:
        """Start the time of a piece now."""
        self._began = perf_counter()

    def took(self) -> float:
        """Seconds of the piece that ends now; starts the time of the next one."""
        before, now = self._last, perf_counter()
        self._last, self._began = now - self._began, now
        self.usual = min(self._last, before)
        return self._last

    def due(self) -> bool:
        """True if no further piece is to begin after the one that ends now."""
        clock = _CLOCK.get()
        if clock is None or clock.limit == math.inf:
            return clock is not None and clock.due()
        self.took()
        return not clock.fits(self.usual) or clock.due()


class _Asked:
    """Context within which `due` and `seconds_left` ask a given clock, or none."""

    __slots__ = ("_before", "_clock")

    def __init__(self, clock: Clock | None) -> None:
        self._clock = clock

    def __enter__(self) -> None:
        self._before = _CLOCK.set(self._clock)

    def __exit__(self, *_: object) -> None:
        _CLOCK.reset(self._before)


def outside() -> _Asked:
    """Context without a clock, for results that are taken for exact: they must not end early."""
    return _Asked(None)
