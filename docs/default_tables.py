"""Write the tables of the default into choose_method.md: python docs/default_tables.py"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from inspect import cleandoc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from frankwolfe.methods import METHODS
from frankwolfe.methods.chain import Halving, Stage
from frankwolfe.methods.corrective.squares import squares
from frankwolfe.methods.default import FIRST, NEXT, POLICY, First, Next, Policy
from frankwolfe.methods.matrix.interior import matrix_interior
from frankwolfe.methods.parts.steps import ShortStep

PAGE = Path(__file__).with_name("choose_method.md")
BEGIN, END = "<!-- from methods/default.py: begin -->\n", "<!-- from methods/default.py: end -->\n"
# stands for the step rule that the objective decides, and for the method of the first table
STEP, AGAIN = ShortStep(), object()
FACTS: Any = SimpleNamespace(step=STEP)
OTHERS = {"matrix_interior": matrix_interior, "squares": squares}
RECIPES: dict[str, Callable[..., Any]] = {**METHODS, **OTHERS}
WITH_STEP = ("frank_wolfe", "pairwise", "blended_pairwise", "blended_conditional_gradients")


def call_of(method: Any) -> str:
    """Call that makes a method, such as ``afw()``."""
    if method is AGAIN:
        return "the first method"
    for name, make in RECIPES.items():
        if make() == method:
            return f"`{name}()`"
        step = getattr(method, "step", None)
        if step and name in WITH_STEP and make(step) == method:
            return f"`{name}({'step' if step == STEP else f'{type(step).__name__}()'})`"
    raise LookupError(f"no recipe makes {method}")


def row_of(where: str, stages: Iterable[Stage]) -> str:
    """Row of a table: condition, methods in order, patience of each."""
    stages = tuple(stages)
    methods = ", ".join(call_of(stage.method) for stage in stages) or "none"
    ends = [stage.until for stage in stages]
    patience = ", ".join(str(end.steps) for end in ends if isinstance(end, Halving))
    return f"| {where} | {methods} | {patience or '-'} |"


def first_row(row: First) -> str:
    """Row of the first table on the page."""
    return row_of(row.where, row.stages(FACTS))


def next_row(row: Next) -> str:
    """Row of the second table on the page."""
    begun: Any = SimpleNamespace(method=lambda facts: AGAIN)
    stages = row.stages(FACTS, begun)
    if row.last is not None:
        stages = *stages, Stage(row.last(FACTS), Halving(POLICY.last_patience))
    return row_of(row.where, stages)


def policy_rows() -> Iterable[str]:
    """Rows of the thresholds: name, value, and what the docstring says of it."""
    told = cleandoc(str(Policy.__doc__)).split("----------\n", 1)[1]
    meanings = dict(re.findall(r"^(\w+) : .*\n((?:    .*\n?)+)", told, re.M))
    for field in fields(POLICY):
        meaning = " ".join(meanings[field.name].split())
        yield f"| `{field.name}` | {getattr(POLICY, field.name):,g} | {meaning} |"


def tables() -> str:
    """All tables, as they stand on the page."""
    head = "| where | method | patience |\n|---|---|---|"
    after = "| where | then, in order | patience |\n|---|---|---|"
    policy = "| threshold | | |\n|---|---|---|"
    begins = "The method that begins, by the first row that holds:"
    follows = "What follows where it stalls, again by the first row that holds:"
    thresholds = "The thresholds of these tables (`frankwolfe.methods.default.Policy`):"
    parts = (
        (begins, head, map(first_row, FIRST)),
        (follows, after, map(next_row, NEXT)),
        (thresholds, policy, policy_rows()),
    )
    return "\n".join(f"{words}\n\n{top}\n" + "\n".join(rows) + "\n" for words, top, rows in parts)


def filled(page: str) -> str:
    """The page with the tables between its markers."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{tables()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")
