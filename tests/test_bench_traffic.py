"""The logic of the traffic benchmark: what it reads, compares and leaves to the peer."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from frankwolfe.apps import traffic

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from roads import grids, ours, peer
from roads.networks import NETWORKS, Problem, Published, load, missing

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def _command() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_traffic", BENCHMARKS / "traffic.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


command = _command()


@pytest.fixture(scope="module")
def braess() -> Problem:
    return Problem("Braess", *traffic.braess(), Published("386.00"), np.array([4.0, 2, 2, 2, 4]))


@pytest.mark.parametrize("name", NETWORKS)
def test_a_published_optimum_is_known_to_half_its_last_digit(name: str) -> None:
    known = NETWORKS[name]
    assert f"{known.value:.{len(known.optimum.partition('.')[2])}f}" == known.optimum
    assert 0.0005 <= known.unsure <= 0.005 * (1 + 1e-12)


def test_agreement_with_the_published_optimum_can_fail(braess: Problem) -> None:
    answer = ours.solved(braess, 1e-12)[1]
    assert command.optimum_row(braess, answer)[5] == "yes"
    for off in ("386.02", "385.98"):
        assert command.optimum_row(replace(braess, published=Published(off)), answer)[5] == "NO"
    short = ours.solved(braess, 1.0)[1]
    assert short.fun >= 386.0
    assert command.optimum_row(braess, short)[5] == "yes", "its gap covers what is left"


def test_files_are_found_and_missing_ones_named(tmp_path: Path) -> None:
    folder = tmp_path / "Town"
    folder.mkdir()
    assert "*_net.tntp" in str(missing("Town", tmp_path))
    (folder / "Town_net.tntp").write_text(
        "<NUMBER OF ZONES> 2\n<NUMBER OF NODES> 2\n<FIRST THRU NODE> 1\n<NUMBER OF LINKS> 1\n"
        "<END OF METADATA>\n"
        "~ init_node term_node capacity length free_flow_time b power speed toll link_type ;\n"
        "1 2 10 1 2 0.15 4 0 0 1 ;\n"
    )
    assert "*_trips.tntp" in str(missing("Town", tmp_path))
    (folder / "Town_trips.tntp").write_text(
        "<NUMBER OF ZONES> 2\n<TOTAL OD FLOW> 5\n<END OF METADATA>\nOrigin 1\n2 : 5.0;\n"
    )
    assert missing("Town", tmp_path) is None
    assert load("Town", tmp_path).trips.total == 5.0
    assert load("Town", tmp_path, demand=2.0).trips.total == 10.0


def test_links_that_no_trip_can_use_are_left_to_nobody() -> None:
    # 1 -> 3 -> 2 is a way; 4 and 5 lead nowhere, 6 and 7 are not reached
    tails = [1, 3, 3, 4, 6, 7]
    heads = [3, 2, 4, 5, 7, 3]
    network = traffic.Network(tails, heads, traffic.FixedTime(np.ones(6)), zones=[1, 2])
    assert peer.used(network).tolist() == [True, True, False, False, False, False]


def test_a_course_is_read_by_both_gaps(braess: Problem) -> None:
    good, poor = np.array([4.0, 2, 2, 2, 4]), np.array([6.0, 0, 6, 0, 6])
    flows = np.array([poor, poor, good])
    gaps = np.array([0.5, 1e-7, 1e-8])  # the second says too little of its flows
    course = peer.Course(braess, np.array([1.0, 2.0, 3.0]), gaps, flows)
    assert (course.by_its_gap(1e-6), course.by_true_gap(1e-6)) == (1, 2)
    assert course.by_its_gap(1e-9) is None
    assert braess.relative_gap(good) == pytest.approx(0.0, abs=1e-12)
    cells = command.peer_row(braess, 1e-6, [0.5], [course])
    assert (cells[5], cells[8]) == ("4.0", "6.0")


def test_every_method_reports_how_far_it_came(braess: Problem) -> None:
    there = ours.warm_up()
    assert {"bushes", "frank_wolfe"} <= set(there)
    rows = command.method_rows(braess, ["bushes"], 60.0)
    assert rows[0][1] == "bushes"
    assert float(rows[0][-1]) <= 1e-6


def test_a_small_city_is_measured_and_drawn(tmp_path: Path) -> None:
    found = grids.measured(4, 4, 4)
    assert found["relative gap"] <= 1e-4
    assert (found["links"], found["origins"]) == (48, 4)
    larger = {**found, "links": 96, "of its own": 1.0, "an iteration": 1.0}
    grids.drawn([{**found, "of its own": 0.0}, larger], tmp_path / "sizes.png")
    assert (tmp_path / "sizes.png").stat().st_size > 1000


def test_parts_are_listed() -> None:
    page = (BENCHMARKS / "README.md").read_text("utf-8")
    for path in (BENCHMARKS / "roads").glob("[a-z]*.py"):
        assert f"`{path.name}`" in page


def test_there_must_be_something_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.parsed(["--grid", "--sizes", "4x5x6"]).sizes == [(4, 5, 6)]
    with pytest.raises(SystemExit):
        command.parsed([])
    assert "--data FOLDER" in capsys.readouterr().err
