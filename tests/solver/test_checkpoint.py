"""Checkpoints: the same iterates bit for bit, never a broken file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import (
    length,
    method_examples,
    objective_examples,
    refused,
    region_examples,
    size,
)

import frankwolfe as fw
from frankwolfe.solver import checkpoint

METHODS = method_examples()
REGIONS = [fw.L2Ball(0.4), fw.L1Ball(0.5), fw.Simplex(), fw.Box(-0.1, 0.2)]


def _objective() -> fw.SquaredError:
    rng = np.random.default_rng(5)
    return fw.SquaredError(rng.standard_normal((30, 5)), 3 * rng.standard_normal(30))


def _assert_same(one: fw.Result, other: fw.Result) -> None:
    np.testing.assert_array_equal(one.x, other.x)
    for name in ("iteration", "value", "gap", "lower_bound", "step"):
        np.testing.assert_array_equal(one.history[name], other.history[name])
    assert (one.fun, one.gap, one.nit) == (other.fun, other.gap, other.nit)
    assert (one.nfev, one.njev, one.nlmo) == (other.nfev, other.njev, other.nlmo)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_a_resumed_run_is_the_run_that_was_not_stopped(name, region, tmp_path):
    f, path, method = _objective(), tmp_path / "run.npz", METHODS[name]
    if refused(method, fw.Problem(f, region)):
        return
    part, end = (fw.Iterations(length(method, steps)) for steps in (601, 1203))
    whole = fw.minimize(f, region, method=method, stop=end)
    callback = [fw.Checkpoint(path, every=length(method, 200))]
    fw.minimize(f, region, method=method, stop=part, callback=callback)
    resumed = fw.minimize(f, region, method=method, stop=end, resume=path)
    _assert_same(whole, resumed)


@pytest.mark.parametrize("region", region_examples(), ids=repr)
def test_a_run_over_any_region_is_resumed(region, tmp_path):
    f, path = objective_examples(size(region))[1], tmp_path / "run.npz"
    whole = fw.minimize(f, region, method="afw", stop=fw.Iterations(40))
    part = fw.minimize(
        f, region, method="afw", stop=fw.Iterations(17), callback=fw.Checkpoint(path, every=5)
    )
    assert part.nit == 17
    # built afresh, as another process would
    again = next(r for r in region_examples() if r.fingerprint() == region.fingerprint())
    resumed = fw.minimize(f, again, method="afw", stop=fw.Iterations(40), resume=path)
    _assert_same(whole, resumed)


CHILD = """
import numpy as np, frankwolfe as fw, sys
rng = np.random.default_rng(5)
f = fw.SquaredError(rng.standard_normal((30, 5)), 3 * rng.standard_normal(30))
fw.minimize(f, fw.L2Ball(0.4), method=fw.jacobi_momentum(), stop=fw.Iterations(10**7),
            callback=fw.Checkpoint(sys.argv[1], every=1))
