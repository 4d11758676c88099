"""An evaluation, a line, and memories: what the parts are handed."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import pytest
from conftest import method_examples, skip_if_refused

import frankwolfe as fw
from frankwolfe.base.memory import Memory
from frankwolfe.core import ActiveSet, State
from frankwolfe.core.atoms import Vertex
from frankwolfe.core.evaluate import evaluate
from frankwolfe.methods.parts.base import Memories
from frankwolfe.methods.parts.models import AveragedTangents, Tangent
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.methods.steps import OpenLoop


@dataclass(slots=True)
class _Inner(Memory):
    array: np.ndarray
    number: float = 0.5


@dataclass(slots=True)
class _Outer(Memory):
    inner: _Inner
    atoms: ActiveSet = field(default_factory=lambda: ActiveSet(3))
    flag: bool = False


def _problem(rng) -> fw.Problem:
    A = rng.standard_normal((30, 5))
    return fw.Problem(fw.Logistic(A, np.sign(rng.standard_normal(30))), fw.L1Ball(2.0))


def test_a_look_is_value_atom_and_gap_of_one_point(rng):
    problem = _problem(rng)
    state = State(problem, problem.start(), Memory())
    evaluate(state, Tangent(), Exact())
    g = problem.objective.grad(state.x)
    assert state.value == pytest.approx(problem.objective(state.x))
    assert state.model_gap == pytest.approx(g @ state.x - problem.region.lmo(g).dot(g))
    assert (state.gradient_calls, state.oracle_calls) == (1, 1)


def test_a_model_with_a_memory_is_handed_it(rng):
    problem = _problem(rng)
    model = AveragedTangents(OpenLoop())
    state, mean = State(problem, problem.start(), Memory()), model.memory(problem)
    evaluate(state, model, Exact(), mean, Memory())
    assert mean.weight == 1.0
    np.testing.assert_array_equal(mean.gradient, state.gradient)


@pytest.mark.parametrize("plain", [False, True])
def test_a_line_is_f_and_counts_its_trials(rng, plain):
    problem = _problem(rng)
    if plain:
        f = fw.Function(problem.objective, problem.objective.grad, n=5)
        problem = fw.Problem(f, problem.region)
    objective = problem.objective
    state = fw.frank_wolfe().init(problem)
    x, d = state.x, 0.1 * rng.standard_normal(5)
    dz, z = np.empty(objective.m), np.empty(objective.m)
    objective.image(d, dz)
    objective.image(x + d, z)
    before = state.value_calls, state.gradient_calls
    line, ahead = state.line(dz), state.line(dz, z)
    assert line(0.3)[0] == pytest.approx(objective(x + 0.3 * d))
    assert line(0.3)[1] == pytest.approx(objective.grad(x + 0.3 * d) @ d)
    assert ahead(0.3)[0] == pytest.approx(objective(x + 1.3 * d))
    assert (state.value_calls, state.gradient_calls) == (before[0] + 3, before[1] + 3 * plain)


def test_memories_within_memories_are_packed_and_stay_the_same_objects():
    outer = _Outer(_Inner(np.arange(3.0)), flag=True)
    outer.inner.number = 7.0
    outer.atoms.toward(Vertex(1, 2.0), 1.0)
    arrays = outer.pack()
    assert {"inner/array", "inner/number", "atoms/weights", "flag"} <= set(arrays)
    other = _Outer(_Inner(np.zeros(0)))
    inner, atoms = other.inner, other.atoms
    other.restore(arrays)
    assert (other.inner, other.atoms) == (inner, atoms)
    assert inner.number == 7.0
    assert other.flag is True
    np.testing.assert_array_equal(inner.array, np.arange(3.0))
    np.testing.assert_array_equal(atoms.point(), [0.0, 2.0, 0.0])


@pytest.mark.parametrize("name", method_examples())
def test_the_active_set_of_a_state_is_what_its_point_is_made_of(name, rng):
    method, problem = method_examples()[name], _problem(rng)
    skip_if_refused(method, problem)
    kept = None
    for state in islice(fw.states(problem, method), 20):
        kept = state.active_set if state.k == 0 else kept
        assert state.active_set is kept  # one object for the whole run, changed by its owner
        if kept is None:
            assert state.made_of() is None
            continue
        made = state.made_of()
        assert made is not kept
        assert (made.weights > 0.0).all()
        np.testing.assert_allclose(kept.point(), state.x, atol=1e-12)
        np.testing.assert_allclose(made.point(), state.x, atol=1e-12)


def test_a_method_of_parts_keeps_what_each_part_remembers(rng):
    state = fw.methods.lazy(fw.pairwise(fw.steps.Backtracking())).init(_problem(rng))
    assert isinstance(state.memory, Memories)
    assert state.memory.direction is state.active_set
    names = {name.split("/")[1] for name in state.pack() if name.startswith("memory/")}
    assert names == {"oracle", "direction", "step"}  # the others have nothing to remember
