"""Rounds under constraints that are broken off and resumed: the same answer, bit for bit."""

from __future__ import annotations

import io

import numpy as np
import pytest
import scipy.sparse as sp

import frankwolfe as fw
from frankwolfe.solver import checkpoint


class Break(Exception):
    """What ends a process."""


class Broken(fw.Checkpoint):
    """Ends the run right after so many files were written."""

    def __init__(self, path, files):
        super().__init__(path, every=5)
        self.files = files

    def on_step(self, run):
        before = self._step
        super().on_step(run)
        if self._step != before or run.state.k == before:
            self.files -= 1
        if self.files < 0:
            raise Break


def _rows(region, n, rng):
    A = rng.standard_normal((3, n))
    inside = np.mean([region.lmo(g).dense(n) for g in rng.standard_normal((3 * n, n))], axis=0)
    return fw.Affine(A, A @ inside, A @ inside + np.array([0.0, 0.01, np.inf]))


def _matrix(n, rng):
    A = sp.random_array((n, n), density=0.2, rng=rng)
    return fw.objectives.TraceProduct(sp.csr_array(A + A.T))


def _half_distance(x):
    return 0.5 * float((x - 1.0) @ (x - 1.0))


def _cases():
    """Problems by name: arguments of minimize."""
    rng, n = np.random.default_rng(4), 9
    f = fw.SquaredError(rng.standard_normal((20, n)), rng.standard_normal(20))
    smooth = fw.Logistic(rng.standard_normal((20, n)), np.sign(rng.standard_normal(20)))
    logs = fw.Poisson(rng.uniform(0.1, 2.0, (20, n)), rng.poisson(3.0, 20).astype(float))
    simplex, ball = fw.Simplex(), fw.L2Ball(0.5)
    far = fw.Affine(np.ones((1, n)), 1.5)
    both = fw.Intersection(simplex, fw.Box(0.0, 0.3))
    rows, cell = _rows(simplex, n, rng), fw.Box(0.0, 1.0)
    atoms = fw.minimize(f, simplex, method="pairwise", max_iter=5).active_set
    known = {"jac": lambda x: x - 1.0, "x0": np.full(n, 1.0 / n), "max_iter": 60}
    near = fw.squared_distance(rng.standard_normal(n))
    diagonal = {n: {"subject_to": fw.Affine(fw.diagonal(n), 1.0)} for n in (6, 52)}
    return {
        "default": ((f, simplex), {"subject_to": rows}),
        "ball": ((smooth, ball), {"subject_to": _rows(ball, n, rng)}),
        "pairwise": ((f, simplex), {"subject_to": rows, "method": "pairwise", "tol": 1e-3}),
        "logs": ((logs, cell), {"subject_to": _rows(cell, n, rng), "max_iter": 60}),
        "function": ((_half_distance, simplex), {"subject_to": rows, **known}),
        "atoms": ((f, simplex), {"subject_to": rows, "method": "fully_corrective", "x0": atoms}),
        "nearest": ((near, simplex), {"subject_to": rows}),
        "both": ((f, both), {"tol": 1e-5}),
        "infeasible": ((f, simplex), {"subject_to": far}),
        "small matrix": ((_matrix(6, rng), fw.Spectraplex(6.0)), {**diagonal[6], "tol": 1e-4}),
        "matrix": ((_matrix(52, rng), fw.Spectraplex(52.0)), {**diagonal[52], "tol": 1e-3}),
    }


def _same(one, other):
    for part in ("x", "feasible_x"):
        pair = (
            x.toarray() if isinstance(x, fw.FactoredMatrix) else x for x in (one[part], other[part])
        )
        np.testing.assert_array_equal(*pair)
    np.testing.assert_array_equal(one.multipliers, other.multipliers)
    for part in ("fun", "gap", "lower_bound", "status", "nit", "nlmo", "nfev", "infeasibility"):
        assert one[part] == other[part] or np.isnan(one[part]), part


NAMES = (
    *("default", "ball", "pairwise", "logs", "function", "atoms", "nearest", "both", "infeasible"),
    *("small matrix", "matrix"),
)


