"""Completion of ratings that live elsewhere takes the steps of the CPU, without a GPU."""

import elsewhere
import numpy as np
import pytest
import scipy.sparse as sp
from elsewhere import Far, far

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.methods.matrix.interior import matrix_interior
from frankwolfe.methods.steps import ExactLineSearch, OpenLoop

REGIONS = {
    "ball": lambda: fw.NuclearBall(12.0, exact_below=0),
    "small": lambda: fw.NuclearBall(12.0),  # gradients are decomposed in full
    "spectraplex": lambda: fw.Spectraplex(9.0, exact_below=0),
    "at most": lambda: fw.Spectraplex(9.0, at_most=True, exact_below=0),
}
METHODS = {
    "open loop": lambda: fw.frank_wolfe(OpenLoop()),
    "line search": lambda: fw.frank_wolfe(ExactLineSearch()),
    "jacobi": fw.jacobi,
    "in face": fw.methods.in_face,
    "hybrid": fw.methods.hybrid,
}


def a_list(shape=(40, 40), share=0.4, seed=0):
    """Ratings of a matrix of rank two with noise, in no order."""
    rng = np.random.default_rng(seed)
    rows, columns = np.nonzero(rng.random(shape) < share)
    order = rng.permutation(rows.size)
    rows, columns = rows[order], columns[order]
    low = rng.standard_normal((shape[0], 2)) @ rng.standard_normal((2, shape[1]))
    return rows, columns, low[rows, columns] + 0.1 * rng.standard_normal(rows.size)


def pair(ratings, **options):
    """The same objective here and there."""
    return fw.Completion(ratings, **options), fw.Completion(tuple(map(Far, ratings)), **options)


def close(a, b, tolerance=1e-10):
    np.testing.assert_allclose(a.toarray(), b.toarray(), atol=tolerance)


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("method", METHODS)
def test_methods_take_the_same_steps(method, region):
    near, there = pair(a_list())
    chosen, ball = METHODS[method](), REGIONS[region]()
    a, b = (chosen.init(fw.Problem(f, ball)) for f in (near, there))
    for _ in range(3 if method == "hybrid" else 12):
        chosen.advance(a)
        chosen.advance(b)
        assert b.value == pytest.approx(a.value, rel=1e-10)
        # near the optimum a gap is known to the root of what a value is known to
        assert b.gap == pytest.approx(a.gap, rel=1e-6, abs=1e-5 * abs(a.value))
    close(a.x, b.x, 1e-8 if method == "hybrid" else 1e-10)
    assert isinstance(b.x.left, np.ndarray)


@pytest.mark.parametrize("loss", ["huber", "squared", "logistic"])
def test_results_are_certified_and_here(loss):
    rows, columns, values = a_list((60, 35))
    values = np.sign(values) if loss == "logistic" else values
    weights = np.random.default_rng(1).random(values.size)
    near, there = pair((rows, columns, values), loss=loss, delta=0.7, sample_weight=weights)
    a, b = (fw.minimize(f, fw.NuclearBall(15.0, exact_below=0), tol=1e-7) for f in (near, there))
    assert a.success
    assert b.success
    assert b.certified
    assert b.fun == pytest.approx(a.fun, rel=1e-6)
    assert isinstance(b.x.left, np.ndarray)
    assert there(b.x) == pytest.approx(near(b.x), rel=1e-12)
    assert b.x.predict(rows[:3], columns[:3]).shape == (3,)
    assert b.verify().upper == pytest.approx(b.fun, rel=1e-9)


def test_single_precision():
    rows, columns, values = a_list((50, 30))
    near, there = pair((rows, columns, values.astype(np.float32)))
    a, b = (fw.minimize(f, fw.NuclearBall(15.0, exact_below=0), tol=1e-3) for f in (near, there))
    assert b.fun == pytest.approx(a.fun, rel=1e-3)
    assert b.x.left.dtype == np.float32


def test_a_sparse_matrix():
    rows, columns, values = a_list((30, 20))
    matrix = sp.coo_array((values, (rows, columns)), shape=(32, 20)).tocsr()
    near, there = fw.Completion(matrix), fw.Completion(far(matrix))
    assert there.shape == (32, 20)
    x = fw.FactoredMatrix(np.ones((1, 32)), np.ones(1), np.ones((1, 20)))
    assert there(x) == pytest.approx(near(x), rel=1e-13)
    assert there.fingerprint() == near.fingerprint()


def test_arrays_may_be_mixed():
    rows, columns, values = a_list((30, 20))
    f = fw.Completion((rows, columns, Far(values)))
    assert not f.place.here
    assert f.here().place.here


def test_start_and_checkpoint(tmp_path):
    near, there = pair(a_list())
    ball = fw.NuclearBall(12.0, exact_below=0)
    first = fw.minimize(there, ball, method=fw.frank_wolfe(), max_iter=5)
    path = tmp_path / "run.npz"
    options = {"method": fw.frank_wolfe(), "x0": first.x, "tol": 0.0}
    whole = fw.minimize(there, ball, max_iter=10, **options)
    saved = fw.Checkpoint(path, every=1)
    fw.minimize(there, ball, max_iter=4, callback=saved, **options)
    resumed = fw.minimize(there, ball, max_iter=10, resume=path, method=fw.frank_wolfe(), tol=0.0)
    assert resumed.fun == whole.fun
    close(resumed.x, whole.x, 0.0)
    close(fw.minimize(near, ball, max_iter=10, **options).x, whole.x)


def test_what_works_here_alone_says_so():
    _, there = pair(a_list((9, 9)), shape=(9, 9))
    assert "memory" in matrix_interior().accepts(fw.Problem(there, fw.Spectraplex(2.0)))
    result = fw.minimize(there, fw.Spectraplex(2.0), tol=1e-4, max_iter=50)
    assert result.certified


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r, c, v: (r, c, v * np.nan), "finite"),
        (lambda r, c, v: (r, c[1:], v), "as long"),
        (lambda r, c, v: (r + 0.5, c, v), "whole numbers"),
        (lambda r, c, v: (r - 1, c, v), "smallest index"),
        (lambda r, c, v: (r, c), "rows, columns, values"),
    ],
)
def test_bad_ratings_get_a_sentence(change, message):
    ratings = [Far(part) for part in change(*a_list((9, 8)))]
    with pytest.raises(InvalidInput, match=message):
        fw.Completion(tuple(ratings))
    assert elsewhere.takes(ratings[0])


def test_an_engine_without_cells_says_so(monkeypatch):
    monkeypatch.delattr(elsewhere, "triples")
    with pytest.raises(InvalidInput, match="in memory or on one GPU"):
        fw.Completion(tuple(map(Far, a_list((9, 8)))))


def test_two_classes_elsewhere():
    rows, columns, values = a_list((9, 8))
    f = fw.Completion((rows, columns, Far(np.where(values > 0, 3, 2))), loss="logistic")
    np.testing.assert_array_equal(f.classes, [2, 3])
    with pytest.raises(InvalidInput, match="two classes"):
        fw.Completion((rows, columns, Far(values)), loss="logistic")
