"""Fitted model in a JSON file: enough to predict, and to know where it comes from."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Floats, Matrix
from frankwolfe.base.files import write_text
from frankwolfe.cli.screen import plain
from frankwolfe.datasets.readers.encode import one_hot_names

__all__ = ["KIND", "LISTED", "SPARSE", "Facts", "Json", "LinearModel", "probabilities"]

KIND = "frankwolfe linear model"
LISTED, SPARSE = 1, 2  # the format: all coefficients, or those that are not zero
SPARSE_FEATURES = 100_000  # from which a sparse file may be worth its harder reading
SPARSE_DENSITY = 0.1  # share of features with a coefficient, up to which it is written sparse
MAX_INDENTED_NUMBERS = 10_000  # a line each; more are written in one line, by json's fast C code

Json: TypeAlias = Any
"""Value of a JSON file that was parsed and is not checked yet."""
Facts: TypeAlias = dict[str, Json]
"""Facts by name, nested as in the JSON file."""


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Linear model of one or more outputs, in the features' own units.

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

    coefficients: Array
    intercept: Array
    classes: list[str | int | float] | None
    features: list[str]
    target: str | int | None
    drop: list[str | int]
    fill: Floats | None = None
    about: Facts = field(default_factory=dict)
    encoded: dict[int, Sequence[str]] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """Number of features of the model."""
        return int(self.coefficients.shape[1])

    @property
    def columns(self) -> int:
        """Number of columns of the file that the features are made of."""
        return self.width - sum(len(words) - 1 for words in self.encoded.values())

    @property
    def base(self) -> int | None:
        """First index of the LIBSVM file fitted to, 0 or 1; None for other formats."""
        base: int | None = (self.about.get("data") or {}).get("index base")
        return base

    def predict(self, X: Matrix) -> Floats:
        """Linear predictions, one column an output."""
        with np.errstate(over="ignore", invalid="ignore"):  # the caller reports what is infinite
            return np.asarray(X @ self.coefficients.T + self.intercept)

    def json(self) -> str:
        """Model as the text of its JSON file."""
        sparse = (
            self.width >= SPARSE_FEATURES
            and np.count_nonzero(self.coefficients) <= SPARSE_DENSITY * self.width
        )
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
        found: object = self._entries() if sparse else self.coefficients.tolist()
        found = found if np.isfinite(self.coefficients).all() else plain(found)
        indent = 1 if self.coefficients.size < MAX_INDENTED_NUMBERS else None
        text = json.dumps(found, indent=indent).replace("\n", "\n ")
        head = json.dumps(plain(parts), indent=1, ensure_ascii=False)
        return f'{head[:-2]},\n "coefficients": {text}\n}}\n'

    def _entries(self) -> dict[str, object]:
        """Coefficients that are not zero, with their outputs and features counted from 0."""
        outputs, features = np.nonzero(self.coefficients)
        return {
            "shape": list(self.coefficients.shape),
            "outputs": outputs.tolist(),
            "features": features.tolist(),
            "values": self.coefficients[outputs, features].tolist(),
        }

    def _words(self) -> dict[str, object]:
        """Words of the encoded columns, and the term of each coefficient."""
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
        """Numbers of the columns in their file, from 1, without the columns dropped."""
        gone = set(self.drop)
        return [c for c in range(1, self.columns + len(gone) + 1) if c not in gone]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, atomically."""
        write_text(path, self.json())


def probabilities(z: Floats) -> Floats:
    """Softmax of the linear predictions; with one output the first of two classes has 0."""
    z = np.column_stack([np.zeros(z.shape[0]), z[:, 0]]) if z.shape[1] == 1 else z
    with np.errstate(over="ignore", under="ignore"):
        z = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(z / z.sum(axis=1, keepdims=True))
