"""Matching two graphs: quadratic assignment over doubly stochastic matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.everyday.answer import ResultRecord, finite_matrix
from frankwolfe.apps.everyday.pairs import MatchingCost
from frankwolfe.apps.everyday.permutations import cheapest, gilmore_lawler, swapped
from frankwolfe.base import Array, Indices, InvalidInput, at_least_one
from frankwolfe.core import State
from frankwolfe.methods import frank_wolfe
from frankwolfe.methods.steps import ExactLineSearch
from frankwolfe.regions import Birkhoff
from frankwolfe.solver import History, Iterations, Status, Stop, StoppingRule, minimize

__all__ = ["GraphAlignment", "quadratic_assignment"]

START_FRACTION = 0.5  # of the way from the middle to a random permutation, where a restart begins
MIN_SCALED_NODES = 10  # from here on over n: farther starts end worse, nearer ones all alike
STATIONARY_GAP_RATIO = 0.03  # of the first gap: the rest is left to the local search


@dataclass(frozen=True, eq=False, repr=False)
class GraphAlignment(ResultRecord):
    """Result of :func:`~frankwolfe.quadratic_assignment`, whose docstring has the attributes."""

    col_ind: Indices
    fun: float
    bound: float
    values: Array
    nit: int


def quadratic_assignment(
    A: ArrayLike,
    B: ArrayLike,
    *,
    maximize: bool = False,
    partial_match: ArrayLike | None = None,
    restarts: int = 0,
    rng: int | np.random.Generator | None = None,
    max_iter: int = 30,
) -> GraphAlignment:
    r"""Match the nodes of two graphs: a permutation p with a small :math:`\sum A_{ij} B_{p_i p_j}`.

    Frank-Wolfe with exact line searches over the doubly stochastic matrices, from the middle of
    them (and from random points near it as often as `restarts` says), then the nearest
    permutation, then swaps of two nodes as long as these help. The problem is NP-hard and not
    convex: nothing proves the answer optimal but a `bound` that it meets.

    Parameters
    ----------
    A, B : arrays of shape (n, n)
        Adjacency, flow or distance matrices; they need not be symmetric.
    maximize : bool
        True to make the sum large, as for matching similar graphs, instead of small.
    partial_match : array of shape (m, 2), optional
        Pairs that are known (seeds): node ``partial_match[k, 0]`` of A is node
        ``partial_match[k, 1]`` of B.
    restarts : int
        Number of additional starts, each from the middle a little toward a random permutation.
    rng : None, int or numpy.random.Generator
        Source of these permutations.
    max_iter : int
        Frank-Wolfe steps from each start.

    Returns
    -------
    GraphAlignment
        With ``col_ind``, the node of B for each node of A, and ``fun``, the sum, as
        `scipy.optimize.quadratic_assignment` has them; ``bound``, which no permutation passes
        (Gilmore and Lawler's); ``values``, the sum from each start; and ``nit``, all steps.

    References
    ----------
    J. T. Vogelstein et al., *Fast Approximate Quadratic Programming for Graph Matching*, PLOS
    ONE 10, 2015; D. E. Fishkind et al., *Seeded graph matching*, Pattern Recognition 87, 2019.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> A = rng.random((30, 30))
    >>> hidden = rng.permutation(30)
    >>> B = A[hidden][:, hidden]                       # the same graph, its nodes in another order
    >>> found = fw.quadratic_assignment(A, B, maximize=True)
    >>> bool((hidden[found.col_ind] == np.arange(30)).all())
    True
    """
    A, B = _square("A", A), _square("B", B)
    if A.shape != B.shape:
        raise InvalidInput(
            f"A and B must have the same shape, got {A.shape} and {B.shape}: add nodes without "
            "edges to the smaller."
        )
    count = 1 + _whole("restarts", restarts)
    steps, generator = at_least_one("max_iter", max_iter), np.random.default_rng(rng)
    pairs = _pairs(partial_match, len(A))
    rows, columns = (np.setdiff1d(np.arange(len(A)), side) for side in pairs.T)
    sign = -1.0 if maximize else 1.0
    free = _Free(sign * A, B, (pairs[:, 0], pairs[:, 1]), (rows, columns))
    found = [free.search(k, steps, generator) for k in range(count if rows.size > 1 else 1)]
    values, matchings, nits = zip(*found, strict=True)
    col_ind = np.empty(len(A), dtype=np.int64)
    col_ind[pairs[:, 0]], col_ind[rows] = pairs[:, 1], columns[matchings[int(np.argmin(values))]]
    fun = float((A * B[np.ix_(col_ind, col_ind)]).sum())
    bound = min(free.bound, sign * fun)  # but for rounding it is not above
    return GraphAlignment(col_ind, fun, sign * bound, sign * np.array(values), sum(nits))


class _Free:
    """The problem on the nodes that are not matched yet: costs with matched ones are linear."""

    def __init__(
        self, A: Array, B: Array, known: tuple[Indices, Indices], free: tuple[Indices, Indices]
    ) -> None:
        (i, j), (rows, columns) = known, free
        self.A, self.B = A[np.ix_(rows, rows)], B[np.ix_(columns, columns)]
        self.C = A[np.ix_(rows, i)] @ B[np.ix_(columns, j)].T
        self.C += A[np.ix_(i, rows)].T @ B[np.ix_(j, columns)]
        self.fixed = float((A[np.ix_(i, i)] * B[np.ix_(j, j)]).sum())
        self.n = rows.size

    def cost(self, p: Indices) -> float:
        """The cost of a permutation of the free nodes."""
        pairs = float((self.A * self.B[np.ix_(p, p)]).sum())
        return self.fixed + pairs + float(self.C[np.arange(self.n), p].sum())

    @property
    def bound(self) -> float:
        """The Gilmore-Lawler lower bound on the cost of all permutations."""
        if self.n == 0:
            return self.fixed
        return self.fixed + gilmore_lawler(self.A, self.B, self.C)

    def search(
        self, start: int, steps: int, rng: np.random.Generator
    ) -> tuple[float, Indices, int]:
        """Search from the middle, or from a random point near it: cost, permutation, steps."""
        if self.n <= 1:
            none = np.arange(self.n)
            return self.cost(none), none, 0
        f = MatchingCost(self.A, self.B, self.C)
        x0 = np.full((self.n, self.n), 1.0 / self.n)
        if start:
            away = START_FRACTION / self.n if self.n >= MIN_SCALED_NODES else START_FRACTION
            x0 = (1.0 - away) * x0 + away * np.eye(self.n)[rng.permutation(self.n)]
        stop = Shrunk(STATIONARY_GAP_RATIO) | Iterations(steps)
        method = frank_wolfe(ExactLineSearch())
        result = minimize(f, Birkhoff(self.n), x0=x0.ravel(), method=method, stop=stop)
        p = cheapest(-result.x.reshape(self.n, self.n))
        p = swapped(self.A, self.B, self.C, p)[0]
        return self.cost(p), p, result.nit


@dataclass(frozen=True)
class Shrunk(StoppingRule):
    """Stop when the gap is a small share of the first one, or zero."""

    share: float

    def check(self, state: State, history: History) -> Stop | None:
        if state.gap > self.share * float(history["gap"][0]):
            return None
        return Stop(Status.CONVERGED, "nearly stationary", True)


def _square(name: str, value: ArrayLike) -> Array:
    """A finite square matrix in double precision."""
    array = finite_matrix(name, value, "node").astype(np.float64)
    if array.shape[0] != array.shape[1]:
        raise InvalidInput(
            f"{name} must be square, a row and a column for each node, got shape {array.shape}."
        )
    return array


def _whole(name: str, value: object) -> int:
    """A whole number >= 0."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise InvalidInput(f"{name} must be a whole number >= 0, got {value!r}.")
    return int(value)


def _pairs(partial_match: ArrayLike | None, n: int) -> Indices:
    """The pairs that are known, checked, a row each."""
    if partial_match is None:
        return np.empty((0, 2), dtype=np.int64)
    pairs = np.asarray(partial_match)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    wanted = pairs.ndim == 2 and pairs.shape[1] == 2 and pairs.dtype.kind in "iu"
    if not wanted or pairs.min() < 0 or pairs.max() >= n:
        raise InvalidInput(
            "partial_match must be an array of shape (m, 2) of whole numbers from 0 to "
            f"{n - 1}, a node of A and one of B in each row."
        )
    if any(np.unique(side).size < side.size for side in pairs.T):
        raise InvalidInput("partial_match must name a node of A or B at most once.")
    return pairs.astype(np.int64)
