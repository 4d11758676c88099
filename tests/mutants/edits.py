"""The edits of one node of a syntax tree: (kind, first byte, last byte, new text)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Protocol

__all__ = ["edits", "rebound"]

Edit = tuple[str, int, int, str]
BOUNDARY = {
    **{ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")},
    **{ast.Eq: ("==", "!="), ast.NotEq: ("!=", "==")},
    **{ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is")},
    **{ast.In: ("in", "not in"), ast.NotIn: ("not in", "in")},
}
FLIPPED = {
    **{ast.Lt: ("<", ">"), ast.LtE: ("<=", ">="), ast.Gt: (">", "<"), ast.GtE: (">=", "<=")},
}
ARITHMETIC = {
    **{ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")},
    **{ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "*"), ast.Pow: ("**", "*")},
}
EMPTY = {"str": '""', "list": "[]", "dict": "{}", "tuple": "()", "set": "set()"}
WORDS = ("help", "metavar", "strict", "stacklevel", "cache", "nogil")  # describe, check, or hasten
NEGATIVE = ("float", "int", "Vector", "Matrix", "Array", "ndarray", "Image")


class Source(Protocol):
    """Where nodes are in a text."""

    def span(self, node: ast.AST) -> tuple[int, int]: ...

    def between(self, start: int, end: int) -> str: ...


def edits(node: ast.AST, source: Source, returns: str | None, again: set[int]) -> Iterator[Edit]:
    """All edits that begin at this node."""
    if isinstance(node, ast.Compare):
        yield from _compared(node, source)
    elif isinstance(node, ast.BinOp):
        yield from _operator("arithmetic", ARITHMETIC, node.op, node.left, node.right, source)
    elif isinstance(node, ast.AugAssign):
        yield from _operator("arithmetic", ARITHMETIC, node.op, node.target, node.value, source)
    elif isinstance(node, ast.BoolOp):
        words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from _between("and, or", words, left, right, source)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "returned", *source.span(node.value), _other(node.value, source, returns)
    elif isinstance(node, ast.Constant) and type(node.value) in {bool, int, float}:
        yield "number", *source.span(node), _next(node.value)
    elif isinstance(node, ast.Call):
        yield from _arguments(node, source)
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Constant):
        yield "negated", *source.span(node.test), f"not ({_text(node.test, source)})"
    if isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield "negated", *source.span(test), f"not ({_text(test, source)})"
    if _droppable(node, again):
        yield "dropped", *source.span(node), "pass"


def _text(node: ast.AST, source: Source) -> str:
    return source.between(*source.span(node))


def _compared(node: ast.Compare, source: Source) -> Iterator[Edit]:
    left = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        yield from _operator("boundary", BOUNDARY, op, left, right, source)
        yield from _operator("flipped", FLIPPED, op, left, right, source)
        left = right


def _operator(
    kind: str,
    table: dict[type, tuple[str, str]],
    op: ast.AST,
    left: ast.AST,
    right: ast.AST,
    source: Source,
) -> Iterator[Edit]:
    if type(op) in table:
        yield from _between(kind, table[type(op)], left, right, source)


def _between(
    kind: str, words: tuple[str, str], left: ast.AST, right: ast.AST, source: Source
) -> Iterator[Edit]:
    """The word between two operands replaced."""
    start, end = source.span(left)[1], source.span(right)[0]
    place = source.between(start, end).find(words[0])
    if place >= 0:
        first = start + len(source.between(start, end)[:place].encode())
        yield kind, first, first + len(words[0]), words[1]


def _next(value: complex) -> str:
    if isinstance(value, bool):
        return str(not value)
    return repr(value + 1) if abs(value) < 1e3 else "0"


def _other(value: ast.expr, source: Source, returns: str | None) -> str:
    """Another value of the same type, as far as that is declared; None where it may be that."""
    text, declared = _text(value, source), returns or ""
    if isinstance(value, ast.Constant) and type(value.value) in {bool, int, float}:
        return _next(value.value)
    if declared == "bool" or isinstance(value, ast.Compare | ast.BoolOp):
        return f"not ({text})"
    if isinstance(value, ast.Tuple) and returns is None and value.elts:
        return f"-({_text(value.elts[0], source)}), " + ", ".join(
            _text(item, source) for item in value.elts[1:]
        )
    if "None" in declared:
        return "None"
    if declared.split("[")[0] in EMPTY:
        return EMPTY[declared.split("[")[0]]
    return f"-({text})" if returns is None or declared.startswith(NEGATIVE) else "None"


def _arguments(node: ast.Call, source: Source) -> Iterator[Edit]:
    """A named argument that is not passed on."""
    given = sorted([*node.args, *node.keywords], key=source.span)
    for place, argument in enumerate(given):
        if isinstance(argument, ast.keyword) and argument.arg not in (None, *WORDS):
            start, end = source.span(argument)
            if place:
                start = source.span(given[place - 1])[1]
            elif len(given) > 1:
                end = source.span(given[1])[0]
            yield "argument", start, end, ""


def _droppable(node: ast.AST, again: set[int]) -> bool:
    """Statements without which the function can still be run."""
    if isinstance(node, ast.Expr | ast.AugAssign | ast.Break | ast.Continue | ast.Raise | ast.If):
        return not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield))
    if isinstance(node, ast.Assign):
        return id(node) in again or all(
            isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets
        )
    return False


def rebound(tree: ast.AST) -> set[int]:
    """Assignments, by `id`, to names that have a value already."""
    found = set()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        arguments = function.args
        known = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        stored = [n for n in ast.walk(function) if isinstance(n, ast.Assign)]
        for statement in sorted(stored, key=lambda node: node.lineno):
            names = {
                n.id
                for target in statement.targets
                for n in ast.walk(target)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
            if names and names <= known:
                found.add(id(statement))
            known |= names
    return found
