"""The logic of the benchmark suite: what it reads, searches for, draws up and claims."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from peers import OURS, Budget, solvers
from peers.ours import Default, optimum
from problems import FILES, NAMES, load, missing, objective, ours, present, region
from suite import claims, memory, reading, report, search, sets, store
from suite.contest import timed
from suite.reading import ACCURACIES, Run

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SMALL = ["P1", "P1b", "P2"]
STUDIES = sorted((BENCHMARKS / "studies").glob("*.py"))
AMPLE = 600.0  # seconds that nobody needs: the accuracy ends a run, not the clock


@given(rate=st.floats(0.01, 0.99), noise=st.floats(0.1, 3.0))
def test_the_fewest_iterations_are_found(rate: float, noise: float) -> None:
    def attempt(count: float) -> Run:
        return Run(count, noise * (1 + count % 3), rate**count)

    runs = search.search("iterations", (), attempt, 1e9)
    for accuracy in ACCURACIES:
        fewest = math.ceil(math.log(accuracy * reading.SLACK) / math.log(rate) - 1e-9)
        found = reading.smallest("iterations", runs, accuracy)
        assert found is not None
        assert found.reaches(accuracy)
        assert fewest <= found.budget <= max(fewest, 1 + search.FINE * fewest)


def test_tolerances_are_tried_until_the_last_accuracy() -> None:
    tried = []

    def attempt(tolerance: float) -> Run:
        tried.append(tolerance)
        return Run(tolerance, 1.0, 10.0 * tolerance)

    ladder = tuple(10.0**-k for k in range(1, 15))
    runs = search.search("tolerance", ladder, attempt, 1e9)
    assert tried[-1] == pytest.approx(1e-9)
    for accuracy, run in search.budgets("tolerance", runs).items():
        assert run.budget == pytest.approx(accuracy / 10)


def test_nothing_new_is_tried_when_time_is_up() -> None:
    runs = search.search("iterations", (), lambda count: Run(count, 1.0, 1.0 / count), 0.0)
    assert len(runs) == 1


def test_a_point_that_is_not_a_number_reaches_nothing() -> None:
    assert reading.smallest("tolerance", [Run(0.1, 1.0, math.nan)], 1e-3) is None


def test_a_missed_round_counts_as_endless() -> None:
    assert reading.median([1.0, None, 2.0]) == 2.0
    assert reading.median([1.0, None, None]) == math.inf
    assert reading.median([]) == math.inf
    assert reading.least([3.0, None, 2.0]) == 2.0


@pytest.mark.parametrize("name", [*SMALL, "P8", "P10"])
def test_problems_are_the_same_to_the_library(name: str) -> None:
    problem = load(name)
    f, over = objective(problem), region(problem)
    x = problem.region.repair(np.random.default_rng(0).standard_normal(problem.n))
    assert over.contains(x, 1e-9)
    assert over.contains(problem.x0, 1e-9)
    assert f(x) == pytest.approx(problem.value(x), rel=1e-12)
    np.testing.assert_allclose(f.grad(x), problem.gradient(x), rtol=1e-9, atol=1e-12)
    g = np.random.default_rng(1).standard_normal(problem.n)
    ours = over.lmo(g).dense(problem.n)
    assert g @ problem.region.lmo(g) == pytest.approx(g @ ours, rel=1e-10)


@pytest.mark.parametrize(
    "over", [sets.L1(2.0), sets.L2(2.0), sets.Simplex(2.0), sets.KSparse(0.7, 3)]
)
@pytest.mark.parametrize("size", [0.01, 1.0, 30.0])
def test_projections_are_nearest_points(over: sets.Region, size: float) -> None:
    x = size * np.random.default_rng(2).standard_normal(40)
    p = over.project(x)
    np.testing.assert_allclose(over.repair(p), p, atol=1e-12)
    assert (x - p) @ (over.lmo(p - x) - p) <= 1e-9 * size * size


def test_the_nuclear_ball_projects_and_repairs() -> None:
    over = sets.Nuclear(3.0, (6, 5))
    x = np.random.default_rng(3).standard_normal(30)
    p = over.project(x)
    assert np.linalg.norm(p.reshape(6, 5), "nuc") == pytest.approx(3.0)
    assert (x - p) @ (over.lmo(p - x) - p) <= 1e-9
    assert np.linalg.norm(over.repair(x).reshape(6, 5), "nuc") == pytest.approx(3.0)


def test_missing_files_are_named(tmp_path: Path) -> None:
    for name in NAMES:
        why = missing(name, tmp_path)
        assert (why is None) == (name not in FILES)
        if why:
            assert FILES[name] in why
            with pytest.raises(FileNotFoundError, match=FILES[name]):
                load(name, tmp_path)


def test_problems_have_one_maker_each(tmp_path: Path) -> None:
    assert len(present()) == 35
    for name in ("duke logistic l1", "a9a logistic l1", "w8a logistic l1"):
        assert name not in present(tmp_path)
        with pytest.raises(FileNotFoundError, match=f"{name.split()[0]}.xz"):
            ours(name, tmp_path)
    twice = ours("onto k-sparse n=1e5"), ours("P10")
    np.testing.assert_array_equal(twice[0].objective.b, twice[1].objective.b)
    for path in (BENCHMARKS / "problems.py", BENCHMARKS / "studies" / "before_after.py"):
        assert "from frankwolfe" not in path.read_text("utf-8"), "public names only"


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_study_is_listed_and_finds_what_it_imports(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert path.stem in (BENCHMARKS / "README.md").read_text("utf-8")
    monkeypatch.syspath_prepend(path.parent)
    spec = importlib.util.spec_from_file_location(f"study_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)


def test_every_contestant_says_what_it_takes() -> None:
    found = solvers()
    assert len({solver.name for solver in found}) == len(found)
    assert found[0].name == OURS
    problem = load("P1")
    problem.best = optimum(problem, AMPLE)[0]
    assert any(solver.skip(problem) is None for solver in found[1:])
    for solver in found:
        assert isinstance(solver.skip(problem), str | None)
        assert isinstance(solver.absent(), str | None)


@pytest.mark.parametrize("name", SMALL)
def test_contestants_agree_on_the_optimum(name: str) -> None:
    problem = load(name)
    problem.best, gap = optimum(problem, AMPLE)
    problem.optimum = problem.value(problem.best)
    assert gap <= 1e-9
    assert problem.gap(problem.best) <= 1e-9
    run, counts = timed(Default(), problem, 1e-6, AMPLE)
    assert run.reaches(1e-6)
    assert counts["gradients"] >= counts["iterations"] > 0
    words = ["scipy SLSQP", "scipy BFGS", "scikit-learn", "cvxpy Clarabel"]
    for solver in solvers(words):
        if solver.name == OURS or solver.absent() or solver.skip(problem):
            continue
        solver.prepare(problem)
        best = min(abs(timed(solver, problem, t, AMPLE)[0].relative) for t in (1e-8, 1e-10))
        assert best <= 1e-5, solver.name


def test_a_target_is_not_passed_by_much() -> None:
    problem = load("P1")
    problem.best = optimum(problem, AMPLE)[0]
    problem.optimum = problem.value(problem.best)
    x = Default().run(problem, Budget(target=problem.target(1e-3), seconds=AMPLE))
    assert problem.optimum <= problem.value(x) <= problem.target(1e-3)


def test_the_peak_of_a_call_is_seen() -> None:
    memory.let_go()
    before = memory.megabytes("VmRSS")
    if before is None or not memory.reset_peak():
        pytest.skip("this system does not tell")
    np.ones(8 * 2**20).sum()  # 64 MB, gone at once
    peak = memory.megabytes("VmHWM")
    assert peak is not None
    assert 60.0 <= peak - before <= 100.0


def _rows(ours: float, other: float) -> tuple[list[store.Row], list[store.Row]]:
    """Saved rows of all problems, with these seconds for ours and for one peer."""
    problems = [
        {
            "problem": name,
            "title": "made up",
            "f*": 1.0,
            "f(x0)": 2.0,
            "relative gap": 0.0,
            "lowered by": 0.0,
            "proxy median": 1e-3,
            "proxy least": 1e-3,
        }
        for name in NAMES
    ]
    rows = [
        {
            "problem": name,
            "solver": solver,
            "budget": "target",
            "skipped": None,
            "cap": 1.0,
            "first call": 0.5,
            "megabytes": {"call": 3.0},
            "ended": "",
            "best": 1e-9,
            "seconds": {reading.label(accuracy): [seconds] * 3 for accuracy in ACCURACIES},
            "counts": {reading.label(1e-6): {"iterations": 7}},
        }
        for name in NAMES
        for solver, seconds in ((OURS, ours), ("peer", other))
    ]
    return problems, rows


def _verdicts(ours: float, other: float) -> list[bool | None]:
    return [claim.holds for claim in claims.claims(*_rows(ours, other), [], {})][:8]


def test_claims_follow_the_numbers() -> None:
    assert _verdicts(1e-3, 2e-3)[2:] == [True] * 6
    assert _verdicts(1e-3, 0.9e-3)[-2:] == [False, True]
    assert _verdicts(1e-3, 0.5e-3)[-2:] == [False, False]
    slow = _verdicts(1e3, 2e3)
    assert slow[2:6] == [False] * 4
    assert _verdicts(1e-3, math.inf)[-2:] == [True, True]
    assert _verdicts(math.inf, 1e-3)[2:] == [False] * 6


def test_claims_are_not_judged_on_a_part() -> None:
    problems, rows = _rows(1e-3, 2e-3)
    verdicts = [claim.holds for claim in claims.claims(problems[:3], rows, [], {})]
    assert True not in verdicts


def test_time_per_iteration_is_judged() -> None:
    rows = [
        {"problem": name, "what": what, "proxies": ratio}
        for name in SMALL
        for what, ratio in (("FW", 1.1), ("JFW", 1.3))
    ]
    assert [claim.holds for claim in claims.claims([], [], rows, {})[:2]] == [True, False]


def test_large_data_are_judged() -> None:
    row = {"problem": "big", "ratio": 1.4, "at most": 1.3, "memory over data": 1.1}
    cold = "the rest, caches emptied"
    rest = [{"n": n, "method": "FW", "the rest": n / 10, cold: 80.0 + n} for n in (10, 20)]
    grown = [rest[0], {**rest[1], cold: 2000.0}]

    def verdicts(**scale: list[dict[str, object]]) -> list[bool | None]:
        return [claim.holds for claim in claims.claims([], [], [], scale)][8:]

    assert verdicts() == [None] * 4
    assert verdicts(dense=[row], sparse=[{**row, "at most": 2.0}]) == [False, True, True, None]
    assert verdicts(sparse=[{**row, "memory over data": 1.6}])[2] is False
    assert (verdicts(variables=rest)[3], verdicts(variables=grown)[3]) == (True, False)


def test_a_report_is_made_from_saved_files(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    problems, rows = _rows(2.5e-3, math.inf)
    problems = problems[:1]
    rows.append({"problem": "P1", "solver": "absent one", "budget": "", "skipped": "not installed"})
    problems.append({"problem": "P0", "title": "none", "left out": "no file"})
    store.save("problems", problems, tmp_path)
    store.save("solvers", rows, tmp_path)
    variables = {"n": 10, "method": "FW", "µs": 3.0, "the rest": 2.0}
    variables["the rest, caches emptied"] = 4.0
    store.save("scale variables", [variables, {**variables, "n": 100}], tmp_path)
    store.save("large scale", [{"n": 10**7, "seconds": 1.25, "note": None}], tmp_path)
    text = report.report(tmp_path)
    assert (
        "## Large scale\n\n| n | seconds | note |\n| --- | --- | --- |\n| 10000000 | 1.25 |" in text
    )
    assert "| frankwolfe | 2.5 ms | 2.5 ms | 2.5 ms | 7 |" in text
    assert "| peer | - | - | - |" in text
    assert "absent one: not installed" in text
    assert "P0 is left out: no file." in text
    assert (tmp_path / "report.md").read_text() == text
    assert (tmp_path / "times.png").stat().st_size > 0
    assert (tmp_path / "variables.png").stat().st_size > 0


def test_a_doubtful_optimum_is_told(tmp_path: Path) -> None:
    problems, rows = _rows(1e-3, 1e-3)
    problems[0] |= {"relative gap": 2e-6}
    problems[1] |= {"lowered by": 3e-4}
    store.save("problems", problems, tmp_path)
    store.save("solvers", rows, tmp_path)
    text = report.text(tmp_path)
    assert text.count("in doubt") == 1
    assert "certified to 2.0e-06 only" in text
    assert text.count("lower than ours by 3.0e-04") == 1


@given(best=st.floats(-5.0, 0.0), value=st.floats(0.0, 1.0))
def test_a_lower_optimum_moves_all_accuracies(best: float, value: float) -> None:
    """From f* = 0 and f(x0) = 1 to f* = best."""
    moved = Run(1.0, 1.0, value).moved(-best)
    assert moved.relative == pytest.approx((value - best) / (1.0 - best))


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    rows = [{"a": 1, "b": np.float64(0.5), "c": [math.inf, None], "d": {"e": "f"}, "g": True}]
    store.save("some section", rows, tmp_path)
    back, facts = store.load("some section", tmp_path)
    assert back == [{"a": 1, "b": 0.5, "c": [None, None], "d": {"e": "f"}, "g": True}]
    assert facts["python"]
    assert facts["versions"]["numpy"] == np.__version__
    assert store.load("another", tmp_path) == ([], {})
