"""The unit spectrahedron."""

from __future__ import annotations

from typing import Self, TypedDict, Unpack

import numpy as np

from frankwolfe.regions.matrices.spectraplex import Spectraplex

__all__ = ["UnitSpectraplex"]


class OracleOptions(TypedDict, total=False):
    """Options of the Lanczos oracle, as :class:`~frankwolfe.NuclearBall` takes them."""

    accuracy: float
    seed: int
    most_steps: int
    exact_below: int


class UnitSpectraplex(Spectraplex):
    r"""Symmetric matrices :math:`X \succeq 0` with trace <= r, the unit spectrahedron times r.

    It is ``Spectraplex(r, at_most=True)``: as the unit simplex is to the simplex.

    Parameters
    ----------
    trace : float
        r > 0.
    accuracy, seed, most_steps, exact_below
        As in :class:`~frankwolfe.NuclearBall`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.regions.UnitSpectraplex(2.0).lmo(np.diag([1.0, 3.0])).dense((2, 2)).round(12) + 0.0
    array([[0., 0.],
           [0., 0.]])
    """

    family = "matrices"
    formula = r"X \succeq 0,\ \mathrm{tr} X \le r"
    atom = "a rank-one matrix, or zero"
    cost = "a few products"

    def __init__(self, trace: float = 1.0, **options: Unpack[OracleOptions]) -> None:
        super().__init__(trace, at_most=True, **options)

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(), cls(1.5, exact_below=0)]

    def __repr__(self) -> str:
        return f"UnitSpectraplex(trace <= {self.trace:g})"
