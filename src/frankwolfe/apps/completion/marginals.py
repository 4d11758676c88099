"""Weights of rows and columns in the nuclear norm, by how often they were seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.completion.effects import Floats

__all__ = ["Marginal"]

UNIFORM_SHARE = 0.5  # of a weight, equal for all rows; the rest is proportional to counts


class Marginal(NamedTuple):
    r"""Weights of the rows (or columns) of a matrix: half alike, half in proportion to counts.

    .. math:: p_i \propto \tfrac12 + \tfrac12\, n_i / \bar n, \qquad \text{mean over ratings } 1.

    Where cells are not seen equally often, the plain nuclear norm prices a row with five
    ratings like one with five hundred, and so fits much noise in the one and too little of the
    other. With marginal shares as weights it does not; smoothed ones do better than the shares
    themselves, in theory and in practice.

    References
    ----------
    N. Srebro and R. Salakhutdinov, *Collaborative Filtering in a Non-Uniform World: Learning
    with the Weighted Trace Norm*, NIPS 2010; R. Foygel, R. Salakhutdinov, O. Shamir and
    N. Srebro, *Learning with the Weighted Trace-norm under Arbitrary Sampling Distributions*,
    NIPS 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.apps.completion.marginals import Marginal
    >>> Marginal.of(np.array([3.0, 1.0])).at(np.array([3.0, 1.0, 0.0])).round(3)
    array([1.111, 0.667, 0.444])
    """

    alike: float
    each: float  # weight that one rating adds

    @classmethod
    def of(cls, counts: ArrayLike) -> Marginal:
        """Marginal of rows (or columns) with these numbers of ratings."""
        counts = np.asarray(counts, dtype=np.float64)
        raw = cls(UNIFORM_SHARE, (1.0 - UNIFORM_SHARE) / float(counts.mean()))
        mean = float(raw.at(counts) @ counts) / float(counts.sum())
        return cls(raw.alike / mean, raw.each / mean)

    def at(self, counts: ArrayLike) -> Floats:
        """Weights of rows (or columns) with these numbers of ratings."""
        return np.asarray(self.alike + self.each * np.asarray(counts, dtype=np.float64))
