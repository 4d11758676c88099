"""Rows and columns without cells cost nothing, and nobody sees that they were left out."""

from __future__ import annotations

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.objectives.compact import CompactCompletion

METHODS = [None, "frank_wolfe", "in_face", "afw"]


def _scattered(loss="squared", size=400, count=150, seed=0):
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(0, size, count), rng.integers(0, 2 * size, count)
    values = np.sign(rng.standard_normal(count))
    return (
        rows,
        columns,
        values,
        fw.Completion((rows, columns, values), shape=(size, 2 * size), loss=loss),
    )


@pytest.mark.parametrize("loss", ["squared", "huber", "logistic"])
@pytest.mark.parametrize("method", METHODS)
def test_a_run_is_the_run_on_the_rows_and_columns_that_have_cells(loss, method):
    rows, columns, values, f = _scattered(loss)
    places = [np.unique(side, return_inverse=True) for side in (rows, columns)]
    few = fw.Completion((places[0][1], places[1][1], values), loss=loss)
    ball, options = fw.NuclearBall(5.0), {"method": method, "tol": 1e-6, "max_iter": 30}
    wide, narrow = (fw.minimize(g, ball, **options) for g in (f, few))
    assert wide.x.shape == f.shape
    assert (wide.fun, wide.gap, wide.nit) == (narrow.fun, narrow.gap, narrow.nit)
    kept = wide.x.toarray()[np.ix_(places[0][0], places[1][0])]
    np.testing.assert_array_equal(kept, narrow.x.toarray())
    assert np.count_nonzero(wide.x.toarray()) <= kept.size
    assert f(wide.x) == pytest.approx(wide.fun, rel=1e-12)


def test_callbacks_starts_checkpoints_and_proofs_have_all_rows_and_columns(tmp_path):
    f, ball, path, shapes = _scattered()[3], fw.NuclearBall(5.0), tmp_path / "run.npz", []
    options = {"method": "frank_wolfe", "stop": fw.Iterations(12)}
    whole = fw.minimize(f, ball, **options, callback=lambda run: shapes.append(run.state.x.shape))
    assert set(shapes) == {f.shape}
    half = options | {"stop": fw.Iterations(6)}
    fw.minimize(f, ball, **half, callback=fw.Checkpoint(path, every=3))
    again = fw.minimize(f, ball, **options, resume=path)
    np.testing.assert_array_equal(again.x.toarray(), whole.x.toarray())
    onward = fw.minimize(f, ball, x0=whole.x, tol=1e-6)
    assert onward.fun <= whole.fun
    proof = onward.verify()
    assert proof.lower <= onward.fun <= proof.lower + 2e-6 * max(1.0, onward.fun)


def test_regions_that_know_their_rows_keep_them():
    f = _scattered()[3]
    weights = [np.ones(size) for size in f.shape]
    for region in (fw.NuclearBall(2.0), fw.regions.WeightedNuclearBall(2.0, *weights)):
        result = fw.minimize(f, region, method="frank_wolfe", stop=fw.Iterations(2))
        compact = isinstance(result.problem.objective, CompactCompletion)
        assert compact == isinstance(region, fw.NuclearBall)
        assert result.x.shape == f.shape


def test_many_empty_rows_cost_nothing():
    """As many steps, and as long vectors, in a matrix a hundred times as large."""
    rows, columns, values, _ = _scattered()
    sizes = []
    for shape in ((400, 800), (40_000, 80_000)):
        f = fw.Completion((rows, columns, values), shape=shape, loss="squared")
        result = fw.minimize(f, fw.NuclearBall(5.0), tol=1e-6)
        sizes.append((result.nit, result.fun, result.problem.objective.shape))
    assert sizes[0] == sizes[1]
