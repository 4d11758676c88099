"""Reader of a model's JSON file, which may be damaged or hostile."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from frankwolfe.base.arrays import Floats
from frankwolfe.base.budget import Budget
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import reading
from frankwolfe.cli.model import KIND, LISTED, SPARSE, Facts, Json, LinearModel
from frankwolfe.datasets.readers.source import checked

__all__ = ["load_model"]

PARSED_BYTES_PER_BYTE = 10  # of memory, that a byte of JSON may take when it is parsed
BROKEN = (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError)
"""Errors that parsing a damaged file may raise: all mean that it is no model."""


def load_model(path: str | os.PathLike[str], max_memory: int | str | None = None) -> LinearModel:
    """Model read from a file that `frankwolfe fit` wrote, checked."""
    budget = Budget.of(max_memory)
    found = checked(path, budget)
    budget.need(PARSED_BYTES_PER_BYTE * found.stat().st_size, path)
    with reading(found):
        raw = found.read_bytes()
    try:
        parts = json.loads(raw.decode("utf-8"), parse_constant=_no_number)
        if parts["kind"] != KIND:
            raise KeyError("kind")
        if parts["format"] not in (LISTED, SPARSE):
            raise InvalidInput(
                f"{path} has format {str(parts['format'])[:20]}, this version reads {LISTED} and "
                f"{SPARSE}: fit again."
            )
        return _model(parts, path, budget)
    except InvalidInput:
        raise
    except BROKEN:
        raise InvalidInput(f"{path} is not a model that frankwolfe fit wrote.") from None


def _no_number(_word: str) -> NoReturn:
    raise ValueError("NaN and infinity are no numbers of a model")


def _model(parts: Facts, path: str | os.PathLike[str], budget: Budget) -> LinearModel:
    """Model from its parts, if these are of the right kinds and fit together."""
    if parts["format"] == SPARSE:
        coefficients = _scattered(parts["coefficients"], path, budget)
    else:
        coefficients = _matrix(parts["coefficients"])
    data = dict(parts.get("data") or {})
    _require(data.get("index base") in (None, 0, 1))
    encoded = _encoded(parts.get("encoded") or [])
    model = LinearModel(
        coefficients,
        _numbers(parts["intercept"]),
        parts["classes"],
        _texts(parts["features"] or []),
        parts["target"],
        _columns(parts["drop"]),
        None if parts["fill"] is None else _numbers(parts["fill"]),
        {"data": {"index base": data.get("index base")}},
        encoded,
    )
    _check_model(model)
    return model


def _check_model(model: LinearModel) -> None:
    outputs, columns = model.coefficients.shape[0], model.columns
    _require(outputs >= 1 <= columns and model.intercept.shape == (outputs,))
    _require(model.target is None or isinstance(model.target, str | int))
    _require(all(0 <= place < columns for place in model.encoded))
    _require(len(model.features) in (0, columns))
    _require(model.fill is None or model.fill.shape == (columns,))
    if model.classes is None:
        _require(outputs == 1)
        return
    _require(isinstance(model.classes, list) and len(model.classes) >= 2)
    _require(all(isinstance(name, str | int | float) for name in model.classes))
    _require(len(model.classes) == (2 if outputs == 1 else outputs))


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("the parts of a model do not fit together")


def _numbers(given: Json) -> Floats:
    """Vector from a list of finite numbers."""
    _require(isinstance(given, list) and set(map(type, given)) <= {int, float})
    found = np.array(given, dtype=np.float64)
    _require(bool(np.isfinite(found).all()))
    return found


def _matrix(given: Json) -> Floats:
    """Matrix from a list of lists of numbers, all of one length."""
    _require(isinstance(given, list) and len(given) > 0)
    rows = [_numbers(row) for row in given]
    _require(len({row.size for row in rows}) == 1)
    return np.array(rows)


def _scattered(given: Json, path: str | os.PathLike[str], budget: Budget) -> Floats:
    """Matrix from a list of its entries other than zero."""
    shape, values = tuple(given["shape"]), _numbers(given["values"])
    _require(len(shape) == 2 and all(type(side) is int and 0 < side < 2**31 for side in shape))
    budget.need(8 * shape[0] * shape[1], path)  # a short file may claim a huge shape
    outputs, features = _numbers(given["outputs"]), _numbers(given["features"])
    _require(outputs.size == features.size == values.size)
    for places, side in ((outputs, shape[0]), (features, shape[1])):
        whole = bool((places == np.rint(places)).all())
        _require(whole and places.min(initial=0) >= 0 and places.max(initial=0) < side)
    full = np.zeros(shape)
    full[outputs.astype(np.int64), features.astype(np.int64)] = values
    return full


def _texts(given: Json) -> list[str]:
    _require(isinstance(given, list) and all(isinstance(text, str) for text in given))
    return list(given)


def _columns(given: Json) -> list[str | int]:
    _require(isinstance(given, list) and {type(column) for column in given} <= {str, int})
    return list(given)


def _encoded(given: Json) -> dict[int, Sequence[str]]:
    """Words of each encoded column, by its place counted from 0."""
    found: dict[int, Sequence[str]] = {}
    for one in given:
        place, words = one["place"], _texts(one["words"])
        _require(type(place) is int and place - 1 not in found and len(words) > 0)
        _require(len(set(words)) == len(words))
        found[place - 1] = words
    return found
