"""Pieces of the parsers that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from frankwolfe import objectives
from frankwolfe.base.budget import as_bytes
from frankwolfe.base.errors import InvalidInput
from frankwolfe.regions import REGION_NAMES

__all__ = [
    "LOSSES",
    "MOST",
    "REGIONS",
    "SHAPES",
    "add_command",
    "add_file_options",
    "add_memory_option",
    "columns",
    "columns_to_encode",
    "index_base",
    "memory_size",
]

LOSSES = tuple(objectives.LOSSES)
REGIONS = tuple(REGION_NAMES)
SHAPES = tuple(name for name, kind in REGION_NAMES.items() if not kind.grouped)
"""The regions that need nothing but a radius."""

MOST = 1e75  # the fourth power of what is larger may be infinite

BASES: dict[str, int | None] = {"auto": None, "yes": 0, "no": 1}

CODES = """\
exit codes: 0 all is well, 1 the accuracy asked for was not reached (results are written all the
same), 2 something in the input is wrong, 70 an error of the program itself, 130 interrupted by
Ctrl-C (what is done is kept)."""


def add_command(
    subparsers: Any,
    name: str,
    *,
    help: str,  # noqa: A002
    description: str,
    examples: str,
) -> argparse.ArgumentParser:
    """The parser of a command, with its examples below its help."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=help,
        description=description,
        epilog=f"examples:\n{examples}\n{CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Options on how a file is read."""
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


def add_memory_option(parser: Any) -> None:
    """The option on how much memory the data may take."""
    parser.add_argument(
        "--max-memory",
        type=memory_size,
        metavar="SIZE",
        help="most memory for the data, as in 4GB; default: half of what is left",
    )


def memory_size(text: str) -> int:
    """Bytes, from a text such as 4GB."""
    try:
        return as_bytes(text)
    except InvalidInput:
        raise argparse.ArgumentTypeError(
            f"must be a size such as 500M or 4GB, got {text!r}"
        ) from None


def index_base(options: argparse.Namespace, model: int | None = None) -> int | None:
    """From what LIBSVM indices count: as was said, or as the model knows, or None."""
    base = BASES[options.zero_based]
    return model if base is None else base


def columns(text: str) -> list[str]:
    """Names or numbers of columns between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def columns_to_encode(text: str) -> list[str]:
    """The same; a file is no column, where the option stands alone before it."""
    if Path(text).is_file():
        raise argparse.ArgumentTypeError(
            f"takes columns, got the file {text!r}: write the file before --encode"
        )
    return columns(text)
