"""The clock of a run, which whoever works long asks, however deep inside the run that is."""

from __future__ import annotations

import math
from contextvars import ContextVar
from time import perf_counter

__all__ = ["Clock", "Pieces", "due", "outside", "seconds_left"]

LATE = 0.15  # share of a limit that the evaluation after the last step may take beyond it


class Clock:
    """When a run is to end with what it has: at a time, or as soon as Ctrl-C is pressed."""

    def __init__(self, seconds: float = math.inf, pressed: list[bool] | None = None) -> None:
        self.limit, self._pressed = seconds, [] if pressed is None else pressed
        self.full = False  # whether what comes next would take longer than what is left
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """Let the run go on for so many seconds from now."""
        self._end = perf_counter() + seconds

    def due(self) -> bool:
        """Whether a step is to end now."""
        if self._pressed or self.full:
            return True
        return self._end < math.inf and perf_counter() >= self._end

    def fits(self, seconds: float) -> bool:
        """Whether so many seconds are left; the run ends where they are not."""
        self.full = self.full or seconds > self.left()
        return not self.full

    def left(self, late: float = LATE) -> float:
        """Seconds until also the evaluation of the last point is to end, or the last step."""
        if self.limit == math.inf:
            return math.inf
        return max(self._end + late * self.limit - perf_counter(), 0.0)

    def running(self) -> _Asked:
        """Make this the clock that `due` and `seconds_left` ask, until the block ends."""
        return _Asked(self)


_CLOCK: ContextVar[Clock | None] = ContextVar("clock", default=None)


def due() -> bool:
    """Whether the run around is to end: a long computation then ends with what it has.

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


def seconds_left(late: float = LATE) -> float:
    """Seconds that an oracle may take within the run around; infinitely many outside of one.

    Only an oracle that reports its error asks (`inexact_lmo`): one that is taken for exact
    (`lmo`) would make false certificates where it ended early. What may end `late` takes that
    share of the limit more.
    """
    clock = _CLOCK.get()
    return math.inf if clock is None else clock.left(late)


class Pieces:
    """Pieces of a long computation, of which the next one begins only where it will fit.

    It is taken to be as long as the shorter of the last two: the first one may compile.
    """

    def __init__(self) -> None:
        self.usual = self._last = 0.0
        self.begin()

    def begin(self) -> None:
        """A piece begins now."""
        self._began = perf_counter()

    def took(self) -> float:
        """Seconds of the piece that ends now; the next one begins."""
        before, now = self._last, perf_counter()
        self._last, self._began = now - self._began, now
        self.usual = min(self._last, before)
        return self._last

    def due(self) -> bool:
        """Whether to end after the piece that ends now."""
        clock = _CLOCK.get()
        if clock is None or clock.limit == math.inf:
            return clock is not None and clock.due()
        self.took()
        return not clock.fits(self.usual) or clock.due()


class _Asked:
    """A block within which `due` and `seconds_left` ask this clock."""

    __slots__ = ("_before", "_clock")

    def __init__(self, clock: Clock | None) -> None:
        self._clock = clock

    def __enter__(self) -> None:
        self._before = _CLOCK.set(self._clock)

    def __exit__(self, *_: object) -> None:
        _CLOCK.reset(self._before)


def outside() -> _Asked:
    """Compute as if outside of the run around: what follows is taken for exact."""
    return _Asked(None)
