from __future__ import annotations

import functools
import hashlib
import sys
import threading
import zipfile
from dataclasses import replace
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
    from frankwolfe.datasets.movielens import RELEASES

    path = folder / "ml-1m.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ml-1m/ratings.dat", "7::9::5::0\n3::9::4::0\n")
    found = "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
    return replace(RELEASES["1m"], **{"archive_hash": found, "member_hash": "", **changes})


@pytest.fixture
def movielens_from(server, tmp_path, monkeypatch):
    """The function, its module, and the folder that the server shows; an empty cache."""
    pytest.importorskip("pooch", reason="pooch is not installed")
    from frankwolfe.datasets import movielens as load

    module = sys.modules[load.__module__]
    folder, address = server
    monkeypatch.setattr(module, "SOURCE", address)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(module.VARIABLE, raising=False)
    return load, module, folder


def test_downloads_are_checked_and_kept(movielens_from, tmp_path, monkeypatch, capfd):
    load, module, folder = movielens_from
    said = []
    for wrong in ("archive_hash", "member_hash"):
        monkeypatch.setitem(module.RELEASES, "1m", release(folder, **{wrong: "sha256:" + "0" * 64}))
        with pytest.raises(fw.InvalidInput, match=r"ml-1m.zip arrived damaged: its hash is wrong"):
            load("1m")
        assert not list((tmp_path / "cache").rglob("*.*"))
    monkeypatch.setitem(module.RELEASES, "1m", release(folder))
    assert len(load("1m", say=said.append)) == 2
    assert said[0].startswith("downloading ml-1m.zip: ")
    archive = (folder / "ml-1m.zip").read_bytes()
    (folder / "ml-1m.zip").unlink()
    assert len(load("1m")) == 2  # from the cache
    (kept,) = (tmp_path / "cache").rglob("ratings.dat")
    kept.write_bytes(kept.read_bytes().replace(b"5", b"4"))
    with pytest.raises(fw.InvalidInput, match=r"MovieLens 1m could not be fetched"):
        load("1m")  # it is not what was kept
    (folder / "ml-1m.zip").write_bytes(archive)
    said.clear()
    assert load("1m", say=said.append).values.tolist() == [5.0, 4.0]
    assert said[0].endswith("is not what was kept there: fetching it again")
    (folder / "ml-1m.zip").unlink()
    with pytest.raises(fw.InvalidInput, match=r"MovieLens 10m could not be fetched .*: download"):
        load("10m")
    assert capfd.readouterr() == ("", "")


def test_without_pooch_the_extra_is_named(tmp_path, monkeypatch):
    from frankwolfe.datasets import movielens as load

    module = sys.modules[load.__module__]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(module.VARIABLE, raising=False)
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(fw.errors.MissingExtra, match=r"needs pooch.*frankwolfe\[datasets\]"):
        load("1m")


def test_an_archive_that_is_broken_is_told(movielens_from, tmp_path, monkeypatch):
    load, module, folder = movielens_from
    for name in ("half", "no zip", "another member"):
        good = release(folder)
        path = folder / "ml-1m.zip"
        raw = path.read_bytes()
        if name == "another member":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("ml-1m/README", "nothing")
        else:
            path.write_bytes(raw[: len(raw) // 2] if name == "half" else b"hello")
        found = "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        monkeypatch.setitem(module.RELEASES, "1m", replace(good, archive_hash=found))
        with pytest.raises(fw.InvalidInput, match=r"ml-1m.zip arrived damaged") as caught:
            load("1m")
        assert "\n" not in str(caught.value)
        with pytest.raises(fw.InvalidInput, match=r"is not a MovieLens 1m file") as caught:
            load("1m", path)
        assert "\n" not in str(caught.value)
    assert not list((tmp_path / "cache").rglob("*.*"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("7::9::5::0\n3::9::4\n", "a line has not four numbers"),
        ("7::9::5::0\n3::9::4::0::1\n3::9::4\n", "a line has not four numbers"),
        ("7::x::5::0\n", "a line has not four numbers"),
        ("-7::9::5::0\n", "a user has the id -7"),
        ("0::9::5::0\n", "a user has the id 0"),
        ("7::9.5::5::0\n", "a movie has the id 9.5"),
        ("7::nan::5::0\n", "a movie has the id nan"),
        ("7::3000000000::5::0\n", "a movie has the id 3e.09"),
        ("7::9::77::0\n", "a rating is 77"),
        ("7::9::nan::0\n", "a rating is nan"),
        ("1" * 10_000, "a line has no end"),
        ("\n", "a line has not four numbers"),
        ("\xff::1::1::1\n", "ascii"),
    ],
)
def test_ids_and_ratings_of_movielens_are_checked(text, words, tmp_path, recwarn):
    path = tmp_path / "ratings.dat"
    path.write_bytes(text.encode("latin1"))
    with pytest.raises(fw.InvalidInput, match=f"is not a MovieLens 1m file: .*{words}"):
        fw.datasets.movielens("1m", path)
    assert not recwarn.list


def test_large_ids_take_no_memory(tmp_path):
    path = tmp_path / "ratings.dat"
    path.write_text("2000000000::7::5::0\n7::2000000000::4::0\n")
    ratings = fw.datasets.movielens("1m", path)
    assert ratings.shape == (2, 2)
    assert ratings.users.tolist() == [1, 0]
    assert ratings.movies.tolist() == [0, 1]