"""


def test_a_killed_run_resumes_bit_for_bit(tmp_path):
    path = tmp_path / "run.npz"
    process = subprocess.Popen([sys.executable, "-c", CHILD, str(path)])
    while not path.exists() and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.3)  # it is writing all the time: the kill falls anywhere
    process.send_signal(signal.SIGKILL)
    process.wait()
    with np.load(path) as archive:
        assert archive["number.k"] > 0
    stop = fw.Iterations(3000)
    resumed = fw.minimize(
        _objective(), fw.L2Ball(0.4), method=fw.jacobi_momentum(), stop=stop, resume=path
    )
    whole = fw.minimize(_objective(), fw.L2Ball(0.4), method=fw.jacobi_momentum(), stop=stop)
    _assert_same(whole, resumed)


def test_a_crash_while_writing_leaves_the_file_before(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    f, ball = _objective(), fw.L2Ball(0.4)
    fw.minimize(f, ball, method="afw", max_iter=10, callback=fw.Checkpoint(path, every=10))
    good = path.read_bytes()

    def half(file, **_):
        file.write(b"PK half a file")
        raise OSError("no space left on device")

    monkeypatch.setattr(checkpoint.np, "savez", half)
    with pytest.raises(OSError, match="no space"):
        fw.minimize(f, ball, method="afw", max_iter=30, callback=fw.Checkpoint(path, every=10))
    assert path.read_bytes() == good
    assert os.listdir(tmp_path) == ["run.npz"]


def _saved(tmp_path: Path) -> Path:
    path = tmp_path / "run.npz"
    fw.minimize(
        _objective(),
        fw.L2Ball(0.4),
        method="afw",
        max_iter=20,
        callback=fw.Checkpoint(path, every=5),
    )
    return path


@pytest.mark.parametrize("damage", ["cut", "empty", "garbage", "flipped", "other npz"])
def test_a_broken_checkpoint_gets_one_sentence(damage, tmp_path):
    path = _saved(tmp_path)
    raw = path.read_bytes()
    if damage == "other npz":
        np.savez(path, x=np.zeros(3))
    else:
        middle = len(raw) // 2
        path.write_bytes(
            {
                "cut": raw[:middle],
                "empty": b"",
                "garbage": b"hello, world",
                "flipped": raw[:middle]
                + bytes(255 - c for c in raw[middle : middle + 64])
                + raw[middle + 64 :],
            }[damage]
        )
    with pytest.raises(fw.CheckpointError, match=r"not a whole frankwolfe checkpoint"):
        fw.minimize(_objective(), fw.L2Ball(0.4), method="afw", resume=path)


def test_a_missing_checkpoint_gets_one_sentence(tmp_path):
    with pytest.raises(fw.CheckpointError, match="there is no checkpoint"):
        fw.minimize(_objective(), fw.L2Ball(0.4), resume=tmp_path / "nothing.npz")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"method": "jacobi"}, "method"),
        ({"region": fw.L2Ball(0.5)}, "region"),
        ({"region": fw.L2Ball(0.4000001)}, "region"),
        ({"region": fw.L2Ball(0.4, center=np.zeros(5))}, "region"),
        ({"objective": fw.SquaredError(np.eye(5), np.ones(5))}, "objective"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(change, word, tmp_path):
    path = _saved(tmp_path)
    arguments = {"objective": _objective(), "region": fw.L2Ball(0.4), "method": "afw", **change}
    with pytest.raises(fw.CheckpointError, match=f"belongs to another run: its {word}"):
        fw.minimize(**arguments, resume=path)


def test_a_finished_run_is_saved_too(tmp_path):
    path = tmp_path / "run.npz"
    callback = [fw.Checkpoint(path, seconds=1000.0)]
    first = fw.minimize(_objective(), fw.L2Ball(0.4), method="afw", max_iter=20, callback=callback)
    again = fw.minimize(_objective(), fw.L2Ball(0.4), method="afw", max_iter=20, resume=path)
    _assert_same(first, again)


def test_other_parameters_make_another_run(tmp_path):
    path = tmp_path / "run.npz"

    def saved_then(first, second, **arguments):
        region = arguments.pop("region", fw.L2Ball(1.0))
        other = arguments.pop("other_region", region)
        fw.minimize(first, region, method="afw", max_iter=5, callback=fw.Checkpoint(path, every=1))
        with pytest.raises(fw.CheckpointError, match="belongs to another run"):
            fw.minimize(second, other, method="afw", resume=path)

    Q = np.eye(3)
    saved_then(fw.Quadratic(Q, constant=100.0), fw.Quadratic(Q))
    ones = np.ones(3)
    saved_then(fw.Huber(Q, ones, delta=0.5), fw.Huber(Q, ones, delta=0.5000001))
    one = fw.Function(lambda x: float((x - 2) @ (x - 2)), lambda x: 2 * (x - 2), n=3)
    two = fw.Function(lambda x: float((x - 1) @ (x - 1)), lambda x: 2 * (x - 1), n=3)
    saved_then(one, two)
    f = fw.Quadratic(Q, ones)
    saved_then(f, f, region=fw.Box([0.0] * 3, [1.0] * 3), other_region=fw.Box([5.0] * 3, [6.0] * 3))


def test_a_run_that_broke_down_keeps_its_last_good_checkpoint(tmp_path):
    path = tmp_path / "run.npz"
    broken = [True]

    def fun(x):
        fun.calls += 1
        bad = broken[0] and fun.calls > 30
        return (np.nan if bad else float((x - TARGET) @ (x - TARGET))), 2 * (x - TARGET)

    fun.calls = 0
    ball = fw.L1Ball(1.0)
    arguments = {"jac": True, "x0": np.zeros(2), "method": "frank_wolfe", "tol": 0.0}
    first = fw.minimize(fun, ball, **arguments, callback=fw.Checkpoint(path, every=10))
    assert first.status is fw.Status.NOT_FINITE
    broken[0] = False
    again = fw.minimize(fun, ball, **arguments, max_iter=100, resume=path)
    assert again.nit == 100


TARGET = np.array([2.0, 1.0])


def test_a_file_that_may_not_be_read_is_not_called_broken(tmp_path):
    with pytest.raises(fw.CheckpointError, match="cannot be read"):
        fw.minimize(_objective(), fw.L2Ball(0.4), resume=tmp_path)
