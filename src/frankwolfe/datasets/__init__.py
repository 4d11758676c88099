"""Data sets that ship with the package, as published and as (A, b) of the paper; ratings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.movielens import U_DATA_SHA256 as U_DATA_SHA256
from frankwolfe.datasets.movielens import Ratings, movielens
from frankwolfe.datasets.synthetic import synthetic_ratings

__all__ = [
    "DATASETS",
    "DataSet",
    "Ratings",
    "breast_cancer",
    "movielens",
    "pima",
    "synthetic_ratings",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DataSet:
    """Data set as it was published, with the (A, b) that the paper made of it.

    Attributes
    ----------
    name, source, licence : str
        Title, origin, and terms of use.
    columns : tuple of str
        Names of the columns; the last one is the target.
    data : array
        Observations by row, NaN where a value is missing.
    sha256 : str
        Hash of the file the table was read from.
    """

    name: str
    source: str
    licence: str
    columns: tuple[str, ...]
    data: Floats
    sha256: str
    _prepare: Callable[[Floats], tuple[Floats, Floats]]

    def paper(self) -> tuple[Floats, Floats]:
        """Matrix A and targets b of the paper's experiment.

        The first row is left out (the paper's row counts are one less than the tables',
        as when a reader takes it for a header), and there is no intercept.
        """
        return self._prepare(self.data[1:])

    def __repr__(self) -> str:
        rows, columns = self.data.shape
        return f"DataSet({self.name}: {rows} rows x {columns} columns, {self.licence})"


def _breast_cancer_paper(rows: Floats) -> tuple[Floats, Floats]:
    """Nine features, medians for missing values; labels +1 (malignant) and -1."""
    A = rows[:, 1:10].copy()  # without the sample number
    medians = np.nanmedian(A, axis=0)
    missing = np.isnan(A)
    A[missing] = np.broadcast_to(medians, A.shape)[missing]
    return A, np.where(rows[:, 10] == 4.0, 1.0, -1.0)


def _pima_paper(rows: Floats) -> tuple[Floats, Floats]:
    """Eight raw features; labels 0 and 1."""
    return rows[:, :8].copy(), rows[:, 8].copy()


def _read(file: str) -> tuple[Floats, str]:
    """Numbers of a file of the package, and its SHA-256."""
    import hashlib

    raw = resources.files("frankwolfe.datasets").joinpath(file).read_bytes()
    rows = [
        [float("nan") if cell == "?" else float(cell) for cell in line.split(",")]
        for line in raw.decode("ascii").split()
    ]
    return np.array(rows), hashlib.sha256(raw).hexdigest()


def breast_cancer() -> DataSet:
    """Breast Cancer Wisconsin (Original): experiment (a).

    699 samples, nine cytological features from 1 to 10, class 2 (benign) or 4 (malignant);
    16 values are missing. W. H. Wolberg, UCI Machine Learning Repository,
    doi 10.24432/C5HP4Z, CC BY 4.0. In :meth:`DataSet.paper` the missing values are the
    column's median and the labels are +1 (malignant) and -1.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> A, b = fw.datasets.breast_cancer().paper()
    >>> A.shape, sorted(set(b.tolist()))
    ((698, 9), [-1.0, 1.0])
    """
    data, digest = _read("breast-cancer-wisconsin.data")
    columns = (
        "sample_number clump_thickness uniformity_of_cell_size uniformity_of_cell_shape "
        "marginal_adhesion single_epithelial_cell_size bare_nuclei bland_chromatin "
        "normal_nucleoli mitoses class"
    )
    return DataSet(
        name="Breast Cancer Wisconsin (Original)",
        source="W. H. Wolberg, UCI Machine Learning Repository, doi 10.24432/C5HP4Z",
        licence="CC BY 4.0",
        columns=tuple(columns.split()),
        data=data,
        sha256=digest,
        _prepare=_breast_cancer_paper,
    )


def pima() -> DataSet:
    """Pima Indians Diabetes: experiment (b).

    768 women, eight measurements, whether diabetes followed (0 or 1). National Institute of
    Diabetes and Digestive and Kidney Diseases, donated to the UCI repository by
    V. Sigillito in 1990; also in R's mlbench. In :meth:`DataSet.paper` the features are raw.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> A, b = fw.datasets.pima().paper()
    >>> A.shape
    (767, 8)
    """
    data, digest = _read("pima-indians-diabetes.csv")
    columns = (
        "pregnancies glucose blood_pressure skin_fold insulin body_mass_index pedigree age diabetes"
    )
    return DataSet(
        name="Pima Indians Diabetes",
        source="National Institute of Diabetes and Digestive and Kidney Diseases, "
        "donated to the UCI Machine Learning Repository by V. Sigillito, 1990",
        licence="no terms stated by the source; redistributed in Debian's r-cran-mlbench",
        columns=tuple(columns.split()),
        data=data,
        sha256=digest,
        _prepare=_pima_paper,
    )


DATASETS = {"breast_cancer": breast_cancer, "pima": pima}
