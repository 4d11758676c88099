"""Text files of the TNTP format: metadata, lines without comments, columns."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from frankwolfe.base import InvalidInput
from frankwolfe.base.files import NamedColumns, named_columns, number_of, reading
from frankwolfe.base.files import opened as unpacked

__all__ = ["Text", "columns_of", "header_cells", "opened"]


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
        found = number_of(value)
        if found is None or not math.isfinite(found):
            self.wrong(line, f"<{tag}> must be a finite number, got {value!r}")
        return found


def _unpacked(path: Path) -> bytes:
    """Content of a file, unpacked by gzip, bzip2, xz or zip."""
    with reading(path), unpacked(path, member="") as (file, _):
        try:
            return file.read()
        except EOFError:
            raise InvalidInput(f"{path} is cut short: its compressed data end too early.") from None


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


def columns_of(
    text: Text,
    usual: Sequence[str],
    aliases: Mapping[str, str],
    needed: Sequence[str],
    unread: Collection[str] = (),
) -> tuple[NamedColumns, list[int]]:
    """Columns of a body as its header names them, or else the usual ones; the lines of its rows.

    A header is a comment, or the first line of the body, that names the first two of the usual
    columns, and one more; it must name those that are needed. Columns named in `unread` may be
    missing in rows.
    """
    lines = text.body.split("\n")
    cells = [line.replace(";", " ").split() for line in lines]
    numbers = [i for i, row in enumerate(cells) if row]
    heads = [(text.line_at(place), comment) for place, comment in text.comments]
    if numbers:
        heads.append((text.first + numbers[0], lines[numbers[0]]))
    names = {name: j for j, name in enumerate(usual)}
    for line, head in heads:
        named = named_columns(header_cells(head), usual, aliases)
        if len(named) < 3 or not set(usual[:2]) <= set(named):  # no header
            continue
        missing = [name for name in needed if name not in named]
        if missing:
            text.wrong(line, f"the header must name {missing[0]}, got {head.strip()!r}")
        names = named
        numbers = [i for i in numbers if i != line - text.first]
    width, read = max(names.values()) + 1, [n for n in usual if n in names and n not in unread]
    for i in numbers:
        if len(cells[i]) <= max(names[name] for name in read):
            text.wrong(text.first + i, f"a row must have {width} columns, got {len(cells[i])}")
    found = {
        name: np.array([cells[i][names[name]] for i in numbers], dtype=np.object_) for name in read
    }
    places = [text.first + i for i in numbers]
    return NamedColumns(found, lambda row: f"{text.path}, line {places[row]}"), places


def header_cells(head: str) -> list[str]:
    """Words of a header: between tabs where there are some, without remarks in parentheses."""
    plain = re.sub(r"\([^)]*\)", "", head.replace(";", " ")).strip()
    return plain.split("\t") if "\t" in plain else plain.split()
