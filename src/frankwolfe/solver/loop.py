"""The one loop: stopping, timing, history, interruption and callbacks live here."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from os import PathLike
from time import perf_counter

import numpy as np

from frankwolfe.base.arrays import Point
from frankwolfe.base.checks import quiet
from frankwolfe.base.clock import Clock, Pieces, outside
from frankwolfe.base.errors import InvalidInput, Unreachable
from frankwolfe.base.threads import threads_of_a_run
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.interrupts import HeldBack
from frankwolfe.methods.base import Method
from frankwolfe.solver.callbacks import Callback, Callbacks, all_callbacks
from frankwolfe.solver.checkpoint import Saved, check_resume, load
from frankwolfe.solver.ending import confirmed, ending
from frankwolfe.solver.fast_path import fast_path_for
from frankwolfe.solver.gradient_check import GradientCheck
from frankwolfe.solver.result import Result, Status
from frankwolfe.solver.run import Run, RunPart
from frankwolfe.solver.stopping import Alarm, Stop, StoppingRule, checked_rule

__all__ = ["solve", "solve_part", "states", "uninterrupted"]


def states(problem: Problem, method: Method, x0: Point = None) -> Iterator[State]:
    """Iterate over the states of a run, without end, for a loop of your own.

    The same object comes back each time, changed: read what you need before the next one.
    `solve` makes blocks of steps in compiled code where it can; the two agree up to rounding.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> problem = fw.Problem(fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.L2Ball(1.0))
    >>> for state in fw.states(problem, fw.frank_wolfe()):
    ...     if state.k == 3:
    ...         break
    >>> state.k
    3
    """
    ours = problem.objective.own_loops
    with threads_of_a_run(ours=ours):
        state = method.init(problem, x0)
    while True:
        yield state
        with threads_of_a_run(ours=ours):
            method.advance(state)


def solve(
    problem: Problem,
    method: Method,
    stop: StoppingRule,
    *,
    x0: Point = None,
    callback: Callbacks = None,
    resume: str | PathLike[str] | None = None,
) -> Result:
    """Run a method until a rule stops it; `callback` and `resume` are as in `minimize`."""
    check_resume(resume)
    return solve_part(problem, method, stop, None, x0=x0, callback=callback, resume=resume)


def solve_part(
    problem: Problem,
    method: Method,
    stop: StoppingRule,
    part: RunPart | None,
    *,
    x0: Point = None,
    callback: Callbacks = None,
    resume: str | PathLike[str] | Saved | None = None,
) -> Result:
    """Run a method, as `solve`, where the run is a part of a computation of several."""
    checked_rule(stop)
    if isinstance(method, type) or not (hasattr(method, "init") and hasattr(method, "advance")):
        raise InvalidInput(
            f"method must be a method such as jacobi(), one of its names, or None, got {method!r}."
        )
    callbacks = all_callbacks(callback)
    with ExitStack() as stack, interruptible() as interrupted:
        stack.enter_context(threads_of_a_run(ours=problem.objective.own_loops))
        stack.enter_context(quiet())
        for each in callbacks:
            stack.enter_context(each)
        clock = Clock(stop.time_limit, interrupted)
        stack.enter_context(clock.running())
        run = _begin(problem, method, x0, resume, part)
        check = GradientCheck(problem, run.state) if problem.objective.check_gradient else None
        fast, steps = fast_path_for(method, problem), Pieces()
        while True:
            verdict = _verdict(run, stop, clock, interrupted)
            # only these may rest on a drifted image; limits end the run in any case
            if verdict is not None and (verdict.converged or verdict.status is Status.STALLED):
                with outside():
                    verdict = confirmed(run, stop, verdict)
            if check is not None and verdict is not None:
                check.at_end(run.state)
            run.done = verdict is not None
            for each in callbacks:
                each.on_step(run)
            if verdict is not None:
                with outside():
                    result = ending(run, verdict, stop)
                for each in callbacks:
                    each.on_end(result)
                return result
            if fast is not None and fast.takes(run.state):
                fast.advance(run, _alarm(run, stop, callbacks))
            else:
                _timed(method, run, clock, steps)
            if not run.lost:  # there is no new point to record
                run.record()
                if check is not None:
                    check.see(run.state)


def uninterrupted(result: Result) -> Result:
    """Return the result; raise KeyboardInterrupt if Ctrl-C ended the run."""
    if result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return result


def _begin(
    problem: Problem,
    method: Method,
    x0: Point,
    resume: str | PathLike[str] | Saved | None,
    part: RunPart | None = None,
) -> Run:
    """Start a run, or resume it, and record its first state."""
    began, before = perf_counter(), problem.objective.traffic
    first = _where_slopes_are_finite(problem, method, x0)
    run = Run(method, first, before=before, part=part)
    if part is not None:
        run.notes = part.notes
    if not problem.objective.everywhere:
        run.first = run.state.iterate.here()
    if resume is not None:
        load(run, resume)
    else:
        run.state.seconds = perf_counter() - began
        _check_start(run.state)
        run.record()
    return run


def _check_start(state: State) -> None:
    """Raise if f is no number at the start, or its data are too large.

    A caller's function may be infinite there.
    """
    if not math.isfinite(state.value) and not state.problem.objective.carries_x:
        raise InvalidInput(
            f"f overflows at the start of {state.problem.region!r}: scale the data, or make the "
            "region smaller."
        )
    if math.isnan(state.value) or state.value == -math.inf:
        raise InvalidInput(
            f"f is {state.value} at the start: pass x0, a point of {state.problem.region!r} where "
            "f is a number."
        )
    if state.convex and not state.certified and math.isnan(state.cancelling):
        raise InvalidInput(
            f"the slopes of {state.problem.objective!r} overflow at the start, where its data are "
            "all but zero: scale the data."
        )


def _where_slopes_are_finite(problem: Problem, method: Method, x0: Point) -> State:
    """The first state: at the region's start, or in its middle if slopes overflow at the start."""
    state = _first(problem, method, x0)
    # near the boundary of a domain, as at a vertex of the simplex for a logarithm
    overflows = not math.isfinite(state.value + state.model_gap)
    if x0 is not None or problem.objective.everywhere or not overflows:
        return state
    return _first(problem, method, problem.region.middle(problem.objective.shape))


