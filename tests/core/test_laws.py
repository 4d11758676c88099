"""Every registered method over every objective that it accepts: a few steps.

Over every region that a method can tell from others, and every one of matrices.

`test_methods` runs fewer combinations for longer. The two most expensive objectives take turns, one
for each kind of region, and in `make test` so do all, a third for each method and kind of region.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from conftest import (
    N,
    domain_examples,
    in_turn,
    method_examples,
    objective_examples,
    refused,
    region_examples,
    size,
    told_apart,
)
from laws import Case, cases, check_resumed, check_runs

import frankwolfe as fw
from frankwolfe.methods import METHODS as REGISTRY
from frankwolfe.regions import MATRIX_REGIONS, REGIONS

METHODS = method_examples()
EXAMPLES = [*told_apart(), *region_examples(MATRIX_REGIONS.values())]
CLASSES = {type(region) for region in EXAMPLES}
KINDS = {n: kind for n, kind in {**REGIONS, **MATRIX_REGIONS}.items() if kind in CLASSES}
TURNS = 3  # methods and kinds of regions after which each objective has had its turn
EXPENSIVE = (fw.Profiled, fw.Multinomial)
RESUMED = 5  # problems for each method whose run is cut in two, spread over those it accepts


def _objectives(region: fw.Region, one: type[fw.Objective]) -> list[fw.Objective]:
    """All but one of the expensive objectives."""
    rng = np.random.default_rng(2)
    if region.matrix:
        usual = (N, N) if isinstance(region, fw.Spectraplex) else (N, N + 2)
        shape = region.shape or usual
        cells = np.nonzero(rng.random(shape) < 0.6)
        b = np.sign(rng.standard_normal(cells[0].size))
        losses = ("huber", "squared", "logistic")
        return [fw.Completion((*cells, b), shape=shape, loss=loss) for loss in losses]
    n = size(region)
    every = _of_vectors(n, one, rng)
    return [f for turn, f in enumerate(every) if in_turn(region, turn)]


def _of_vectors(n: int, one: type[fw.Objective], rng: np.random.Generator) -> list[fw.Objective]:
    wide = [f for f in objective_examples(n) if isinstance(f, one) or not isinstance(f, EXPENSIVE)]
    return [*wide, *domain_examples(n), fw.squared_distance(rng.standard_normal(n))]


@cache
def _cases(kind: str) -> list[Case]:
    """Every objective over every example of a region."""
    regions = [region for region in EXAMPLES if type(region) is KINDS[kind]]
    one = EXPENSIVE[list(KINDS).index(kind) % len(EXPENSIVE)]
    return [case for region in regions for case in cases([region], _objectives(region, one))]


PAIRS = [
    (name, kind)
    for kind, cls in KINDS.items()
    for turn, name in enumerate(METHODS)
    if in_turn(next(r for r in EXAMPLES if type(r) is cls), turn, of=2)
]


@cache
def _accepted(name: str, kind: str) -> list[Case]:
    """The problems over a kind of region that a method accepts."""
    return [case for case in _cases(kind) if METHODS[name].accepts(case.problem) is None]


def _some(name: str, kind: str) -> list[Case]:
    return _accepted(name, kind) or pytest.skip("the method accepts nothing over these regions")


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_the_laws_hold_over_every_region(name, kind):
    """Of the objectives a third, another one for the next method and the next kind of region."""
    taken, turn = _some(name, kind), list(METHODS).index(name) + list(KINDS).index(kind)
    check_runs(METHODS[name], taken[turn % min(TURNS, len(taken)) :: TURNS])


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_the_laws_hold_for_every_objective(name, kind):
    check_runs(METHODS[name], _some(name, kind))


@pytest.mark.parametrize("name", METHODS)
def test_what_is_refused_is_refused_well(name):
    refusals = [refused(METHODS[name], case.problem) for k in KINDS for case in _cases(k)]
    if not any(refusals):
        pytest.skip("the method accepts every problem")


@pytest.mark.parametrize("name", METHODS)
def test_a_packed_state_goes_on_bit_for_bit(name):
    taken = [case for n, kind in PAIRS if n == name for case in _accepted(name, kind)]
    for case in taken[:: -(-len(taken) // RESUMED)]:
        check_resumed(METHODS[name], case)


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), PAIRS[::2])
def test_a_packed_state_goes_on_bit_for_bit_over_every_region(name, kind):
    taken = _some(name, kind)
    check_resumed(METHODS[name], taken[list(METHODS).index(name) % len(taken)])


def test_every_method_is_accepted_somewhere_and_every_region_by_somebody():
    accepts = [pair for pair in PAIRS if _accepted(*pair)]
    assert {name for name, _ in accepts} == set(METHODS) >= set(REGISTRY)
    assert {kind for _, kind in accepts} == set(KINDS)
