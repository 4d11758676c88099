"""A fitted model in a JSON file: enough to predict, and to know where it comes from."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.files import write_text
from frankwolfe.cli.screen import plain
from frankwolfe.datasets.readers.encode import one_hot_names

__all__ = ["KIND", "LISTED", "SPARSE", "Model", "probabilities"]

Floats = NDArray[np.float64]
KIND = "frankwolfe linear model"
LISTED, SPARSE = 1, 2  # the format: all coefficients, or those that are not zero
MANY, FEW = 100_000, 0.1  # features, and the share with a coefficient, for the second
LONG = 10_000  # numbers from which they are written in one line


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
        with np.errstate(over="ignore", invalid="ignore"):  # what is infinite is told of
            return np.asarray(X @ self.coefficients.T + self.intercept)

    def json(self) -> str:
        """The model as text."""
        sparse = self.width >= MANY and np.count_nonzero(self.coefficients) <= FEW * self.width
        parts = {
            "kind": KIND,
            "format": SPARSE if sparse else LISTED,
            **self.about,
            "classes": self.classes,
            "target": self.target,
            "drop": self.drop,
            "features": self.features or None,
            **self._words(),
            "fill": self.fill,
            "intercept": self.intercept,
        }
        found: Any = self._entries() if sparse else self.coefficients.tolist()
        found = found if np.isfinite(self.coefficients).all() else plain(found)
        indent = 1 if self.coefficients.size < LONG else None  # of which Python's is slow
        text = json.dumps(found, indent=indent).replace("\n", "\n ")
        head = json.dumps(plain(parts), indent=1, ensure_ascii=False)
        return f'{head[:-2]},\n "coefficients": {text}\n}}\n'

    def _entries(self) -> dict[str, list[Any]]:
        """The coefficients that are not zero, and where they are, from 0."""
        outputs, features = np.nonzero(self.coefficients)
        return {
            "shape": list(self.coefficients.shape),
            "outputs": outputs.tolist(),
            "features": features.tolist(),
            "values": self.coefficients[outputs, features].tolist(),
        }

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


def probabilities(z: Floats) -> Floats:
    """The probability of every class, by the linear predictions."""
    z = np.column_stack([np.zeros(z.shape[0]), z[:, 0]]) if z.shape[1] == 1 else z
    with np.errstate(over="ignore", under="ignore"):
        z = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(z / z.sum(axis=1, keepdims=True))
