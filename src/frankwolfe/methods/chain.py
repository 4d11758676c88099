"""Chains of methods: where one has given what it can, the next goes on from its point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import ref

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.memory import Memory, group, grouped
from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods.assembled import FrankWolfe
from frankwolfe.methods.base import Method, OwnSteps, check_accepted

__all__ = ["Chain", "Ending", "Halving", "Planned", "Stage"]

PROGRESS = 0.5  # of the gap: progress is a gap at most half as large as at the last progress


class Ending(Protocol):
    """When a stage of a chain ends and the next one begins."""

    stalled: bool
    """Whether the end means that the method has stalled, so that the last one ends the run."""

    def over(self, state: State, progress: ChainProgress) -> bool:
        """True if the stage has ended at `state`, before its next step."""


@dataclass(frozen=True)
class Halving:
    """Ends after `steps` iterations in which the certified gap was not halved."""

    steps: int
    stalled = True

    def over(self, state: State, progress: ChainProgress) -> bool:
        return progress.ended or state.k - progress.since >= self.steps


class Condition(Protocol):
    """A condition on the state of a run: a frozen dataclass, so that checkpoints can name it."""

    def __call__(self, state: State) -> bool:
        """True if it holds at `state`."""


@dataclass(frozen=True)
class Planned:
    """Ends where a condition on the state holds; the last such stage goes on for ever."""

    reached: Condition
    stalled = False

    def over(self, state: State, progress: ChainProgress) -> bool:
        return self.reached(state)


@dataclass(frozen=True)
class Never:
    """Ends with the run."""

    stalled = False

    def over(self, state: State, progress: ChainProgress) -> bool:
        return False


@dataclass(frozen=True)
class Stage:
    """A method of a chain.

    Attributes
    ----------
    method : Method
    until : Ending
        When the next stage begins; never by default.
    when : Condition, optional
        Where this stage may begin; anywhere by default.
    once : bool
        Whether a stage that `when` has declined once is never asked again.
    in_place : bool
        Whether the method goes on from the state as it stands, with fresh memory and without a
        new evaluation. Else it begins anew from the point, its atoms and the lower bound.
    final : bool
        Whether no later stage follows, even where this one stalls.
    inward : bool
        Whether it begins halfway to the middle of the region where f is not finite everywhere:
        near the end of its domain f has more curvature than anywhere else.
    """

    method: Method
    until: Ending = Never()
    when: Condition | None = None
    once: bool = False
    in_place: bool = False
    final: bool = False
    inward: bool = False

    def fresh_memory(self, problem: Problem) -> Memory:
        """Memory with which the method goes on `in_place`."""
        method = self.method
        assert isinstance(method, FrankWolfe | OwnSteps)
        memory: Memory = method.memory(problem)
        return memory

    def may_follow(self, state: State) -> bool:
        """True if the method takes the problem, and may begin at this state."""
        if self.when is not None and not self.when(state):
            return False
        return self.method.accepts(state.problem) is None


class ChainProgress(Memory):
    """The stage whose turn it is, its memory, and when the gap was last halved."""

    NUMBERS = ("turn", "asked", "gap", "model_gap", "since", "began", "ended")
    __slots__ = (*NUMBERS, "_state", "inner", "stages")

    def __init__(self, stages: tuple[Stage, ...], state: State) -> None:
        # a weak reference: the state holds this memory, and both are to go with their run
        self.stages, self._state = stages, ref(state)
        self.inner: Memory = state.memory
        self.turn = self.asked = 0  # `asked`: the last stage that has been declined for good
        self.ended = False
        self.gap, self.model_gap = state.gap, state.model_gap
        self.since = self.began = 0

    @property
    def stage(self) -> Stage:
        """The stage whose turn it is."""
        return self.stages[self.turn]

    def over(self, state: State) -> bool:
        """True if the current stage has ended."""
        return self.stage.until.over(state, self)

    def follower(self, state: State) -> int | None:
        """Number of the next stage that may begin at this state; None where there is none."""
        if self.stage.final:
            return None
        for turn in range(max(self.turn, self.asked) + 1, len(self.stages)):
            stage = self.stages[turn]
            if stage.may_follow(state):
                return turn
            if stage.once:
                self.asked = turn
        return None

    def see(self, state: State) -> None:
        """Compare the gap, and that of the model alone, with those of the last progress."""
        if state.gap >= PROGRESS * self.gap and state.model_gap >= PROGRESS * self.model_gap:
            return
        model_gap = max(state.model_gap, state.rounding)  # below rounding nothing can be seen
        if not (state.gap < PROGRESS * self.gap or model_gap < PROGRESS * self.model_gap):
            return
        self.gap, self.model_gap = min(self.gap, state.gap), min(self.model_gap, model_gap)
        self.since = state.k

    def pass_to(self, turn: int, memory: Memory, state: State) -> None:
        """Let stage `turn` go on at `state`, with this memory."""
        if self.stage.until.stalled:
            first, follower = self.stages[0].method, self.stages[turn].method
            state.remark = f"{first.name} stalled, {follower.name} went on."
        self.turn, self.inner = turn, memory
        self.since = self.began = state.k
        self.ended = False
        self.attach(state)

    def attach(self, state: State) -> None:
        """Make `state` the one that holds this memory, and those of chains inside it."""
        self._state = ref(state)
        if isinstance(self.inner, ChainProgress):
            self.inner.attach(state)

    def pack(self) -> dict[str, Array]:
        numbers = {name: np.asarray(getattr(self, name)) for name in self.NUMBERS}
        return {**numbers, **grouped("inner", self.inner.pack())}

    def take_form(self, arrays: Mapping[str, Array]) -> None:
        turn, state = int(arrays["turn"]), self._state()
        if not 0 <= turn < len(self.stages):
            raise ValueError(f"there is no method {turn}")
        if state is None:
            raise ValueError("the run that this chain belongs to is gone")
        if turn != self.turn:
            self.pass_to(turn, self._fresh(self.stages[turn], state), state)
        self.inner.take_form(group("inner", arrays))

    @staticmethod
    def _fresh(stage: Stage, state: State) -> Memory:
        """Memory of the form that the stage has, for one that is to be restored."""
        if stage.in_place:
            return stage.fresh_memory(state.problem)
        begun = stage.method.init(state.problem)
        state.active_set = begun.active_set
        memory: Memory = begun.memory
        return memory

    def restore(self, arrays: Mapping[str, Array]) -> None:
        self.take_form(arrays)
        self.asked = int(arrays["asked"])
        self.gap, self.model_gap = float(arrays["gap"]), float(arrays["model_gap"])
        self.since, self.began = int(arrays["since"]), int(arrays["began"])
        self.ended = bool(arrays["ended"])
        self.inner.restore(group("inner", arrays))


@dataclass(frozen=True)
class Chain(OwnSteps):
    r"""Methods in turn: each goes on where the one before it has ended.

    .. code-block:: text

        for k = 0, 1, ...
            where the stage whose turn it is has ended:
                the next one that takes the problem begins from x_k, its atoms and the bound
            x_{k+1} <- a step of the method whose turn it is

    The lower bound found so far stays, as does the best point. Where the last stage stalls, the
    run is told so (`State.spent`).

    Parameters
    ----------
    stages : tuple of Stage
        The methods in turn; the first must take the problem, the others need not.
    title : str
        What tables and messages call the chain; the name of the first method by default.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> from frankwolfe.methods.chain import Chain, Halving, Stage
    >>> rng = np.random.default_rng(0)
    >>> A, b = rng.standard_normal((40, 14)) * np.geomspace(1e-2, 1e2, 14), rng.standard_normal(40)
    >>> methods = fw.methods.decomposition_invariant(), fw.methods.interior_point()
    >>> chain = Chain(tuple(Stage(method, Halving(100)) for method in methods))
    >>> fw.minimize(fw.SquaredError(A, b), fw.KSparse(5, 1.0), method=chain, tol=1e-10).success
    True
    """

    stages: tuple[Stage, ...]
    title: str = ""
    patience: int = 0

    @property
    def first(self) -> Method:
        """The method that begins."""
        return self.stages[0].method

    @property
    def name(self) -> str:  # type: ignore[override]
        """The title, or the name of the first method."""
        return self.title or self.first.name

    @property
    def reference(self) -> str:  # type: ignore[override]
        """The references of all methods."""
        return "\n\n".join(str(getattr(stage.method, "reference", "")) for stage in self.stages)

    def accepts(self, problem: Problem) -> str | None:
        """Why the first method cannot run, if so; the others need not take the problem."""
        return self.first.accepts(problem)

    def init(self, problem: Problem, x0: Any = None) -> State[ChainProgress]:
        check_accepted(self, problem)
        state = self.first.init(problem, x0)
        state.memory = ChainProgress(self.stages, state)
        return state

    def advance(self, state: State[ChainProgress]) -> None:
        """One step of the stage whose turn it is, or the evaluation with which the next begins."""
        progress, over = state.memory, False
        while progress.over(state):
            over = True
            turn = progress.follower(state)
            if turn is None:
                break
            over = False
            if not self._hand_over(state, progress, turn):
                return
        stage = progress.stage
        state.memory = progress.inner  # type: ignore[assignment]
        try:
            stage.method.advance(state)
        finally:
            state.memory = progress
        progress.see(state)
        progress.ended = state.spent
        if stage.until.stalled and progress.over(state):
            state.spent = over or stage.final or progress.turn == len(progress.stages) - 1

    def _hand_over(self, state: State, progress: ChainProgress, turn: int) -> bool:
        """Let another stage go on; True if it does so in place, with its first step still to do."""
        stage = progress.stages[turn]
        if stage.in_place:
            progress.pass_to(turn, stage.fresh_memory(state.problem), state)
            return True
        begun = stage.method.init(state.problem, _start(state, stage))
        state.take_over(begun)
        progress.pass_to(turn, begun.memory, state)
        return False


def _start(state: State, stage: Stage) -> Any:
    """The atoms of which x is made, or x; None where rounding has led it outside."""
    problem, x, atoms = state.problem, state.x, state.made_of()
    if stage.inward and not problem.objective.everywhere:
        inner = 0.5 * (x + problem.region.middle(problem.objective.shape))
        return inner if problem.in_domain(inner) else x
    # without weights that are rounding f need not be finite
    if atoms is not None and problem.in_domain(atoms.point()):
        atoms.source = problem.region
        return atoms
    inside = problem.region.contains(x, problem.nearness) and problem.in_domain(x)
    return x if inside else None
