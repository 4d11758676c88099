r"""A positive semidefinite matrix known by a random sketch.

Only :math:`S = X\Omega` is kept of X, for a random matrix of few columns; in the end a nearby
matrix of that rank is made of it: Nyström's approximation, in the stable form of J. Tropp,
A. Yurtsever, M. Udell and V. Cevher, *Fixed-Rank Approximation of a Positive-Semidefinite Matrix
from Streaming Data*, NIPS 2017.
"""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.low_rank import FactoredMatrix

__all__ = ["Sketch"]


class Sketch:
    """The sketch of a matrix that moves toward rank-one matrices.

    Parameters
    ----------
    n : int
        Rows and columns of X.
    size : int
        Columns of the sketch.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.apps.constraints.sketch import Sketch
    >>> sketch = Sketch(5, 3)
    >>> sketch.move(1.0, 2.0, np.eye(5)[0])
    >>> sketch.move(0.25, 2.0, np.eye(5)[3])
    >>> sketch.matrix().toarray().diagonal().round(12)
    array([1.5, 0. , 0. , 0.5, 0. ])
    """

    def __init__(self, n: int, size: int, seed: int = 0) -> None:
        self._test = np.random.default_rng(seed).standard_normal((n, min(size, n)))
        self._image = np.zeros_like(self._test)

    def move(self, step: float, scale: float, u: Array) -> None:
        """X <- (1 - step) X + step scale u u'."""
        self._image *= 1.0 - step
        self._image += np.outer(step * scale * u, u @ self._test)

    def matrix(self) -> FactoredMatrix:
        """Nyström approximation of X, with as many terms as the sketch has columns."""
        n = len(self._test)
        size = float(np.linalg.norm(self._image))
        if not size > 0.0:
            return FactoredMatrix.zero((n, n))
        # a shifted X + shift I keeps the eigenvalues below positive; it is taken off again
        shift = math.sqrt(n) * 2.0**-52 * size
        image = self._image + shift * self._test
        between = self._test.T @ image
        values, turn = np.linalg.eigh(0.5 * (between + between.T))
        kept = values > 2.0**-50 * values[-1]
        root = image @ (turn[:, kept] / np.sqrt(values[kept]))
        u, s, _ = np.linalg.svd(root, full_matrices=False)
        weights = np.maximum(s**2 - shift, 0.0)
        left = np.ascontiguousarray(u.T)
        return FactoredMatrix(left, weights, left.copy())
