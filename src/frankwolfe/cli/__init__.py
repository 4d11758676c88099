"""Command line `frankwolfe`: its parser, its exit codes, and one sentence for each error."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from frankwolfe import __version__
from frankwolfe.base.errors import InvalidInput, MissingExtra, Unreachable
from frankwolfe.cli.commands import MODULES
from frankwolfe.interrupts import release

__all__ = ["main", "parser"]

# 2 as of argparse, 70 is EX_SOFTWARE of sysexits.h, 128 + 2 SIGINT and 128 + 13 SIGPIPE
WRONG, FAULT, INTERRUPTED, CLOSED = 2, 70, 130, 141
TRACEBACK = "FRANKWOLFE_TRACEBACK"
"""Environment variable that makes an error of the program itself print its traceback."""
MEMORY = (
    "memory is used up: give less data, or a smaller share of memory to them by --max-memory, "
    "so that they are refused before they are read."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        release()  # a Ctrl-C that came while all this was loaded
        options = parser().parse_args(words)
        options.words = words[1:]
        code = int(options.run(options))
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output went away, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED
    except (Exception, KeyboardInterrupt) as error:
        code, sentence = _ending(error)
        if code == FAULT and os.environ.get(TRACEBACK):
            raise
        print(f"frankwolfe: {' '.join(sentence.splitlines())}", file=sys.stderr)
    return code


def _ending(error: BaseException) -> tuple[int, str]:
    """Exit code and one sentence for an error."""
    match error:
        case InvalidInput() | MissingExtra() | Unreachable():
            return WRONG, str(error)
        case KeyboardInterrupt():
            return INTERRUPTED, "interrupted."
        case MemoryError():
            return WRONG, MEMORY
        case OSError():  # a full disk, a folder that went away
            return WRONG, f"{error.filename or 'a file'}: {error.strerror or error}."
    what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return FAULT, (
        f"this is an error of the program itself ({what}); please report it, with what is shown "
        f"when {TRACEBACK}=1 is set."
    )


def parser() -> argparse.ArgumentParser:
    """Parser of the command line with all its commands."""
    whole = argparse.ArgumentParser(
        prog="frankwolfe",
        description="Projection-free constrained optimization: fit models, race methods, "
        "reproduce the paper.",
        epilog="frankwolfe COMMAND --help tells more, with examples.",
    )
    whole.add_argument("--version", action="version", version=f"frankwolfe {__version__}")
    subparsers = whole.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name in MODULES:
        import_module(f"frankwolfe.cli.commands.{name}").add(subparsers)
    return whole


if __name__ == "__main__":
    sys.exit(main())
