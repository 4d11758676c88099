"""Archives of arrays (npz), whose sizes are checked before memory is taken for them."""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from typing import IO

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.budget import Budget
from frankwolfe.base.errors import InvalidInput

__all__ = ["BrokenArchive", "array_names", "read_array", "read_arrays"]

SUFFIX = ".npy"


class BrokenArchive(ValueError):
    """Raised where a file is no complete archive of arrays; the message says why in a few words."""


def array_names(file: IO[bytes]) -> list[str]:
    """Names of the arrays in an archive."""
    try:
        with zipfile.ZipFile(file) as archive:
            return [name.removesuffix(SUFFIX) for name in archive.namelist()]
    except Exception as error:
        raise BrokenArchive(_in_words(error)) from None


def read_arrays(
    file: IO[bytes], whose: object, budget: Budget, names: Collection[str] | None = None
) -> dict[str, Array]:
    """Read all or some arrays of an archive, by name; Python objects are refused.

    What an array takes is read from the archive's list and from the array's head, which must
    agree; `whose` file is named where that is more than the budget allows.

    Raises
    ------
    BrokenArchive
        If something is damaged or missing.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            listed = {info.filename.removesuffix(SUFFIX): info for info in archive.infolist()}
            wanted = listed if names is None else {name: listed[name] for name in names}
            budget.hold(sum(info.file_size for info in wanted.values()), whose)
            return {name: _member(archive, info) for name, info in wanted.items()}
    except (InvalidInput, BrokenArchive, OSError, MemoryError):
        raise
    except Exception as error:  # a damaged archive fails in many ways
        raise BrokenArchive(_in_words(error)) from None


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Array:
    with archive.open(info) as stream:
        _check_head(stream, info.file_size)
    with archive.open(info) as stream:  # anew, so that the checksum covers all of it
        array: Array = np.lib.format.read_array(stream, allow_pickle=False)
        if stream.read(1):  # also has the checksum compared
            raise BrokenArchive("an array has bytes after its end")
    return array


def read_array(file: IO[bytes], size: int, whose: object, budget: Budget) -> Array:
    """Read a .npy file of `size` bytes, after its head was checked against the budget."""
    try:
        budget.hold(size, whose)
        _check_head(file, size)
        file.seek(0)
        array: Array = np.lib.format.read_array(file, allow_pickle=False)
    except (InvalidInput, BrokenArchive, OSError, MemoryError):
        raise
    except Exception as error:
        raise BrokenArchive(_in_words(error)) from None
    return array


def _check_head(stream: IO[bytes], size: int) -> None:
    """Raise unless an array has the bytes that its head promises, and holds no Python objects."""
    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    elif version in ((2, 0), (3, 0)):  # which differ in how names of fields are written
        shape, _, dtype = np.lib.format.read_array_header_2_0(stream)
    else:
        raise BrokenArchive(f"an array has the unknown version {version[0]}.{version[1]}")
    if dtype.hasobject:
        raise BrokenArchive("it holds Python objects: save arrays of numbers")
    count = 1
    for length in shape:  # in whole numbers, which do not overflow
        count *= int(length)
    promised = count * dtype.itemsize
    if min(shape, default=0) < 0 or promised != size - stream.tell():
        raise BrokenArchive(f"an array of shape {shape} has not as many bytes")


def _in_words(error: Exception) -> str:
    """The first line of an error's message."""
    if isinstance(error, KeyError):
        return f"it has no {error.args[0]}"
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200].rstrip(".")
