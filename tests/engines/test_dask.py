"""Losses of Dask arrays on a real cluster of processes: the same bits on any number of workers."""

import logging

import numpy as np
import pytest
from conftest import nightly

import frankwolfe as fw
from frankwolfe import InvalidInput

da = pytest.importorskip("dask.array", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="dask is not installed")

from frankwolfe.engines.dask import shards  # noqa: E402

REGION = fw.L1Ball(1.5)


@pytest.fixture(scope="module", autouse=True)
def quiet():
    logging.getLogger("distributed").setLevel(logging.CRITICAL)


@pytest.fixture(scope="module")
def client():
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
    with (
        distributed.LocalCluster(n_workers=2, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def data(kind):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((400, 12))
    y = A[:, :3].sum(axis=1) + rng.standard_normal(400)
    if kind is fw.Logistic:
        return A, np.where(y > 0.0, "yes", "no")
    if kind is fw.Multinomial:
        return A, np.digitize(y, [-1.0, 1.0])
    return A, y


def spread(kind, count=4):
    """The loss with its rows in four blocks, and as many shards."""
    A, y = data(kind)
    with shards(count):
        f = kind(da.from_array(A, chunks=(100, 5)), da.from_array(y, chunks=130))
    assert isinstance(f, kind)
    return f


KINDS = [fw.Logistic, fw.SquaredError, fw.Huber, fw.Quantile, fw.Multinomial]
RUNS = [
    *((kind, None, 3) for kind in KINDS),
    *((fw.Logistic, name, 4) for name in ("jacobi", "afw", "partan", "fully_corrective")),
]


def course(kind, method, steps):
    """The numbers of a run, in bytes."""
    result = fw.minimize(spread(kind), REGION, method=method, stop=fw.Iterations(steps))
    return result.x.tobytes(), result.history.value.tobytes(), result.gap


@pytest.fixture(scope="module")
def of_two(client):
    return [course(*run) for run in RUNS]


def test_runs_are_those_of_one_machine(client, of_two):
    for (kind, method, steps), found in zip(RUNS, of_two, strict=True):
        A, y = data(kind)
        near = fw.minimize(kind(A, y), REGION, method=method, stop=fw.Iterations(steps))
        x = np.frombuffer(found[0])
        np.testing.assert_allclose(x, near.x, atol=1e-10)


@pytest.mark.parametrize("workers", [1, nightly(4)])
def test_bits_do_not_hang_on_the_number_of_workers(workers, of_two):
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
    with (
        distributed.LocalCluster(n_workers=workers, **options) as cluster,
        distributed.Client(cluster),
    ):
        assert [course(*run) for run in RUNS] == of_two


def test_intercepts_and_estimates(client):
    A, y = data(fw.Logistic)
    near, far = fw.Profiled(fw.Logistic(A, y)), fw.Profiled(spread(fw.Logistic))
    a, b = (fw.minimize(f, REGION, tol=1e-8) for f in (near, far))
    np.testing.assert_allclose(a.x, b.x, atol=1e-8)
    np.testing.assert_allclose(near.free_at(a.x), far.free_at(b.x), atol=1e-8)
    assert b.traffic.rounds > 0


def test_nothing_piles_up_on_the_scheduler(client):
    f = spread(fw.Logistic)

    def tasks():
        return client.run_on_scheduler(_questions)

    x = np.zeros(f.n)
    for k in range(100):
        f.value(x - k)
    assert tasks() <= 2 * len(f.shards)  # of the last round, not yet let go


def _questions(dask_scheduler):
    return sum(str(key).startswith("frankwolfe-") for key in dask_scheduler.tasks)


def test_without_a_client_a_cluster_is_started_and_closed(caplog, monkeypatch):
    def nobody():
        raise ValueError

    monkeypatch.setattr(distributed, "get_client", nobody)
    A, y = data(fw.SquaredError)
    with caplog.at_level(logging.WARNING, logger="frankwolfe"):
        f = fw.SquaredError(da.from_array(A, chunks=(200, 12)), y)
    try:
        assert "A Dask cluster is started on this machine" in caplog.text
        near = fw.minimize(fw.SquaredError(A, y), REGION)
        np.testing.assert_allclose(fw.minimize(f, REGION).x, near.x, atol=1e-10)
    finally:
        f.close()
    assert f.cluster.client.status == "closed"


def test_wrong_data_are_refused_in_a_sentence(client):
    A, y = data(fw.SquaredError)
    rows = da.from_array(A, chunks=(100, 12))
    bad = A.copy()
    bad[250, 3] = np.nan
    with pytest.raises(InvalidInput, match=r"A must be finite.*rows 200 to 299"), shards(4):
        fw.SquaredError(da.from_array(bad, chunks=(100, 12)), y)
    with pytest.raises(InvalidInput, match="one number for each of the 400 rows"):
        fw.SquaredError(rows, y[:-1])
    with pytest.raises(InvalidInput, match="delta"):
        fw.Huber(rows, y, delta=-1.0)
    with pytest.raises(InvalidInput, match="exactly two classes"):
        fw.Logistic(rows, np.zeros(400))
    with pytest.raises(InvalidInput, match="reduction"):
        fw.SquaredError(rows, y, reduction="median")
    with pytest.raises(InvalidInput, match="sample_weight"):
        fw.SquaredError(rows, y, sample_weight=np.zeros(400))
    with pytest.raises(InvalidInput, match="A must be a matrix"):
        fw.SquaredError(da.from_array(y, chunks=100), y)
    with pytest.raises(InvalidInput, match="Dask collection"):
        fw.ConvexHull(rows)
    with pytest.raises(InvalidInput, match="leave `free` out"):
        fw.Profiled(fw.SquaredError(rows, y), np.ones((400, 1)))
