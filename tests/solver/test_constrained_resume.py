"""Rounds under constraints that are broken off and resumed: the same answer, bit for bit."""

from __future__ import annotations

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
        super().__init__(path, every=1)
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
    return fw.TraceProduct(sp.csr_array(A + A.T))


def _cases():
    """Problems by name: arguments of minimize."""
    rng, n = np.random.default_rng(4), 9
    f = fw.SquaredError(rng.standard_normal((20, n)), rng.standard_normal(20))
    smooth = fw.Logistic(rng.standard_normal((20, n)), np.sign(rng.standard_normal(20)))
    logs = fw.Poisson(rng.uniform(0.1, 2.0, (20, n)), rng.poisson(3.0, 20).astype(float))
    simplex, ball = fw.Simplex(), fw.L2Ball(0.5)
    far = fw.Affine(np.ones((1, n)), 1.5)
    both = fw.Intersection(simplex, fw.Box(0.0, 0.3))
    plain = {"jac": lambda x: x - 1.0, "x0": np.full(n, 1.0 / n), "tol": 1e-4}
    return {
        "default": ((f, simplex), {"subject_to": _rows(simplex, n, rng)}),
        "ball": ((smooth, ball), {"subject_to": _rows(ball, n, rng)}),
        "pairwise": ((f, simplex), {"subject_to": _rows(simplex, n, rng), "method": "pairwise", "tol": 1e-4}),
        "logs": ((logs, fw.Box(0.0, 1.0)), {"subject_to": _rows(fw.Box(0.0, 1.0), n, rng)}),
        "function": ((lambda x: 0.5 * float((x - 1.0) @ (x - 1.0)), simplex), {"subject_to": _rows(simplex, n, rng), **plain}),
        "atoms": ((f, simplex), {"subject_to": _rows(simplex, n, rng), "method": "fully_corrective",
                                 "x0": fw.minimize(f, simplex, method="pairwise", max_iter=5).active_set}),
        "nearest": ((fw.squared_distance(rng.standard_normal(n)), simplex), {"subject_to": _rows(simplex, n, rng)}),
        "both": ((f, both), {"tol": 1e-5}),
        "infeasible": ((f, simplex), {"subject_to": far}),
        "small matrix": ((_matrix(6, rng), fw.Spectraplex(6.0)), {"subject_to": fw.Affine(fw.diagonal(6), 1.0), "tol": 1e-4}),
        "matrix": ((_matrix(60, rng), fw.Spectraplex(60.0)), {"subject_to": fw.Affine(fw.diagonal(60), 1.0), "tol": 1e-3}),
    }  # fmt: skip


def _same(one, other):
    for part in ("x", "feasible_x"):
        pair = (
            x.toarray() if isinstance(x, fw.FactoredMatrix) else x for x in (one[part], other[part])
        )
        np.testing.assert_array_equal(*pair)
    np.testing.assert_array_equal(one.multipliers, other.multipliers)
    for part in ("fun", "gap", "lower_bound", "status", "nit", "nlmo", "nfev", "infeasibility"):
        assert one[part] == other[part] or np.isnan(one[part]), part


@pytest.mark.parametrize("name", _cases())
def test_rounds_that_are_resumed_come_to_the_same_answer(name, tmp_path):
    given, options = _cases()[name]
    path = tmp_path / "run.npz"
    count = Broken(path, np.inf)
    whole = fw.minimize(*given, **options, callback=count)
    written = 0
    files = [0, 1, 2, 5, 20, 100]
    for files in files:
        path.unlink(missing_ok=True)
        try:
            fw.minimize(*given, **options, callback=Broken(path, files))
        except Break:
            written += 1
        resumed = fw.minimize(*given, **options, callback=fw.Checkpoint(path, every=1), resume=path)
        _same(resumed, whole)
        if resumed.lower_bound > -np.inf and whole.status is not fw.Status.INFEASIBLE:
            assert "its lower bound rests on the checkpoint" in resumed.message
    assert written >= 2
