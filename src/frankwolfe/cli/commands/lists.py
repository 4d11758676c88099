"""Commands `frankwolfe methods`, `regions` and `datasets`, lists of what there is, and `cite`."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from frankwolfe.base.registry import own
from frankwolfe.cli.arguments import Subparsers, add_command
from frankwolfe.cli.screen import print_json, print_table

__all__ = ["add", "first_sentence", "reference"]

Rows: TypeAlias = list[tuple[str | None, ...]]
"""Rows of a list, a cell for each of its columns."""
EXAMPLES = """\
  frankwolfe cite                          the library
  frankwolfe cite jacobi pairwise          the papers of two methods
  frankwolfe cite working_set >> my.bib
"""
LIBRARY = """\
@software{{frankwolfe,
  author  = {{{{The frankwolfe developers}}}},
  title   = {{frankwolfe: projection-free constrained optimization with true certificates}},
  version = {{{version}}},
  note    = {{BSD-3-Clause}}
}}"""


def _methods() -> Rows:
    from frankwolfe.methods import METHODS

    return [(name, first_sentence(make), reference(make)) for name, make in METHODS.items()]


def _regions() -> Rows:
    from frankwolfe.regions import MATRIX_REGIONS, REGIONS

    kinds = [*REGIONS.values(), *MATRIX_REGIONS.values()]
    return [
        (kind.__name__, own(kind, "short") or None, first_sentence(kind), kind.atom, kind.cost)
        for kind in kinds
    ]


def _datasets() -> Rows:
    from frankwolfe.datasets import DATASETS
    from frankwolfe.datasets.movielens import LICENCE, RELEASES, SOURCE

    rows: Rows = []
    for name, load in DATASETS.items():
        table = load()
        size = f"{table.data.shape[0]} x {table.data.shape[1]}"
        rows.append((name, first_sentence(load), size, table.source, table.licence))
    for version, release in RELEASES.items():
        what = f"MovieLens {version.upper()}: ratings, for completion"
        rows.append((f"movielens-{version}", what, None, SOURCE + release.archive, LICENCE))
    return rows


LISTS: dict[str, tuple[Callable[[], Rows], dict[str, str], str, str]] = {
    "methods": (
        _methods,
        {"name": "method", "what": "what it is", "reference": "reference"},
        "their names for --methods and method=, what each is, and where it comes from.",
        "  frankwolfe cite jacobi           what to cite for one\n",
    ),
    "regions": (
        _regions,
        {
            "class": "class",
            "name": "--region",
            "what": "what it is",
            "atom": "a vertex",
            "cost": "an oracle call",
        },
        "the class in Python, the name for --region where it has one, what it is, what its "
        "vertices are, and what the oracle costs.",
        "  frankwolfe fit data.csv --region l1    use one\n",
    ),
    "datasets": (
        _datasets,
        {name: name for name in ("name", "what", "size", "source", "licence")},
        "those that ship with the package, and MovieLens, which is fetched when first used.",
        "  frankwolfe race breast_cancer    use one\n",
    ),
}
"""Rows of each command, its columns in JSON and in the table, a description, an example."""


def add(subparsers: Subparsers) -> None:
    """Define the four commands and their options."""
    for name, (_, _, what, example) in LISTS.items():
        words = "data sets" if name == "datasets" else name
        parser = add_command(
            subparsers,
            name,
            help=f"list the {words}",
            description=f"List the {words}: {what}",
            examples=f"  frankwolfe {name}\n  frankwolfe {name} --json\n{example}",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.set_defaults(run=partial(_list, name))
    _add_cite(subparsers)


def _list(name: str, options: argparse.Namespace) -> int:
    rows_of, columns, _, _ = LISTS[name]
    if options.json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows_of()])
    else:
        print_table(tuple(columns.values()), rows_of())
    return 0


def first_sentence(thing: object) -> str:
    """First paragraph of a docstring in one line, without its markup."""
    doc = inspect.getdoc(thing) or ""
    return _bare(doc.split("\n\n", 1)[0].replace("\n", " "))


def reference(thing: object) -> str:
    """First entry of a docstring's references; empty where it has none."""
    doc = inspect.getdoc(thing) or ""
    found = re.search(r"References\n-+\n(.*?)(?:\n\n|\Z)", doc, flags=re.DOTALL)
    return _bare(" ".join(found[1].split()).split("; ")[0]) if found else ""


SIGNS = {
    "\\le ": "<= ",
    "\\succeq": ">=",
    "\\|": "|",
    "_\\star": "_star",
    "^\\top": "'",
    "\\dots": "...",
    "\\,": " ",
}
"""Commands of TeX, and the signs that a terminal shows for them."""


def _bare(text: str) -> str:
    """Text without the markup of Sphinx and TeX."""
    text = re.sub(r":[a-z]+:`~?([^`]*)`", r"\1", text)
    for mark, word in SIGNS.items():
        text = text.replace(mark, word)
    text = re.sub(r"\\(?:mathrm|text)\{(\w+)\}", r"\1", text)
    text = re.sub(r"_\{(\w+)\}", r"_\1", text)
    text = re.sub(r"_\{\(?([^}()]*)\)?\}", r"_(\1)", text)
    bare = text.replace("`", "").replace("*", "").replace("\\", "")
    return " ".join(bare.split())


def _add_cite(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "cite",
        help="print BibTeX for the library or for methods",
        description="Print BibTeX: of the library, or of the papers that methods come from.",
        examples=EXAMPLES,
    )
    parser.add_argument("methods", nargs="*", metavar="METHOD", help="see frankwolfe methods")
    parser.add_argument("--json", action="store_true", help="print JSON: method to BibTeX")
    parser.set_defaults(run=_cite)


def _cite(options: argparse.Namespace) -> int:
    """Print the entries as BibTeX or JSON, each once."""
    from frankwolfe import __version__
    from frankwolfe.methods.default import named

    entries = {name: getattr(named(name), "reference", "") for name in options.methods}
    if not entries:
        entries = {"frankwolfe": LIBRARY.format(version=__version__)}
    if options.json:
        print_json(entries)
    else:
        print("\n\n".join(dict.fromkeys(entries.values())))
    return 0
