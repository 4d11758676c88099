"""A method whose progress is watched: where it stalls, another one goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import ref

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.memory import Memory, group, grouped
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.base import Method, OwnSteps

__all__ = ["Leg", "Watchful"]

SHARE = 0.5  # what progress leaves of the gap


@dataclass(frozen=True)
class Leg:
    """A method, and the number of steps in which it has to halve the gap.

    Where `final`, nobody goes on after it. Where `inward` and f is not finite everywhere it begins
    halfway to the middle of the region: near the end of its domain f bends as nowhere else.
    """

    method: Method
    window: int
    final: bool = False
    inward: bool = False


class Watch(Memory):
    """Whose turn it is, what that one remembers, and when the gap was last halved."""

    __slots__ = ("_state", "ended", "gap", "inner", "legs", "model_gap", "since", "turn")

    def __init__(self, legs: tuple[Leg, ...], state: State) -> None:
        self.legs, self._state = legs, ref(state)  # which holds this, and is to go with its run
        self.inner: Memory = state.memory
        self.turn, self.ended = 0, False
        self.gap, self.model_gap, self.since = state.gap, state.model_gap, 0

    @property
    def state(self) -> State:
        """The state whose memory this is."""
        state = self._state()
        assert state is not None
        return state

    def see(self, state: State) -> None:
        """Compare the gap, and that of the model alone, with those of the last progress."""
        if state.gap >= SHARE * self.gap and state.model_gap >= SHARE * self.model_gap:
            return
        model_gap = max(state.model_gap, state.rounding)  # below it nothing can be seen
        if not (state.gap < SHARE * self.gap or model_gap < SHARE * self.model_gap):
            return
        self.gap, self.model_gap = min(self.gap, state.gap), min(self.model_gap, model_gap)
        self.since = state.k

    def late(self, k: int) -> bool:
        """Whether there has been no progress for too long, or the method says so itself."""
        return self.ended or k - self.since >= self.legs[self.turn].window

    def pass_to(self, turn: int, fresh: State) -> None:
        """Another one has begun."""
        first, state = self.legs[0].method, self.state
        self.turn, self.inner = turn, fresh.memory
        state.active_set = fresh.active_set
        state.remark = f"{first.name} stalled, {self.legs[turn].method.name} went on."
        self.since, self.ended = state.k, False

    def pack(self) -> dict[str, Array]:
        names = ("turn", "gap", "model_gap", "since", "ended")
        numbers = {name: getattr(self, name) for name in names}
        return {
            **{name: np.asarray(value) for name, value in numbers.items()},
            **grouped("inner", self.inner.pack()),
        }

    def take_form(self, arrays: Mapping[str, Array]) -> None:
        turn = int(arrays["turn"])
        if not 0 <= turn < len(self.legs):
            raise ValueError(f"there is no method {turn}")
        if turn != self.turn:
            self.pass_to(turn, self.legs[turn].method.init(self.state.problem))

    def restore(self, arrays: Mapping[str, Array]) -> None:
        self.take_form(arrays)
        self.gap, self.model_gap = float(arrays["gap"]), float(arrays["model_gap"])
        self.since, self.ended = int(arrays["since"]), bool(arrays["ended"])
        self.inner.restore(group("inner", arrays))


@dataclass(frozen=True)
class Watchful(OwnSteps):
    r"""A method, and others that go on from where it stalls.

    .. code-block:: text

        for k = 0, 1, ...
            x_{k+1} <- a step of the method whose turn it is
            where it has not halved the certified gap for its number of steps:
                the next one that takes the problem begins from x_{k+1}, its atoms and the bound

    The lower bound found so far stays, as does the best point. Where the last one stalls the run
    is told so (`State.spent`).

    Parameters
    ----------
    legs : tuple of Leg
        The methods in turn.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> from frankwolfe.methods.watchful import Leg, Watchful
    >>> rng = np.random.default_rng(0)
    >>> A, b = rng.standard_normal((40, 14)) * np.geomspace(1e-2, 1e2, 14), rng.standard_normal(40)
    >>> f, legs = fw.SquaredError(A, b), (fw.decomposition_invariant(), fw.interior_point())
    >>> watched = Watchful(tuple(Leg(method, 100) for method in legs))
    >>> fw.minimize(f, fw.KSparse(5, 1.0), method=watched, tol=1e-10).success
    True
    """

    legs: tuple[Leg, ...]

    @property
    def first(self) -> Method:
        """The method that begins."""
        return self.legs[0].method

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the first."""
        return self.first.name

    @property
    def reference(self) -> str:  # type: ignore[override]
        """The references of all."""
        return "\n\n".join(str(getattr(leg.method, "reference", "")) for leg in self.legs)

    def accepts(self, problem: Problem) -> str | None:
        """What the first says; the others need not take the problem."""
        return self.first.accepts(problem)

    def init(self, problem: Problem, x0: Any = None) -> State[Watch]:
        state = self.first.init(problem, x0)
        state.memory = Watch(self.legs, state)
        return state

    def advance(self, state: State[Watch]) -> None:
        """A step of whoever's turn it is, or the next one's start."""
        watch = state.memory
        late = watch.late(state.k)
        if late and self._handed_on(watch, state):
            return
        leg = watch.legs[watch.turn]
        state.memory = watch.inner  # type: ignore[assignment]
        try:
            leg.method.advance(state)
        finally:
            state.memory = watch
        watch.see(state)
        watch.ended = state.spent
        if watch.late(state.k):
            state.spent = late or leg.final or watch.turn == len(watch.legs) - 1

    def _handed_on(self, watch: Watch, state: State) -> bool:
        """Whether another one takes the problem, and has begun."""
        follower = self._follower(watch, state)
        if follower is None:
            return False
        leg = watch.legs[follower]
        begun = leg.method.init(state.problem, _start(state, leg))
        _take_over(state, begun)
        watch.pass_to(follower, begun)
        return True

    def _follower(self, watch: Watch, state: State) -> int | None:
        """The next one that takes the problem; None where nobody does."""
        if watch.legs[watch.turn].final:
            return None
        for turn in range(watch.turn + 1, len(watch.legs)):
            if watch.legs[turn].method.accepts(state.problem) is None:
                return turn
        return None


def _start(state: State, leg: Leg) -> Any:
    """The atoms of which x is made, or x; nothing where rounding has led it outside."""
    problem, x, atoms = state.problem, state.x, state.made_of()
    if leg.inward and not problem.objective.everywhere:
        inner = 0.5 * (x + problem.region.middle(problem.objective.shape))
        return inner if problem.in_domain(inner) else x
    # without weights that are rounding f need not be finite
    if atoms is not None and problem.in_domain(atoms.point()):
        atoms.source = problem.region
        return atoms
    return x if problem.region.contains(x, problem.nearness) and problem.in_domain(x) else None


def _take_over(state: State, begun: State) -> None:
    """Go to the point at which another method begins; what is known of the minimum stays."""
    state.iterate.jump(begun.iterate.point.array(), begun.iterate.image)
    state.value, state.above = begun.value, begun.above
    state.gradient[:] = begun.gradient
    state.atom, state.step = begun.atom, 0.0
    state.gradient_calls += begun.gradient_calls
    state.value_calls += begun.value_calls
    state.oracle_calls += begun.oracle_calls
    state.k += 1
    state.certify(begun.above - begun.model_gap, begun.oracle_error)
