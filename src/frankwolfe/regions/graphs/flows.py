"""Flows through a network with capacities: bounds on entries and a balance at each node."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from frankwolfe.base.arrays import Array, Dtype, Flags, Indices
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.base.kernels import shortest_paths as paths
from frankwolfe.core.atoms import Atom, Sparse, Vertex
from frankwolfe.core.double_double import Doubled, exact, plus
from frankwolfe.core.feasibility import clip_rounding, rounding, snap_to_bounds, spacing, within
from frankwolfe.core.region import Region
from frankwolfe.core.region_abilities import ExactBound, Faces, Formulation
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.regions.graphs.edges import Edges
from frankwolfe.regions.graphs.min_cost import CapacitatedNetwork, farthest

__all__ = ["NetworkFlows"]

MAX_FRAME_ENTRIES = 4_000_000  # of the dense equations: 32 MB
BOUND_TOL = 1e-9  # of the size; nearer to a bound an edge is empty, or full
MAX_QUICK_FACE_EDGES = 1000  # above, the flow in a face costs as much as the oracle


class NetworkFlows(Region, Faces, Formulation, ExactBound):
    """Flows x with 0 <= x <= capacities whose surplus out of each node is its supply.

    A face is where some edges are empty or full; so the smallest face of a point is known, and
    its best vertex is a flow through the edges that are neither.
    """

    family = "graphs"
    polytope = many_vertices = True
    needs_room = False

    edges: Edges
    supplies: Array
    capacities: Array
    size: float

    def _set(self, edges: Edges, supplies: Array, capacities: Array, size: float) -> None:
        self.edges, self.supplies, self.capacities, self.size = edges, supplies, capacities, size
        self.dimension = edges.size

    @cached_property
    def _network(self) -> CapacitatedNetwork:
        """Network whose cheapest flows are the vertices."""
        edges = self.edges
        return CapacitatedNetwork(edges.tails, edges.heads, self.supplies, self.capacities)

    @property
    def costly_faces(self) -> bool:
        """True above `MAX_QUICK_FACE_EDGES` edges: each face is a minimum-cost flow."""
        return self.edges.size > MAX_QUICK_FACE_EDGES

    def _atom(self, flow: Array, dtype: Dtype) -> Atom:
        """Sparse atom of the edges that a flow uses."""
        used = np.flatnonzero(flow)
        return Sparse(used, flow[used].astype(dtype))

    def surplus(self, x: Array) -> Array:
        """Net outflow of each node: what leaves it less what enters it."""
        tails, heads, nodes = self.edges.tails, self.edges.heads, self.edges.nodes
        leaving = np.bincount(tails, x, nodes)
        return np.asarray(leaving - np.bincount(heads, x, nodes))

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        off = float(np.abs(self.surplus(x) - self.supplies).max())
        return max(off, -float(x.min()), float((x - self.capacities).max()), 0.0) / self.size

    def reach(self, weights: Array, n: int) -> float:
        each = np.array(np.broadcast_to(weights, (n,)), dtype=np.float64)
        return float(self.ask(-each).dot(each))

    def diameter(self, n: int) -> float:
        return self._diameter

    @cached_property
    def _diameter(self) -> float:
        return farthest(self._network, np.ones(self.edges.size, dtype=bool))

    def resolution(self, n: int, dtype: Dtype) -> float:
        return spacing(dtype, max(self.size, float(self.capacities.max())), self.size)

    def start(self, n: int) -> Array:
        return self.ask(np.zeros(n)).dense(n)

    def middle(self, n: int) -> Array:
        return self._inner.copy()

    @cached_property
    def _inner(self) -> Array:
        """Point off all faces: the mean of flows that leave no edge empty or full that need not be.

        Edges empty in all flows so far, or full in all, are asked for together until nothing
        changes: each flow frees at least one of them, or none can be freed.
        """
        n, near = self.edges.size, BOUND_TOL * self.size
        total, count = self.start(n), 1
        empty, full = total <= near, total >= self.capacities - near
        while (empty | full).any():
            wish = np.where(empty, -1.0, 0.0) + np.where(full, 1.0, 0.0)
            flow = self.ask(wish).dense(n)
            still = empty & (flow <= near), full & (flow >= self.capacities - near)
            if np.array_equal(still[0], empty) and np.array_equal(still[1], full):
                break
            total, count = total + flow, count + 1
            empty, full = still
        return np.asarray(total / count)

    def standard_form(self, n: int) -> StandardForm | None:
        inner, near = self._inner, 0.25 * BOUND_TOL / self.edges.size * self.size
        free = np.flatnonzero((inner > near) & (self.capacities - inner > near))
        if not free.size or free.size * self.edges.nodes > MAX_FRAME_ENTRIES:
            return None
        tails, heads = self.edges.tails[free], self.edges.heads[free]
        # the equations of a connected part sum to zero: one of them follows from the others
        group = paths.components(tails, heads, self.edges.nodes)
        rows = np.flatnonzero(group != np.arange(group.size))
        sums = np.zeros((self.edges.nodes, free.size))
        sums[tails, np.arange(free.size)] += 1.0
        sums[heads, np.arange(free.size)] -= 1.0
        center = inner.copy()
        center[free] = 0.0
        totals = (self.supplies - self.surplus(center))[rows]
        atoms: list[Atom] = [Vertex(int(e), 1.0) for e in free]
        high = self.capacities[free]
        low = np.zeros(free.size)
        return StandardForm(atoms, low, high, inner[free], sums[rows], totals, center=center)

    def least(self, g: Doubled) -> Fraction:
        """Lower bound by node prices of a minimum-cost flow: any prices give one."""
        _, prices, _ = self._network.cheapest(g.high)
        there, back = prices[self.edges.tails], -prices[self.edges.heads]
        reduced = plus(plus(g, exact(there)), exact(back))
        total = Fraction(0)
        for e in np.flatnonzero(reduced.high <= reduced.error):
            low = reduced.entry(int(e)) - Fraction(float(reduced.error[e]))
            total += min(low, Fraction(0)) * Fraction(float(self.capacities[e]))
        for v in np.flatnonzero(self.supplies):
            total -= Fraction(float(prices[v])) * Fraction(float(self.supplies[v]))
        return total

    def face_atom(self, g: Array, x: Array) -> Atom:
        empty, full = self._bounds_at(x)
        fixed = np.where(full & ~empty, self.capacities, 0.0)
        open_ = np.where(empty | full, 0.0, self.capacities)
        supplies = self.supplies - self.surplus(fixed)
        network = CapacitatedNetwork(self.edges.tails, self.edges.heads, supplies, open_)
        return self._atom(network.cheapest(-g.astype(np.float64))[0] + fixed, g.dtype)

    def _bounds_at(self, x: Array) -> tuple[Flags, Flags]:
        """Flags of the empty edges, and of the full ones."""
        near = rounding(x) * self.size
        return x <= near, x >= self.capacities - near

    def snap_to_face(self, x: Array) -> Array:
        return snap_to_bounds(x, 0.0, self.capacities, self.size)

    def longest_step(self, x: Array, where: Indices, d: Array) -> float:
        return within(x[where], d, 0.0, self.capacities[where], rounding(x) * self.size)

    def snap(self, x: Array) -> Array:
        return clip_rounding(x, 0.0, self.capacities, self.size)

    def fingerprint(self) -> str:
        edges = self.edges
        parts = [edges.tails, edges.heads, edges.nodes, self.supplies, self.capacities]
        return fingerprint(repr(self), parts)
