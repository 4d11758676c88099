from __future__ import annotations

import numpy as np
import pytest

import frankwolfe as fw

pytest.importorskip("matplotlib", reason="matplotlib is not installed")


@pytest.fixture(scope="module")
def runs():
    f, ball = fw.SquaredError(np.eye(3), [1.0, 2.0, 3.0]), fw.LInfBall(1.0)
    return {name: fw.minimize(f, ball, method=name, max_iter=60) for name in ("afw", "jacobi")}


def test_a_result_plots_itself(runs, tmp_path):
    ax = runs["afw"].plot()
    assert ax.get_ylabel() == "certified gap"
    line = ax.get_lines()[0]
    np.testing.assert_array_equal(line.get_xdata(), runs["afw"].history["iteration"] + 1)
    ax.figure.savefig(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 1000


def test_many_runs_against_time_with_the_optimum(runs):
    ax = fw.plots.convergence(runs, optimum=0.0, against="seconds")
    assert ax.get_xlabel() == "seconds"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["afw", "jacobi"]
    assert len(ax.get_lines()) == 4


def test_a_gap_without_certificate_is_called_so():
    result = fw.minimize(fw.Quadratic(-np.eye(2)), fw.L2Ball(1.0), x0=[0.1, 0.0], max_iter=3)
    assert "no certificate" in result.plot().get_ylabel()
