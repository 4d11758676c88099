"""Options that several commands share, and the checks of their values."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TypeAlias

from frankwolfe.base.budget import as_bytes
from frankwolfe.base.errors import InvalidInput
from frankwolfe.objectives import LOSSES as OBJECTIVES_BY_NAME
from frankwolfe.regions import REGION_NAMES

__all__ = [
    "LOSSES",
    "MAX_MAGNITUDE",
    "REGIONS",
    "SHAPES",
    "Subparsers",
    "add_command",
    "add_file_options",
    "add_memory_option",
    "columns",
    "columns_to_encode",
    "index_base",
    "memory_size",
]

LOSSES = tuple(OBJECTIVES_BY_NAME)
REGIONS = tuple(REGION_NAMES)
SHAPES = tuple(name for name, kind in REGION_NAMES.items() if not kind.grouped)
"""Names of the regions that are given by a radius alone."""

MAX_MAGNITUDE = 1e75  # of data and radii; the fourth power of a larger number may overflow

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Commands of a parser, to which a command's `add` adds its own (argparse names it privately)."""

BASES: dict[str, int | None] = {"auto": None, "yes": 0, "no": 1}

CODES = """\
exit codes: 0 all is well, 1 the accuracy asked for was not reached (results are written all the
same), 2 something in the input is wrong, 70 an error of the program itself, 130 interrupted by
Ctrl-C (what is done is kept)."""


def add_command(
    subparsers: Subparsers,
    name: str,
    *,
    help: str,  # noqa: A002
    description: str,
    examples: str,
) -> argparse.ArgumentParser:
    """Add a command, with examples and exit codes below its help, and return its parser."""
    return subparsers.add_parser(
        name,
        help=help,
        description=description,
        epilog=f"examples:\n{examples}\n{CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Add the options on how a file is read."""
    group = parser.add_argument_group("the file")
    group.add_argument(
        "--format",
        choices=("csv", "libsvm", "parquet", "npz", "mtx"),
        help="found out by default; csv also stands for tabs, semicolons and blanks",
    )
    group.add_argument(
        "--zero-based",
        choices=tuple(BASES),
        default="auto",
        help="whether LIBSVM indices count from 0; auto: as in the model, or if a 0 occurs",
    )
    add_memory_option(group)
    header = group.add_mutually_exclusive_group()
    header.add_argument(
        "--header",
        action="store_true",
        default=None,
        help="the first line names the columns; found out by default",
    )
    header.add_argument("--no-header", dest="header", action="store_false", help="it does not")


def add_memory_option(parser: argparse._ActionsContainer) -> None:
    """Add the option on how much memory the data may take, to a parser or a group."""
    parser.add_argument(
        "--max-memory",
        type=memory_size,
        metavar="SIZE",
        help="most memory for the data, as in 4GB; default: half of what is left",
    )


def memory_size(text: str) -> int:
    """Number of bytes of a size such as 4GB, for argparse."""
    try:
        return as_bytes(text)
    except InvalidInput:
        raise argparse.ArgumentTypeError(
            f"must be a size such as 500M or 4GB, got {text!r}"
        ) from None


def index_base(options: argparse.Namespace, model: int | None = None) -> int | None:
    """First index of a LIBSVM file, 0 or 1: as the option says, else as in the model, or None."""
    base = BASES[options.zero_based]
    return model if base is None else base


def columns(text: str) -> list[str]:
    """Names or numbers of columns, from a list between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def columns_to_encode(text: str) -> list[str]:
    """Columns of --encode, from a list between commas; an existing file is refused.

    The option may stand alone, and would then take the file after it for a column.
    """
    if Path(text).is_file():
        raise argparse.ArgumentTypeError(
            f"takes columns, got the file {text!r}: write the file before --encode"
        )
    return columns(text)
