"""What somebody adds from outside is under the same laws, and inside it takes one line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from conftest import N, domain_examples, method_examples, objective_examples, region_examples
from laws import Case, ObjectiveLaws, RegionLaws, cases, check_resumed, check_runs, check_steps
from toys.log_cosh import CurvedLogCosh, LogCosh
from toys.oval import Oval, QuickOval
from toys.slow import SlowOpen, slow_frank_wolfe

import frankwolfe as fw
from frankwolfe.base.registry import classes, recipes
from frankwolfe.core.atoms import Dense

METHODS = method_examples()
OURS = {"slow": slow_frank_wolfe(), "FW+slow": fw.frank_wolfe(SlowOpen())}
REGION, QUICK = (region_examples([kind])[0] for kind in (Oval, QuickOval))
OBJECTIVE = LogCosh.example(N, np.random.default_rng(2))


@pytest.mark.parametrize("region", [REGION, QUICK], ids=repr)
class TestRegion(RegionLaws):
    """The toy region, without abilities and with two."""


@pytest.mark.parametrize("f", [OBJECTIVE], ids=["LogCosh"])
class TestObjective(ObjectiveLaws):
    """The toy objective."""


@cache
def _over_the_region() -> list[Case]:
    return cases([REGION], [*objective_examples(N), *domain_examples(N), OBJECTIVE])


@cache
def _of_the_objective() -> list[Case]:
    return cases([fw.L1Ball(1.5), fw.L2Ball(0.8), fw.Simplex(), fw.Box(-0.5, 0.4)], [OBJECTIVE])


@pytest.mark.parametrize("name", [*METHODS, *OURS])
def test_every_method_obeys_over_the_toys(name):
    method = {**METHODS, **OURS}[name]
    check_runs(method, [*_over_the_region(), *_of_the_objective()])


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("kind", fw.regions.REGIONS)
def test_the_toy_method_and_step_obey_over_every_region(name, kind):
    for region in fw.regions.REGIONS[kind].examples(N, np.random.default_rng(1))[:1]:
        n = N if region.dimension is None else region.dimension
        those = cases([region], [fw.SquaredError.example(n, np.random.default_rng(2))])
        check_runs(OURS[name], those)
        check_resumed(OURS[name], those[0])


def test_an_ability_is_an_object_or_none(rng):
    names = ("projection", "formulation", "restriction", "faces", "exact_bound", "quadratics")
    for region in (REGION, fw.regions.Counted(REGION), fw.regions.Scaled(REGION, -2.0)):
        assert all(getattr(region, name) is None for name in names)
    p = 3.0 * rng.standard_normal(N)
    for region, c in (
        (QUICK, 1.0),
        (fw.regions.Counted(QUICK), 1.0),
        (fw.regions.Scaled(QUICK, -2.0), -2.0),
    ):
        has = [name for name in names if getattr(region, name) is not None]
        assert has == ["projection", "formulation"]
        x = region.projection.project(c * p).x
        np.testing.assert_allclose(x, c * QUICK.project(p).x, rtol=1e-12)
        result = fw.minimize(fw.squared_distance(c * p), region)
        assert result.method == "nearest point"
        np.testing.assert_allclose(result.x, x, rtol=1e-12)
        assert fw.regions.Product([(region, N)]).formulation is not None


def test_methods_that_ask_for_an_ability_take_the_set_that_has_it(rng):
    f = fw.SquaredError(rng.standard_normal((9, N)), 3.0 * rng.standard_normal(9))
    best = fw.minimize(f, REGION, tol=1e-9)
    for method in ("interior_point", "projection"):
        with pytest.raises(fw.InvalidInput, match=r"needs a region|minimizes a squared"):
            fw.minimize(f, REGION, method=method)
    result = fw.minimize(f, QUICK, method="interior_point", tol=1e-9)
    assert result.success
    assert result.fun == pytest.approx(best.fun, abs=1e-8)


@pytest.mark.parametrize("name", ["second_order", "fully_corrective", "conjugate_fw"])
def test_a_method_asks_the_objective_for_what_it_needs(name):
    region, curved = fw.L1Ball(1.5), CurvedLogCosh(OBJECTIVE.A, OBJECTIVE.b)
    with pytest.raises(fw.InvalidInput, match="needs second derivatives, which"):
        fw.minimize(OBJECTIVE, region, method=name)
    found = fw.minimize(curved, region, method=name, tol=1e-8)
    assert found.success
    assert found.certified
    assert found.fun == pytest.approx(fw.minimize(OBJECTIVE, region, tol=1e-8).fun, abs=1e-7)


class _Maximizing(Oval):
    def lmo(self, g, out=None):
        return super().lmo(-g, out)


class _Wide(Oval):
    def diameter(self, n):
        return 1.1 * super().diameter(n)


class _Rough(LogCosh):
    def gradient(self, slope, out):
        super().gradient(1.01 * slope, out)


class _Far(SlowOpen):
    def size(self, state, largest, memory):
        return 1.2


def _broken_laws(laws, thing):
    """The names of the laws that a thing breaks."""
    broken = []
    for name in (name for name in dir(laws) if name.startswith("test_")):
        more = (np.nan,) if name.endswith("not_finite_is_seen") else ()
        law, rng = getattr(laws(), name), np.random.default_rng(0)
        wants_rng = "rng" in law.__code__.co_varnames[: law.__code__.co_argcount]
        try:
            law(thing, *([rng] if wants_rng else []), *more)
        except AssertionError:
            broken.append(name)
    return broken


def test_a_toy_that_breaks_a_law_is_caught():
    wrong = _Maximizing(REGION.axes, REGION.center)
    assert "test_oracle_beats_thousands_of_points" in _broken_laws(RegionLaws, wrong)
    wide = _Wide(REGION.axes, REGION.center)
    assert _broken_laws(RegionLaws, wide) == ["test_diameter_is_the_largest_distance"]
    rough = _Rough(OBJECTIVE.A, OBJECTIVE.b)
    assert "test_gradient_matches_finite_differences" in _broken_laws(ObjectiveLaws, rough)
    assert _broken_laws(RegionLaws, REGION) == _broken_laws(ObjectiveLaws, OBJECTIVE) == []
    with pytest.raises(AssertionError):
        check_steps(fw.frank_wolfe(_Far()), _of_the_objective()[0])


def test_a_room_is_made_of_its_lines():
    room = {"__name__": "room", "Region": fw.Region, "Oval": Oval, "Dense": Dense}
    assert classes(room, fw.Region) == {"oval": Oval}
    assert classes(room, fw.Region, lambda kind: kind.matrix) == {}
    made = recipes({"slow_frank_wolfe": slow_frank_wolfe, "lazy": fw.methods.lazy, "Dense": Dense})
    assert made == {"slow_frank_wolfe": slow_frank_wolfe}


LINES = (  # file and name of the toy, room, the file that lists it
    ("oval", "Oval", "regions", "__init__"),
    ("log_cosh", "LogCosh", "objectives", "__init__"),
    ("slow", "SlowOpen", "methods", "steps"),
    ("slow", "slow_frank_wolfe", "methods", "__init__"),
)
SCRIPT = """
import json, sys
import numpy as np, frankwolfe as fw
from frankwolfe.cli import main
assert fw.regions.REGIONS["oval"] is fw.regions.Oval
assert fw.objectives.OBJECTIVES["log_cosh"] is fw.objectives.LogCosh
assert fw.steps.STEPS["slow_open"] is fw.steps.SlowOpen
assert fw.methods.METHODS["slow_frank_wolfe"] is fw.methods.slow_frank_wolfe
f = fw.objectives.LogCosh.example(4, np.random.default_rng(0))
region = fw.regions.Oval.examples(4, np.random.default_rng(1))[0]
result = fw.minimize(f, region, method="slow_frank_wolfe", max_iter=20)
assert result.certified and result.nit == 20
main(["regions", "--json"])
"""


def test_inside_it_is_one_class_and_one_line(tmp_path):
    source, copy = Path(fw.__file__).parent, tmp_path / "frankwolfe"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for file, name, room, listing in LINES:
        line = f"from frankwolfe.{room}.{file} import {name} as {name}"
        shutil.copy(Path(__file__).parents[1] / "toys" / f"{file}.py", copy / room)
        path = copy / room / f"{listing}.py"
        text = path.read_text("utf-8")
        listed = text.split(": dict[")[0]  # later imports are of what no table lists
        last = re.findall(rf"^from frankwolfe\.{room}\..*$", listed, flags=re.M)[-1]
        path.write_text(text.replace(last, f"{last}\n{line}"), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert "Oval" in [row["class"] for row in json.loads(done.stdout)]
