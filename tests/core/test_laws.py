"""Every registered method over every region and every objective that it accepts: a few steps.

`test_methods` runs fewer combinations for much longer. Here only the two dearest objectives take
turns, one for each kind of region.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy as np
import pytest
from conftest import N, method_examples, objective_examples, refused, size

import frankwolfe as fw
from frankwolfe.methods import METHODS as REGISTRY
from frankwolfe.methods.sampled import Minibatch
from frankwolfe.objectives import DOMAIN_OBJECTIVES
from frankwolfe.regions import MATRIX_REGIONS, REGIONS

METHODS = method_examples()
KINDS = {**REGIONS, **MATRIX_REGIONS}
DEAR = (fw.Profiled, fw.Multinomial)


def _steps(method: fw.Method) -> int:
    """Fewer where a step does much."""
    dear = method.patience or isinstance(method, Minibatch)
    return 15 if dear or isinstance(getattr(method, "step", None), fw.GoldenRatio) else 40


def _objectives(region: fw.Region, dear: type[fw.Objective]) -> list[fw.Objective]:
    rng = np.random.default_rng(2)
    if isinstance(region, fw.Spectraplex | fw.NuclearBall):
        shape = (N, N) if isinstance(region, fw.Spectraplex) else (N, N + 2)
        cells = np.nonzero(rng.random(shape) < 0.6)
        b = np.sign(rng.standard_normal(cells[0].size))
        losses = ("huber", "squared", "logistic")
        return [fw.Completion((*cells, b), shape=shape, loss=loss) for loss in losses]
    n = size(region)
    narrow = [cls.example(n, np.random.default_rng(2)) for cls in DOMAIN_OBJECTIVES.values()]
    wide = [f for f in objective_examples(n) if isinstance(f, dear) or not isinstance(f, DEAR)]
    return [*wide, *narrow, fw.squared_distance(rng.standard_normal(n))]


def _starts(problem: fw.Problem) -> list[np.ndarray | None]:
    """None where the region's own start will do, else a point where f is finite, if any is."""
    steps = np.eye(problem.n) if isinstance(problem.objective.shape, int) else []
    ahead = [problem.region.lmo(-step).dense(problem.n) for step in steps]
    for x0 in (None, np.mean(ahead, axis=0)) if ahead else (None,):
        try:
            problem.start(x0)
        except fw.InvalidInput:
            continue
        return [x0]
    return []


@cache
def _problems(kind: str) -> list[tuple[fw.Problem, np.ndarray | None]]:
    """Every objective over every example of a region, and where to start."""
    regions = KINDS[kind].examples(N, np.random.default_rng(1))
    dear = DEAR[list(KINDS).index(kind) % len(DEAR)]
    problems = [fw.Problem(f, region) for region in regions for f in _objectives(region, dear)]
    return [(problem, x0) for problem in problems for x0 in _starts(problem)]


@cache
def _optimum(kind: str, place: int) -> tuple[float, float]:
    """The least value and the largest lower bound that strong methods find."""
    problem, x0 = _problems(kind)[place]
    methods: list[fw.Method | None] = [None, fw.second_order(), fw.fully_corrective(), fw.hybrid()]
    methods += [fw.pairwise(), fw.partan(), fw.afw()]
    above, below = np.inf, -np.inf
    for turn, method in enumerate(methods):
        if method is not None and method.accepts(problem) is not None:
            continue
        result = fw.minimize(
            *(problem.objective, problem.region),
            method=method,
            x0=x0,
            tol=1e-12,
            max_iter=1000 if turn > 3 else 300,
        )
        above, below = min(above, result.fun), max(below, result.lower_bound)
        if above - below <= 1e-9 * max(1.0, abs(above)):
            break
    assert above - below <= 1e-5 * max(1.0, abs(above)), f"no optimum for {problem}"
    return above, below


def _check(run: Iterator[fw.State], method: fw.Method, optimum: tuple[float, float]) -> None:
    """The laws, step by step."""
    above, below = optimum
    bound, calls, last, first, best = -np.inf, 0, np.inf, None, np.inf
    for state in islice(run, _steps(method) + 1):
        slack = 1e-12 * max(1.0, abs(state.value))
        assert state.certified
        assert np.isfinite(state.value)
        x = state.x
        assert state.problem.region.violation(x) <= 1e-10
        assert abs(state.value - state.problem.objective(x)) <= 10 * slack
        # x is feasible to 1e-10, and so far f may be below its minimum
        assert state.value >= below - 100 * slack, "a value below a bound of another method"
        assert state.gap >= max(state.value - above - slack, 0.0), "no bound on the error"
        assert state.lower_bound <= above + slack, "a bound above a value of another method"
        assert abs(state.gap - max(state.value - state.lower_bound, 0.0)) <= 2 * slack
        assert state.lower_bound >= bound, "the bound falls"
        assert state.oracle_calls >= max(calls, 1)
        assert state.gradient_calls >= 1
        if getattr(method, "monotone", False):
            assert state.value <= last + slack, "f rises"
        first = state.gap if first is None else first
        bound, calls, last = state.lower_bound, state.oracle_calls, state.value
        best = min(best, state.value)
    assert best - bound < first or first <= 1e-9, "nothing gained"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", METHODS)
def test_the_laws_hold_for_every_objective(name, kind):
    method = METHODS[name]
    for place, (problem, x0) in enumerate(_problems(kind)):
        if refused(method, problem):
            continue
        try:
            _check(fw.states(problem, method, x0), method, _optimum(kind, place))
        except Exception as error:
            error.add_note(f"{name} on {problem}")
            raise


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", METHODS)
def test_a_packed_state_goes_on_bit_for_bit(name, kind):
    method = METHODS[name]
    taken = [pair for pair in _problems(kind) if method.accepts(pair[0]) is None]
    turn = list(METHODS).index(name)
    for problem, x0 in taken[turn % len(taken) :][:1] if taken else []:
        run = fw.states(problem, method, x0)
        packed = {k: array.copy() for k, array in next(islice(run, 15, None)).pack().items()}
        whole = next(islice(run, 14, None))
        state = method.init(problem, x0)
        state.restore(packed)
        for _ in range(15):
            method.advance(state)
        for number in set(whole.NUMBERS) - {"seconds"}:
            pair = getattr(state, number), getattr(whole, number)
            np.testing.assert_equal(*pair, f"{number}, {problem}")
        again, arrays = state.pack(), whole.pack()
        for key in set(arrays) - {"number.seconds"}:
            np.testing.assert_array_equal(again[key], arrays[key], f"{key}, {problem}")


def test_every_method_is_accepted_somewhere_and_every_region_by_somebody():
    accepted = {
        (name, kind)
        for name, method in METHODS.items()
        for kind in KINDS
        for problem, _ in _problems(kind)
        if method.accepts(problem) is None
    }
    assert {name for name, _ in accepted} == set(METHODS) >= set(REGISTRY)
    assert {kind for _, kind in accepted} == set(KINDS)
