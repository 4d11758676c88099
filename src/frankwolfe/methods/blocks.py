"""Methods over products of regions, one block at a time."""

from __future__ import annotations

from typing import Literal

from frankwolfe.methods import references
from frankwolfe.methods.sweeps import ORDERS, BlockCoordinate
from frankwolfe.numerics.checks import number
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["block_coordinate"]


def block_coordinate(
    order: Literal["cyclic", "random", "gap"] = "gap", *, line_search: bool = True, seed: int = 0
) -> BlockCoordinate:
    r"""Block-coordinate Frank-Wolfe over a :class:`~frankwolfe.Product` of N regions.

    .. code-block:: text

        for k = 0, 1, ...
            i       <- a block
            s_i     <- argmin over C_i of <grad_i f(x), s>
            x_i     <- x_i + gamma (s_i - x_i)

    with an exact line search, or :math:`\gamma = 2N/(k + 2N)`. A step reads the columns of its
    block only. N steps make a sweep, which is one step of the loop: it ends with a look at
    the full gradient, which certifies the gap. ``njev`` counts passes over the columns, looks
    included.

    Parameters
    ----------
    order : {"gap", "cyclic", "random"}
        "gap" draws blocks in proportion to their last known gaps, "random" draws them with
        equal chances, "cyclic" takes them in turn.
    line_search : bool
        False takes :math:`2N/(k + 2N)`.
    seed : int
        Of the draws.

    References
    ----------
    S. Lacoste-Julien, M. Jaggi, M. Schmidt and P. Pletscher, *Block-Coordinate Frank-Wolfe
    Optimization for Structural SVMs*, ICML 2013; A. Osokin, J.-B. Alayrac, I. Lukasewitz,
    P. Dokania and S. Lacoste-Julien, *Minding the Gaps for Block Frank-Wolfe Optimization of
    Structured SVMs*, ICML 2016.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> f = fw.SquaredError(rng.standard_normal((40, 12)), rng.standard_normal(40))
    >>> region = fw.Product([(fw.Simplex(), 3)] * 4)
    >>> fw.minimize(f, region, method=fw.block_coordinate(), tol=1e-3).success
    True
    """
    if order not in ORDERS:
        raise InvalidInput(f"order must be one of {', '.join(ORDERS)}, got {order!r}.")
    return BlockCoordinate(
        order,
        bool(line_search),
        int(number("seed", seed, low=0.0)),
        f"block-coordinate FW ({order})",
        references.BLOCK_COORDINATE,
    )
