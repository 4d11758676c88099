"""What docstrings say, for tables."""

from __future__ import annotations

import inspect
import re
from typing import Any

__all__ = ["first_sentence", "reference"]


def first_sentence(thing: Any) -> str:
    """The first line of a docstring, without its markup."""
    doc = inspect.getdoc(thing) or ""
    return _bare(doc.split("\n\n", 1)[0].replace("\n", " "))


def reference(thing: Any) -> str:
    """The first entry of a docstring's references; empty where it has none."""
    doc = inspect.getdoc(thing) or ""
    found = re.search(r"References\n-+\n(.*?)(?:\n\n|\Z)", doc, flags=re.DOTALL)
    return _bare(" ".join(found[1].split()).split("; ")[0]) if found else ""


def _bare(text: str) -> str:
    text = re.sub(r":[a-z]+:`~?([^`]*)`", r"\1", text)
    for mark, word in (("\\le ", "<= "), ("\\succeq", ">="), ("\\|", "|"), ("_\\star", "_*")):
        text = text.replace(mark, word)
    return text.replace("`", "").replace("*", "").replace("\\", "").strip()
