"""Intersections of regions: a point of each, under constraints that they are equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.first_block import FirstBlock
from frankwolfe.apps.constraints.policy import POLICY
from frankwolfe.apps.constraints.result import ConstrainedResult, constrained
from frankwolfe.apps.constraints.rounds import Options
from frankwolfe.base import Array, InvalidInput, Point, finite_vector
from frankwolfe.core import Problem
from frankwolfe.objectives import Objective
from frankwolfe.regions import Product, Region

__all__ = ["Intersection", "in_all", "sized"]


class Intersection:
    r"""Points that lie in several regions, each known by its own oracle.

    ``minimize(f, Intersection(R1, R2))`` minimizes f(x1) over the product of both under the
    constraint x1 = x2 (`Affine`). The `x` of the result lies in the first region, and its
    `infeasibility` says how far it is from the points found of the others, at most.

    Parameters
    ----------
    *regions : Region
        Two or more regions of vectors.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> both = fw.Intersection(fw.Simplex(), fw.Box(0.0, 0.4))
    >>> result = fw.minimize(fw.squared_distance([0.9, 0.3, -0.2]), both)
    >>> result.x.round(3), result.success
    (array([0.4, 0.4, 0.2]), True)
    """

    def __init__(self, *regions: Region) -> None:
        if len(regions) < 2 or not all(isinstance(region, Region) for region in regions):
            raise InvalidInput("Intersection takes two or more regions, one after the other.")
        wrong = [region for region in regions if region.matrix]
        if wrong:
            raise InvalidInput(
                f"Intersection takes regions of vectors, not {wrong[0]!r}: pass Affine(...) as "
                "subject_to, or for small matrices a Fantope."
            )
        self.regions = regions

    def __repr__(self) -> str:
        return f"Intersection({', '.join(map(repr, self.regions))})"


def sized(objective: object) -> Objective:
    """The objective, which must know its number of variables."""
    if not isinstance(objective, Objective) or not hasattr(objective, "n"):
        raise InvalidInput("with an Intersection a plain function needs x0, which says its size.")
    return objective


def in_all(
    objective: object, both: Intersection, options: Options, own: Affine | None, x0: Point
) -> ConstrainedResult:
    """Minimize over an intersection, under the caller's own constraints if there are any."""
    import scipy.sparse as sp

    f, count = sized(objective), len(both.regions)
    n = f.n
    for region in both.regions:
        region.check_dimension(n)
    same, zero = sp.eye_array(n, format="csr"), sp.csr_array((n, n))
    blocks = [
        [same] + [-same if j == i else zero for j in range(1, count)] for i in range(1, count)
    ]
    rows = [Affine(sp.block_array(blocks).tocsr(), 0.0)]
    if own is not None:
        wide = sp.hstack([sp.csr_array(own.matrix), sp.csr_array((own.rows, (count - 1) * n))])
        rows.append(Affine(wide.tocsr(), own.lower, own.upper))
    problem = Problem(FirstBlock(f, count * n), Product([(region, n) for region in both.regions]))
    start = None if x0 is None else _starts(both.regions, x0, n)
    found = constrained(problem, Affine.of(rows, problem.n), options, start)
    near = found.feasible_x
    return replace(
        found, x=found.x[:n], feasible_x=None if near is None else near[:n], active_set=None
    )


def _starts(regions: tuple[Region, ...], x0: Point, n: int) -> Array:
    """A start in each region: the caller's, except where it lies outside of a further one."""
    x = finite_vector("x0", x0, n).astype(np.float64)
    others = (
        x if region.violation(x) <= POLICY.inside_tol else region.start(n) for region in regions[1:]
    )
    return np.concatenate([x, *others])
