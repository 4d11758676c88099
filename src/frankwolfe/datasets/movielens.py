"""MovieLens ratings: never shipped, fetched on first use.

GroupLens lets the data be used for research and forbids redistribution; see the README that
comes with each set.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.base.files import opened, write_bytes, write_text
from frankwolfe.datasets.fetch import (
    BROKEN,
    damaged,
    download,
    from_wheel,
    has_hash,
    temporary_folder,
)
from frankwolfe.datasets.movielens_file import LICENCE, Ratings, read_movielens

__all__ = ["LICENCE", "VARIABLE", "Ratings", "movielens"]

VARIABLE = "FRANKWOLFE_MOVIELENS"
"""Environment variable that may name a file or folder with the ratings."""

SOURCE = "https://files.grouplens.org/datasets/movielens/"


@dataclass(frozen=True)
class _Release:
    """Release of MovieLens: archive, file of ratings, and their hashes (as pooch writes them).

    Where a package of the Python registry carries the same bytes, after one line of header,
    `wheel` and `wheel_member` name it and the path in it.
    """

    archive: str
    member: str
    separator: bytes
    archive_hash: str
    member_hash: str = ""
    header: bytes = b""
    wheel: str = ""
    wheel_member: str = ""


U_DATA_SHA256 = "06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490"
HEADER = b"userId,movieId,rating,timestamp"
RELEASES = {
    "100k": _Release(
        *("ml-100k.zip", "u.data", b"\t"),
        "sha256:50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229",
        f"sha256:{U_DATA_SHA256}",
        wheel="recbole==1.2.1",
        wheel_member="recbole/dataset_example/ml-100k/ml-100k.inter",
    ),
    "1m": _Release(
        *("ml-1m.zip", "ratings.dat", b"::"),
        "sha256:a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
    ),
    "10m": _Release(
        *("ml-10m.zip", "ratings.dat", b"::"),
        "sha256:813c411ccb6122564edfe752e7f80c4dcc5aa25fa94c93622f6877a7ba252862",
    ),
    "25m": _Release(
        *("ml-25m.zip", "ratings.csv", b","),
        "sha256:8b21cfb7eb1706b4ec0aac894368d90acf26ebdfb6aced3ebd4ad5bd1eb9c6aa",
        header=HEADER,
    ),
    "32m": _Release(  # GroupLens publishes MD5 sums of it alone
        *("ml-32m.zip", "ratings.csv", b","),
        "md5:d472be332d4daa821edc399621853b57",
        "md5:cf12b74f9ad4b94a011f079e26d4270a",
        HEADER,
    ),
}


def movielens(
    version: str = "100k",
    path: str | os.PathLike[str] | None = None,
    *,
    say: Callable[[str], None] = lambda _: None,
) -> Ratings:
    """Ratings of MovieLens 100K, 1M, 10M, 25M or 32M.

    Looked for in this order: `path`, the environment variable ``FRANKWOLFE_MOVIELENS``, the
    cache, GroupLens, and for 100K a package of the Python registry that carries the file.
    What is downloaded is checked by its hash and kept in the cache, with the hash of what was
    kept: a file there is checked each time, and fetched again where it has changed.

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
        with opened(found, release.member) as (file, _):
            return read_movielens(file, release.separator, release.header, f"MovieLens {version}")
    except InvalidInput:
        raise
    except BROKEN as error:
        words = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise InvalidInput(f"{found} is not a MovieLens {version} file: {words}.") from None


def _given(release: _Release, path: Path) -> Path:
    """File of ratings at, or below, the caller's path."""
    stem = Path(release.archive).stem
    names = [release.member + end for end in ("", ".xz", ".gz")] + [release.archive]
    folders = [path, path / stem]
    candidates = [path] if path.is_file() else [f / n for f in folders for n in names]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise InvalidInput(f"{path} has no {release.member} of MovieLens: name the file or its folder.")


def _cached(version: str, release: _Release, say: Callable[[str], None]) -> Path:
    """File of ratings in the cache, fetched first where it is not there or has changed."""
    folder = _cache_folder() / Path(release.archive).stem
    target = folder / release.member
    if target.is_file():
        if _is_as_kept(target, release):
            return target
        say(f"{target} is not what was kept there: fetching it again")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _from_grouplens(release, target, say)
    except (OSError, MissingExtra) as error:
        _from_elsewhere(version, release, target, error, say)
    return target


def _from_elsewhere(
    version: str,
    release: _Release,
    target: Path,
    error: OSError | MissingExtra,
    say: Callable[[str], None],
) -> None:
    """Fetch the ratings from the package registry after GroupLens ended with an error."""
    reasons = [] if isinstance(error, MissingExtra) else [_reason(error)]
    if release.wheel:
        say(f"GroupLens cannot be reached: looking for {release.member} in {release.wheel}")
        try:
            from_wheel(release.wheel, release.wheel_member, release.member_hash, target)
        except (OSError, InvalidInput) as other:
            reasons.append(_reason(other).rstrip("."))
        else:
            return
    if isinstance(error, MissingExtra):
        raise error
    raise InvalidInput(
        f"MovieLens {version} could not be fetched ({'; '.join(dict.fromkeys(reasons))}): download "
        f"{SOURCE}{release.archive} and pass its folder as path or in {VARIABLE}."
    ) from None


def _is_as_kept(target: Path, release: _Release) -> bool:
    """True if a cached file has the published hash or, without one, that kept beside it."""
    known, note = release.member_hash, _note(target)
    try:
        known = known or note.read_text("ascii").strip()
        return has_hash(target, known)
    except (OSError, ValueError):
        return False


def _note(target: Path) -> Path:
    """Path of the file that keeps the hash of a cached file."""
    return target.with_name(f"{target.name}.sha256")


def _reason(error: OSError | InvalidInput) -> str:
    """Reason why a fetch failed, in a few words."""
    if isinstance(error, InvalidInput):
        return str(error)
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror}" if error.strerror else f"{SOURCE} cannot be reached"


def _cache_folder() -> Path:
    """Folder for downloads, by the conventions of the system."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(base or Path.home() / ".cache") / "frankwolfe"


def _from_grouplens(release: _Release, target: Path, say: Callable[[str], None]) -> None:
    """Fetch a release from GroupLens, check it, and keep its ratings with their hash."""
    with temporary_folder(target.parent) as folder:
        archive = download(SOURCE + release.archive, release.archive_hash, folder, say)
        try:
            with opened(archive, release.member) as (file, _):
                raw = file.read()
        except InvalidInput:  # too large
            raise
        except BROKEN:
            raise damaged(release.archive) from None
        if release.member_hash and not has_hash(raw, release.member_hash):
            raise damaged(release.archive)
        write_bytes(target, raw)
        write_text(_note(target), f"sha256:{hashlib.sha256(raw).hexdigest()}\n")
