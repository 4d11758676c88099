"""Readers of data files: CSV, LIBSVM, Parquet, npz, Matrix Market; one function for all."""

from __future__ import annotations

from frankwolfe.datasets.readers.encode import one_hot, one_hot_names
from frankwolfe.datasets.readers.parts import Parts, read_parts
from frankwolfe.datasets.readers.ratings import RatingsTable, read_pairs, read_ratings
from frankwolfe.datasets.readers.read import FORMATS, format_of, read_features, read_table
from frankwolfe.datasets.readers.table import Request, Table, Unseen

__all__ = [
    "FORMATS",
    "Parts",
    "RatingsTable",
    "Request",
    "Table",
    "Unseen",
    "format_of",
    "one_hot",
    "one_hot_names",
    "read_features",
    "read_pairs",
    "read_parts",
    "read_ratings",
    "read_table",
]
