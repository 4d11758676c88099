"""MovieLens out of a wheel: made here, served by pip from a folder, without any network."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from dataclasses import replace

import pytest

import frankwolfe as fw
from frankwolfe.base.files import opened

pytest.importorskip("pip", reason="pip is not installed")

MEMBER = "recbole/dataset_example/ml-100k/ml-100k.inter"
LAYOUTS = {"plain": MEMBER, "data folder": f"recbole-1.2.1.data/purelib/{MEMBER}"}
LINES = b"7\t9\t5\t0\n3\t9\t4\t0\n"


def make_wheel(folder, member):
    """A small wheel with the name and the layout of the one in the registry."""
    folder.mkdir()
    info = "recbole-1.2.1.dist-info"
    with zipfile.ZipFile(folder / "recbole-1.2.1-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"other/{member}x", "another file whose name begins so")
        wheel.writestr(member, b"user_id\titem_id\trating\ttimestamp\n" + LINES)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: recbole\nVersion: 1.2.1\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache; GroupLens cannot be reached, and pip looks into one folder."""
    module = sys.modules[fw.datasets.movielens.__module__]
    monkeypatch.setattr(module, "SOURCE", "http://127.0.0.1:1/")
    monkeypatch.delenv(module.VARIABLE, raising=False)
    cache, wheels = tmp_path / "cache", tmp_path / "wheels"
    for name, value in (("XDG_CACHE_HOME", cache), ("PIP_FIND_LINKS", wheels), ("PIP_NO_INDEX", 1)):
        monkeypatch.setenv(name, str(value))
    digest = f"sha256:{hashlib.sha256(LINES).hexdigest()}"
    release = replace(module.RELEASES["100k"], member_hash=digest)
    monkeypatch.setitem(module.RELEASES, "100k", release)
    return cache


@pytest.mark.parametrize("pooch", ["with pooch", "without pooch"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_registry_serves_where_grouplens_cannot_be_reached(
    layout, pooch, cache, tmp_path, monkeypatch
):
    if pooch == "without pooch":
        monkeypatch.setitem(sys.modules, "pooch", None)
    make_wheel(tmp_path / "wheels", LAYOUTS[layout])
    said = []
    ratings = fw.datasets.movielens(say=said.append)
    assert ratings.values.tolist() == [5.0, 4.0]
    assert ratings.shape == (1, 2)
    assert [file.read_bytes() for file in cache.rglob("*.*")] == [LINES]  # no wheel is left
    assert any("recbole" in words for words in said)
    (tmp_path / "wheels" / "recbole-1.2.1-py3-none-any.whl").unlink()
    assert len(fw.datasets.movielens()) == 2  # from the cache


FAULTS = {
    "another hash": "ml-100k.inter of recbole-1.2.1-py3-none-any.whl arrived damaged",
    "no such member": f"recbole-1.2.1-py3-none-any.whl cannot be used: it has no {MEMBER}",
    "no wheel": "recbole==1.2.1: No matching distribution found",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_registry_that_does_not_serve_is_named(fault, cache, tmp_path, monkeypatch):
    module = sys.modules[fw.datasets.movielens.__module__]
    if fault == "another hash":
        wrong = replace(module.RELEASES["100k"], member_hash="sha256:" + "0" * 64)
        monkeypatch.setitem(module.RELEASES, "100k", wrong)
    if fault != "no wheel":
        other = "recbole/dataset_example/ml-1m/ml-100k.inter"  # the base name alone
        make_wheel(tmp_path / "wheels", other if fault == "no such member" else MEMBER)
    with pytest.raises(fw.InvalidInput, match=r"127.0.0.1:1/ cannot be reached; ") as caught:
        fw.datasets.movielens()
    assert FAULTS[fault] in str(caught.value)
    assert module.VARIABLE in str(caught.value)
    assert not list(cache.rglob("*.*"))


def test_a_member_is_a_path_or_the_end_of_one(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("copy/of/ml-100k/u.data", "ml-100k/xu.data", "ml-100k/u.data"):
            archive.writestr(name, name)
    for name, found in (
        ("u.data", b"ml-100k/u.data"),
        ("ml-100k/u.data", b"ml-100k/u.data"),
        ("of/ml-100k/u.data", b"copy/of/ml-100k/u.data"),
    ):
        with opened(path, name) as (file, _):
            assert file.read() == found
    for name in ("data", "100k/u.data", "/ml-100k/u.data"):
        with pytest.raises(zipfile.BadZipFile, match=f"it has no {name}"), opened(path, name):
            pass
