"""Completion of ratings on a cluster is that on one machine."""

import logging

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe import InvalidInput, Problem
from frankwolfe.methods import METHODS

da = pytest.importorskip("dask.array", reason="dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="dask's frames need pandas and pyarrow")
pd = pytest.importorskip("pandas", reason="pandas is not installed")
distributed = pytest.importorskip("distributed", reason="dask is not installed")

from frankwolfe.engines.dask import shards  # noqa: E402

BALL = fw.NuclearBall(25.0, exact_below=0)  # by the Lanczos method, as a large one


@pytest.fixture(scope="module", autouse=True)
def client():
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": ":0"}
    with distributed.Client(processes=False, **options) as client:
        yield client


def triples(loss="huber"):
    rng = np.random.default_rng(0)
    rows, columns = np.nonzero(rng.random((30, 20)) < 0.4)
    rows, columns = (np.concatenate([index, index[:3]]) for index in (rows, columns))  # twice
    truth = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 20))
    values = truth[rows, columns] + 0.1 * rng.standard_normal(rows.size)
    order = rng.permutation(rows.size)  # so that shards share rows
    values = np.where(values > 0.0, 2.0, 1.0) if loss == "logistic" else values
    return rows[order], columns[order], values[order]


def frame(cells, parts=4):
    return dd.from_pandas(pd.DataFrame(dict(zip("uir", cells, strict=True))), npartitions=parts)


def both(loss="huber", count=3, **options):
    cells = triples(loss)
    with shards(count):
        far = fw.Completion(frame(cells), loss=loss, **options)
    return fw.Completion(cells, loss=loss, **options), far


@pytest.mark.parametrize(
    ("method", "loss"),
    [
        *((method, "huber") for method in METHODS),
        *((method, loss) for method in (None, "frank_wolfe") for loss in ("squared", "logistic")),
    ],
)
def test_methods_make_the_same_steps(method, loss):
    near, far = both(loss)
    made = None if method is None else METHODS[method]()
    if made is not None and made.accepts(Problem(near, BALL)) is not None:
        pytest.skip("the method refuses the problem on one machine too")
    refusal = None if made is None else made.accepts(Problem(far, BALL))
    if refusal is not None:
        assert "stay on workers" in refusal
        with pytest.raises(InvalidInput, match="stay on workers"):
            fw.minimize(far, BALL, method=made)
    elif method in (None, "hybrid"):  # a local search follows rounding: to the same end
        a, b = (fw.minimize(f, BALL, method=made, tol=1e-3) for f in (near, far))
        assert b.success
        assert abs(a.fun - b.fun) <= a.gap + b.gap
    else:
        a, b = (fw.minimize(f, BALL, method=made, stop=fw.Iterations(3)) for f in (near, far))
        assert b.fun == pytest.approx(a.fun, rel=1e-10)
        assert b.gap == pytest.approx(a.gap, rel=1e-6)
        np.testing.assert_allclose(b.x.toarray(), a.x.toarray(), atol=1e-8)


def test_weights_means_and_arrays():
    cells = triples()
    weights = np.random.default_rng(1).uniform(0.0, 2.0, cells[2].size)
    near = fw.Completion(cells, sample_weight=weights, reduction="mean", shape=(31, 22))
    array = da.from_array(np.column_stack(cells), chunks=(60, 3))
    far = fw.Completion(array, sample_weight=weights, reduction="mean", shape=(31, 22))
    x = fw.FactoredMatrix.from_array(np.random.default_rng(2).standard_normal((31, 22)))
    assert far(x) == pytest.approx(near(x), rel=1e-13)
    assert far.smoothness >= near.smoothness * (1 - 1e-12)  # a cell may be in two shards
    assert repr(far).startswith("Completion(huber, 31 x 22, ")


def test_a_shard_made_afresh_gives_the_same_bits(client):
    _, far = both()
    stop = fw.Iterations(4)
    before = fw.minimize(far, BALL, method="frank_wolfe", stop=stop)

    def forget(run):
        for shard in far.cluster.client.gather(far.shards):
            shard._forget()

    after = fw.minimize(far, BALL, method="frank_wolfe", stop=stop, callback=forget)
    np.testing.assert_array_equal(after.history.value, before.history.value)
    np.testing.assert_array_equal(after.x.toarray(), before.x.toarray())


def test_terms_are_sent_once():
    _, far = both()
    result = fw.minimize(far, BALL, method="frank_wolfe", stop=fw.Iterations(10))
    once = 8 * (30 + 20) * 11 * len(far.shards)  # every term to every shard, and the start
    vectors = 8 * 2 * (30 + 20) * result.traffic.rounds * len(far.shards)  # to and fro
    assert result.traffic.bytes <= once + vectors + 1000 * result.traffic.rounds


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda u, i, r: (u - 5, i, r), "whole numbers >= 0"),
        (lambda u, i, r: (u + 0.5, i, r), "whole numbers"),
        (lambda u, i, r: (u, i, np.where(u == 3, np.nan, r)), "must be finite"),
        (lambda u, i, r: (u + 100, i, r), "must lie in a matrix of shape"),
    ],
)
def test_wrong_ratings_are_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        fw.Completion(frame(change(*triples())), shape=(30, 20))


def test_wrong_options_are_refused():
    with pytest.raises(InvalidInput, match="loss must be one of"):
        fw.Completion(frame(triples()), loss="cubic")
    with pytest.raises(InvalidInput, match="two classes"):
        fw.Completion(frame(triples()), loss="logistic")
    with pytest.raises(InvalidInput, match="three columns"):
        fw.Completion(frame(triples())[["u", "i"]])
    _, far = both()
    with pytest.raises(InvalidInput, match="cannot be written"):
        far.stored(far.new_image()).__array__()
