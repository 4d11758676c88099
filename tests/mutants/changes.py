"""Single changes of a source file: each is one edit of its text that leaves the lines in place."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from .edits import edits, rebound

__all__ = ["Change", "changes", "mutated", "pick"]


@dataclass(frozen=True)
class Change:
    """One edit: where it is, what stands there and what would stand there instead."""

    file: str  # below the package's folder
    function: str  # qualified name; empty at the level of the module
    line: int
    source: str  # the line on which the change begins
    kind: str
    start: int  # bytes
    end: int
    before: str
    after: str

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """What names the change when lines move: file, function, line of text, before, after."""
        return self.file, self.function, self.source, _line(self.before), _line(self.after)

    def __str__(self) -> str:
        here = f"{self.file}:{self.line} {self.function}, {self.kind}"
        return f"{here}: `{_line(self.before)}` -> `{_line(self.after)}`"


def _line(text: str) -> str:
    return " ".join(text.split())


class _Text:
    """A source with the byte at which each node begins and ends."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()
        self.lines = text.splitlines()
        self._starts = [0, *accumulate(len(line) for line in self.data.splitlines(keepends=True))]

    def span(self, node: ast.AST) -> tuple[int, int]:
        last = self._starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        return self._starts[node.lineno - 1] + node.col_offset, last  # type: ignore[attr-defined]

    def between(self, start: int, end: int) -> str:
        return self.data[start:end].decode()


def changes(file: str, text: str) -> list[Change]:
    """All changes that can be made to a file."""
    source, found = _Text(text), []
    tree = ast.parse(text)
    again = rebound(tree)
    for function, node, returns in _walk(tree):
        for kind, start, end, after in edits(node, source, returns, again):
            before = source.between(start, end)
            line = source.data.count(b"\n", 0, start) + 1
            here = source.lines[line - 1].strip()
            found.append(Change(file, function, line, here, kind, start, end, before, after))
    return found


def mutated(text: str, change: Change) -> str:
    """The text with the change made, and with as many lines as before."""
    data = text.encode()
    gone = data[change.start : change.end].count(b"\n") - change.after.count("\n")
    after = change.after + "\n" * gone
    return (data[: change.start] + after.encode() + data[change.end :]).decode()


def pick(found: list[Change], texts: dict[str, str], seed: str) -> Change:
    """One of the changes: first a kind at random, then one of that kind that is good Python."""
    rng = random.Random(seed)
    while True:
        kind = rng.choice(sorted({change.kind for change in found}))
        change = rng.choice([change for change in found if change.kind == kind])
        try:
            compile(mutated(texts[change.file], change), change.file, "exec")
        except SyntaxError:
            continue
        return change


def _walk(
    node: ast.AST, function: str = "", returns: str | None = None
) -> Iterator[tuple[str, ast.AST, str | None]]:
    """Nodes that may change, each with its function and what that is declared to return."""
    for child in _parts(node):
        name, kind = function, returns
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{function}.{child.name}" if function else child.name
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            kind = ast.unparse(child.returns) if child.returns else None
        yield name, child, kind
        yield from _walk(child, name, kind)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """Children that are code: no annotations, decorators, docstrings, or words of messages."""
    if isinstance(node, ast.JoinedStr | ast.Raise):
        return
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            words = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and not words:
                yield child
