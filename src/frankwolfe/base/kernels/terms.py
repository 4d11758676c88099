"""Losses of one term that the kernels know: their codes, and their largest curvatures.

Without Numba, so that objectives can be made before anything is compiled.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ENTROPY", "HUBER", "LOGARITHM", "LOGISTIC", "SQUARED", "TERMS", "Term"]

LOGISTIC, SQUARED, HUBER, LOGARITHM = range(4)  # codes; the last is for loops of proofs alone
ENTROPY = 4  # code of the entropy of a probability, for conjugates alone


class Term(NamedTuple):
    """A loss of one term: its code in the kernels, and its largest second derivative."""

    code: int
    curvature: float


TERMS = {
    "logistic": Term(LOGISTIC, 0.25),
    "squared": Term(SQUARED, 1.0),
    "huber": Term(HUBER, 2.0),  # in the paper's scaling
}
