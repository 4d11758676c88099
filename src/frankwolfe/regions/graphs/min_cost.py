"""Minimum cost flows through capacitated networks, warm-started from one cost to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array, Flags, Indices
from frankwolfe.base.memory import Memory
from frankwolfe.regions.kernels import network_simplex as simplex

__all__ = ["CapacitatedNetwork", "Tree", "farthest", "stretch"]

MAX_PIVOTS_PER_EDGE = 100  # and node; then a search is given up, and its bound still holds
MAX_UNSCALED_COST = 1e150  # larger costs are scaled, so that sums of them do not overflow


def stretch(costs: Array) -> float:
    """Divisor of finite costs with which sums of them do not overflow; mostly 1."""
    largest = max(float(costs.max()), -float(costs.min()))
    return largest if largest > MAX_UNSCALED_COST else 1.0


@dataclass(slots=True)
class Tree(Memory):
    """A basis of the network simplex method: a tree, the state of each edge, and the flow."""

    links: Indices
    state: Indices
    flow: Array

    def copy(self) -> Tree:
        """Copy of the basis, to be changed."""
        return Tree(self.links.copy(), self.state.copy(), self.flow.copy())


class CapacitatedNetwork:
    """The set of flows 0 <= x <= capacities whose net outflow at each node is its supply.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.regions.graphs.min_cost import CapacitatedNetwork
    >>> tails, heads = np.array([0, 0, 1]), np.array([1, 2, 2])
    >>> supplies, capacities = np.array([3.0, 0.0, -3.0]), np.array([3.0, 2.0, 3.0])
    >>> network = CapacitatedNetwork(tails, heads, supplies, capacities)
    >>> network.missing, network.cheapest(np.array([1.0, 1.0, 1.0]))[0]
    (0.0, array([1., 2., 1.]))
    """

    def __init__(self, tails: Indices, heads: Indices, supplies: Array, capacities: Array) -> None:
        self.tails, self.heads = tails, heads
        self.supplies, self.capacities = supplies, capacities
        *ends, links, state, flow = simplex.begin(tails, heads, supplies)
        self._a, self._b = ends
        self._first = Tree(links, state, flow)
        self._pivot(self._first, np.zeros(tails.size))

    @property
    def missing(self) -> float:
        """Part of the supplies that finds no path; zero where a flow exists."""
        return 0.5 * float(self._first.flow[self.tails.size :].sum())

    def tree(self) -> Tree:
        """Feasible basis to start from."""
        return self._first.copy()

    def cheapest(self, costs: Array, tree: Tree | None = None) -> tuple[Array, Array, float]:
        """Minimum cost flow, potentials of the nodes, and a bound on its excess cost.

        The basis that it ends with is left in the tree that it started from.
        """
        tree = self.tree() if tree is None else tree
        scale = stretch(costs)
        costs = costs / scale if scale > 1.0 else costs
        prices = self._pivot(tree, costs)
        flow = tree.flow[: costs.size].copy()
        over = simplex.slack(self.tails, self.heads, costs, self.capacities, flow, prices)
        return flow, scale * prices, scale * float(over)

    def _pivot(self, tree: Tree, costs: Array) -> Array:
        """Potentials after network simplex pivots from a basis, which is changed."""
        budget = 1000 + MAX_PIVOTS_PER_EDGE * tree.flow.size
        found: tuple[Array, int] = simplex.optimize(
            *(self._a, self._b, costs, self.capacities),
            *(tree.links, tree.state, tree.flow, budget),
        )
        return found[0]


def farthest(network: CapacitatedNetwork, counted: Flags) -> float:
    """Upper bound on the largest distance between two flows, in the edges that are counted.

    The sum z of two flows lies between 0 and twice the capacity u, and their difference in an
    edge is at most min(z, 2u - z), and at most u. So the square of the distance is at most the
    largest sum of u min(z, 2u - z): a flow of least cost over edges that are there twice. Where
    flows are 0 or u in every edge, and supplies whole multiples of one u, the largest z is the
    sum of two such flows, and the bound is the distance.
    """
    tails, heads = np.tile(network.tails, 2), np.tile(network.heads, 2)
    worth = np.where(counted, network.capacities, 0.0)
    size = float(worth.max(initial=0.0)) or 1.0
    twice = CapacitatedNetwork(tails, heads, 2.0 * network.supplies, np.tile(network.capacities, 2))
    flow, _, over = twice.cheapest(np.concatenate([-worth, worth]) / size)
    first, second = np.split(flow, 2)
    most = float(worth @ (first - second)) + size * over
    return float(np.sqrt(max(most, 0.0)))
