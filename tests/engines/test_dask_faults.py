"""What may befall a cluster: the same bits, or one sentence and the best point; never a hang."""

import contextlib
import logging
import os
import random
import signal
import sys
import threading
import time

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe import InvalidInput

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="dask is not installed")

from frankwolfe.engines.dask import ClusterLost, connected, shards  # noqa: E402
from frankwolfe.engines.dask.places import homes  # noqa: E402

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")

BALL = fw.L1Ball(5.0)
LONG = 600.0  # seconds: killed workers come back as soon as a busy machine has time for them
QUIET = {
    "threads_per_worker": 1,
    "dashboard_address": ":0",
    "silence_logs": logging.CRITICAL,
    "processes": True,
}


@pytest.fixture(scope="module", autouse=True)
def quiet():
    before = {}
    for name in ("distributed", "distributed.client", "distributed.core"):
        before[name] = logging.getLogger(name).level
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with dask.config.set({"frankwolfe.patience": LONG}):
        yield
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


class Started:
    """A cluster of two workers, and another one where they do not come back."""

    def __init__(self):
        self._stack = contextlib.ExitStack()
        self._start()

    def _start(self):
        self.cluster = self._stack.enter_context(distributed.LocalCluster(n_workers=2, **QUIET))
        self._client = self._stack.enter_context(distributed.Client(self.cluster))

    def ready(self):
        try:
            self._client.wait_for_workers(2, timeout=10)  # a test before may have killed some
        except TimeoutError:  # one that dies while it starts is given up
            self.renew()
        return self.cluster

    def renew(self):
        self.close()
        self._start()

    def close(self):
        self._stack.close()


@pytest.fixture(scope="module")
def started():
    started = Started()
    yield started
    started.close()


@pytest.fixture
def cluster(started):
    return started.ready()


@pytest.fixture
def dying(started):
    """A cluster for tasks that kill: such a task may kill again after its test, and is left."""
    yield started.ready()
    started.renew()


@pytest.fixture
def f(cluster):
    return made()


