"""HTML from plain values; everything that comes from outside is escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from numbers import Integral, Real
from typing import Any

__all__ = [
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

LONG = 44  # characters; a table with longer cells becomes a list of cards on a phone


def inline_json(value: Any) -> str:
    r"""JSON that can stand inside a script element, whatever strings it holds.

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
    """Paragraphs parted by empty lines; what stands between backticks is code."""
    blocks = re.split(r"\n\s*\n", text.strip())
    return "\n".join(f"<p>{_words(block)}</p>" for block in blocks)


def facts(pairs: Mapping[str, Any]) -> str:
    """A list of names and what they stand for."""
    items = (f"<dt>{escape(name)}</dt><dd>{_words(str(v))}</dd>" for name, v in pairs.items())
    return f"<dl>{''.join(items)}</dl>"


def key_figures(rows: Sequence[tuple[str, Any, str]]) -> str:
    """Figures that stand out: the name of each, its value, and what it means."""
    items = (
        f"<div><dt>{escape(name)}</dt>"
        f"<dd>{figures(value) if isinstance(value, Real) else _words(str(value))}</dd>"
        f'<dd class="meaning">{_words(meaning)}</dd></div>'
        for name, value, meaning in rows
    )
    return f'<dl class="key">{"".join(items)}</dl>'


def command_block(commands: Sequence[str]) -> str:
    """Lines to type; a long one can be scrolled, also by keyboard."""
    lines = "\n".join(map(escape, commands))
    return f'<pre tabindex="0" aria-label="Commands"><code>{lines}</code></pre>'


def picture(source: str, alt: str, caption: str) -> str:
    """An image with its alternative text."""
    below = f"<figcaption>{_words(caption)}</figcaption>" if caption else ""
    return f'<figure><img src="{escape(source)}" alt="{escape(alt)}">{below}</figure>'


def table(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    marks: Mapping[str, str] | None = None,
) -> str:
    """A table with a caption, column heads and row heads; numbers stand to the right."""
    numeric = [
        bool(rows) and all(isinstance(row[j], Real) for row in rows) for j in range(len(header))
    ]
    head = "".join(
        f'<th scope="col"{_class("number" if right else "")}>{escape(name)}</th>'
        for name, right in zip(header, numeric, strict=True)
    )
    body = "\n".join(_row(header, row, numeric, marks or {}) for row in rows)
    long = any(len(str(cell)) > LONG for row in rows for cell in row)
    label = f' tabindex="0" role="region" aria-label="{escape(caption)}"'
    return (
        f'<div class="wide{" stack" if long else ""}"{label}><table>'
        f"<caption>{_words(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _row(
    header: Sequence[str], row: Sequence[Any], numeric: Sequence[bool], marks: Mapping[str, str]
) -> str:
    cells = []
    for j, (name, cell) in enumerate(zip(header, row, strict=True)):
        kind = "number" if numeric[j] else marks.get(str(cell), "")
        words = figures(cell) if isinstance(cell, Real) else _words(str(cell))
        start = '<th scope="row"' if j == 0 else "<td"
        end = "</th>" if j == 0 else "</td>"
        cells.append(f'{start}{_class(kind)} data-name="{escape(name)}">{words}{end}')
    return f"<tr>{''.join(cells)}</tr>"


def figures(value: Any) -> str:
    """A number as a table shows it.

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
    """A quantity as a drawing names it: whole where it is large.

    Examples
    --------
    >>> from frankwolfe.visual.report.markup import short
    >>> [short(v) for v in (23192.3, 4.0, 0.12345)]
    ['23,192', '4', '0.1235']
    """
    return f"{value:,.0f}" if 1000.0 <= abs(value) < 1e15 else f"{value:.4g}"


def _words(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
