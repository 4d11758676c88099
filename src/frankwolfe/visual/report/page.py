"""Report page: pieces one after another, and everything they need inside the file."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import write_text
from frankwolfe.visual.plots.style import Figure
from frankwolfe.visual.report import markup
from frankwolfe.visual.report.curves import Curves, as_series, curves
from frankwolfe.visual.report.network import drawing, network_style
from frankwolfe.visual.report.setup import machine
from frankwolfe.visual.roads import RoadMap

__all__ = ["Report", "page"]

HERE = "frankwolfe.visual.report"
SCRIPTS = ("scales.js", "shapes.js", "chart.js", "controls.js")
DRAWN, ROADS = ("shapes.js",), ("roads.js",)
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
ICON = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"


class Report:
    """Report in one HTML file that needs no network.

    Parameters
    ----------
    title : str
        The title of the page.
    lead : str
        A sentence below it.

    Examples
    --------
    >>> from frankwolfe.visual.report import Report
    >>> report = Report("A report", lead="What was measured.")
    >>> report.add_heading("Curves")
    >>> report.add_curves("Errors", {"FW": ([1, 2, 3], [1.0, 0.5, 0.3])}, x="iteration", y="error")
    >>> "</html>" in report.html()
    True
    """

    def __init__(self, title: str, *, lead: str = "") -> None:
        self.title, self.lead = title, lead
        self._pieces: list[str] = []
        self._headings: list[tuple[str, str]] = []
        self._curves = 0
        self._networks = 0

    def add_heading(self, text: str) -> None:
        """Begin a new section; sections are listed at the top of the page."""
        place = f"section-{len(self._headings) + 1}"
        self._headings.append((place, text))
        self._pieces.append(f'<h2 id="{place}">{escape(text)}</h2>')

    def add_text(self, text: str) -> None:
        """Add paragraphs, parted by empty lines; what stands between backticks is code."""
        self._pieces.append(markup.paragraphs(text))

    def add_curves(
        self,
        name: str,
        series: Curves,
        *,
        x: str = "x",
        y: str = "y",
        log_x: bool = False,
        log_y: bool = True,
        caption: str = "",
    ) -> None:
        """Add curves that can be zoomed, hidden and read.

        Parameters
        ----------
        name : str
            What the curves show.
        series : mapping of str to (x, y), or iterable of Series
            The curves; :func:`runs` makes them from results.
        x, y : str
            Names of the axes; `x` where a curve does not name its own.
        log_x, log_y : bool
            Which axes are logarithmic at first; the reader can change that.
        caption : str
            A sentence below.
        """
        self._curves += 1
        place = f"curves-{self._curves}"
        drawing, values = curves(place, name, as_series(series), x=x, y=y, log=(log_x, log_y))
        below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
        self._pieces.append(
            f'<h3 id="{place}-name">{escape(name)}</h3>'
            f'<figure class="curves" id="{place}" aria-labelledby="{place}-name">'
            f"{drawing}{below}</figure>{values}"
        )

    def add_table(
        self,
        caption: str,
        header: Sequence[str],
        rows: Sequence[Sequence[object]],
        *,
        marks: Mapping[str, str] | None = None,
    ) -> None:
        """Add a table with a caption.

        Parameters
        ----------
        caption : str
            What it shows.
        header : sequence of str
            Names of the columns; the first column names the rows.
        rows : sequence of sequences
            Numbers and words.
        marks : mapping of str to str, optional
            Which cells are "good", "bad" or "mixed", by what they say.
        """
        rows = [list(row) for row in rows]
        if any(len(row) != len(header) for row in rows):
            raise InvalidInput(f"every row of a table must have {len(header)} cells, as its head.")
        unknown = set((marks or {}).values()) - {"good", "bad", "mixed"}
        if unknown:
            raise InvalidInput(f"marks must be good, bad or mixed, got {sorted(unknown)}.")
        self._pieces.append(markup.table(caption, header, rows, marks))

    def add_figure(
        self, figure: Figure | str | os.PathLike[str], alt: str, *, caption: str = ""
    ) -> None:
        """Add a picture with words for those who cannot see it.

        Parameters
        ----------
        figure : matplotlib figure, or path of a PNG file
            The picture; its bytes become part of the page.
        alt : str
            What it shows, for those who cannot see it.
        caption : str
            A sentence below.
        """
        if not alt.strip():
            raise InvalidInput("alt must say what the picture shows.")
        data = base64.b64encode(_png(figure)).decode()
        self._pieces.append(markup.picture(f"data:image/png;base64,{data}", alt, caption))

    def add_network(
        self, name: str, roads: RoadMap, *, words: Callable[[int], str], names: Sequence[object]
    ) -> None:
        """Add a drawing of a network that can be zoomed and read.

        Parameters
        ----------
        name : str
            What it shows.
        roads : RoadMap
            The links, with their flows and congestion.
        words : callable
            What is told of the link with that number; what stands between semicolons gets a line
            of its own.
        names : sequence of str
            Names of the nodes, shown where they are few.
        """
        self._networks += 1
        place = f"network-{self._networks}"
        self._pieces.append(
            f'<figure class="network" id="{place}">{drawing(name, roads, words, names)}</figure>'
        )

    def add_key_figures(self, rows: Sequence[tuple[str, object, str]]) -> None:
        """Add figures that stand out, each with its name and a sentence on what it means."""
        self._pieces.append(markup.key_figures(rows))

    def add_facts(self, pairs: Mapping[str, object]) -> None:
        """Add a list of names with their values."""
        self._pieces.append(markup.facts(pairs))

    def add_setup(self, **more: object) -> None:
        """Add versions and machine, and what else the result depends on, such as seeds."""
        self.add_facts({**machine(), **{name.replace("_", " "): v for name, v in more.items()}})

    def add_commands(self, *commands: str) -> None:
        """Add lines to type."""
        self._pieces.append(markup.command_block(commands))

    def html(self) -> str:
        """Text of the whole page."""
        links = "".join(
            f'<li><a href="#{place}">{escape(text)}</a></li>' for place, text in self._headings
        )
        contents = f'<nav aria-label="Sections"><ul>{links}</ul></nav>' if links else ""
        lead = f'<p class="lead">{escape(self.lead)}</p>' if self.lead else ""
        top = f"<header><h1>{escape(self.title)}</h1>{lead}{contents}</header>"
        scripts = [*(SCRIPTS if self._curves else DRAWN), *(ROADS if self._networks else ())]
        needed = scripts if self._curves or self._networks else []
        style = network_style() + markup.asset(HERE, "roads.css") if self._networks else ""
        body = "\n".join([top, *self._pieces])
        return page(self.title, body, [markup.asset(HERE, name) for name in needed], style)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, atomically, and return its path."""
        return write_text(path, self.html())


def page(title: str, body: str, scripts: Sequence[str] = (), style: str = "") -> str:
    """HTML document around a body, with styles and scripts inside."""
    script = f"<script>\n{''.join(scripts)}</script>" if scripts else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="{ICON}">
<style>
{markup.asset(HERE, "page.css")}{style}</style>
</head>
<body>
<main>
{body}
</main>
{script}
</body>
</html>
"""


def _png(figure: Figure | str | os.PathLike[str]) -> bytes:
    """Bytes of a PNG picture, of a matplotlib figure or from a file."""
    if hasattr(figure, "savefig"):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=144)
        return buffer.getvalue()
    try:
        data = Path(figure).read_bytes()
    except OSError as error:
        raise InvalidInput(f"{figure} cannot be read: {error.strerror or error}.") from None
    if not data.startswith(b"\x89PNG"):
        raise InvalidInput(f"{figure} must be a PNG file.")
    return data
