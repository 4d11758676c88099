"""MovieLens ratings: never shipped, fetched on first use.

GroupLens lets the data be used for research and forbids redistribution; see the README that
comes with each set.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.fetch import damaged, download, from_wheel, member_of
from frankwolfe.numerics.errors import InvalidInput, MissingExtra
from frankwolfe.solver.files import write_bytes

__all__ = ["VARIABLE", "Ratings", "movielens"]

VARIABLE = "FRANKWOLFE_MOVIELENS"
"""Environment variable that may name a file or folder with the ratings."""

SOURCE = "https://files.grouplens.org/datasets/movielens/"
LICENCE = (
    "GroupLens, for research; redistribution is not allowed "
    "(F. M. Harper and J. A. Konstan, The MovieLens Datasets, ACM TiiS 5, 2015)"
)


@dataclass(frozen=True)
class _Release:
    archive: str
    member: str
    separator: bytes
    md5: str  # of the archive, or of the member where that is what GroupLens publishes
    header: bool = False
    member_md5: bool = False


RELEASES = {
    "100k": _Release("ml-100k.zip", "u.data", b"\t", "0e33842e24a9c977be4e0107933c0723"),
    "1m": _Release("ml-1m.zip", "ratings.dat", b"::", "c4d9eecfca2ab87c1945afe126590906"),
    "10m": _Release("ml-10m.zip", "ratings.dat", b"::", "ce571fd55effeba0271552578f2648bd"),
    "25m": _Release("ml-25m.zip", "ratings.csv", b",", "6b51fb2759a8657d3bfcbfc42b592ada", True),
    "32m": _Release(
        "ml-32m.zip", "ratings.csv", b",", "cf12b74f9ad4b94a011f079e26d4270a", True, True
    ),
}
U_DATA_SHA256 = "06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490"
WHEEL = "recbole==1.2.1"  # carries the same bytes of u.data after one header line
WHEEL_MEMBER = "recbole/dataset_example/ml-100k/ml-100k.inter"


@dataclass(frozen=True)
class Ratings:
    """Ratings of movies by users.

    Attributes
    ----------
    movies, users : array of int32
        Row and column of every rating, from 0.
    values : array of float32
        The ratings.
    shape : tuple of int
        Number of movies and of users.
    name, licence : str
    """

    movies: NDArray[np.int32]
    users: NDArray[np.int32]
    values: NDArray[np.float32]
    shape: tuple[int, int]
    name: str
    licence: str = LICENCE

    def __len__(self) -> int:
        return int(self.values.size)

    def __repr__(self) -> str:
        movies, users = self.shape
        return f"Ratings({self.name}: {len(self):,} ratings, {movies:,} movies x {users:,} users)"


def movielens(
    version: str = "100k",
    path: str | os.PathLike[str] | None = None,
    *,
    say: Callable[[str], None] = lambda _: None,
) -> Ratings:
    """MovieLens 100K, 1M, 10M, 25M or 32M.

    Looked for in this order: `path`, the environment variable ``FRANKWOLFE_MOVIELENS``, the
    cache, GroupLens, and for 100K a package of the Python registry that carries the file.
    What is downloaded is checked by its hash and kept in the cache.

    Parameters
    ----------
    version : {"100k", "1m", "10m", "25m", "32m"}
    path : path, optional
        The ratings file (may be compressed with gzip or xz), the archive, or a folder with
        one of them.
    say : callable
        Called with a sentence on what is being done.

    Returns
    -------
    Ratings
    """
    if version not in RELEASES:
        raise InvalidInput(f"version must be one of {', '.join(RELEASES)}, got {version!r}.")
    release = RELEASES[version]
    given = path if path is not None else os.environ.get(VARIABLE)
    found = _given(release, Path(given)) if given is not None else _cached(version, release, say)
    say(f"reading {found.name}")
    try:
        with _opened(found, release.member) as file:
            return _parse(file, release, f"MovieLens {version}")
    except (OSError, EOFError, lzma.LZMAError, ValueError, zipfile.BadZipFile) as error:
        raise InvalidInput(f"{found} is not a MovieLens {version} file: {error}.") from None


def _given(release: _Release, path: Path) -> Path:
    """The ratings file that the caller's path leads to."""
    stem = Path(release.archive).stem
    names = [release.member + end for end in ("", ".xz", ".gz")] + [release.archive]
    folders = [path, path / stem]
    candidates = [path] if path.is_file() else [f / n for f in folders for n in names]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise InvalidInput(f"{path} has no {release.member} of MovieLens: name the file or its folder.")


