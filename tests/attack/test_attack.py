"""The judge catches every kind of lie, and the library tells none on a small dose of problems."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.objectives import DOMAIN_OBJECTIVES, MATRIX_OBJECTIVES, OBJECTIVES
from frankwolfe.regions import MATRIX_REGIONS, REGIONS

from .cases import Case, Part, make_objective
from .inside import KINDS, inside_of
from .judge import judge
from .problems import MAKERS, UNDER_ROWS, problem
from .rational import exact, from_fractions
from .reduce import reduced
from .script import script
from .sets import ALL as ALL_SETS
from .sets import OWN_LOSSES
from .shapes import MATRIX_SHAPES, SHAPES, shape
from .truth import truth_of
from .workers import attack

DOSES = [  # problems that take a tenth of a second
    *(1, 2, 3, 5, 6, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 26, 27, 28, 30, 33),
    *(34, 37, 41, 42, 43, 44, 46, 48, 51, 52, 54, 55, 58, 59, 60, 61, 62, 64, 66, 68, 69, 70, 72),
    *(73, 74, 75, 80, 81, 84, 85, 87, 88, 89, 90, 94, 95, 97, 98, 99, 101, 103, 104, 105, 106, 107),
]


# values of other points, false bounds, points outside, successes that were none
ONCE_WRONG = [
    *(13, 47, 136, 462, 1006, 1066, 1160, 1221, 1248, 1250, 1301, 2019, 2027, 2055, 2080, 2086),
    *(2131, 20045, 20076, 20150, 20204, 20389, 20418, 20448, 20708, 20750, 30044, 30163, 101074),
    *(102723, 400447, 400679),
]
SLOW_ONCE_WRONG = [  # a second or more each, for the night
    *(78, 123, 1031, 1037, 1082, 1088, 1118, 1137, 1146, 1177, 1213, 2066, 100099, 103740),
]


def _quietly(phase: str) -> None:
    pass


def test_every_objective_and_region_is_attacked():
    makers = {name.split(".")[0].split("_logs")[0] for name in MAKERS} | {
        "Profiled",
        *OWN_LOSSES,
        *UNDER_ROWS,
    }
    for table in (OBJECTIVES, DOMAIN_OBJECTIVES, MATRIX_OBJECTIVES):
        assert {kind.__name__ for kind in table.values()} <= makers
    shapes = {name.split("_")[0] for name in (*SHAPES, *MATRIX_SHAPES)}
    assert not shapes & set(ALL_SETS)
    registered = {kind.__name__ for kind in (*REGIONS.values(), *MATRIX_REGIONS.values())}
    assert registered == shapes | set(ALL_SETS)
    assert set(KINDS) == set(SHAPES)


def test_a_seed_is_a_problem():
    one, two = problem(7), problem(7)
    assert script(one) == script(two)
    assert script(one) != script(problem(8))


def _case(**changes):
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((12, 4)), rng.standard_normal(12)
    case = Case(0, Part("SquaredError", {"A": A, "b": b}), Part("L1Ball", {"radius": 0.5}))
    return replace(case, **changes)


def _lies(monkeypatch, lie):
    """What the judge says where every result is changed by `lie`."""
    true = fw.minimize

    def minimize(*args, **options):
        return lie(true(*args, **options))

    with monkeypatch.context() as patch:
        patch.setattr(fw, "minimize", minimize)
        return judge(_case(), extra=False, phase=_quietly).kinds


def test_an_honest_result_passes(monkeypatch):
    assert _lies(monkeypatch, lambda result: result) == set()


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("false bound", lambda r: {"lower_bound": r.fun + 1e-9, "gap": 0.0}),
        ("false gap", lambda r: {"x": 0.9 * r.x, "fun": r.fun, "gap": 1e-12}),
        ("infeasible", lambda r: {"x": r.x * (1.0 + 1e-8)}),
        ("fun is not f(x)", lambda r: {"fun": r.fun * (1.0 + 1e-11)}),
        ("false success", lambda r: {"gap": 1e-4, "lower_bound": r.fun - 1e-4}),
        ("false not convex", lambda r: {"convex": False, "certified": False}),
        ("not finite", lambda r: {"fun": np.nan}),
    ],
)
def test_a_lie_is_caught(monkeypatch, kind, change):
    assert kind in _lies(monkeypatch, lambda r: replace(r, **change(r)))


def test_errors_and_warnings_are_caught(monkeypatch):
    def warns(result):
        np.float64(1.0) / np.float64(0.0)
        return result

    def breaks(result):
        raise ZeroDivisionError("float division")

    assert _lies(monkeypatch, warns) == {"warning"}
    assert _lies(monkeypatch, breaks) == {"raw error"}


@pytest.mark.parametrize("name", list(MAKERS))
def test_the_truth_agrees_with_the_library(name, rng):
    """Both compute f by their own ways; they agree up to rounding."""
    part, _, _ = MAKERS[name](rng, 7, 3)
    objective = make_objective(part)
    truth = truth_of(part, objective)
    if objective.matrix:
        x = objective.read_point(rng.standard_normal(objective.shape))
    else:
        x = rng.uniform(0.1, 1.0, objective.n).astype(objective.dtype)
    assert abs(float(truth.value(truth.point(x))) - objective(x)) <= 4.0 * truth.rounding(x)


@pytest.mark.parametrize("name", list(SHAPES))
def test_inner_points_are_inside_exactly(name, rng):
    n = 4
    for _ in range(5):
        part = shape(rng, name, n, 10.0 ** rng.uniform(-3, 3))
        region = inside_of(part)
        x = exact(rng.standard_normal(n) * region.reach(n)).fractions()
        inner = region.inner(x)
        again = region.inner(inner)
        assert region.outside(inner, 1e-12 if name in ("ConvexHull", "Product") else 1e-30) <= 1.0
        assert max(abs(float(a - b)) for a, b in zip(inner, again, strict=True)) <= 1e-12 * max(
            region.reach(n)
        )


def test_exact_numbers_are_exact(rng):
    values = rng.standard_normal(20) * 10.0 ** rng.uniform(-300, 300, 20)
    assert exact(values).fractions() == [Fraction(float(v)) for v in values]
    assert from_fractions(exact(values).fractions()).floats().tolist() == values.tolist()


def test_a_failing_case_becomes_short(rng):
    """Of a case that fails as long as one entry of A is 3 or more, that entry is left."""
    A = np.clip(rng.standard_normal((20, 8)), -2.0, 2.0)
    A[13, 5] = 3.21987
    case = _case(objective=Part("Huber", {"A": A, "b": np.ones(20), "delta": 1.0}))
    small = reduced(case, lambda c: bool(c.objective.options["A"].max() >= 3.0), seconds=20.0)
    assert small.objective.options["A"].tolist() == [[3.0]]
    names: dict[str, object] = {"print": lambda result: None}
    exec(script(small), names)
    assert names["f"].n == 1


def dies(g):
    os._exit(7)


def test_a_run_that_dies_is_a_verdict():
    """And the next case goes on, in a new process."""
    trap = _case(region=Part("OracleRegion", {"lmo": dies, "n": 4}))
    first, second = attack([trap, _case()], 1)
    assert first["level"] == "died"
    assert first["defects"][0]["detail"] == "exit code 7"
    assert (second["level"], second["defects"]) == ("certified", [])


def _check(seeds):
    for seed in seeds:
        verdict = judge(problem(seed), extra=False, phase=_quietly)
        if any(defect["kind"] == "over 30 s" for defect in verdict.defects):
            verdict = judge(problem(seed), extra=False, phase=_quietly)  # loops are compiled now
        assert not verdict.defects, f"{verdict.case}: {verdict.defects}"
        assert verdict.level != "error"


@pytest.mark.parametrize("start", range(0, len(ONCE_WRONG), 8))
def test_what_was_wrong_is_right(start):
    _check(ONCE_WRONG[start : start + 8])


@pytest.mark.long
@pytest.mark.parametrize("seed", SLOW_ONCE_WRONG)
def test_what_was_wrong_is_right_where_it_takes_longer(seed):
    _check([seed])


@pytest.mark.long
@pytest.mark.parametrize("start", range(0, len(DOSES), 8))
def test_a_small_dose(start):
    _check(DOSES[start : start + 8])
