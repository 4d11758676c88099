"""frankwolfe completion: a script that completes commands and options in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from frankwolfe.cli.arguments import add_command

__all__ = ["add", "run", "script"]

EXAMPLES = """\
  eval "$(frankwolfe completion bash)"                               in ~/.bashrc
  eval "$(frankwolfe completion zsh)"                                in ~/.zshrc, after compinit
  frankwolfe completion fish > ~/.config/fish/completions/frankwolfe.fish
"""


@dataclass(frozen=True)
class _Option:
    """An option, or the arguments (without flags) of a command."""

    flags: tuple[str, ...]
    help: str
    choices: tuple[str, ...]
    takes: bool


def add(subparsers: Any) -> None:
    """Say what the command takes."""
    parser = add_command(
        subparsers,
        "completion",
        help="print a script that completes commands in a shell",
        description="Print a script that completes commands, options and their values.",
        examples=EXAMPLES,
    )
    parser.add_argument("shell", choices=tuple(WRITERS), help="your shell")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the script for a shell."""
    from importlib import import_module

    # the parser is put together above this layer
    print(script(import_module("frankwolfe.cli").parser(), options.shell))
    return 0


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The completions of a parser with commands, for bash, zsh or fish."""
    return WRITERS[shell](_tree(parser))


def _tree(parser: argparse.ArgumentParser) -> dict[str, tuple[str, list[_Option]]]:
    """For each command its help and its options; the parser's own under the empty name."""
    tree = {"": ("", list(_options(parser)))}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, sub in action.choices.items():
                tree[name] = (helps.get(name, ""), list(_options(sub)))
    return tree


def _options(parser: argparse.ArgumentParser) -> Iterator[_Option]:
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            yield _Option(
                tuple(action.option_strings),
                (action.help or "").replace("%%", "%"),
                tuple(map(str, action.choices or ())),
                action.nargs != 0,
            )


def _bash(tree: dict[str, tuple[str, list[_Option]]]) -> str:
    commands = " ".join(name for name in tree if name)
    cases = []
    for name, (_, options) in tree.items():
        flags = " ".join(flag for option in options for flag in option.flags)
        words = " ".join(choice for o in options if not o.flags for choice in o.choices)
        first = f"{commands} " if not name else ""
        files = "" if words else " files=yes"
        cases.append(f'    "{name}") words="{first}{flags} {words}"{files} ;;')
        for option in (option for option in options if option.flags and option.choices):
            pattern = "|".join(f'"{name} {flag}"' for flag in option.flags)
            values = " ".join(option.choices)
            cases.append(f'    {pattern}) words="{values}" ;;')
    body = "\n".join(cases)
    return f"""_frankwolfe() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="" words="" files="" key
  [ "$COMP_CWORD" -gt 1 ] && command="${{COMP_WORDS[1]}}"
  for key in "$command $previous" "$command"; do
    case "$key" in
{body}
    esac
    [ -n "$words" ] && break
  done
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
  if [ -n "$files" ] && [ "$COMP_CWORD" -gt 1 ] && [ "${{current#-}}" = "$current" ]; then
    COMPREPLY+=( $(compgen -f -- "$current") )
  fi
}}
complete -o filenames -F _frankwolfe frankwolfe"""


def _zsh(tree: dict[str, tuple[str, list[_Option]]]) -> str:
    commands = "\n".join(
        f"    {_quoted(f'{name}:{text}')}" for name, (text, _) in tree.items() if name
    )
    cases = []
    for name, (_, options) in tree.items():
        if name:
            specs = " \\\n        ".join(_zsh_spec(option) for option in options)
            cases.append(f"    {name}) _arguments -s \\\n        {specs} ;;")
    body = "\n".join(cases)
    return f"""#compdef frankwolfe
_frankwolfe() {{
  local -a commands
  commands=(
{commands}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
{body}
  esac
}}
compdef _frankwolfe frankwolfe"""


def _zsh_spec(option: _Option) -> str:
    values = f"({' '.join(option.choices)})" if option.choices else "_files"
    if not option.flags:
        return _quoted(f"*:{_flat(option.help)}:{values}")
    tail = f":value:{values}" if option.takes else ""
    return " ".join(_quoted(f"{flag}[{_flat(option.help)}]{tail}") for flag in option.flags)


def _flat(text: str) -> str:
    for mark in "[]:":
        text = text.replace(mark, " ")
    return text


def _fish(tree: dict[str, tuple[str, list[_Option]]]) -> str:
    lines = []
    for name, (text, _) in tree.items():
        if name:
            told = _fish_quoted(text)
            lines.append(f"complete -c frankwolfe -n __fish_use_subcommand -f -a {name} -d {told}")
    for name, (_, options) in tree.items():
        when = f"'__fish_seen_subcommand_from {name}'" if name else "__fish_use_subcommand"
        for option in options:
            words = " ".join(
                f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
                for flag in option.flags
            )
            if option.choices:
                values = _fish_quoted(" ".join(option.choices))
                words += f"{' -x' if option.flags else ' -f'} -a {values}"
            elif option.takes:
                words += " -r" if option.flags else " -F"
            line = f"complete -c frankwolfe -n {when} {words} -d {_fish_quoted(option.help)}"
            lines.append(line.replace("  ", " "))
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


WRITERS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
