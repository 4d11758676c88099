from __future__ import annotations

import functools
import hashlib
import sys
import threading
import zipfile
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.datasets import DATASETS

HASHES = {
    "breast_cancer": "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64",
    "pima": "6bfe5d0f379d17a0e0819b996407e3c09bf80febd4287f2ed212190dfff154af",
}


@pytest.mark.parametrize("name", DATASETS)
def test_tables_are_the_published_files_with_source_and_licence(name):
    table = DATASETS[name]()
    assert table.sha256 == HASHES[name]
    assert table.data.shape[1] == len(table.columns)
    assert table.source
    assert table.licence
    assert table.name in repr(table)


def test_breast_cancer():
    table = fw.datasets.breast_cancer()
    assert table.data.shape == (699, 11)
    assert np.isnan(table.data).sum() == 16
    A, b = table.paper()
    assert A.shape == (698, 9)
    assert np.isfinite(A).all()
    assert (b == 1).sum() == 241


def test_pima():
    table = fw.datasets.pima()
    assert table.data.shape == (768, 9)
    A, b = table.paper()
    assert A.shape == (767, 8)
    assert (b == 1).sum() == 267


@pytest.mark.parametrize("file", ["breast-cancer-wisconsin.data", "pima-indians-diabetes.csv"])
def test_shipped_files_equal_the_originals(file, data_folder):
    digest = hashlib.sha256((data_folder / file).read_bytes()).hexdigest()
    assert digest in HASHES.values()


@pytest.fixture
def server(tmp_path):
    """A folder, and the address under which its files are served."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as one:
        thread = threading.Thread(target=one.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{one.server_port}/"
        one.shutdown()
        thread.join()


def release(folder, **changes):
    from dataclasses import replace

    from frankwolfe.datasets.movielens import RELEASES

    path = folder / "ml-1m.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ml-1m/ratings.dat", "7::9::5::0\n3::9::4::0\n")
    md5 = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
    return replace(RELEASES["1m"], **{"md5": md5, "member_md5": False, **changes})


def test_downloads_are_checked_and_kept(server, tmp_path, monkeypatch, capfd):
    pytest.importorskip("pooch", reason="pooch is not installed")
    from frankwolfe.datasets import movielens as load

    module = sys.modules[load.__module__]
    folder, address = server
    monkeypatch.setattr(module, "SOURCE", address)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(module.VARIABLE, raising=False)
    said = []
    for wrong in ({"md5": "0" * 32}, {"md5": "0" * 32, "member_md5": True}):
        monkeypatch.setitem(module.RELEASES, "1m", release(folder, **wrong))
        with pytest.raises(fw.InvalidInput, match=r"ml-1m.zip arrived damaged: its hash is wrong"):
            load("1m")
        assert not list((tmp_path / "cache").rglob("*.*"))
    monkeypatch.setitem(module.RELEASES, "1m", release(folder))
    assert len(load("1m", say=said.append)) == 2
    assert said[0].startswith("downloading ml-1m.zip: ")
    (folder / "ml-1m.zip").unlink()
    assert len(load("1m")) == 2  # from the cache
    with pytest.raises(fw.InvalidInput, match=r"MovieLens 10m could not be fetched .*: download"):
        load("10m")
    assert capfd.readouterr() == ("", "")


def test_without_pooch_the_registry_is_asked_or_the_extra_is_named(tmp_path, monkeypatch):
    from frankwolfe.datasets import movielens as load

    module = sys.modules[load.__module__]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(module.VARIABLE, raising=False)
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(fw.MissingExtra, match=r"needs pooch.*frankwolfe\[datasets\]"):
        load("1m")
    lines = b"7\t9\t5\t0\n"

    def wheel(*words):
        words[-1].write_bytes(lines)
        return True

    monkeypatch.setattr(module, "from_wheel", wheel)
    assert len(load("100k")) == 1
