"""Reader of delimited text: CSV, TSV, semicolons, blanks; features, and a target of any kind."""

from __future__ import annotations

from dataclasses import replace

from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import like_number
from frankwolfe.datasets.readers.columns import ChosenColumns
from frankwolfe.datasets.readers.encode import Encoded, encoded_columns
from frankwolfe.datasets.readers.grid import Floats, read_grid, rows_from
from frankwolfe.datasets.readers.layout import TextLayout, layout_of
from frankwolfe.datasets.readers.parse import Arrow
from frankwolfe.datasets.readers.table import NotNumbers, Request, Table
from frankwolfe.datasets.readers.targets import numbers_or_classes
from frankwolfe.datasets.readers.words import Words

__all__ = ["read"]


def read(request: Request) -> Table:
    """Read features and, where it is wanted, a target from delimited text."""
    layout = layout_of(request)
    if request.header is None and not layout.names and not any(map(like_number, layout.first)):
        raise InvalidInput(f"{request.path} has a header but no rows.")
    columns = ChosenColumns.of(request, layout.names, len(layout.first))
    target = columns.target if request.target_file is None else None
    X, found = _columns(request, layout, columns, target)
    words = {c: Words.of(chunks) for c, chunks in found.items() if c != target}
    encoded = Encoded.of(request, columns, words, layout.name_of)
    name = "" if target is None else layout.name_of(target)
    return Table(
        X=encoded.beside(X),
        y=None
        if target is None
        else numbers_or_classes(
            request, found[target], name, lambda row: _line(request, layout, row)
        ),
        names=tuple(layout.names[c] for c in columns.features) if layout.names else (),
        target=name,
        format="csv",
        left_out=columns.left_out(len(layout.first)),
        where=lambda row: f"line {_line(request, layout, row)}",
        encoded=encoded.categories,
        unseen=tuple(encoded.unseen),
    )


def _columns(
    request: Request, layout: TextLayout, columns: ChosenColumns, target: int | None
) -> tuple[Floats, dict[int, list[Arrow]]]:
    """Numeric features as a matrix; pieces of columns of words and of the target, by column.

    The file is read again where columns turn out to hold words and are to be encoded.
    """
    encode = encoded_columns(request, columns, layout.names, len(layout.first))
    while True:
        numbers = [c for c in columns.features if c not in encode]
        words = [*sorted(encode), *([] if target is None else [target])]
        try:
            X, found = read_grid(request, layout, numbers, words, table=True)
        except NotNumbers as error:
            if request.encode is not True:
                raise
            encode |= set(error.places)
        else:
            return X, dict(zip(words, found, strict=True))


def _line(request: Request, layout: TextLayout, row: int) -> int:
    """Line number of a row, by reading the file again: only messages need it."""
    line = layout.lines
    for block in rows_from(replace(request, progress=None), layout):
        for raw in block.split(b"\n")[:-1]:
            line += 1
            row -= bool(raw.strip())
            if row < 0:
                return line
    return line
