"""frankwolfe fit --engine dask: the model of one machine, one sentence for what is wrong."""

import json
import logging
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from frankwolfe.cli import main

pytest.importorskip("dask.array", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="dask is not installed")
pytest.importorskip("pyarrow", reason="pyarrow reads CSV")

ENDS = [0, 150, 330, 400]
COMMAND = [sys.executable, "-m", "frankwolfe", "fit"]


@pytest.fixture(scope="module")
def cluster():
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 2}
    with distributed.Client(**options, dashboard_address=":0") as client:
        yield ["--engine", "dask", "--scheduler", client.scheduler.address]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table in one file and in three: words for classes, missing values, pairs."""
    folder, rng = tmp_path_factory.mktemp("files"), np.random.default_rng(0)
    X = rng.standard_normal((400, 5)) * [1, 2, 3, 4, 5] + [0, 5, 0, 0, 1]
    t = X @ [1.0, -0.5, 0.3, 0.0, 0.1] + rng.standard_normal(400)
    rows = [
        f"{','.join('' if k % 9 == 4 and j == 2 else repr(v) for j, v in enumerate(x))},{y},{s!r}"
        for k, (x, y, s) in enumerate(
            zip(X.tolist(), np.where(t > t.mean(), "up", "down"), t.tolist(), strict=True)
        )
    ]
    pairs = [
        " ".join([repr(s), *(f"{j + 1}:{v!r}" for j, v in enumerate(x) if abs(v) > 1.0)])
        for x, s in zip(X.tolist(), t.tolist(), strict=True)
    ]
    for name, low, high in [("all", 0, 400), *((k, *ENDS[k : k + 2]) for k in range(3))]:
        text = "\n".join(["a,b,c,d,e,kind,t", *rows[low:high]])
        (folder / f"{name}.csv").write_text(text + "\n")
        (folder / f"{name}.svm").write_text("\n".join(pairs[low:high]) + "\n")
    return folder


def fitted(files, *options):
    """The model that a command writes."""
    path = files[0].parent / "model.json"
    words = [*map(str, files), *options, "--tol", "1e-11", "-o", str(path)]
    assert main(["fit", *words]) == 0
    return json.loads(path.read_text())


FITS = {
    "classes": ("csv", ["--target", "kind", "--drop", "c,t", "--region", "l1", "--radius", "2"]),
    "scaled, means for what is missing": (
        "csv",
        ["--target", "t", "--drop", "kind", "--radius", "2", "--standardize", "--missing", "mean"],
    ),
    "pairs": ("svm", ["--region", "l1", "--radius", "1", "--standardize", "--loss", "huber"]),
    "a radius is found": ("svm", ["--region", "l1"]),
}


@pytest.mark.parametrize("name", FITS)
def test_models_are_those_of_one_machine(folder, cluster, capsys, name):
    ending, options = FITS[name]
    here = fitted([folder / f"all.{ending}"], *options)
    capsys.readouterr()
    there = fitted([folder / f"[0-9].{ending}"], *options, *cluster)
    told = capsys.readouterr()
    for key in ("coefficients", "intercept", "fill"):
        a, b = here.pop(key), there.pop(key)
        np.testing.assert_allclose(np.array(a, float), np.array(b, float), atol=1e-9)
    assert there["radius"] == pytest.approx(here["radius"], rel=1e-9)
    for key in ("features", "classes", "target", "drop", "loss", "standardized"):
        assert here[key] == there[key], key
    for key in ("rows", "features", "format"):
        assert here["data"][key] == there["data"][key]
    score = "training score"
    assert here["result"][score] == pytest.approx(there["result"][score], abs=1e-9)
    assert there["result"]["rounds"] > 0
    assert "to the workers and back" in told.out
    assert not told.err


REFUSED = {
    "add --engine dask to fit": ["0.csv", "1.csv"],
    "--workers goes with --engine dask": ["0.csv", "--workers", "2"],
    "--scheduler goes with --engine dask": ["0.csv", "--scheduler", "tcp://x:1"],
    "--workers must be a whole number": ["0.csv", "--engine", "dask", "--workers", "0"],
    "--radius cv is not done": ["0.csv", "--engine", "dask", "--radius", "cv"],
    "--encode is not done": ["0.csv", "--engine", "dask", "--encode"],
    "--target-file is not read": ["0.csv", "--engine", "dask", "--target-file", "y.txt"],
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_options_that_do_not_go_together(capsys, sentence):
    assert main(["fit", *REFUSED[sentence]]) == 2
    assert sentence in capsys.readouterr().err


def test_files_that_do_not_fit(folder, cluster, capsys, tmp_path):
    first = tmp_path / "0.csv"
    first.write_text("a,b,y\n1,2,u\n2,3,v\n")
    wrong = {
        "a,c,y\n1,2,u\n2,3,v\n": "1.csv has no column b, which",
        "a,b,y\n1,2,u\n,3,v\n": "1.csv: line 3, feature a is missing",
        "a,b,y\n1,2,u\n1e99,3,v\n": "1.csv: line 3, feature a is 1e+99",
        "a,b,y\n1,2,7\n2,3,8\n": "are words, but those of",
        "a,b,y\n1,x,u\n2,3,v\n": "1.csv",
        "": "1.csv is empty",
    }
    for text, sentence in wrong.items():
        (tmp_path / "1.csv").write_text(text)
        assert main(["fit", str(tmp_path / "?.csv"), "--target", "y", *cluster]) == 2
        told = capsys.readouterr().err
        assert sentence in told
        assert told.startswith("frankwolfe: ")
        assert told.count("\n") == 1


def test_a_cluster_that_goes_away_is_told_in_a_sentence(folder, cluster, capsys, monkeypatch):
    from frankwolfe.engines.dask import Cluster, ClusterLost

    def gone(*_):
        raise ClusterLost("the Dask scheduler is gone.")

    monkeypatch.setattr(Cluster, "results", gone)
    assert main(["fit", str(folder / "0.svm"), *cluster]) == 2
    assert capsys.readouterr().err == "frankwolfe: the Dask scheduler is gone.\n"


def test_workers_of_its_own(folder):
    """Processes are started, and are gone at the end."""
    options = ["--target", "t", "--drop", "c,kind", "--region", "l1", "--radius", "1"]
    here = fitted([folder / "all.csv"], *options)
    more = ["--engine", "dask", "--workers", "2", "--tol", "1e-11", "-o", "-"]
    done = subprocess.run(
        [*COMMAND, str(folder / "[0-9].csv"), *options, *more],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert not done.stderr
    found = json.loads(done.stdout)
    np.testing.assert_allclose(found["coefficients"], here["coefficients"], atol=1e-9)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_ctrl_c_ends_the_workers_too(folder):
    """It reaches the whole group, as from a terminal."""
    options = ["--target", "kind", "--drop", "c,t", "--radius", "2", "--engine", "dask"]
    command = [*COMMAND, str(folder / "[0-9].csv"), *options, "--workers", "1", "-o", os.devnull]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(2.0)  # while it starts, or reads, or fits, or is done
    os.killpg(running.pid, signal.SIGINT)
    _, told = running.communicate(timeout=60)
    assert running.returncode in (0, 130)
    assert all(line.startswith("frankwolfe: interrupted") for line in told.splitlines())