def _first(problem: Problem, method: Method, x0: Point) -> State:
    """The first state; raise InvalidInput if its arithmetic breaks down."""
    try:
        return method.init(problem, x0)
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        if not _of_ours(error):
            raise
        raise InvalidInput(
            f"the numbers of {problem!r} are too large or too small to compute with: scale the "
            "data, or the size of the region."
        ) from error


def _timed(method: Method, run: Run, clock: Clock, steps: Pieces) -> None:
    """Make one step and add its seconds; tell the clock how long steps take."""
    limited = clock.limit < math.inf
    if limited:
        clock.allow(clock.limit - run.state.seconds)
    steps.begin()
    _advance(method, run)
    run.state.seconds += steps.took()
    if limited:
        clock.fits(steps.usual)


def _advance(method: Method, run: Run) -> None:
    """Make one step; if its arithmetic or its data break down, mark the run for `_verdict`."""
    run.set_aside()
    try:
        method.advance(run.state)
    except Unreachable as error:
        run.lose(str(error).rstrip("."))
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        if not _of_ours(error):
            raise
        run.give_up()


def _of_ours(error: BaseException) -> bool:
    """True if no function of the caller's was running when the error was raised.

    Errors of the caller's own code go through: they are not for us to explain.
    """
    trace, rooms = error.__traceback__, ("frankwolfe", "numpy", "scipy")  # not the caller's
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__")).split(".")[0] not in rooms:
            return False
        trace = trace.tb_next
    return True


def _alarm(run: Run, stop: StoppingRule, callbacks: list[Callback]) -> Alarm:
    """The earliest time at which the rule or a callback must be called."""
    alarm, k = stop.alarm(run.state, run.history), run.state.k
    for each in callbacks:
        alarm = alarm.earlier(Alarm(step=each.next_step(k)))
    return alarm


def _verdict(run: Run, stop: StoppingRule, clock: Clock, interrupted: list[bool]) -> Stop | None:
    """The reason to end the run at this state; None if it goes on."""
    state = run.state
    if run.lost:
        return Stop(Status.LOST, run.lost, False)
    if not math.isfinite(state.value + state.model_gap):
        return Stop(Status.NOT_FINITE, f"after {state.k} iterations", False)
    verdict = stop.check(state, run.history)  # an aim that is met comes before Ctrl-C
    if interrupted and not (verdict is not None and verdict.converged):
        return Stop(Status.INTERRUPTED, f"after {state.k} iterations", False)
    if verdict is None and clock.full:
        used = f"{state.seconds:.3g} s of {stop.time_limit:g} s used"
        return Stop(Status.MAX_TIME, f"{used}, less than the next step takes is left", False)
    return verdict


@contextmanager
def interruptible() -> Iterator[list[bool]]:
    """Let Ctrl-C end the run after the current step; a second one ends the program."""
    pressed: list[bool] = []
    if threading.current_thread() is not threading.main_thread():  # which alone may set handlers
        yield pressed
        return
    before = signal.getsignal(signal.SIGINT)
    if isinstance(before, HeldBack):  # it was pressed before the run began, perhaps
        pressed = before.pressed
    elif before is not signal.default_int_handler:  # somebody else's handler stays in charge
        yield pressed
        return

    def note(_number: int, _frame: object) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(True)

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
