"""Quadratically regularized optimal transport."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.checks import all_finite, as_float_array, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.objectives.quadratic import Quadratic

__all__ = ["regularized_transport"]


def regularized_transport(C: ArrayLike, reg: float) -> Quadratic:
    r"""Quadratically regularized transport :math:`\langle C, T\rangle + \frac{reg}2 \|T\|^2`.

    A :class:`~frankwolfe.Quadratic` of the n m entries of T, row after row, for
    :class:`~frankwolfe.Transport`. Unlike those of the entropic regularization its plans are
    sparse. It is a squared distance to -C / reg, up to a constant, so that over a region that can
    project the minimizer takes one step: over Transport by semismooth Newton steps on the dual.

    Parameters
    ----------
    C : array of shape (n, m)
        The cost of a unit of mass from each place to each.
    reg : float
        > 0; the smaller, the fewer entries of T are not zero.

    References
    ----------
    M. Blondel, V. Seguy and A. Rolet, *Smooth and sparse optimal transport*, AISTATS 2018;
    D. Lorenz, P. Manns and C. Meyer, *Quadratically regularized optimal transport*, Applied
    Mathematics and Optimization, 2021.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> C = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0]])
    >>> f = fw.objectives.regularized_transport(C, 2.0)
    >>> result = fw.minimize(f, fw.Transport([0.5, 0.5], [0.25, 0.5, 0.25]))
    >>> result.x.reshape(2, 3), result.certified
    (array([[0.25, 0.25, 0.  ],
           [0.  , 0.25, 0.25]]), True)
    """
    from scipy.sparse import diags_array

    costs, reg = as_float_array("C", C), number("reg", reg, above=0.0)
    if costs.ndim != 2 or costs.size == 0:
        raise InvalidInput(f"C must be a non-empty matrix, got an array of shape {costs.shape}.")
    if not all_finite(costs):
        raise InvalidInput("C must be finite, but it holds NaN or infinity.")
    squares = diags_array(np.full(costs.size, reg, dtype=costs.dtype), format="csr")
    return Quadratic(squares, costs.ravel(), convex=True)
