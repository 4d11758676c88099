"""Command line `frankwolfe`: parser, exit codes, a sentence for each error, completion scripts."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial

from frankwolfe import __version__
from frankwolfe.base.errors import InvalidInput, MissingExtra, Unreachable
from frankwolfe.cli.arguments import Subparsers, add_command
from frankwolfe.cli.commands import complete, fit, lists, predict, race, reproduce, show, traffic
from frankwolfe.cli.screen import INTERRUPTED
from frankwolfe.interrupts import release

__all__ = ["main", "parser", "script"]

COMMANDS = (fit, predict, complete, traffic, race, reproduce, show, lists)
"""Modules of the commands, in the order of the help."""
# 2 as of argparse, 70 is EX_SOFTWARE of sysexits.h, 128 + 13 stands for SIGPIPE
WRONG, FAULT, CLOSED = 2, 70, 141
TRACEBACK = "FRANKWOLFE_TRACEBACK"
"""Environment variable that makes an error of the program itself print its traceback."""
SHELLS = ("bash", "zsh", "fish")
FILES = ("file", "files", "model", "data", "net", "trips")  # positional arguments that are files

EXAMPLES = """\
  eval "$(frankwolfe completion bash)"                               in ~/.bashrc
  eval "$(frankwolfe completion zsh)"                                in ~/.zshrc, after compinit
  frankwolfe completion fish > ~/.config/fish/completions/frankwolfe.fish
"""
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
    for command in COMMANDS:
        command.add(subparsers)
    _add_completion(subparsers, whole)
    return whole


def _add_completion(subparsers: Subparsers, whole: argparse.ArgumentParser) -> None:
    """Define the command that prints a completion script of the whole parser."""
    parser = add_command(
        subparsers,
        "completion",
        help="print a script that completes commands in a shell",
        description="Print a script that completes commands, options and their values.",
        examples=EXAMPLES,
    )
    parser.add_argument("shell", choices=SHELLS, help="your shell")
    parser.set_defaults(run=partial(_print_script, whole))


def _print_script(whole: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    print(script(whole, options.shell))
    return 0


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Completion script of a parser with commands, for one of SHELLS."""
    try:
        import shtab
    except ImportError:
        raise MissingExtra("frankwolfe completion", "shtab", "cli") from None
    for action in _actions(parser):
        if action.metavar == "FILE" or action.dest in FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar == "DIR":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the actions of a parser and of its commands."""
    for action in parser._actions:  # argparse has no public way to list them
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from _actions(sub)
