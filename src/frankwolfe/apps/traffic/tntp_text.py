"""Text files of the TNTP format: metadata, lines without comments, columns."""

from __future__ import annotations

import io
import math
import os
import re
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.packed import opened as unpacked
from frankwolfe.base.packed import reading

__all__ = ["Text", "TextRows", "as_number", "named_columns", "opened", "rows_of"]


ZIP = b"PK\x03\x04"
TAG = re.compile(r"\s*<([^>]*)>([^~\n]*)")
COMMENT = re.compile(r"~([^\n]*)")
END = "END OF METADATA"


@dataclass(frozen=True)
class Text:
    """A text file parted into its metadata and the body below, without comments."""

    path: Path
    tags: Mapping[str, tuple[str, int]]  # value and line number of each tag
    body: str
    first: int  # number of the first line of `body`
    comments: Sequence[tuple[int, str]]  # of the body: place in it, and text

    def wrong(self, line: int, what: str) -> NoReturn:
        """Raise an error that names the file and the line."""
        raise InvalidInput(f"{self.path}, line {line}: {what}.")

    def line_at(self, place: int) -> int:
        """Number of the line that holds a place of the body."""
        return self.first + self.body.count("\n", 0, place)

    def whole(self, tag: str, default: int | None = None) -> int:
        """Whole number that a tag says; the default, or an error, where the tag is missing."""
        if tag not in self.tags:
            if default is None:
                self.wrong(max(self.first - 1, 1), f"<{tag}> is missing before <{END}>")
            return default
        value = self.number(tag)
        if value != int(value):
            self.wrong(self.tags[tag][1], f"<{tag}> must be a whole number, got {value:g}")
        return int(value)

    def number(self, tag: str, default: float = 0.0) -> float:
        """Finite number that a tag says; the default where the tag is missing."""
        if tag not in self.tags:
            return default
        value, line = self.tags[tag]
        found = as_number(value)
        if not math.isfinite(found):
            self.wrong(line, f"<{tag}> must be a finite number, got {value!r}")
        return found


