"""HTML from plain values, in which all that comes from outside is escaped, and assets."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from numbers import Integral, Real
from typing import SupportsFloat

__all__ = [
    "asset",
    "command_block",
    "facts",
    "figures",
    "inline_json",
    "key_figures",
    "paragraphs",
    "picture",
    "short",
    "table",
]

MAX_TABLE_CELL = 44  # characters; with longer cells a table is a list of cards on a phone


def asset(package: str, name: str) -> str:
    """Text of a style sheet or script in a package's folder `assets`."""
    return resources.files(package).joinpath("assets", name).read_text(encoding="utf-8")


def inline_json(value: object) -> str:
    r"""JSON of a value that can stand inside a script element, whatever strings it holds.

    Examples
    --------
    >>> from frankwolfe.visual.report.markup import inline_json
    >>> print(inline_json({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))  # ASCII: no line separators
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def paragraphs(text: str) -> str:
    """HTML of paragraphs separated by empty lines; text between backticks is code."""
    blocks = re.split(r"\n\s*\n", text.strip())
    return "\n".join(f"<p>{_words(block)}</p>" for block in blocks)


def facts(pairs: Mapping[str, object]) -> str:
    """HTML of a list of names with their values."""
    items = (f"<dt>{escape(name)}</dt><dd>{_words(str(v))}</dd>" for name, v in pairs.items())
    return f"<dl>{''.join(items)}</dl>"


def key_figures(rows: Sequence[tuple[str, object, str]]) -> str:
    """HTML of figures that stand out: the name of each, its value, and what it means."""
    items = (
        f"<div><dt>{escape(name)}</dt>"
        f"<dd>{figures(value) if isinstance(value, Real) else _words(str(value))}</dd>"
        f'<dd class="meaning">{_words(meaning)}</dd></div>'
        for name, value, meaning in rows
    )
    return f'<dl class="key">{"".join(items)}</dl>'


def command_block(commands: Sequence[str]) -> str:
    """HTML of lines to type; a long one can be scrolled, also by keyboard."""
    lines = "\n".join(map(escape, commands))
    return f'<pre tabindex="0" aria-label="Commands"><code>{lines}</code></pre>'


def picture(source: str, alt: str, caption: str) -> str:
    """HTML of an image with its alternative text and caption."""
    below = f"<figcaption>{_words(caption)}</figcaption>" if caption else ""
    return f'<figure><img src="{escape(source)}" alt="{escape(alt)}">{below}</figure>'


def table(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    marks: Mapping[str, str] | None = None,
) -> str:
    """HTML of a table with a caption, column heads and row heads; numbers stand to the right."""
    numeric = [
        bool(rows) and all(isinstance(row[j], Real) for row in rows) for j in range(len(header))
    ]
    head = "".join(
        f'<th scope="col"{_class("number" if right else "")}>{escape(name)}</th>'
        for name, right in zip(header, numeric, strict=True)
    )
    body = "\n".join(_row(header, row, numeric, marks or {}) for row in rows)
    long = any(len(str(cell)) > MAX_TABLE_CELL for row in rows for cell in row)
    label = f' tabindex="0" role="region" aria-label="{escape(caption)}"'
    return (
        f'<div class="wide{" stack" if long else ""}"{label}><table>'
        f"<caption>{_words(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _row(
    header: Sequence[str], row: Sequence[object], numeric: Sequence[bool], marks: Mapping[str, str]
) -> str:
    cells = []
    for j, (name, cell) in enumerate(zip(header, row, strict=True)):
        kind = "number" if numeric[j] else marks.get(str(cell), "")
        words = figures(cell) if isinstance(cell, Real) else _words(str(cell))
        start = '<th scope="row"' if j == 0 else "<td"
        end = "</th>" if j == 0 else "</td>"
        cells.append(f'{start}{_class(kind)} data-name="{escape(name)}">{words}{end}')
    return f"<tr>{''.join(cells)}</tr>"


def figures(value: SupportsFloat) -> str:
    """HTML of a number as a table shows it: four digits, powers of ten, words for truth values.

    Examples
    --------
    >>> from frankwolfe.visual.report.markup import figures
    >>> [figures(v) for v in (12345, 0.25, 1.5e-9, float("nan"), True)]
    ['12,345', '0.25', '1.5 × 10<sup>−9</sup>', '–', 'yes']
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return f"{int(value):,}".replace("-", "−")
    text = f"{float(value):.4g}"
    if text in ("nan", "inf", "-inf"):
        return {"nan": "–", "inf": "∞", "-inf": "−∞"}[text]
    if "e" not in text:
        return text.replace("-", "−")
    mantissa, exponent = text.split("e")
    power = str(int(exponent)).replace("-", "−")
    return f"{mantissa.replace('-', '−')} × 10<sup>{power}</sup>"


def _class(kind: str) -> str:
    return f' class="{escape(kind)}"' if kind else ""


def short(value: float) -> str:
    """Text of a quantity in a drawing: a whole number if large, else four digits.

    Examples
    --------
    >>> from frankwolfe.visual.report.markup import short
    >>> [short(v) for v in (23192.3, 4.0, 0.12345)]
    ['23,192', '4', '0.1235']
    """
    return f"{value:,.0f}" if 1000.0 <= abs(value) < 1e15 else f"{value:.4g}"


def _words(text: str) -> str:
    """HTML of text, escaped; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
