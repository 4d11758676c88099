"""Bases and independent sets of a matroid, known by its independence oracle."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Indices
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.kernels import shortest_paths as paths
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.region_abilities import ExactBound
from frankwolfe.regions.graphs.edges import Edges
from frankwolfe.regions.graphs.over_edges import GraphEdges, SubsetHull
from frankwolfe.regions.graphs.unions import most_in_two
from frankwolfe.subproblems.membership import spanning

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Matroid"]

MAX_EXACT_DIAMETER = 60  # elements; above, matroid union asks too many questions
MAX_SPANNED = 300  # elements; above, vertices that span the hull cost too many oracle calls
FINGERPRINT_BASES = 5  # greedy bases by which checkpoints tell two matroids apart


class Matroid(SubsetHull, ExactBound):
    r"""The hull of the bases of a matroid, or of its independent sets.

    The oracle is the greedy algorithm: elements by their cost, the cheapest first, each taken if
    what is taken stays independent. For independent sets only negative costs are taken.

    Parameters
    ----------
    n : int
        Number of elements.
    independent : callable
        ``independent(indices) -> bool``: whether these elements, an array of different whole
        numbers from 0 to n - 1, are independent. It must be a matroid's: the empty set is
        independent, with a set all its subsets, and of two sets the smaller can be extended by
        an element of the larger. This is not checked.
    bases : bool
        Whether the vertices are the bases, the largest independent sets; else all independent
        sets.

    Notes
    -----
    Whether a point lies in the hull is found by Wolfe's algorithm with the oracle, at most some
    calls for each element. The diameter is exact for at most 60 elements (matroid union), beyond
    that a bound that two disjoint bases attain. Functions have no identity that a file could
    keep: a checkpoint knows a matroid by some of its bases.

    References
    ----------
    J. Edmonds, Matroids and the greedy algorithm, Mathematical Programming 1 (1971).

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> vectors = np.array([[1, 0], [2, 0], [0, 1], [1, 1]])
    >>> rank = np.linalg.matrix_rank
    >>> linear = fw.regions.Matroid(4, lambda rows: rank(vectors[rows]) == len(rows))
    >>> linear.lmo(np.array([1.0, 0.5, 3.0, 2.0])).dense(4)
    array([0., 1., 0., 1.])
    """

    formula = r"x \ge 0,\ x(S) \le r(S),\ x(E) = r(E)"
    atom = "a basis, or an independent set"
    cost = "n log n, and n questions"

    def __init__(
        self, n: int, independent: Callable[[AnyArray], object], *, bases: bool = True
    ) -> None:
        self.n = self.dimension = at_least_one("n", n)
        if not callable(independent):
            raise InvalidInput(
                f"independent must be a function of indices, got {type(independent).__name__}."
            )
        self._independent, self.bases = independent, bool(bases)
        if not self._ask([]):
            raise InvalidInput("independent must be True for no elements, as in every matroid.")
        self.rank = self._greedy(np.arange(self.n), self.n).size
        if not self.rank:
            raise InvalidInput("independent must be True for some element, but it is for none.")

    @classmethod
    def uniform(cls, n: int, k: int, *, bases: bool = True) -> Self:
        """Uniform matroid: sets of at most k of n elements."""
        most = at_least_one("k", k)
        return cls(n, lambda chosen: len(chosen) <= most, bases=bases)

    @classmethod
    def partition(cls, labels: ArrayLike, limits: ArrayLike = 1, *, bases: bool = True) -> Self:
        """Partition matroid: sets with at most a limit of elements of each label 0, 1, ...

        Examples
        --------
        >>> import numpy as np, frankwolfe as fw
        >>> one_each = fw.regions.Matroid.partition([0, 0, 1, 1, 1])
        >>> one_each.lmo(np.array([2.0, 1.0, 3.0, 5.0, 4.0])).dense(5)
        array([0., 1., 1., 0., 0.])
        """
        kinds = np.asarray(labels)
        if kinds.ndim != 1 or not kinds.size or kinds.dtype.kind not in "iu" or kinds.min() < 0:
            raise InvalidInput(
                "labels must be a vector of whole numbers from 0 on, one an element."
            )
        most, count = np.asarray(limits), int(kinds.max()) + 1
        if most.shape not in ((), (count,)) or most.dtype.kind not in "iu" or most.min() < 0:
            raise InvalidInput(
                f"limits must be a whole number >= 0, or one for each of {count} labels."
            )

        def few(chosen: AnyArray) -> bool:
            return bool((np.bincount(kinds[chosen], minlength=count) <= most).all())

        return cls(kinds.size, few, bases=bases)

    @classmethod
    def graphic(cls, edges: GraphEdges, n: int | None = None, *, bases: bool = True) -> Self:
        """Graphic matroid: sets of edges without a cycle; `SpanningTrees` has the bases quicker."""
        graph = Edges(edges, n, directed=False)

        def forest(chosen: AnyArray) -> bool:
            marks, parent = np.zeros(graph.size, dtype=bool), np.arange(graph.nodes)
            places = np.asarray(chosen, dtype=np.int64)
            found = paths.forest(places, graph.tails, graph.heads, parent, marks)
            return bool(found == places.size)

        return cls(graph.size, forest, bases=bases)

    def _ask(self, chosen: Sequence[int]) -> bool:
        """Answer of the user's independence oracle, checked."""
        answer = self._independent(np.array(chosen, dtype=np.int64))
        if not isinstance(answer, bool | np.bool_):
            raise InvalidInput(
                f"independent must return True or False, got {type(answer).__name__}."
            )
        return bool(answer)

    def _greedy(self, order: Indices, most: int) -> Indices:
        """Greedy independent set: elements in a given order, each taken if the set stays so."""
        taken: list[int] = []
        for element in order.tolist():
            if len(taken) == most:
                break
            if self._ask([*taken, element]):
                taken.append(element)
        return np.sort(np.array(taken, dtype=np.int64))

    def _best(self, g: Array) -> Indices:
        order = np.argsort(g, kind="stable")
        return self._greedy(order if self.bases else order[g[order] < 0.0], self.rank)

    def least(self, g: Doubled) -> Fraction:
        order = g.order()
        order = order if self.bases else order[g.high[order] < 0.0]
        best = self._greedy(order, self.rank)
        return g.at(best).total().low - self.rank * g.slack

    def diameter(self, n: int) -> float:
        return self._diameter

    @cached_property
    def _diameter(self) -> float:
        few = self.n <= MAX_EXACT_DIAMETER
        union = most_in_two(self.n, self._ask) if few else min(2 * self.rank, self.n)
        return math.sqrt(2.0 * (union - self.rank) if self.bases else union)

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        total = float(x.sum()) / self.rank - 1.0
        off = max(abs(total) if self.bases else total, -float(x.min()), float(x.max()) - 1.0, 0.0)
        return off if off > 1e-6 else max(off, self._outside(x))

    def middle(self, n: int) -> Array:
        return self._inner.copy() if self.n <= MAX_SPANNED else self.start(n)

    @cached_property
    def _inner(self) -> Array:
        """Point off all faces: the mean of vertices that span the hull."""
        return np.asarray(spanning(self._vertex, self.n, 1.0).mean(axis=0))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        nodes = max(2, int((1.0 + math.sqrt(1.0 + 8.0 * n)) / 2.0))
        return [
            cls.partition(np.arange(n) // 3, 2),
            cls.graphic(np.transpose(np.triu_indices(nodes, 1)), bases=False),
        ]

    def _parts(self) -> list[object]:
        gradients = np.random.default_rng(0).standard_normal((FINGERPRINT_BASES, self.n))
        return [self.n, self.bases, *(self._best(g) for g in gradients)]

    def __repr__(self) -> str:
        kind = "bases" if self.bases else "independent sets"
        return f"Matroid({kind} of {self.n} elements, rank {self.rank})"