@pytest.mark.parametrize("name", NAMES)
def test_rounds_that_are_resumed_come_to_the_same_answer(name, tmp_path):
    given, options = _cases()[name]
    path = tmp_path / "run.npz"
    whole = fw.minimize(*given, **options, callback=fw.Checkpoint(path, every=5))
    written = 0
    for files in (0, 3, 17):
        path.unlink(missing_ok=True)
        try:
            fw.minimize(*given, **options, callback=Broken(path, files))
        except Break:
            written += 1
        resumed = fw.minimize(*given, **options, callback=fw.Checkpoint(path, every=5), resume=path)
        _same(resumed, whole)
        if resumed.lower_bound > -np.inf and whole.status is not fw.Status.INFEASIBLE:
            assert "its lower bound rests on the checkpoint" in resumed.message
    assert written >= 1 + (whole.nit > 20)


def _written(path):
    given, options = _cases()["default"]
    fw.minimize(*given, **options, callback=fw.Checkpoint(path, every=5))
    return given, options


def _changed(path, change):
    """Write the checkpoint again with other arrays and a digest that is theirs."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files if name != "digest"}
    change(arrays)
    np.savez(path, **arrays, digest=checkpoint.digest(arrays))


def test_a_checkpoint_is_of_a_run_with_these_constraints_or_with_none(tmp_path):
    path, alone = tmp_path / "rows.npz", tmp_path / "alone.npz"
    (f, region), options = _written(path)
    fw.minimize(f, region, callback=fw.Checkpoint(alone, every=5))
    with pytest.raises(
        fw.errors.CheckpointError, match="under constraints: resume it with the same"
    ):
        fw.minimize(f, region, resume=path)
    with pytest.raises(fw.errors.CheckpointError, match="without constraints: resume it without"):
        fw.minimize(f, region, **options, resume=alone)
    rows = options["subject_to"]
    for other in (fw.Affine(rows.matrix[:2], rows.lower[:2]), fw.Affine(rows.matrix, rows.lower)):
        with pytest.raises(fw.errors.CheckpointError, match=r"another run|not a whole"):
            fw.minimize(f, region, subject_to=other, resume=path)


FORGED = {
    "multipliers": lambda a: a.update({"part/course/multipliers": np.full(3, np.nan)}),
    "penalty": lambda a: a.update({"part/course/penalty": np.asarray(0.0)}),
    "rounds": lambda a: a.update({"part/course/rounds": np.asarray(-1)}),
    "bound": lambda a: a.update({"part/course/bound": np.asarray(1e9)}),
    "feasible point": lambda a: a.update({"part/best/vector": a["part/best/vector"] + 1.0}),
    "violated": lambda a: a.update({"part/course/violated": np.asarray(np.nan)}),
    "missing": lambda a: a.pop("part/watch/short"),
    "no history": lambda a: a.update(history=a["history"][:0]),
}


@pytest.mark.parametrize("case", FORGED)
def test_what_no_rounds_have_written_gets_one_sentence(case, tmp_path):
    path = tmp_path / "run.npz"
    (f, region), options = _written(path)
    _changed(path, FORGED[case])
    with pytest.raises(
        fw.errors.CheckpointError, match="not a whole frankwolfe checkpoint"
    ) as caught:
        fw.minimize(f, region, **options, resume=path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", [1.5, 7, io.BytesIO(b"PK"), b"run.npz", True, ["run.npz"]])
@pytest.mark.parametrize("rows", [None, fw.Affine(np.ones((1, 9)), 0.5)])
def test_what_names_no_file_gets_one_sentence(given, rows):
    f, _ = _cases()["default"][0]
    with pytest.raises(fw.InvalidInput, match="resume must name a file that Checkpoint"):
        fw.minimize(f, fw.L2Ball(1.0), subject_to=rows, resume=given)
    problem = fw.Problem(f, fw.L2Ball(1.0))
    with pytest.raises(fw.InvalidInput, match="resume must name a file that Checkpoint"):
        fw.solve(problem, fw.frank_wolfe(), fw.Gap(1e-3), resume=given)


def test_a_checkpoint_that_cannot_be_written_is_told_once(tmp_path, monkeypatch):
    given, options = _cases()["default"]

    def full(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr(checkpoint.np, "savez", full)
    with pytest.warns(RuntimeWarning, match="could not be written") as caught:
        result = fw.minimize(*given, **options, callback=fw.Checkpoint(tmp_path / "a", every=1))
    assert result.success
    assert len(caught) == 1
    assert result.message.count("no space left on device") == 1
