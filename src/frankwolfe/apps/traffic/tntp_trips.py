"""Reader of TNTP files of trips."""

from __future__ import annotations

import contextlib
import os
import re
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.tntp_text import END, Text, opened
from frankwolfe.apps.traffic.trips import Trips
from frankwolfe.base import AnyArray, Array, Flags, Indices

__all__ = ["read_trips"]

ORIGIN = re.compile(r"origin[ \t]*([^\s:;]*)", re.IGNORECASE)
NO_MARKS = bytes(set(range(256)) - set(b":;"))  # for bytes.translate to delete
MAX_ZONE = 2**53  # largest number of a zone; links name theirs as doubles, which are exact to here
TOTAL_REL_TOL = 0.01  # trips may miss <TOTAL OD FLOW> by so much: published files round it


def read_trips(trips: str | os.PathLike[str], network: Network | None = None) -> Trips:
    """Trips from a TNTP text file; :func:`read_tntp` describes the format.

    Parameters
    ----------
    trips : path
        The file.
    network : Network, optional
        Network among whose zones the trips must be.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from frankwolfe import traffic
    >>> trips = pathlib.Path(tempfile.mkdtemp(), "trips.tntp")
    >>> _ = trips.write_text('''<NUMBER OF ZONES> 2
    ... <TOTAL OD FLOW> 15.0
    ... <END OF METADATA>
    ... Origin 1
    ...     1 : 0.0;   2 : 10.0;
    ... Origin 2
    ...     1 : 5.0;
    ... ''')
    >>> traffic.read_trips(trips)
    Trips(15 from 2 origins, 2 pairs)
    """
    text = opened(trips)
    _must_hold_trips(text)
    blocks = [_block(text, *place) for place in _places(text)]
    sizes = [len(block.amounts) for block in blocks]
    origins = np.repeat(np.array([block.origin for block in blocks], dtype=np.int64), sizes)
    destinations = np.array([d for block in blocks for d in block.destinations], dtype=np.int64)
    amounts = np.array([a for block in blocks for a in block.amounts])
    _check(text, blocks, origins, destinations, amounts, network)
    _compare_total(text, float(amounts.sum()))
    return Trips(origins, destinations, amounts)


class _Block(NamedTuple):
    """Trips of one origin."""

    origin: int
    start: int  # place in the body where they begin
    end: int
    destinations: list[int]
    amounts: list[float]

    def line_of(self, text: Text, k: int) -> int:
        """Line of the k-th trip: that of the k-th colon from the start."""
        place = self.start - 1
        for _ in range(k + 1):
            place = text.body.index(":", place + 1)
        return text.line_at(place)


def _must_hold_trips(text: Text) -> None:
    """Raise unless a file has metadata that end, and trips, not links."""
    if "NUMBER OF LINKS" in text.tags:
        text.wrong(
            text.tags["NUMBER OF LINKS"][1],
            "these are links, where trips are wanted: give the trips file second",
        )
    if END not in text.tags:
        text.wrong(text.first, f"<{END}> is missing: a trips file begins with its metadata")
    if text.whole("NUMBER OF ZONES") < 1:
        text.wrong(text.tags["NUMBER OF ZONES"][1], "<NUMBER OF ZONES> must be at least 1")


def _places(text: Text) -> Iterator[tuple[int, int, int]]:
    """Each origin, with the places in the body where its trips begin and end."""
    found = list(ORIGIN.finditer(text.body))
    before = text.body[: found[0].start() if found else None]
    if before.strip() or not found:
        line = text.line_at(len(before) - len(before.lstrip()))
        text.wrong(line, "trips must begin with a line such as Origin 1")
    ends = [mark.start() for mark in found[1:]] + [len(text.body)]
    for mark, end in zip(found, ends, strict=True):
        if not mark[1].isdecimal() or int(mark[1]) > MAX_ZONE:
            line = text.line_at(mark.start())
            text.wrong(line, f"Origin must be followed by its number, got {mark[1]!r}")
        yield int(mark[1]), mark.end(), end


def _block(text: Text, origin: int, start: int, end: int) -> _Block:
    """Trips of an origin, parsed at once; line by line where that fails, to name the line."""
    with contextlib.suppress(ValueError):
        return _Block(origin, start, end, *_pairs(text.body[start:end]))
    destinations: list[int] = []
    amounts: list[float] = []
    for place, line in _lines(text, start, end):
        try:
            zones, numbers = _pairs(line)
        except ValueError:
            text.wrong(
                text.line_at(place),
                f"trips must be written as destination : amount;, got {line.strip()[:60]!r}",
            )
        destinations += zones
        amounts += numbers
    return _Block(origin, start, end, destinations, amounts)


def _pairs(piece: str) -> tuple[list[int], list[float]]:
    """Destinations and amounts of `1 : 2.5; 3 : 4.0;`; the last semicolon may be missing.

    Raises ValueError where something else is there.
    """
    marks = piece.encode().translate(None, NO_MARKS)
    wanted = b":;" * ((len(marks) + 1) // 2)
    cells = piece.replace(";", ":").split(":")
    if marks == wanted and not cells[-1].strip():
        cells.pop()
    elif marks + b";" != wanted:
        raise ValueError(piece)
    if "_" in piece:  # int() and float() would take it
        raise ValueError(piece)
    destinations = list(map(int, cells[::2]))
    if max(destinations, default=0) > MAX_ZONE:
        raise ValueError(piece)
    return destinations, list(map(float, cells[1::2]))


def _lines(text: Text, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Lines of a piece of the body, with the places where they begin."""
    while start < end:
        stop = text.body.find("\n", start, end) + 1 or end
        yield start, text.body[start:stop]
        start = stop


def _check(
    text: Text,
    blocks: list[_Block],
    origins: Indices,
    destinations: Indices,
    amounts: Array,
    network: Network | None,
) -> None:
    """Raise for the first trip between unknown zones, or whose amount is not finite and >= 0."""

    def refuse(fine: Flags, values: AnyArray, what: str) -> None:
        if not np.all(fine):
            k = int(np.argmin(fine))
            sizes = np.cumsum([len(block.amounts) for block in blocks])
            i = int(np.searchsorted(sizes, k, side="right"))
            line = blocks[i].line_of(text, k - int(sizes[i]) + len(blocks[i].amounts))
            text.wrong(line, f"{what}, got {values[k]:.15g}")

    zones = text.whole("NUMBER OF ZONES")
    for name, labels in (("an origin", origins), ("a destination", destinations)):
        if network is not None:
            known = network.nodes[network.zones]
            refuse(np.isin(labels, known), labels, f"{name} must be a zone of the network")
        elif _numbered(zones, origins, destinations):
            refuse((labels >= 1) & (labels <= zones), labels, f"{name} must be 1 to {zones}")
    fine = (amounts >= 0.0) & np.isfinite(amounts)
    refuse(fine, amounts, "trips must be finite numbers >= 0")


def _compare_total(text: Text, total: float) -> None:
    """Warn where the sum of trips is far from the total that the file says."""
    said = text.number("TOTAL OD FLOW", total)
    if abs(said - total) > TOTAL_REL_TOL * max(abs(said), total):
        line = text.tags["TOTAL OD FLOW"][1]
        warnings.warn(
            f"{text.path}, line {line}: <TOTAL OD FLOW> says {said:.10g}, but the trips sum to "
            f"{total:.10g}.",
            stacklevel=3,
        )


def _numbered(zones: int, *labels: Indices) -> bool:
    """True if zones are numbers from 1, not names of the file's own."""
    several = np.unique(np.concatenate(labels))
    return several.size > zones or bool(((several >= 1) & (several <= zones)).any())
