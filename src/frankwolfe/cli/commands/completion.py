"""Command `frankwolfe completion`: a script that completes commands in a shell, by shtab."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from frankwolfe.base.errors import MissingExtra
from frankwolfe.cli.arguments import Subparsers, add_command

__all__ = ["add", "run", "script"]

SHELLS = ("bash", "zsh", "fish")
FILES = ("file", "files", "model", "data", "net", "trips")  # positional arguments that are files

EXAMPLES = """\
  eval "$(frankwolfe completion bash)"                               in ~/.bashrc
  eval "$(frankwolfe completion zsh)"                                in ~/.zshrc, after compinit
  frankwolfe completion fish > ~/.config/fish/completions/frankwolfe.fish
"""


def add(subparsers: Subparsers) -> None:
    """Define the command and its options."""
    parser = add_command(
        subparsers,
        "completion",
        help="print a script that completes commands in a shell",
        description="Print a script that completes commands, options and their values.",
        examples=EXAMPLES,
    )
    parser.add_argument("shell", choices=SHELLS, help="your shell")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the completion script for a shell."""
    from importlib import import_module

    # the parser is put together above this layer
    print(script(import_module("frankwolfe.cli").parser(), options.shell))
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