def data(rows=2000, n=20, seed=0):
    rng = da.random.default_rng(seed)
    A = rng.standard_normal((rows, n), chunks=(rows // 4, n))
    return A, da.sign(A[:, 0] + rng.standard_normal(rows, chunks=rows // 4))


def made():
    with shards(4):
        return fw.Logistic(*data())


def run(f, steps=10**6):
    return fw.minimize(f, BALL, method=fw.frank_wolfe(), tol=1e-14, max_iter=steps)


def later(call, seconds=0.7):
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    return timer


def pids(cluster):
    """Of the workers at work: one that dies while it starts is given up by its nanny for good."""
    nannies = [nanny for nanny in cluster.workers.values() if nanny.process is not None]
    return [nanny.pid for nanny in nannies if nanny.process.status.name == "running" and nanny.pid]


def kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def check_sound(result, f, status):
    """The best point of a run that was broken off, with its own value and a bound that holds."""
    assert result.status is status
    assert BALL.violation(result.x) <= 1e-9
    A, b = dask.compute(*data(), scheduler="threads")
    here = fw.Logistic(A, b)
    assert here(result.x) == pytest.approx(result.fun, rel=1e-9)
    best = fw.minimize(here, BALL, tol=1e-9)
    assert result.fun - best.fun <= result.gap
    assert result.fun == result.history.value.min()


def test_killed_workers_change_no_bit(cluster, f):
    calm = run(f, 60)
    chance, ended = random.Random(1), threading.Event()
    killed = []

    def killer():
        while len(killed) < 4 and not ended.wait(chance.uniform(0.05, 0.6)):
            there = pids(cluster)
            if there:
                killed.append(chance.choice(there))
                kill(killed[-1])

    thread = threading.Thread(target=killer)
    thread.start()
    results = []
    while thread.is_alive() or not results:  # until all of them are dead
        results.append(run(f, 60))
    ended.set()
    thread.join()
    assert len(killed) == 4
    for result in results:
        assert np.array_equal(result.x, calm.x)
        assert np.array_equal(result.history.value, calm.history.value)


@pytest.mark.long  # another form of the law above
def test_deaths_far_apart_do_not_count_as_one_shard_s_fault(cluster):
    with shards(2):
        f = fw.SquaredError(*data(seed=1))
    calm = f(np.ones(20))
    client, before = f.cluster.client, [shard.key for shard in f.shards]

    def died_often(dask_scheduler):
        """As if workers had died at each task as often as is allowed, over a long run."""
        for task in dask_scheduler.tasks.values():
            task.suspicious = dask_scheduler.allowed_failures

    client.run_on_scheduler(died_often)
    seen = threading.Event()

    def killer():  # the one that is left makes all shards again, and dies at it
        there = pids(cluster)
        kill(there[0])
        while not seen.wait(0.01) and len(there) > 1:
            loads = cluster.scheduler.workers.values()
            if any("frankwolfe" not in str(task.key) for load in loads for task in load.processing):
                kill(there[1])
                return

    thread = threading.Thread(target=killer)
    thread.start()
    end = time.monotonic() + LONG
    while before == [shard.key for shard in f.shards] and time.monotonic() < end:
        assert f(np.ones(20)) == calm  # the first answers may come from one who is about to die
    seen.set()
    thread.join()
    assert before != [shard.key for shard in f.shards]


def test_a_poisonous_block(dying):
    A, b = data()
    dead = A.map_blocks(_die, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(ClusterLost, match="workers, one after the other, died at the same task"):
        fw.Logistic(dead, b)


def _die(block, block_info=None):
    if block_info and block_info[0]["chunk-location"][0] == 1:
        time.sleep(0.5)  # a nanny gives up a worker that dies while it starts
        os.kill(os.getpid(), signal.SIGKILL)
    return block


@pytest.mark.long  # another form of the law above
def test_a_poisonous_question(dying):
    cluster_of = connected()

    class Poison:  # of a class that workers get with the task
        _busy = contextlib.nullcontext()

        def evaluate(self):
            time.sleep(0.5)  # a nanny gives up a worker that dies while it starts
            os.kill(os.getpid(), signal.SIGKILL)

    shard = cluster_of.client.submit(Poison, pure=False)
    with pytest.raises(ClusterLost, match="died at the same task"):
        cluster_of.ask([shard], "evaluate")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda A, b: (da.where(A > 3.0, np.nan, A), b), "A must be finite.*in rows"),
        (lambda A, b: (A, da.where(b > 0.0, np.nan, b)), "b must be finite"),
    ],
)
def test_a_shard_with_nan(cluster, spoil, words):
    with pytest.raises(InvalidInput, match=words) as caught:
        fw.SquaredError(*spoil(*data()))
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("count", [1, 4])
def test_chunks_of_unequal_width(cluster, count):
    block = dask.delayed(np.ones)
    parts = [da.from_delayed(block((10, w)), (10, 5), dtype=float) for w in (5, 4, 5, 5)]
    with shards(count), pytest.raises(InvalidInput, match=r"same width, got \[4, 5\]"):
        fw.SquaredError(da.concatenate(parts), np.ones(40))


def test_a_block_that_cannot_be_read(cluster):
    def read():
        raise FileNotFoundError("part-3.parquet")

    A = da.from_delayed(dask.delayed(read)(), (10, 5), dtype=float)
    with pytest.raises(ClusterLost, match=r"FileNotFoundError: part-3\.parquet"):
        fw.SquaredError(A, np.ones(10))


def test_another_version_on_a_worker(cluster, monkeypatch):
    room = sys.modules["frankwolfe.engines.dask.draft"]
    monkeypatch.setattr(room, "own_version", lambda: "9.9.9")
    with pytest.raises(InvalidInput, match=r"asks has 9\.9\.9: install the same version"):
        fw.SquaredError(*data())


def test_a_worker_without_the_library(cluster):
    def missing():
        raise ModuleNotFoundError("No module named 'frankwolfe'")

    A = da.from_delayed(dask.delayed(missing)(), (10, 5), dtype=float)
    with pytest.raises(InvalidInput, match=r"install frankwolfe .*, the version here, on each"):
        fw.SquaredError(A, np.ones(10))


def test_a_time_limit(f):
    result = fw.minimize(f, BALL, method=fw.frank_wolfe(), stop=fw.Seconds(0.5))
    check_sound(result, f, fw.Status.MAX_TIME)


def test_ctrl_c_in_a_round(f):
    f(np.zeros(20))  # loaded on the workers
    later(lambda: os.kill(os.getpid(), signal.SIGINT))
    check_sound(run(f), f, fw.Status.INTERRUPTED)


def test_a_second_ctrl_c(cluster, f):
    f(np.zeros(20))
    there = pids(cluster)

    def press():
        for pid in there:
            os.kill(pid, signal.SIGSTOP)  # a round that does not end
        for _ in range(2):
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)

    later(press)
    with pytest.raises(KeyboardInterrupt):
        run(f)
    for pid in there:
        os.kill(pid, signal.SIGCONT)
    assert run(f, 3).nit == 3


def test_the_scheduler_keeps_no_task_of_a_round(f):
    def tasks(dask_scheduler):  # questions: shards may be on the move meanwhile
        return sum(str(key).startswith("frankwolfe-") for key in dask_scheduler.tasks)

    f(np.zeros(20))
    counts = []
    for _ in range(3):
        run(f, 40)
        counts.append(f.cluster.client.run_on_scheduler(tasks))
    assert max(counts) <= 8  # of the last round, not yet let go


def test_workers_that_do_not_come_back_and_workers_that_do():
    with distributed.LocalCluster(n_workers=1, **QUIET) as cluster, distributed.Client(cluster):
        f = made()
        f(np.zeros(20))
        later(lambda: cluster.scale(0))
        with dask.config.set({"frankwolfe.patience": 0.5}):
            result = run(f)
        check_sound(result, f, fw.Status.LOST)
        assert "has had no worker for" in result.message
        cluster.scale(1)
        assert run(f, 3).nit == 3


def test_a_run_whose_workers_are_all_gone_ends_within_its_time():
    """However long it would wait for others."""
    with distributed.LocalCluster(n_workers=1, **QUIET) as cluster, distributed.Client(cluster):
        f = made()
        f(np.zeros(20))
        later(lambda: cluster.scale(0), 0.3)
        began = time.monotonic()
        result = fw.minimize(f, BALL, method=fw.frank_wolfe(), tol=0.0, stop=fw.Seconds(4.0))
        assert time.monotonic() - began < 0.1 * LONG
        check_sound(result, f, fw.Status.LOST)
        assert "has had no worker for" in result.message


def test_a_cluster_that_is_closed_and_a_client_that_is():
    cluster = distributed.LocalCluster(n_workers=1, **QUIET)
    with cluster, distributed.Client(cluster) as client:
        f = made()
        f(np.zeros(20))
        later(cluster.close)
        result = run(f)
        check_sound(result, f, fw.Status.LOST)
        client.close()
    with pytest.raises(ClusterLost, match="make the loss again"):
        run(f)


@pytest.mark.parametrize(
    ("holders", "threads", "moved"),
    [
        ([["a"], ["a"], ["b"], ["b"]], {"a": 1, "b": 1}, 0),
        ([["a"], ["a"], ["a"], ["a"]], {"a": 1, "b": 1}, 2),
        ([["a"], ["a"], ["a"], ["a"]], {"a": 1, "b": 1, "c": 1}, 2),
        ([["a"], ["a"], ["a"]], {"a": 2, "b": 1}, 1),
        ([["a", "b"], ["a", "b"]], {"a": 1, "b": 1}, 0),
        ([["a"], [], ["b"]], {"a": 1, "b": 1}, 0),
        ([["a"], ["b"]], {"a": 1, "b": 1, "c": 1}, 0),
    ],
)
def test_shards_are_moved_where_a_worker_has_more_than_its_share(holders, threads, moved):
    found = homes(holders, threads)
    assert sum(home not in has for home, has in zip(found, holders, strict=True) if has) == moved
    for name, count in threads.items():
        assert found.count(name) <= -(-len(holders) * count // sum(threads.values()))


def test_a_moved_shard_has_the_same_bits(cluster, f):
    x = np.linspace(-1.0, 1.0, 20)
    before = f.grad(x)
    client = f.cluster.client
    target = next(iter(client.nthreads()))
    f.shards = [
        client.submit(lambda shard: shard, shard, workers=[target], pure=False)
        for shard in f.shards
    ]
    f._evaluated.clear()
    assert np.array_equal(f.grad(x), before)
