"""Random and real data: matrices of every kind and scaling, and targets that go with them."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["NoData", "matrix", "real", "sizes", "solution", "stored"]

Rng = np.random.Generator
Labels = dict[str, str]


class NoData(Exception):
    """The data set of this seed is not on this machine."""


def sizes(rng: Rng) -> tuple[int, int, str]:
    """Rows, columns, and what such a size is called."""
    draw = rng.random()
    if draw < 0.3:
        return int(rng.integers(1, 9)), int(rng.integers(1, 7)), "tiny"
    if draw < 0.92:
        return int(rng.integers(2, 61)), int(rng.integers(1, 41)), "small"
    if draw < 0.96:
        return int(rng.integers(10, 41)), int(rng.integers(500, 2001)), "wide"
    return int(rng.integers(1000, 5001)), int(rng.integers(1, 8)), "long"


def _base(rng: Rng, m: int, n: int) -> tuple[Any, str]:
    kind = str(rng.choice(["normal", "heavy", "whole", "few"], p=[0.7, 0.1, 0.1, 0.1]))
    if kind == "heavy":
        return np.clip(rng.standard_t(1.5, (m, n)), -1e6, 1e6), kind
    if kind == "whole":
        return rng.integers(-5, 6, (m, n)).astype(float), kind
    A = rng.standard_normal((m, n))
    return (A * (rng.random((m, n)) < 0.3), kind) if kind == "few" else (A, kind)


def _structure(rng: Rng, A: Any) -> tuple[Any, str]:
    kinds = ["plain", "duplicated", "zero", "constant", "deficient"]
    kind = str(rng.choice(kinds, p=[0.72, 0.07, 0.07, 0.07, 0.07]))
    m, n = A.shape
    j = int(rng.integers(n))
    if kind == "duplicated" and n > 1:
        A[:, j] = A[:, (j + 1) % n] * rng.choice([1.0, -1.0, 2.0])
    elif kind == "zero":
        A[:, j] = 0.0
    elif kind == "constant":
        A[:, j] = 1.0
    elif kind == "deficient":
        rank = max(1, min(m, n) // 2)
        A = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n))
    return A, kind


def _scaling(rng: Rng, A: Any) -> tuple[Any, str]:
    kinds = ["plain", "extreme", "columns 1.5", "columns 3", "columns 8", "rows", "means", "whole"]
    kind = str(rng.choice(kinds, p=[0.385, 0.015, 0.12, 0.1, 0.08, 0.08, 0.14, 0.08]))
    m, n = A.shape
    if kind.startswith("columns"):
        k = float(kind.split()[1])
        A = A * 10.0 ** rng.uniform(-k, k, n)
    elif kind == "rows":
        A = A * 10.0 ** rng.uniform(-3, 3, (m, 1))
    elif kind == "means":
        A = A + 10.0 ** rng.uniform(0, 8) * rng.standard_normal(n)
    elif kind == "extreme":
        A = A * 10.0 ** (rng.choice([-1.0, 1.0]) * rng.uniform(50, 290))
    elif kind == "whole":
        A = A * 10.0 ** rng.uniform(-8, 8)
    return A, kind


def matrix(rng: Rng, m: int, n: int) -> tuple[Any, Labels]:
    """A dense matrix in double precision, and what it is like."""
    A, base = _base(rng, m, n)
    A, structure = _structure(rng, A)
    A, scaling = _scaling(rng, A)
    return A, {"base": base, "structure": structure, "scaling": scaling}


def stored(rng: Rng, A: Any, labels: Labels) -> Any:
    """A as users keep it: dense in either order, sparse, single precision, whole numbers."""
    kinds = ["rows", "fortran", "csr", "csc", "single", "single csr"]
    kind = str(rng.choice(kinds, p=[0.55, 0.08, 0.1, 0.08, 0.14, 0.05]))
    labels["stored"] = kind
    if kind == "rows" and labels.get("base") == "whole" and labels["scaling"] == "plain":
        labels["stored"] = "int64"
        return np.round(A).astype(np.int64)
    if kind == "fortran":
        return np.asfortranarray(A)
    if kind.startswith("single"):
        A = np.clip(A, -1e38, 1e38).astype(np.float32)
    if "cs" not in kind:
        return A
    made = sp.csr_array(A) if kind.endswith("csr") else sp.csc_array(A)
    if made.nnz and rng.random() < 0.5:  # entries that are stored and zero
        made.data[rng.integers(made.nnz, size=max(1, made.nnz // 10))] = 0.0
    return made


def solution(rng: Rng, A: Any) -> Any:
    """Coefficients that make predictions of the size of one, some of them zero."""
    largest = np.abs(A).max(axis=0)
    largest = np.where(largest > 0.0, largest, 1.0)  # no square overflows
    norms = largest * np.sqrt(((A / largest) ** 2).mean(axis=0))
    x = rng.standard_normal(A.shape[1]) * (rng.random(A.shape[1]) < 0.6)
    return x / np.where(norms > 0.0, norms, 1.0)


BUNDLED = ("iris", "wine", "breast_cancer", "diabetes", "digits")
FOLDER = ("duke.xz", "a9a.xz", "w8a.xz", "covtype.data.xz", "pima-indians-diabetes.csv")


@cache
def _whole(name: str) -> tuple[Any, Any]:
    """Features and targets as they are in the file, of the first 3000 rows."""
    if name in BUNDLED:
        try:
            from sklearn import datasets
        except ImportError:
            raise NoData(name) from None
        options = {"scaled": False} if name == "diabetes" else {}
        return getattr(datasets, f"load_{name}")(return_X_y=True, **options)
    here = Path(__file__).resolve().parents[3] / "shared" / "data"
    path = Path(os.environ.get("FRANKWOLFE_DATA", here)) / name
    if not path.is_file():
        raise NoData(name)
    if name.startswith(("covtype", "pima")):
        table = np.genfromtxt(_opened(path), delimiter=",", max_rows=3000, comments="#")
        table = table[~np.isnan(table).any(axis=1)]
        return table[:, :-1], table[:, -1]
    from sklearn.datasets import load_svmlight_file

    with _opened(path) as file:
        lines = [line for line, _ in zip(file, range(3000), strict=False)]
    import io

    A, b = load_svmlight_file(io.BytesIO(b"".join(lines)))
    return np.asarray(A.todense()), b


def _opened(path: Path) -> Any:
    import lzma

    return lzma.open(path) if path.suffix == ".xz" else path.open("rb")


def real(rng: Rng) -> tuple[Any, Any, Labels]:
    """Some rows and columns of a real data set, raw, with its targets."""
    names = (*BUNDLED, *FOLDER) if rng.random() < 0.2 else BUNDLED
    name = str(rng.choice(names))
    A, b = _whole(name)
    rows = rng.permutation(A.shape[0])[: int(rng.integers(5, 400))]
    columns = rng.permutation(A.shape[1])[: int(rng.integers(1, 60))]
    labels = {"base": name, "structure": "real", "scaling": "real"}
    return np.array(A[np.ix_(rows, columns)], dtype=float), np.array(b[rows], dtype=float), labels
