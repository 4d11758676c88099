"""Checkpoints: the same iterates bit for bit, never a broken file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tracemalloc
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


ONE_OF_EACH = {type(region): region for region in reversed(region_examples())}.values()


@pytest.mark.parametrize("region", ONE_OF_EACH, ids=repr)
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
fw.minimize(f, fw.L2Ball(0.4), method=fw.methods.jacobi_momentum(), stop=fw.Iterations(10**7),
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
        _objective(), fw.L2Ball(0.4), method=fw.methods.jacobi_momentum(), stop=stop, resume=path
    )
    whole = fw.minimize(
        _objective(), fw.L2Ball(0.4), method=fw.methods.jacobi_momentum(), stop=stop
    )
    _assert_same(whole, resumed)


def test_a_crash_while_writing_leaves_the_file_before(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    f, ball = _objective(), fw.L2Ball(0.4)
    fw.minimize(f, ball, method="afw", max_iter=10, callback=fw.Checkpoint(path, every=10))
    good = path.read_bytes()

    def half(file, **_):
        file.write(b"PK half a file")
        raise OSError("no space left on device")

    with monkeypatch.context() as full:
        full.setattr(checkpoint.np, "savez", half)
        callback = fw.Checkpoint(path, every=10)
        with pytest.warns(RuntimeWarning, match=r"could not be written at step 0 \(no space"):
            result = fw.minimize(f, ball, method="afw", max_iter=30, callback=callback, tol=0.0)
    assert result.nit == 30  # it goes on, and says so
    assert "could not be written at step 30 (no space left on device)" in result.message
    assert path.read_bytes() == good
    assert os.listdir(tmp_path) == ["run.npz"]
    whole = fw.minimize(f, ball, method="afw", max_iter=30, callback=callback, tol=0.0)
    assert "could not be written" not in whole.message
    np.testing.assert_array_equal(whole.x, result.x)


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
    with pytest.raises(fw.errors.CheckpointError, match=r"not a whole frankwolfe checkpoint"):
        fw.minimize(_objective(), fw.L2Ball(0.4), method="afw", resume=path)


def test_a_missing_checkpoint_gets_one_sentence(tmp_path):
    with pytest.raises(fw.errors.CheckpointError, match="there is no checkpoint"):
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
    with pytest.raises(fw.errors.CheckpointError, match=f"belongs to another run: its {word}"):
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
        with pytest.raises(fw.errors.CheckpointError, match="belongs to another run"):
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
    with pytest.raises(fw.errors.CheckpointError, match="cannot be read"):
        fw.minimize(_objective(), fw.L2Ball(0.4), resume=tmp_path)


LIMITED = """
import os, resource, sys, warnings
import numpy as np, frankwolfe as fw
rng = np.random.default_rng(0)
f = fw.SquaredError(rng.standard_normal((30, 4000)), rng.standard_normal(30))
path = sys.argv[1]
ball = fw.L2Ball(0.4)
fw.minimize(f, ball, method="afw", max_iter=5, tol=0.0, callback=fw.Checkpoint(path, every=5))
before = open(path, "rb").read()
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # as a disk that is full
warnings.simplefilter("ignore")
again = {"max_iter": 20, "tol": 0.0, "resume": path, "callback": fw.Checkpoint(path, every=5)}
result = fw.minimize(f, ball, method="afw", **again)
assert result.nit == 20 and "could not be written at step 20" in result.message, result
assert open(path, "rb").read() == before
assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_a_full_disk_ends_no_run(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "run.npz")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _changed(path: Path, change, *, keep_digest: bool) -> None:
    """Write the checkpoint again with other arrays; the digest is the old one, or made anew."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    mark = arrays.pop("digest")
    change(arrays)
    np.savez(path, **arrays, digest=mark if keep_digest else checkpoint.digest(arrays))


def _forge_bound(arrays):
    arrays["number.lower_bound"] = arrays["number.value"] - 1e-12
    arrays["number.gap"] = np.asarray(1e-12)


def _move_point(arrays):
    for name in ("iterate/point.now", "iterate/point.before", "best.x/vector"):
        if name in arrays:
            arrays[name] = arrays[name] + 7.0


FORGED = {
    "bound above a value": lambda a: a.update({"number.lower_bound": a["number.value"] + 1.0}),
    "gap below its bound": lambda a: a.update({"number.gap": np.asarray(-1.0)}),
    "point outside": _move_point,
    "image of another point": lambda a: a.update({"iterate/image": a["iterate/image"] + 1.0}),
    "no number": lambda a: a.update({"number.value": np.asarray(np.nan)}),
    "another best value": lambda a: a.update({"best.value": a["best.value"] - 1.0}),
    "negative step": lambda a: a.update({"number.k": np.asarray(-3)}),
    "short point": lambda a: a.update({"iterate/point.now": a["iterate/point.now"][:2]}),
    "short gradient": lambda a: a.update({"gradient": a["gradient"][:2]}),
    "another type": lambda a: a.update({"gradient": a["gradient"].astype(np.float32)}),
    "history of words": lambda a: a.update({"history": np.array(["a", "b"])}),
    "empty history": lambda a: a.update({"history": a["history"][:0]}),
    "flat history": lambda a: a.update({"history": np.zeros(3)}),
    "nothing": lambda a: a.clear(),
}


@pytest.mark.parametrize("case", FORGED)
@pytest.mark.parametrize("keep_digest", [True, False])
def test_a_forged_checkpoint_gets_one_sentence(case, keep_digest, tmp_path):
    path = _saved(tmp_path)
    _changed(path, FORGED[case], keep_digest=keep_digest)
    with pytest.raises(
        fw.errors.CheckpointError, match=r"whole frankwolfe checkpoint|another run"
    ) as e:
        fw.minimize(_objective(), fw.L2Ball(0.4), method="afw", resume=path)
    assert "\n" not in str(e.value)


def test_a_bound_is_taken_over_from_a_whole_file_only_and_that_is_said(tmp_path):
    path = _saved(tmp_path)
    whole = path.read_bytes()
    _changed(path, _forge_bound, keep_digest=True)
    with pytest.raises(fw.errors.CheckpointError, match="its digest is another"):
        fw.minimize(_objective(), fw.L2Ball(0.4), method="afw", resume=path)
    path.write_bytes(whole)
    result = fw.minimize(_objective(), fw.L2Ball(0.4), method="afw", max_iter=25, resume=path)
    assert "its lower bound rests on the checkpoint" in result.message


PLACES = {
    "away_step": ("memory/direction/indices", fw.KSparse(2, 0.5)),
    "frank_wolfe": ("atom/vertex", fw.L1Ball(0.5)),
    "working_set": ("memory/indices", fw.L1Ball(0.5)),
    "lazy frank_wolfe": ("memory/oracle/atoms/indices", fw.KSparse(2, 0.5)),
}


@pytest.mark.parametrize("method", PLACES)
@pytest.mark.parametrize("wrong", [2**30, -7, 5])
def test_places_beyond_the_last_variable_are_refused(method, wrong, tmp_path):
    (name, region), chosen = PLACES[method], METHODS[method]
    path = tmp_path / "run.npz"
    stop, callback = fw.Iterations(6), fw.Checkpoint(path, every=3)
    fw.minimize(_objective(), region, method=chosen, stop=stop, callback=callback)

    def change(arrays):
        assert arrays[name].size
        arrays[name][0] = wrong

    _changed(path, change, keep_digest=False)
    with pytest.raises(fw.errors.CheckpointError, match="not a whole frankwolfe checkpoint"):
        fw.minimize(_objective(), region, method=chosen, resume=path)


def test_a_checkpoint_takes_no_more_memory_than_it_has_bytes(tmp_path):
    path = tmp_path / "run.npz"
    np.savez_compressed(path, gradient=np.zeros(10**7))  # 10 kB
    before = tracemalloc_peak(lambda: _refused(path))
    assert before < 10**7
    _refused(Path("/dev/zero"))


def _refused(path: Path) -> None:
    with pytest.raises(fw.errors.CheckpointError):
        fw.minimize(_objective(), fw.L2Ball(0.4), method="afw", resume=path)


def tracemalloc_peak(call) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_files_left_by_a_kill_are_removed_by_the_next_run(tmp_path):
    path = tmp_path / "run.npz"
    code = "import os, sys; from frankwolfe.base.files import atomic_write\n"
    code += "with atomic_write(sys.argv[1]) as file: os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code, str(path)], timeout=60, check=False)
    left = os.listdir(tmp_path)
    assert len(left) == 1
    assert left[0].startswith(".run.npz.")
    other = tmp_path / f"{left[0].rsplit('-', 2)[0]}-{os.getpid()}-abc"  # of a process that lives
    other.write_bytes(b"half")
    _saved(tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted([other.name, "run.npz"])
