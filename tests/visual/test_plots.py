"""Pictures: what is drawn is what was measured, and lines can be told apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import frankwolfe as fw

pytest.importorskip("matplotlib", reason="matplotlib is not installed")


@pytest.fixture(scope="module")
def problem():
    return fw.SquaredError(np.eye(3), [1.0, 2.0, 3.0]), fw.LInfBall(1.0)


@pytest.fixture(scope="module")
def runs(problem):
    return {name: fw.minimize(*problem, method=name, max_iter=60) for name in ("afw", "jacobi")}


@pytest.fixture(scope="module")
def traces(problem):
    found = {name: fw.callbacks.Trace() for name in ("away_step", "stochastic")}
    for name, trace in found.items():
        fw.minimize(*problem, method=name, max_iter=60, callback=trace)
    return found


def named(ax):
    """The lines that the legend names."""
    return {line.get_label(): line for line in ax.get_lines() if line.get_label()[0] != "_"}


def test_a_result_plots_itself(runs, tmp_path):
    ax = runs["afw"].plot()
    assert ax.get_ylabel() == "certified gap"
    line = ax.get_lines()[0]
    np.testing.assert_array_equal(line.get_xdata(), runs["afw"].history["iteration"] + 1)
    ax.figure.savefig(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 1000


def test_many_runs_against_time_with_the_optimum(problem, runs):
    optimum = fw.minimize(*problem, tol=1e-14).fun
    ax = fw.plots.convergence(runs, optimum=optimum, against="seconds")
    assert ax.get_xlabel() == "seconds"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["afw", "jacobi"]
    assert list(named(ax)) == ["afw", "jacobi"]
    assert len(ax.get_lines()) == 2  # no slopes against time


@pytest.mark.parametrize("known", [True, False])
def test_the_band_holds_the_error(problem, runs, known):
    optimum = fw.minimize(*problem, tol=1e-14).fun
    run = runs["afw"]
    ax = fw.plots.convergence(run, optimum=optimum if known else None)
    band = ax.collections[0].get_paths()[0]
    error = run.history["value"] - optimum
    inside = error > 2 * ax.get_ylim()[0]  # what the picture shows
    x, y = run.history["iteration"] + 1, error * (1.0 + 1e-6)
    shown = [p for p, seen in zip(zip(x, y, strict=True), inside, strict=True) if seen]
    gap = run.history["gap"]
    wide = gap[inside] > 1.001 * error[inside]
    assert wide.sum() > 10
    assert band.contains_points(np.array(shown)[wide][1:-1]).all()
    above = np.column_stack([x, 1.01 * gap])[1:-1]
    assert not band.contains_points(above).any()


def test_no_band_without_a_certificate():
    result = fw.minimize(fw.Quadratic(-np.eye(2)), fw.L2Ball(1.0), x0=[0.1, 0.0], max_iter=3)
    ax = result.plot()
    assert "no certificate" in ax.get_ylabel()
    assert not ax.collections


def test_reference_slopes_are_slopes(runs):
    ax = fw.plots.convergence(runs, slopes=(1, 2, 0.5))
    lines = [line for line in ax.get_lines() if line not in named(ax).values()]
    found = [
        np.diff(np.log(line.get_ydata()))[0] / np.diff(np.log(line.get_xdata()))[0]
        for line in lines
    ]
    np.testing.assert_allclose(found, [-1, -2, -0.5])
    assert [text.get_text() for text in ax.texts] == ["1/k", "1/k$^{2}$", "1/k$^{0.5}$"]


def test_passes_are_counted_by_a_trace(runs, traces):
    ax = fw.plots.convergence(traces, against="passes")
    for name, line in named(ax).items():
        np.testing.assert_array_equal(line.get_xdata(), traces[name]["passes"])
    with pytest.raises(fw.InvalidInput, match="callback=trace"):
        fw.plots.convergence(runs, against="passes")
    with pytest.raises(fw.InvalidInput, match="against must be one of"):
        fw.plots.convergence(runs, against="miles")


def test_a_trace_agrees_with_the_history(problem):
    trace = fw.callbacks.Trace()
    result = fw.minimize(*problem, method="pairwise", max_iter=20, callback=trace)
    for name in ("iteration", "value", "gap", "seconds"):
        np.testing.assert_array_equal(trace[name], result.history[name])
    assert trace["passes"][-1] == result.njev
    assert trace["oracle_calls"][-1] == result.nlmo
    assert (np.diff(trace["atoms"]) <= 1).all()
    assert trace["atoms"].min() >= 1


def test_a_trace_changes_no_bit(problem):
    """Past the step from which a run is made in compiled blocks."""
    plain = fw.minimize(*problem, method="jacobi", max_iter=150)
    traced = fw.minimize(*problem, method="jacobi", max_iter=150, callback=fw.callbacks.Trace())
    np.testing.assert_array_equal(plain.history["gap"], traced.history["gap"])


def test_active_set_size(traces, runs):
    ax = fw.plots.active_set_size({"away": traces["away_step"]})
    np.testing.assert_array_equal(named(ax)["away"].get_ydata(), traces["away_step"]["atoms"])
    ticks = ax.get_yticks()
    np.testing.assert_array_equal(ticks, np.round(ticks))  # atoms are counted
    with pytest.raises(fw.InvalidInput, match="keeps no active set"):
        fw.plots.active_set_size(traces["stochastic"])
    with pytest.raises(fw.InvalidInput, match="does not count atoms"):
        fw.plots.active_set_size(runs)


def test_lines_differ_without_colour():
    """Any two of ten lines differ in dashes or marker, so that a grey print can be read."""
    x = np.linspace(1, 2, 5)
    many = {str(i): (x, x * i) for i in range(1, 10)}
    ax = fw.plots.regularization_path(x, np.column_stack([y for _, y in many.values()]))
    looks = [(line.get_linestyle(), line.get_marker()) for line in named(ax).values()]
    assert len(looks) == 8
    assert all(a != b for a, b in combinations(looks, 2))


def test_a_path_names_the_largest_and_sorts_the_radii():
    radii, coefs = [2.0, 1.0], np.array([[0.1, -3.0, 1.0], [0.0, -1.0, 2.0]])
    ax = fw.plots.regularization_path(radii, coefs, ["a", "b", "c"])
    assert list(named(ax)) == ["b", "c", "a"]
    np.testing.assert_array_equal(named(ax)["c"].get_xdata(), [1.0, 2.0])
    np.testing.assert_array_equal(named(ax)["c"].get_ydata(), [2.0, 1.0])
    for bad in (coefs.T, coefs[:, 0], coefs * np.nan):
        with pytest.raises(fw.InvalidInput, match="one row a radius"):
            fw.plots.regularization_path(radii, bad)
    with pytest.raises(fw.InvalidInput, match="one entry a coefficient"):
        fw.plots.regularization_path(radii, coefs, ["a"])


def test_singular_values_of_both_forms():
    rng = np.random.default_rng(0)
    left, right = rng.standard_normal((4, 9)), rng.standard_normal((4, 7))
    factored = fw.FactoredMatrix(left, np.ones(4), right)
    ax = fw.plots.singular_values(factored)
    fw.plots.singular_values(factored.toarray(), name="full", ax=ax)
    one, two = ax.get_lines()
    np.testing.assert_allclose(one.get_ydata(), two.get_ydata(), rtol=1e-10)
    expected = np.linalg.svd(factored.toarray(), compute_uv=False)[:4]
    np.testing.assert_allclose(one.get_ydata(), expected, rtol=1e-10)
    assert (one.get_linestyle(), one.get_color()) != (two.get_linestyle(), two.get_color())
    lists = fw.plots.singular_values([[3.0, 0.0], [0.0, 1.0]]).get_lines()[0]
    np.testing.assert_allclose(lists.get_ydata(), [3.0, 1.0])
    for bad, words in ((np.zeros((2, 2)), "must not be zero"), (np.ones(3), "two dimensions")):
        with pytest.raises(fw.InvalidInput, match=words):
            fw.plots.singular_values(bad)


@pytest.mark.parametrize("region", [fw.L1Ball(2.0), fw.L2Ball(1.5), fw.Box(-1.0, 2.0)], ids=repr)
def test_a_shadow_reaches_as_far_as_the_region_in_every_direction(region, rng):
    onto = rng.standard_normal((2, 5))
    polygon = fw.plots.shadow(region, onto).patches[0].get_xy()
    for u in rng.standard_normal((50, 2)):
        reach = -region.lmo(-u @ onto).dot(-u @ onto)
        assert reach * (1 - 1e-4) <= (polygon @ u).max() <= reach * (1 + 1e-12)


SOLIDS = [  # corners, edges, sides: of a triangle that is flat in space, its outline alone
    (fw.L1Ball(2.0), (6, 12, 8)),
    (fw.Box([-1.0, -1.0, 0.0], [1.0, 2.0, 1.0]), (8, 12, 12)),  # a side of a box is two triangles
    (fw.Simplex(3.0), (3, 0, 1)),
]


@pytest.mark.parametrize(("region", "counts"), SOLIDS, ids=str)
def test_a_solid_has_its_corners_edges_and_sides(region, counts):
    ax = fw.plots.shadow(region, np.eye(3))
    ax.figure.draw_without_rendering()
    sides, *lines, corners = ax.collections
    edges = sum(len(those.get_segments()) for those in lines)
    assert (len(corners.get_offsets()), edges, len(sides.get_paths())) == counts
    least = [region.lmo(g).dot(g) for g in np.vstack([np.eye(3), -np.eye(3)])]
    low, high = np.array(least[:3]), -np.array(least[3:])
    shown = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
    np.testing.assert_allclose(shown.mean(axis=1), 0.5 * (low + high), atol=1e-9)
    np.testing.assert_allclose(np.ptp(shown, axis=1), (high - low).max())


def test_what_is_round_is_shaded():
    (sides,) = fw.plots.shadow(fw.L2Ball(), np.eye(3)).collections
    assert len(np.unique(sides.get_facecolor(), axis=0)) > 100