def _cached(version: str, release: _Release, say: Callable[[str], None]) -> Path:
    """The ratings file in the cache, fetched first where it is not there."""
    folder = _cache_folder() / Path(release.archive).stem
    target = folder / release.member
    if target.is_file():
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _from_grouplens(release, target, say)
    except (OSError, MissingExtra) as error:
        if version == "100k" and _from_registry(target, say):
            return target
        if isinstance(error, MissingExtra):
            raise
        raise InvalidInput(
            f"MovieLens {version} could not be fetched ({_reason(error)}): download "
            f"{SOURCE}{release.archive} and pass its folder as path or in {VARIABLE}."
        ) from None
    return target


def _reason(error: OSError) -> str:
    """Why something could not be reached, in a few words."""
    return error.strerror or f"{SOURCE} cannot be reached"


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(base or Path.home() / ".cache") / "frankwolfe"


def _from_grouplens(release: _Release, target: Path, say: Callable[[str], None]) -> None:
    known = None if release.member_md5 else f"md5:{release.md5}"
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        archive = download(SOURCE + release.archive, known, Path(folder), say)
        raw = member_of(archive, release.member)
        if release.member_md5 and _md5(raw) != release.md5:
            raise damaged(release.archive)
        write_bytes(target, raw)


def _md5(raw: bytes) -> str:
    return hashlib.md5(raw, usedforsecurity=False).hexdigest()


def _from_registry(target: Path, say: Callable[[str], None]) -> bool:
    """Take u.data from a package of the registry; whether that worked."""
    say(f"GroupLens cannot be reached: looking for u.data in {WHEEL}")
    return from_wheel(WHEEL, WHEEL_MEMBER, U_DATA_SHA256, target)


@contextmanager
def _opened(path: Path, member: str) -> Iterator[IO[bytes]]:
    from frankwolfe.datasets.readers.source import opened

    if path.suffix == ".zip":
        yield io.BytesIO(member_of(path, member))
        return
    with opened(path) as (file, _):
        yield file


def _parse(file: IO[bytes], release: _Release, name: str) -> Ratings:
    """User, movie, rating and time of each line, in pieces of some megabytes."""
    users, movies, values = [], [], []
    if release.header:
        file.readline()
    while lines := file.readlines(1 << 24):
        text = b"".join(lines).replace(release.separator, b" ").decode("ascii")
        cells = np.fromstring(text, sep=" ")
        if cells.size != 4 * len(lines):
            raise ValueError("a line has not four numbers")
        table = cells.reshape(-1, 4)
        users.append(table[:, 0].astype(np.int32))
        movies.append(table[:, 1].astype(np.int32))
        values.append(table[:, 2].astype(np.float32))
    if not values:
        raise ValueError("it is empty")
    columns, user_count = _numbered(np.concatenate(users))
    rows, movie_count = _numbered(np.concatenate(movies))
    return Ratings(rows, columns, np.concatenate(values), (movie_count, user_count), name)


def _numbered(ids: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """Ids as numbers from 0, in their order, without holes."""
    seen = np.zeros(int(ids.max()) + 1, dtype=bool)
    seen[ids] = True
    number = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    return np.asarray(number[ids], dtype=np.int32), int(seen.sum())
