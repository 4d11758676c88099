"""A fitted model in a JSON file: enough to predict, and to know where it comes from."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.cli.screen import plain
from frankwolfe.datasets.readers.encode import one_hot_names
from frankwolfe.datasets.readers.source import checked, reading
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.solver.files import write_text

__all__ = ["Model", "load_model"]

Floats = NDArray[np.float64]
KIND, VERSION = "frankwolfe linear model", 1


@dataclass(frozen=True, eq=False)
class Model:
    """A linear model.

    Attributes
    ----------
    coefficients : array of shape (outputs, features)
        In the features' own units.
    intercept : array of shape (outputs,)
    classes : list, or None for a regression
    features : list of str
        The names of the columns; empty where the data had none.
    target : str, int or None
        The target's name, or what was given for it.
    drop : list
        The columns that were left out.
    fill : array, or None
        What stands for missing values, a number a column; -1 in columns of words.
    about : dict
        Loss, region, certificate, data, versions.
    encoded : dict
        By the place of a column of words, from 0, these words, each of which is a feature.
    """

    coefficients: Floats
    intercept: Floats
    classes: list[Any] | None
    features: list[str]
    target: str | int | None
    drop: list[str | int]
    fill: Floats | None = None
    about: dict[str, Any] = field(default_factory=dict)
    encoded: dict[int, Sequence[str]] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """The number of features."""
        return int(self.coefficients.shape[1])

    @property
    def columns(self) -> int:
        """The number of columns that the features are made of."""
        return self.width - sum(len(words) - 1 for words in self.encoded.values())

    @property
    def base(self) -> int | None:
        """From what the indices of a LIBSVM file counted, 0 or 1."""
        base: int | None = (self.about.get("data") or {}).get("index base")
        return base

    def predict(self, X: Any) -> Floats:
        """The linear prediction, one column an output."""
        return np.asarray(X @ self.coefficients.T + self.intercept)

    def probabilities(self, X: Any) -> Floats:
        """The probability of every class."""
        z = self.predict(X)
        z = np.column_stack([np.zeros(z.shape[0]), z[:, 0]]) if z.shape[1] == 1 else z
        z = np.exp(z - z.max(axis=1, keepdims=True))
        return np.asarray(z / z.sum(axis=1, keepdims=True))

    def json(self) -> str:
        """The model as text."""
        parts = {
            "kind": KIND,
            "format": VERSION,
            **self.about,
            "classes": self.classes,
            "target": self.target,
            "drop": self.drop,
            "features": self.features or None,
            **self._words(),
            "fill": self.fill,
            "intercept": self.intercept,
            "coefficients": self.coefficients,
        }
        return json.dumps(plain(parts), indent=1, ensure_ascii=False) + "\n"

    def _words(self) -> dict[str, Any]:
        """The words that were encoded, and what each coefficient belongs to."""
        if not self.encoded:
            return {}
        names = self.features or [str(column) for column in self._numbers()]
        return {
            "encoded": [
                {"place": place + 1, "column": names[place], "words": list(words)}
                for place, words in self.encoded.items()
            ],
            "terms": one_hot_names(names, self.encoded),
        }

    def _numbers(self) -> list[int]:
        """The numbers of the columns in their file, from 1."""
        gone = set(self.drop)
        return [c for c in range(1, self.columns + len(gone) + 1) if c not in gone]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the model atomically."""
        write_text(path, self.json())


def load_model(path: str | os.PathLike[str]) -> Model:
    """Read a model that `fit` wrote."""
    found = checked(path)
    try:
        with reading(found):
            parts = json.loads(found.read_bytes().decode("utf-8"))
        if parts["kind"] != KIND:
            raise KeyError("kind")
        if parts["format"] != VERSION:
            raise InvalidInput(
                f"{path} has format {parts['format']}, this version reads {VERSION}: fit again."
            )
        coefficients = np.array(parts["coefficients"], dtype=np.float64)
        intercept = np.array(parts["intercept"], dtype=np.float64)
        fill, data = parts["fill"], dict(parts.get("data") or {})
        if coefficients.ndim != 2 or intercept.shape != coefficients.shape[:1]:
            raise ValueError
        encoded: dict[int, Sequence[str]] = {
            one["place"] - 1: list(one["words"]) for one in parts.get("encoded") or ()
        }
        if data.get("index base") not in (None, 0, 1):
            raise ValueError
        return Model(
            coefficients,
            intercept,
            parts["classes"],
            list(parts["features"] or ()),
            parts["target"],
            list(parts["drop"]),
            None if fill is None else np.array(fill, dtype=np.float64),
            {"data": data},
            encoded,
        )
    except InvalidInput:
        raise
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(f"{path} is not a model that frankwolfe fit wrote.") from None
