"""A part with fewer rows, columns or variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from .cases import Case, Part

__all__ = ["classes_of", "keep_columns", "keep_rows", "keep_variables", "rows_of", "variables_of"]

BY_COLUMN = {"A": 1, "R": 1, "Q": 0, "c": 0, "p": 0, "target": 0, "weights": 0}
BY_ROW = {"A": 0, "R": 0, "b": 0, "labels": 0, "sample_weight": 0, "points": 0}
BY_VARIABLE = ("center", "lower", "upper", "groups")


def classes_of(part: Part) -> int:
    """How many coefficients a column of the data has."""
    return int(np.unique(part.options["labels"]).size) if "labels" in part.options else 1


def variables_of(part: Part) -> int:
    """How many variables the objective of a part has; 0 where x is a matrix."""
    if part.name == "DOptimal":
        return int(part.options["A"].shape[0])
    for key, axis in BY_COLUMN.items():
        if key in part.options:
            return int(np.shape(part.options[key])[axis]) * classes_of(part)
    return 0


def rows_of(part: Part) -> int:
    """How many observations an objective has; 0 where it has none."""
    if part.name == "Completion":
        return len(part.options["values"])
    key = next((key for key in ("A", "R") if key in part.options), None)
    return 0 if key is None or part.name == "DOptimal" else int(part.options[key].shape[0])


def _taken(array: Any, kept: Any, axis: int) -> Any:
    return array[kept] if axis == 0 else array[:, kept]


def keep_columns(part: Part, kept: Any) -> Part:
    """The objective in these columns of its data alone."""
    if part.name == "DOptimal":
        return part.with_options(A=part.options["A"][kept])
    changes = {
        key: _taken(part.options[key], kept, axis)
        for key, axis in BY_COLUMN.items()
        if key in part.options
    }
    if "Q" in changes:
        changes["Q"] = changes["Q"][:, kept]
    return part.with_options(**changes)


def keep_rows(part: Part, kept: Any) -> Part:
    """The objective of these observations alone."""
    keys = ("rows", "columns", "values") if part.name == "Completion" else BY_ROW
    changes = {key: part.options[key][kept] for key in keys if key in part.options}
    return part.with_options(**changes)


def _region(part: Part, kept: Any) -> Part:
    """The region in the variables `kept`."""
    options = dict(part.options)
    for key in BY_VARIABLE:
        if key in options and np.ndim(options[key]):
            options[key] = np.asarray(options[key])[kept]
    if "points" in options:
        options["points"] = options["points"][:, kept]
    if "n" in options:
        options["n"] = len(kept)
    if "k" in options:
        options["k"] = min(options["k"], len(kept))
    if "blocks" in options:
        blocks, start = [], 0
        for block, size in options["blocks"]:
            inside = [i - start for i in kept if start <= i < start + size]
            if inside:
                blocks.append((_region(block, np.array(inside)), len(inside)))
            start += size
        options["blocks"] = blocks
    return Part(part.name, options)


def keep_variables(case: Case, columns: Any) -> Case:
    """The case in these columns of the data, and what belongs to them in the region."""
    from dataclasses import replace

    classes = classes_of(case.objective)
    kept = (np.asarray(columns)[:, None] * classes + np.arange(classes)).ravel()
    objective = keep_columns(case.objective, np.asarray(columns))
    return replace(case, objective=objective, region=_region(case.region, kept))
