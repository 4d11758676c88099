"""The losses of one term that the kernels know: their codes, and how strongly they bend.

Without Numba, so that objectives can be made before anything is compiled.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ENTROPY", "HUBER", "LOGARITHM", "LOGISTIC", "SQUARED", "TERMS", "Term"]

LOGISTIC, SQUARED, HUBER, LOGARITHM = range(4)  # the last in the loops of proofs alone
ENTROPY = 4  # of a probability, as a conjugate knows it; the kernels do not


class Term(NamedTuple):
    """A loss of one term: the kernels' code, and its largest second derivative."""

    code: int
    curvature: float


TERMS = {
    "logistic": Term(LOGISTIC, 0.25),
    "squared": Term(SQUARED, 1.0),
    "huber": Term(HUBER, 2.0),  # in the paper's scaling
}