def _only_member(path: Path, data: bytes) -> bytes:
    """Content of the only file in a zip archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            if len(names) == 1:
                return archive.read(names[0])
    except (zipfile.BadZipFile, zlib.error, RuntimeError) as error:  # the last: it has a password
        raise InvalidInput(f"{path} cannot be read: {str(error).rstrip('.')}.") from None
    raise InvalidInput(f"{path} must be a zip archive of one file, got {len(names)}.")


def _unpacked(path: Path) -> bytes:
    """Content of a file, unpacked by gzip, bzip2, xz or zip."""
    with reading(path), unpacked(path) as (file, _):
        try:
            data = file.read()
        except EOFError:
            raise InvalidInput(f"{path} is cut short: its compressed data end too early.") from None
    return _only_member(path, data) if data.startswith(ZIP) else data


def opened(file: str | os.PathLike[str]) -> Text:
    """Text of a file, unpacked where it is compressed, and parted."""
    if not isinstance(file, str | os.PathLike):
        raise InvalidInput(f"a file must be given by its path, got {type(file).__name__}.")
    path = Path(file)
    data = _unpacked(path)
    if b"\0" in data:
        line = 1 + data.count(b"\n", 0, data.index(b"\0"))
        raise InvalidInput(f"{path}, line {line}: this is not a text file.")
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise InvalidInput(f"{path} is empty.")
    return _parted(path, text)


def _parted(path: Path, text: str) -> Text:
    """Part a text after its metadata, which may be missing."""
    tags: dict[str, tuple[str, int]] = {}
    place, number = 0, 1
    while place < len(text) and END not in tags:
        end = text.find("\n", place) + 1 or len(text)
        line = text[place:end]
        found = TAG.match(line)
        if found is not None:
            tags[" ".join(found[1].upper().split())] = (found[2].strip(), number)
        elif line.strip() and not line.lstrip().startswith("~"):
            break
        place, number = end, number + 1
    if not tags:
        place, number = 0, 1
    body = text[place:]
    comments = [(found.start(), found[1]) for found in COMMENT.finditer(body)]
    # blanks in place of comments, so that places in the body stay what they are
    plain = COMMENT.sub(lambda found: " " * len(found[0]), body) if comments else body
    return Text(path, tags, plain, number, comments)


@dataclass(frozen=True)
class TextRows:
    """Rows of words with their line numbers; columns are known by name."""

    text: Text
    cells: list[list[str]]
    lines: list[int]
    names: Mapping[str, int]  # index of each named column

    def column(self, name: str, default: float | None = None) -> Array:
        """Column as numbers; filled with the default where there is no such column."""
        if name not in self.names and default is not None:
            return np.full(len(self.cells), default)
        j = self.names[name]
        try:
            words = [row[j] for row in self.cells]
            if "_" not in "".join(words):  # float("1_0") is 10
                return np.array(list(map(float, words)))
        except (IndexError, ValueError):
            pass
        return self._careful(name, j)

    def _careful(self, name: str, j: int) -> NoReturn:
        """Raise an error about the first row without a number in column j."""
        for row, line in zip(self.cells, self.lines, strict=True):
            if len(row) <= j:
                self.text.wrong(
                    line, f"a row must have {max(self.names.values()) + 1} columns, got {len(row)}"
                )
            if math.isnan(as_number(row[j])):
                self.text.wrong(line, f"{name} must be a number, got {row[j]!r}")
        raise AssertionError("every row has a number")

    def labels(self, name: str) -> Indices:
        """Column as whole numbers: labels of nodes."""
        values = self.column(name)
        wrong = np.flatnonzero(~((values == np.rint(values)) & (np.abs(values) < 2.0**53)))
        if wrong.size:
            i = wrong[0]
            self.text.wrong(self.lines[i], f"{name} must be a whole number, got {values[i]:g}")
        return values.astype(np.int64)


def rows_of(
    text: Text, usual: Sequence[str], known: Mapping[str, str], needed: Sequence[str]
) -> TextRows:
    """Rows of a body, with columns as its header names them, or else the usual ones.

    A header is a comment, or the first line of the body, that names the first two of the usual
    columns, and one more; it must name those that are needed. `known` maps other names of
    columns to the usual ones.
    """
    lines = text.body.split("\n")
    cells = [line.replace(";", " ").split() for line in lines]
    numbers = [i for i, row in enumerate(cells) if row]
    heads = [(text.line_at(place), comment) for place, comment in text.comments]
    if numbers:
        heads.append((text.first + numbers[0], lines[numbers[0]]))
    names = {name: j for j, name in enumerate(usual)}
    for line, head in heads:
        named = named_columns(head, usual, known)
        if len(named) < 3 or not set(usual[:2]) <= set(named):  # no header
            continue
        missing = [name for name in needed if name not in named]
        if missing:
            text.wrong(line, f"the header must name {missing[0]}, got {head.strip()!r}")
        names = named
        numbers = [i for i in numbers if i != line - text.first]
    return TextRows(text, [cells[i] for i in numbers], [text.first + i for i in numbers], names)


def named_columns(head: str, usual: Sequence[str], known: Mapping[str, str]) -> dict[str, int]:
    """Index of each column that the words of a header name."""
    plain = re.sub(r"\([^)]*\)", "", head.replace(";", " "))
    words = plain.strip().split("\t") if "\t" in plain.strip() else plain.split()
    own = {re.sub(r"\W|_", "", name): name for name in usual}
    found: dict[str, int] = {}
    for j, word in enumerate(words):
        key = re.sub(r"\W|_", "", word.lower())
        name = own.get(key, known.get(key))
        if name is not None:
            found.setdefault(name, j)
    return found


def as_number(word: str) -> float:
    """Number that a word spells; NaN where it is none."""
    try:
        return math.nan if "_" in word else float(word)
    except ValueError:
        return math.nan
