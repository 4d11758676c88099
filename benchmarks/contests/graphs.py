"""Sets of graphs beside scipy, networkx, rustworkx and HiGHS."""

from __future__ import annotations

import networkx as nx
import numpy as np
import rustworkx as rx
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment, linprog
from scipy.sparse import csgraph

import frankwolfe as fw
from contests import Contest, Solve, slowly, warm_highs


def all_contests() -> list[Contest]:
    """Paths, flows, trees, matchings, cuts, and two greedy algorithms."""
    return [
        _grid(300),
        _roads(20_000, 100_000),
        _flows(500, 5_000),
        _trees(20_000, 200_000),
        _rectangle(200, 300),
        _few_pairs(1000, 20_000),
        _pairs(150, 2_000),
        _cuts(1_000, 10_000),
        _matroid(300, 100),
        _base(200),
    ]


def _random(nodes: int, count: int, *, path: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Different directed edges, with a path through all nodes."""
    rng = np.random.default_rng(3)
    along = np.arange(nodes - 1) * nodes + np.arange(1, nodes)
    codes = (
        rng.choice(nodes * nodes, size=2 * count, replace=False)
        if nodes < 3000
        else (rng.integers(0, nodes * nodes, 2 * count))
    )
    codes = np.unique(codes[codes // nodes != codes % nodes])
    codes = np.setdiff1d(rng.permutation(codes)[: count - path * along.size], along)
    codes = np.sort(np.concatenate([codes, along]) if path else codes)
    return codes // nodes, codes % nodes


def _positive(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.uniform(0.1, 1.0, n) for _ in range(5)]


def _shortest(tails: np.ndarray, heads: np.ndarray, nodes: int, target: int) -> dict[str, Solve]:
    """The csr matrix is made beforehand; costs are put into it."""
    table = sp.csr_array((np.arange(1, tails.size + 1), (tails, heads)), shape=(nodes, nodes))
    order = table.data - 1

    def by(method: str) -> Solve:
        def solve(g: np.ndarray) -> float:
            graph = sp.csr_array((g[order], table.indices, table.indptr), shape=table.shape)
            far, _ = csgraph.shortest_path(
                graph, method=method, indices=0, return_predecessors=True
            )
            return float(far[target])

        return solve

    return {"csgraph D": by("D")}


def _grid(side: int) -> Contest:
    """Right and down: no cycles."""
    node = np.arange(side * side).reshape(side, side)
    tails = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    heads = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
    last = side * side - 1
    others = _shortest(tails, heads, last + 1, last)
    region = fw.regions.UnitFlow((tails, heads), 0, last)
    return Contest(
        f"UnitFlow grid {side} x {side}", region, tails.size, others, _positive(tails.size)
    )


def _roads(nodes: int, count: int) -> Contest:
    tails, heads = _random(nodes, count)
    others = _shortest(tails, heads, nodes, nodes - 1)
    region = fw.regions.UnitFlow((tails, heads), 0, nodes - 1)
    name = f"UnitFlow with cycles m={tails.size}"
    return Contest(name, region, tails.size, others, _positive(tails.size))


def _flows(nodes: int, count: int) -> Contest:
    tails, heads = _random(nodes, count)
    rng = np.random.default_rng(1)
    capacities = rng.integers(1, 20, tails.size).astype(float)
    flow = np.floor(rng.random(tails.size) * capacities)
    supplies = np.bincount(tails, flow, nodes) - np.bincount(heads, flow, nodes)
    edge = np.arange(tails.size)
    both = (np.concatenate([tails, heads]), np.concatenate([edge, edge]))
    balance = sp.csr_array((np.repeat([1.0, -1.0], edge.size), both), shape=(nodes, edge.size))

    def program(g: np.ndarray) -> float:
        bounds = np.column_stack([np.zeros(edge.size), capacities])
        return float(linprog(g, A_eq=balance, b_eq=supplies, bounds=bounds).fun)

    region = fw.regions.MinCostFlow((tails, heads), supplies, capacities)
    others = {
        "linprog": program,
        "highspy warm": warm_highs(balance, (supplies, supplies), capacities),
    }
    return Contest(
        f"MinCostFlow m={edge.size} slowly", region, edge.size, others, slowly(edge.size, 20)
    )


def _trees(nodes: int, count: int) -> Contest:
    tails, heads = _random(nodes, count)
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    codes = np.unique(low * nodes + high)
    low, high = codes // nodes, codes % nodes
    table = sp.csr_array((np.arange(1, low.size + 1), (low, high)), shape=(nodes, nodes))
    order = table.data - 1

    def tree(g: np.ndarray) -> float:
        graph = sp.csr_array((g[order], table.indices, table.indptr), shape=table.shape)
        return float(csgraph.minimum_spanning_tree(graph).sum())

    region = fw.regions.SpanningTrees((low, high))
    return Contest(f"SpanningTrees m={low.size}", region, low.size, {"csgraph": tree})


def _rectangle(rows: int, columns: int) -> Contest:
    def assigned(g: np.ndarray) -> float:
        cost = np.minimum(g.reshape(rows, columns), 0.0)
        return float(cost[linear_sum_assignment(cost)].sum())

    region = fw.regions.BipartiteMatching(rows, columns)
    others = {"linear_sum_assignment": assigned}
    return Contest(f"BipartiteMatching {rows} x {columns}", region, rows * columns, others)


def _few_pairs(side: int, count: int) -> Contest:
    """With a perfect matching along the diagonal."""
    i, j = _random(side, count, path=False)
    codes = np.union1d(i * side + j, np.arange(side) * (side + 1))
    i, j = codes // side, codes % side
    indptr = np.searchsorted(i, np.arange(side + 1))

    def full(g: np.ndarray) -> float:
        shift = 1.0 - g.min()
        graph = sp.csr_array((g + shift, j, indptr), shape=(side, side))
        rows, columns = csgraph.min_weight_full_bipartite_matching(graph)
        return float(np.asarray(graph[rows, columns]).sum() - side * shift)

    region = fw.regions.BipartiteMatching(side, side, (i, j), perfect=True)
    return Contest(f"BipartiteMatching perfect m={i.size}", region, i.size, {"csgraph": full})


def _pairs(nodes: int, count: int) -> Contest:
    tails, heads = _random(nodes, count)
    codes = np.unique(np.minimum(tails, heads) * nodes + np.maximum(tails, heads))
    tails, heads = codes // nodes, codes % nodes
    ends = list(zip(tails.tolist(), heads.tolist(), strict=True))
    place = {pair: e for e, pair in enumerate(ends)}

    def by_networkx(g: np.ndarray) -> float:
        graph = nx.Graph()
        graph.add_weighted_edges_from((u, v, -c) for (u, v), c in zip(ends, g, strict=True))
        found = nx.max_weight_matching(graph)
        return sum(g[place[min(u, v), max(u, v)]] for u, v in found)

    def by_rustworkx(g: np.ndarray) -> float:
        graph = rx.PyGraph()
        graph.add_nodes_from(range(nodes))
        graph.add_edges_from([(u, v, int(-c * 2**40)) for (u, v), c in zip(ends, g, strict=True)])
        found = rx.max_weight_matching(graph, weight_fn=int)
        return sum(g[place[min(u, v), max(u, v)]] for u, v in found)

    others = {"networkx": by_networkx, "rustworkx": by_rustworkx}
    return Contest(
        f"Matching m={tails.size}", fw.regions.Matching((tails, heads)), tails.size, others
    )


def _cuts(nodes: int, count: int) -> Contest:
    tails, heads = _random(nodes, count)
    table = sp.csr_array((np.arange(1, tails.size + 1), (tails, heads)), shape=(nodes, nodes))
    order = table.data - 1

    def flow(g: np.ndarray) -> float:
        """Whole numbers only, of 32 bits."""
        scale = 2**22
        whole = np.rint(scale * g[order]).astype(np.int32)
        graph = sp.csr_array((whole, table.indices, table.indptr), shape=table.shape)
        return csgraph.maximum_flow(graph, 0, nodes - 1).flow_value / scale

    region = fw.regions.Cuts((tails, heads), 0, nodes - 1)
    gradients = _positive(tails.size)
    return Contest(f"Cuts m={tails.size}", region, tails.size, {"csgraph flow": flow}, gradients)


def _matroid(count: int, rank: int) -> Contest:
    """Columns of a matrix over the reals would cost more than the greedy algorithm: a partition."""
    labels = np.arange(count) % rank

    def loop(g: np.ndarray) -> float:
        taken: list[int] = []
        for e in np.argsort(g):
            if len(taken) == rank:
                break
            if np.bincount(labels[[*taken, e]]).max() <= 1:
                taken.append(e)
        return float(g[taken].sum())

    return Contest(
        f"Matroid n={count}", fw.regions.Matroid.partition(labels), count, {"a loop": loop}
    )


def _base(count: int) -> Contest:
    """Edges that a set cuts in a dense graph."""
    rng = np.random.default_rng(2)
    weights = np.triu(rng.random((count, count)), 1)
    weights += weights.T

    def value(chosen: np.ndarray) -> float:
        inside = np.zeros(count)
        inside[chosen] = 1.0
        return float(inside @ weights @ (1.0 - inside))

    def loop(g: np.ndarray) -> float:
        order = np.argsort(g)
        values = [value(order[:k]) for k in range(count + 1)]
        return float(g[order] @ np.diff(values))

    return Contest(
        f"SubmodularBase n={count}",
        fw.regions.SubmodularBase(value, count),
        count,
        {"a loop": loop},
    )
