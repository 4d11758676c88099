"""Sets of graphs: what the laws of all regions do not cover."""

from __future__ import annotations

import builtins
from itertools import combinations, product

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import installed
from programs import program
from scipy.optimize import linprog
from scipy.spatial.distance import pdist

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.regions.graphs import bipartite
from frankwolfe.regions.graphs import min_cost as flows
from frankwolfe.regions.graphs.edges import Edges
from frankwolfe.regions.graphs.unions import most_in_two
from frankwolfe.subproblems.membership import outside, spanning

nx = pytest.importorskip("networkx", reason="networkx is not installed")

matching = pytest.mark.skipif(
    not installed(fw.regions.Matching), reason="rustworkx is not installed"
)
TIGHT = Accuracy(0.0, 0.0, 0.0, 0)
DIAMOND = [(0, 1), (0, 2), (1, 3), (2, 3), (1, 2)]


def _random_graph(rng, nodes, count, *, forward=False):
    """Directed edges, among them a path from the first node to the last."""
    tails = rng.integers(0, nodes, count)
    heads = (tails + rng.integers(1, nodes, count)) % nodes
    if forward:
        tails, heads = np.minimum(tails, heads), np.maximum(tails, heads)
    along = np.arange(nodes - 1)
    return np.concatenate([tails, along]), np.concatenate([heads, along + 1])


def _balance(tails, heads, nodes):
    matrix = np.zeros((nodes, tails.size))
    np.add.at(matrix, (tails, np.arange(tails.size)), 1.0)
    np.add.at(matrix, (heads, np.arange(tails.size)), -1.0)
    return matrix


class TestEdges:
    def test_all_forms_give_one_list(self):
        pairs = np.array([(0, 1), (0, 3), (1, 2), (2, 0), (2, 3)])
        matrix = sp.coo_array((np.ones(5), pairs.T), shape=(4, 4))
        graph = nx.DiGraph()
        graph.add_nodes_from(range(4))
        graph.add_edges_from(pairs.tolist())
        for given in (pairs, pairs.tolist(), tuple(pairs.T), matrix, matrix.tocsc(), graph):
            edges = Edges(given)
            np.testing.assert_array_equal(np.transpose([edges.tails, edges.heads]), pairs)
            assert edges.nodes == 4

    def test_a_symmetric_matrix_has_each_edge_once(self):
        matrix = sp.csr_array(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))
        edges = Edges(matrix, directed=False)
        assert list(zip(edges.tails, edges.heads, strict=True)) == [(0, 1), (0, 2)]
        lower = Edges(sp.tril(matrix), directed=False)
        assert list(zip(lower.tails, lower.heads, strict=True)) == [(1, 0), (2, 0)]

    def test_nodes_of_networkx_keep_their_names(self):
        graph = nx.DiGraph([("home", "park"), ("park", "work"), ("home", "work")])
        way = fw.regions.UnitFlow(graph, "home", "work")
        np.testing.assert_array_equal(way.lmo(np.array([1.0, 5.0, 2.0])).dense(3), [1, 0, 1])
        pipes = fw.regions.MinCostFlow(graph, {"home": 2.0, "work": -2.0}, 5.0)
        np.testing.assert_array_equal(pipes.lmo(np.ones(3)).dense(3), [0, 2, 0])

    def test_parallel_edges_are_variables_of_their_own(self):
        g = np.array([3.0, 1.0, 2.0])
        for region in (
            fw.regions.UnitFlow([(0, 1)] * 3, 0, 1),
            fw.regions.SpanningTrees([(0, 1)] * 3),
        ):
            np.testing.assert_array_equal(region.lmo(g).dense(3), [0.0, 1.0, 0.0])
        np.testing.assert_array_equal(
            fw.regions.Cuts([(0, 1)] * 3, 0, 1).lmo(g).dense(3), np.ones(3)
        )


class TestUnitFlow:
    @pytest.mark.parametrize("seed", range(5))
    def test_shortest_paths_are_those_of_networkx(self, seed):
        rng = np.random.default_rng(seed)
        for forward, low in ((True, -1.0), (False, 0.0)):
            tails, heads = _random_graph(rng, 12, 40, forward=forward)
            region = fw.regions.UnitFlow((tails, heads), 0, 11)
            assert region.acyclic == forward
            g = rng.uniform(low, 1.0, tails.size)
            graph = nx.MultiDiGraph()
            graph.add_weighted_edges_from(zip(tails, heads, g, strict=True))
            far = nx.bellman_ford_path_length(graph, 0, 11)
            assert region.lmo(g).dot(g) == pytest.approx(far, abs=1e-12)

    def test_negative_costs_with_and_without_negative_cycles(self, rng):
        cycles = 0
        for _ in range(60):
            tails, heads = _random_graph(rng, 6, 10)
            region = fw.regions.UnitFlow((tails, heads), 0, 5)
            # from potentials: negative, but not around a cycle; and then anything
            p = rng.standard_normal(6)
            tame = rng.uniform(0.0, 0.5, tails.size) + p[heads] - p[tails]
            for g in (tame, rng.standard_normal(tails.size)):
                best = linprog(
                    g, A_eq=_balance(tails, heads, 6), b_eq=region.supplies, bounds=(0.0, 1.0)
                )
                atom = region.lmo(g)
                assert atom.dot(g) == pytest.approx(best.fun, abs=1e-9)
                assert region.violation(atom.dense(g.size)) == 0.0
                cycles += atom.indices.size > 5
        assert cycles  # some have more than a path

    def test_on_a_graph_without_cycles_points_are_mixtures_of_paths(self, rng):
        tails, heads = _random_graph(rng, 5, 6, forward=True)
        region = fw.regions.UnitFlow((tails, heads), 0, 4)
        graph = nx.MultiDiGraph()
        for e, (u, v) in enumerate(zip(tails, heads, strict=True)):
            graph.add_edge(u, v, key=e)
        paths = [[e[2] for e in path] for path in nx.all_simple_edge_paths(graph, 0, 4)]
        vertices = np.array([np.isin(np.arange(tails.size), path) for path in paths], dtype=float)
        hull = fw.ConvexHull(vertices)
        assert region.diameter(tails.size) == pytest.approx(hull.diameter(tails.size))
        for _ in range(20):
            x = rng.dirichlet(np.ones(len(vertices))) @ vertices
            assert region.contains(x)
            x[rng.integers(x.size)] += 0.01
            assert region.contains(x) == hull.contains(x) == False  # noqa: E712

    def test_edges_that_lead_nowhere_stay_empty(self, rng):
        region = fw.regions.UnitFlow([*DIAMOND, (3, 4), (5, 0)], 0, 3)
        assert region.middle(7)[5:].max() == 0.0
        f = fw.squared_distance(rng.uniform(0.0, 1.0, 7))
        one = fw.minimize(f, region, tol=1e-9)
        other = fw.minimize(f, region, method="interior_point", tol=1e-9)
        assert one.success
        assert other.success
        np.testing.assert_allclose(one.x, other.x, atol=1e-4)


class TestMinCostFlow:
    @pytest.mark.parametrize("seed", range(3))
    def test_flows_are_those_of_a_linear_program_cold_and_warm(self, seed):
        rng = np.random.default_rng(seed)
        for kind in range(10):
            tails, heads = _random_graph(rng, 7, 14)
            capacities = rng.integers(0, 6, tails.size) if kind % 2 else rng.uniform(0, 5, 20)
            capacities = np.asarray(capacities, dtype=float)
            flow = np.floor(rng.random(tails.size) * capacities)
            matrix = _balance(tails, heads, 7)
            region = fw.regions.MinCostFlow((tails, heads), matrix @ flow, capacities)
            memory = region.oracle_memory(tails.size, np.dtype(float))
            g = rng.standard_normal(tails.size)
            for _ in range(4):
                g = g + 0.3 * rng.standard_normal(g.size)
                bounds = np.column_stack([np.zeros(g.size), capacities])
                best = linprog(g, A_eq=matrix, b_eq=matrix @ flow, bounds=bounds).fun
                atom, value, error = region.inexact_lmo(g, memory, TIGHT)
                assert value == pytest.approx(best, abs=1e-9)
                assert region.lmo(g).dot(g) == pytest.approx(best, abs=1e-9)
                assert 0.0 <= error <= 1e-10
                assert region.violation(atom.dense(g.size)) <= 1e-12

    def test_a_search_that_is_given_up_has_a_valid_bound(self, rng, monkeypatch):
        tails, heads = _random_graph(rng, 12, 60)
        region = fw.regions.MinCostFlow((tails, heads), np.zeros(12), 2.0)
        g = rng.standard_normal(tails.size)
        best = region.lmo(g).dot(g)

        class Short(flows.CapacitatedNetwork):
            def _pivot(self, tree, costs):
                return flows.simplex.optimize(
                    *(self._a, self._b, costs, self.capacities),
                    *(tree.links, tree.state, tree.flow, 5),
                )[0]

        short = Short(tails, heads, np.zeros(12), np.full(tails.size, 2.0))
        flow, _, over = short.cheapest(g)
        assert flow @ g > best + 1e-3
        assert flow @ g - over <= best + 1e-12

    def test_the_bound_is_tight_where_edges_must_be_full_or_empty(self, rng):
        """No more can go between the parts of the network, and prices there are not unique."""
        edges = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 1)]
        region = fw.regions.MinCostFlow(edges, [1.0, -1.0, 0.5, -0.5], [2.0, 1.0, 1.0, 0.5, 0.0])
        memory = region.oracle_memory(5, np.dtype(float))
        for g in rng.standard_normal((20, 5)):
            assert region.inexact_lmo(g, memory, TIGHT)[2] <= 1e-12

    def test_the_same_gradient_gives_the_same_flow_whatever_came_before(self, rng):
        tails, heads = _random_graph(rng, 8, 30)
        region = fw.regions.MinCostFlow((tails, heads), np.zeros(8), 1.0)
        g = np.round(rng.standard_normal(tails.size))
        first = region.lmo(g).dense(g.size)
        memory = region.oracle_memory(g.size, g.dtype)
        for _ in range(5):
            region.inexact_lmo(rng.standard_normal(g.size), memory, TIGHT)
            region.lmo(rng.standard_normal(g.size))
        np.testing.assert_array_equal(region.lmo(g).dense(g.size), first)

    def test_no_capacity_is_a_large_one(self, rng):
        edges = [*DIAMOND, (2, 1)]
        some = [np.inf, np.inf, np.inf, np.inf, np.inf, 2.0]
        region = fw.regions.MinCostFlow(edges, [3.0, 0.0, 0.0, -3.0], some)
        large = fw.regions.MinCostFlow(edges, [3.0, 0.0, 0.0, -3.0], np.minimum(some, 100.0))
        for g in rng.standard_normal((30, 6)):
            assert region.lmo(g).dot(g) == pytest.approx(large.lmo(g).dot(g))

    def test_loose_capacities_change_nothing(self, rng):
        supplies = [3.0, 0.0, 0.0, -3.0]
        tight, loose = (fw.regions.MinCostFlow(DIAMOND, supplies, u) for u in (3.0, 1e15))
        assert loose.resolution(5, np.float32) == tight.resolution(5, np.float32)
        assert loose.diameter(5) == pytest.approx(tight.diameter(5))

    def test_the_diameter_is_a_bound_and_exact_for_unit_capacities(self, rng):
        for _ in range(10):
            tails, heads = _random_graph(rng, 5, 7)
            for unit in (True, False):
                top = np.ones(11) if unit else rng.integers(1, 4, 11).astype(float)
                supplies = _balance(tails, heads, 5) @ np.floor(rng.uniform(0, 1.999, 11))
                try:
                    region = fw.regions.MinCostFlow((tails, heads), supplies, top)
                except InvalidInput:
                    continue
                grid = product(*(np.arange(u + 1) for u in top)) if unit else ()
                points = np.array([x for x in grid if region.violation(np.array(x)) == 0.0])
                if unit:
                    largest = pdist(points).max() if len(points) > 1 else 0.0
                    assert region.diameter(11) == pytest.approx(largest, abs=1e-7)
                else:
                    atoms = [region.lmo(g).dense(11) for g in rng.standard_normal((60, 11))]
                    assert pdist(atoms).max() <= region.diameter(11) * (1 + 1e-12)

    def test_unit_flows_are_flows(self, rng):
        tails, heads = _random_graph(rng, 6, 12)
        one = fw.regions.UnitFlow((tails, heads), 0, 5)
        other = fw.regions.MinCostFlow((tails, heads), one.supplies, 1.0)
        assert one.diameter(17) == pytest.approx(other.diameter(17))
        for g in rng.standard_normal((30, 17)):
            assert one.lmo(g).dot(g) == pytest.approx(other.lmo(g).dot(g), abs=1e-12)

    def test_gradients_of_all_sizes(self, rng):
        region = fw.regions.MinCostFlow([*DIAMOND, (2, 1)], [2.0, 0.0, 0.0, -2.0], 1.5)
        g = rng.standard_normal(6)
        best = region.lmo(g).dense(6)
        for scale in (1e-300, 1e-12, 1e12, 1e300):
            np.testing.assert_array_equal(region.lmo(scale * g).dense(6), best)


class TestSpanningTrees:
    def test_membership_is_that_of_all_inequalities(self, rng):
        complete = np.transpose(np.triu_indices(5, 1))
        region = fw.regions.SpanningTrees(complete)
        sets = [s for k in range(2, 6) for s in combinations(range(5), k)]
        inside = np.array([np.isin(complete, s).all(axis=1) for s in sets], dtype=float)
        most = np.array([len(s) - 1.0 for s in sets])
        for _ in range(60):
            x = region.middle(10) + 0.3 * rng.standard_normal(10)
            x = np.maximum(x, 0.0)
            x *= 4.0 / x.sum()
            worst = max(0.0, float((inside @ x - most).max()))
            assert region.contains(x) == (worst <= 1e-9)
            if x.max() <= 1.0:
                assert region.violation(x) == pytest.approx(worst, abs=1e-12)

    def test_the_middle_is_the_mean_of_all_trees(self):
        for region in fw.regions.SpanningTrees.examples(6, np.random.default_rng(0)):
            trees = program(region, 6).lift.T
            np.testing.assert_allclose(region.middle(6), trees.mean(axis=0), atol=1e-12)
            assert region.diameter(6) == pytest.approx(pdist(trees).max())

    def test_many_edges_are_sorted_in_parts(self, rng):
        pairs = np.transpose(np.triu_indices(40, 1))
        region = fw.regions.SpanningTrees(pairs)
        for g in (rng.standard_normal(len(pairs)), np.round(rng.standard_normal(len(pairs)))):
            graph = nx.Graph()
            graph.add_weighted_edges_from((u, v, c) for (u, v), c in zip(pairs, g, strict=True))
            tree = nx.minimum_spanning_tree(graph)
            assert region.lmo(g).dot(g) == pytest.approx(tree.size(weight="weight"), abs=1e-12)
        # the cheapest edges all within a few nodes: the others are needed after all
        g = np.where(pairs.max(axis=1) < 20, rng.uniform(0, 1, len(pairs)), 5.0)
        assert region.lmo(g).indices.size == 39

    def test_a_cycle_lacks_one_edge(self, rng):
        ring = np.arange(7)
        trees, choice = fw.regions.SpanningTrees((ring, (ring + 1) % 7)), fw.Hypersimplex(6)
        assert trees.diameter(7) == pytest.approx(choice.diameter(7))
        for g in rng.standard_normal((20, 7)):
            np.testing.assert_array_equal(trees.lmo(g).dense(7), choice.lmo(g).dense(7))


class TestBipartiteMatching:
    def test_square_and_perfect_it_is_birkhoff(self, rng):
        one, other = fw.regions.BipartiteMatching(4, 4, perfect=True), fw.Birkhoff(4)
        assert one.diameter(16) == pytest.approx(other.diameter(16))
        for g in rng.standard_normal((20, 16)):
            np.testing.assert_array_equal(one.lmo(g).dense(16), other.lmo(g).dense(16))

    @pytest.mark.parametrize("perfect", [False, True])
    @pytest.mark.parametrize(("rows", "columns"), [(3, 4), (4, 3), (4, 4)])
    def test_few_pairs_both_ways(self, rows, columns, perfect, rng, monkeypatch):
        pairs = [(i, (i + k) % columns) for i in range(rows) for k in range(2)]
        pairs = [pair for pair in pairs if pair[1] < columns]
        dense = fw.regions.BipartiteMatching(rows, columns, pairs, perfect=perfect)
        assert dense.pairs.dense
        monkeypatch.setattr(bipartite, "MIN_SPARSE_RATIO", 0)
        few = fw.regions.BipartiteMatching(rows, columns, pairs, perfect=perfect)
        assert not few.pairs.dense
        linear, n = program(dense, len(pairs)), len(pairs)
        vertices = [few.lmo(g).dense(n) for g in rng.standard_normal((300, n))]
        assert few.diameter(n) == pytest.approx(pdist(vertices).max())
        for scale in (1e-9, 1.0, 1e9):
            for g in scale * np.round(2.0 * rng.standard_normal((10, n))) / 2.0:
                best = scale * linear.minimum(g / scale)
                for region in (dense, few):
                    atom = region.lmo(g)
                    assert atom.dot(g) == pytest.approx(best, abs=1e-9 * scale)
                    assert region.violation(atom.dense(n)) == 0.0

    def test_interior_points_agree_with_the_default(self, rng):
        for region in (
            *fw.regions.BipartiteMatching.examples(6, rng),
            fw.regions.BipartiteMatching(
                3, 3, [(0, 0), (0, 1), (1, 1), (2, 1), (2, 2)], perfect=True
            ),
            fw.regions.BipartiteMatching(
                3, 4, [(0, 0), (1, 0), (1, 1), (2, 2), (2, 3)], perfect=True
            ),
        ):
            n = region.dimension
            f = fw.SquaredError(rng.standard_normal((9, n)), rng.standard_normal(9))
            one, other = fw.minimize(f, region, tol=1e-9), None
            if region.standard_form(n) is not None:
                other = fw.minimize(f, region, method="interior_point", tol=1e-9)
                assert other.success
                assert abs(one.fun - other.fun) <= 2e-9 * max(1.0, abs(one.fun))
            assert one.success


@matching
class TestMatching:
    @pytest.mark.parametrize("perfect", [False, True])
    def test_every_size_of_costs(self, perfect, rng):
        pairs = np.transpose(np.triu_indices(6, 1))
        region = fw.regions.Matching(pairs, perfect=perfect)
        vertices = program(region, 15).lift.T
        assert region.diameter(15) == pytest.approx(pdist(vertices).max())
        for scale in (1e-300, 1e-12, 1.0, 1e300):
            for g in scale * rng.standard_normal((10, 15)):
                atom, value, error = region.inexact_lmo(g, None, TIGHT)
                assert value / scale == pytest.approx((vertices @ (g / scale)).min(), abs=1e-12)
                assert 0.0 <= error <= 1e-15 * scale
                assert region.contains(atom.dense(15))

    def test_odd_sets_of_nodes_have_their_inequality(self):
        five = np.arange(5)
        cycle = fw.regions.Matching((five, (five + 1) % 5))
        assert cycle.contains(np.full(5, 0.4))
        assert not cycle.contains(np.full(5, 0.4 + 1e-6))
        assert cycle.violation(np.full(5, 0.5)) == pytest.approx(0.1 * np.sqrt(5.0))

    def test_parallel_edges_are_variables_of_their_own(self):
        region = fw.regions.Matching([(0, 1), (1, 0), (0, 1)], perfect=True)
        found = region.lmo(np.array([3.0, 1.0, 2.0])).dense(3)
        np.testing.assert_array_equal(found, [0.0, 1.0, 0.0])

    @pytest.mark.parametrize(
        ("edges", "n", "words"),
        [
            ([(0, 1), (1, 2)], None, "at most 2 can be covered"),
            ([(0, 1)], 4, "perfect matching of the 4 nodes"),
        ],
    )
    def test_graphs_without_a_perfect_matching(self, edges, n, words):
        with pytest.raises(InvalidInput, match=words):
            fw.regions.Matching(edges, n, perfect=True)

    def test_costs_that_differ_little(self):
        # 40 bits would not tell them apart
        region = fw.regions.Matching([(0, 1), (1, 2)])
        g = -1.0 - np.array([0.0, 2.0**-50])
        np.testing.assert_array_equal(region.lmo(g).dense(2), [0.0, 1.0])

    def test_without_the_extra(self, monkeypatch):
        real = builtins.__import__

        def without(name, *args, **kwargs):
            if name == "rustworkx":
                raise ImportError(name)
            return real(name, *args, **kwargs)

        monkeypatch.setattr(builtins, "__import__", without)
        with pytest.raises(fw.errors.MissingExtra, match=r"frankwolfe\[graph\]"):
            fw.regions.Matching([(0, 1)])


class TestCuts:
    @pytest.mark.parametrize("directed", [True, False])
    def test_cuts_are_those_of_networkx(self, directed, rng):
        for _ in range(10):
            tails, heads = _random_graph(rng, 8, 20)
            region = fw.regions.Cuts((tails, heads), 0, 7, directed=directed)
            g = rng.uniform(0.0, 1.0, tails.size)
            graph = nx.DiGraph() if directed else nx.Graph()
            for u, v, c in zip(tails.tolist(), heads.tolist(), g, strict=True):
                before = graph.edges[u, v]["capacity"] if graph.has_edge(u, v) else 0.0
                graph.add_edge(u, v, capacity=before + c)
            atom, value, error = region.inexact_lmo(g, None, TIGHT)
            assert value == pytest.approx(nx.minimum_cut_value(graph, 0, 7), abs=1e-12)
            assert error <= 1e-12
            cut = atom.dense(g.size)
            assert region.violation(cut) == 0.0
            g[:5] -= 2.0  # edges that are worth it alone
            atom = region.lmo(g)
            assert set(np.flatnonzero(g < 0.0)) <= set(atom.indices.tolist())

    def test_all_vertices_are_sets_that_cut(self, rng):
        for region in fw.regions.Cuts.examples(6, rng):
            found = {tuple(region.lmo(g).dense(6)) for g in rng.standard_normal((3000, 6))}
            sets = {x for x in product((0.0, 1.0), repeat=6) if region.contains(np.array(x))}
            assert found == sets
            assert region.diameter(6) == pytest.approx(pdist(np.array(sorted(sets))).max())

    def test_interior_points_agree_with_the_default(self, rng):
        for region in (
            *fw.regions.Cuts.examples(6, rng),
            fw.regions.Cuts([(0, 1), (0, 2), (2, 0)], 0, 1),
        ):
            n = region.dimension
            f = fw.SquaredError(rng.standard_normal((9, n)), rng.standard_normal(9))
            one = fw.minimize(f, region, tol=1e-9)
            other = fw.minimize(f, region, method="interior_point", tol=1e-9)
            assert one.success
            assert other.success
            assert abs(one.fun - other.fun) <= 2e-9 * max(1.0, abs(one.fun))


class TestMatroid:
    def test_matroids_that_are_other_sets(self, rng):
        ring = np.arange(6)
        edges = (ring, (ring + 1) % 6)
        for one, other in (
            (fw.regions.Matroid.uniform(6, 2), fw.Hypersimplex(2)),
            (fw.regions.Matroid.uniform(6, 2, bases=False), fw.regions.UnitHypersimplex(2)),
            (fw.regions.Matroid.partition(np.zeros(6, dtype=int), 2), fw.Hypersimplex(2)),
            (fw.regions.Matroid.graphic(edges), fw.regions.SpanningTrees(edges)),
        ):
            assert one.diameter(6) == pytest.approx(other.diameter(6))
            for g in rng.standard_normal((20, 6)):
                np.testing.assert_array_equal(one.lmo(g).dense(6), other.lmo(g).dense(6))
                x = np.clip(other.middle(6) + 0.2 * g, 0.0, 1.0)
                assert one.contains(x) == other.contains(x)

    def test_columns_of_a_matrix(self, rng):
        columns = rng.integers(-1, 2, (3, 7))
        columns[:, 0] = (1, 0, 0)

        def independent(chosen):
            return np.linalg.matrix_rank(columns[:, chosen]) == len(chosen) if len(chosen) else True

        region = fw.regions.Matroid(7, independent)
        bases = program(region, 7).lift.T
        assert region.diameter(7) == pytest.approx(pdist(bases).max())
        for g in rng.standard_normal((20, 7)):
            assert region.lmo(g).dot(g) == pytest.approx((bases @ g).min())

    def test_two_sets_hold_most(self, rng):
        for _ in range(5):
            labels = rng.integers(0, 3, 7)

            def independent(chosen, labels=labels):
                return (
                    len(chosen) <= 3
                    and np.bincount(labels[list(chosen)] if len(chosen) else [0]).max() <= 2
                )

            sets = [s for k in range(4) for s in combinations(range(7), k) if independent(s)]
            most = max(len({*a, *b}) for a in sets for b in sets)
            assert most_in_two(7, independent) == most


class TestSubmodularBase:
    @staticmethod
    def cut_and_wish(n, seed):
        """Edges that a set cuts, and what its elements are worth."""
        rng = np.random.default_rng(seed)
        weights = np.triu(rng.uniform(0, 1, (n, n)) * (rng.random((n, n)) < 0.4), 1)
        weights, wish = weights + weights.T, rng.standard_normal(n)

        def value(chosen):
            inside = np.zeros(n)
            inside[chosen] = 1.0
            return float(inside @ weights @ (1.0 - inside) + wish @ inside)

        return value

    @pytest.mark.parametrize("seed", range(4))
    def test_the_point_of_least_norm_minimizes_the_function(self, seed):
        n, F = 9, self.cut_and_wish(9, seed)
        base = fw.regions.SubmodularBase(F, n)
        base.check()
        result = fw.minimize(fw.squared_distance(np.zeros(n)), base, tol=1e-9)
        best = base.minimizer(result.x)
        sets = (np.flatnonzero(bits) for bits in product((0, 1), repeat=n))
        least = min(F(chosen) for chosen in sets)
        assert result.success
        assert best.value == pytest.approx(least, abs=1e-12)
        assert best.value == F(best.indices)
        assert 0.0 <= best.gap + 1e-12 <= 1e-3

    def test_values_that_come_together(self, rng):
        n, F = 7, self.cut_and_wish(7, 5)
        one = fw.regions.SubmodularBase(F, n)
        other = fw.regions.SubmodularBase(
            F, n, prefixes=lambda order: [F(order[:k]) for k in range(1, order.size + 1)]
        )
        for g in rng.standard_normal((10, n)):
            np.testing.assert_array_equal(one.lmo(g).dense(n), other.lmo(g).dense(n))

    def test_membership_is_that_of_all_inequalities(self, rng):
        n, F = 5, self.cut_and_wish(5, 3)
        base = fw.regions.SubmodularBase(F, n)
        sets = [np.flatnonzero(bits) for bits in product((0, 1), repeat=n)]
        both = 0
        for _ in range(60):
            ahead = base.lmo(rng.standard_normal(n)).dense(n) - base.middle(n)
            x = base.middle(n) + rng.uniform(0.0, 1.5) * ahead
            worst = max(x[s].sum() - F(s) for s in sets)
            assert base.contains(x) == (worst <= 1e-9)
            both += worst <= 1e-9
        assert 5 < both < 55  # some inside, some not

    def test_a_function_that_is_not_submodular_is_found(self):
        with pytest.raises(InvalidInput, match="F must be submodular, but element"):
            fw.regions.SubmodularBase(lambda chosen: float(len(chosen) ** 2), 4)

        def hidden(chosen):  # only sets in the middle show it
            return {0: 0.0, 1: 2.0, 2: 3.0, 3: 4.5, 4: 5.0}[len(chosen)]

        base = fw.regions.SubmodularBase(hidden, 4)
        with pytest.raises(InvalidInput, match=r"adds 1 to \[.*\] and 1.5 once"):
            base.check()

    def test_a_vertex_is_known_at_once(self, rng):
        F, calls = self.cut_and_wish(12, 2), []

        def counted(chosen):
            calls.append(1)
            return F(chosen)

        base = fw.regions.SubmodularBase(counted, 12)
        for g in rng.standard_normal((10, 12)):
            vertex = base.lmo(g).dense(12)
            calls.clear()
            assert base.violation(vertex) <= 1e-12
            assert len(calls) <= 12 * 12
            beyond = vertex + 1e-4 * (vertex - base.middle(12))
            assert not base.contains(beyond)

    def test_far_from_zero(self, rng):
        base = fw.regions.SubmodularBase(lambda chosen: 1e6 * len(chosen) + np.sqrt(len(chosen)), 5)
        assert base.resolution(5, np.float32) > 1e-3
        assert base.contains(base.middle(5))
        beyond = base.lmo(rng.standard_normal(5)).dense(5)
        beyond += 0.01 * (beyond - base.middle(5))
        assert not base.contains(beyond, tol=1e-6)


class TestMembership:
    def test_distances_from_hulls(self, rng):
        points = rng.standard_normal((30, 5))
        for scale in (1e-6, 1.0, 1e6):

            def oracle(g, scale=scale):
                return scale * points[(points @ g).argmin()]

            for _ in range(10):
                x = scale * (rng.dirichlet(np.full(30, 0.1)) @ points)
                assert outside(oracle, x, scale) <= 1e-12
                far = x + scale * 3.0 * rng.standard_normal(5)
                nearest = fw.minimize(
                    fw.squared_distance(far / scale), fw.ConvexHull(points), tol=1e-12
                ).x
                distance = float(np.linalg.norm(far / scale - nearest))
                assert outside(oracle, far, scale) == pytest.approx(distance, abs=1e-6)

    @pytest.mark.parametrize("beyond", [1e-12, 1e-10, 1e-8, 1e-5])
    def test_points_barely_outside_and_barely_inside(self, beyond, rng):
        calls = []

        def corner(g):
            calls.append(1)
            return np.where(g > 0.0, 0.0, 1.0)

        for _ in range(20):
            x = rng.uniform(0.2, 0.8, 6)
            x[rng.integers(6)] = 1.0 + beyond
            assert outside(corner, x, 1.0) == pytest.approx(beyond, rel=1e-3)
            assert outside(corner, np.minimum(x, 1.0 - beyond), 1.0) <= 1e-13
        assert len(calls) <= 20 * 2 * 40

    def test_points_on_the_boundary_of_a_base_polytope(self, rng):
        weights = np.triu(rng.random((25, 25)) * (rng.random((25, 25)) < 0.3), 1)

        def cut(chosen):
            inside = np.zeros(25)
            inside[chosen] = 1.0
            return float(np.abs(inside[:, None] - inside).ravel() @ weights.ravel())

        base = fw.regions.SubmodularBase(cut, 25)
        f = fw.Logistic(rng.standard_normal((50, 25)) / 5.0, np.sign(rng.standard_normal(50)))
        for steps in (20, 200):
            x = fw.minimize(f, base, method="blended_pairwise", max_iter=steps, tol=1e-12).x
            assert base.violation(x) <= 1e-12

    def test_spanning_vertices_of_a_flat_hull(self, rng):
        flat = rng.standard_normal((20, 2)) @ rng.standard_normal((2, 4)) + 3.0
        found = spanning(lambda g: flat[(flat @ g).argmin()], 4, 1.0)
        assert len(found) == 3
        assert np.linalg.matrix_rank(found - found[0]) == 2

    def test_a_point_that_is_not_finite_is_outside(self):
        assert outside(np.sign, np.array([np.nan, 0.0]), 1.0) == np.inf
        for region in fw.regions.Matroid.examples(6, np.random.default_rng(0)):
            assert not region.contains(np.full(6, np.nan))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Edges([]), "edges must be an array of shape"),
        (lambda: Edges([(0, 1, 2)]), r"got an array of shape \(1, 3\)"),
        (lambda: Edges([(0.5, 1.0)]), "whole numbers for nodes"),
        (lambda: Edges([(-1, 1)]), "nodes from 0 on, got -1"),
        (lambda: Edges([(0, 10**15)]), "nodes without large gaps, but 1 edges name node 10"),
        (lambda: Edges([(0, 1), (2, 2)]), "edge 1 must not lead from node 2 to itself"),
        (lambda: Edges(([0, 1], [1])), r"two vectors \(tails, heads\) of one length"),
        (lambda: Edges([(0, 1), (1, 2)], 2), "n must be at least 3"),
        (lambda: Edges("roads"), "edges must be an array of shape"),
        (lambda: Edges(sp.csr_array((2, 3))), "must be a square one with entries"),
        (lambda: Edges(nx.Graph([(0, 1)])), r"pass graph.to_directed\(\)"),
        (lambda: Edges(nx.DiGraph()), "the networkx graph has none"),
        (lambda: fw.regions.UnitFlow(DIAMOND, 0, 4), "target must be a node from 0 to 3, got 4"),
        (lambda: fw.regions.UnitFlow(DIAMOND, True, 3), "source must be a node"),
        (
            lambda: fw.regions.UnitFlow(nx.DiGraph([("a", "b")]), "a", "c"),
            "must be a node of the graph",
        ),
        (lambda: fw.regions.UnitFlow(DIAMOND, 3, 3), "target must not be the source"),
        (lambda: fw.regions.UnitFlow(DIAMOND, 3, 0), "no path does"),
        (
            lambda: fw.regions.MinCostFlow(DIAMOND, [1, 0, 0, 0], 1),
            "supplies must sum to zero, .* 1",
        ),
        (
            lambda: fw.regions.MinCostFlow(DIAMOND, [1, 0, -1], 1),
            "supplies must have 4 entries, got 3",
        ),
        (lambda: fw.regions.MinCostFlow(DIAMOND, [np.nan] * 4, 1), "supplies must be finite"),
        (lambda: fw.regions.MinCostFlow(DIAMOND, {9: 1.0}, 1), "a node of supplies must be a node"),
        (lambda: fw.regions.MinCostFlow(DIAMOND, [1, 0, 0, -1], -1), "capacities must be >= 0"),
        (
            lambda: fw.regions.MinCostFlow(DIAMOND, [1, 0, 0, -1], [1, 1]),
            "must be a number or have 5",
        ),
        (lambda: fw.regions.MinCostFlow(DIAMOND, [3, 0, 0, -3], 1), "of 3 that 1 cannot"),
        (lambda: fw.regions.MinCostFlow(DIAMOND, [-1, 0, 0, 1]), "of 1 that 1 cannot"),
        (lambda: fw.regions.MinCostFlow([(0, 1), (1, 0)], [0, 0]), "a cycle of edges has none"),
        (
            lambda: fw.regions.SpanningTrees(DIAMOND, 6),
            "connect all 6 nodes, but they leave 3 parts",
        ),
        (lambda: fw.regions.SpanningTrees([(0, 1), (2, 3)]), "they leave 2 parts"),
        (lambda: fw.regions.BipartiteMatching(0, 3), "rows must be a whole number >= 1"),
        (lambda: fw.regions.BipartiteMatching(2, 2, [(0, 2)]), "rows below 2 with columns below 2"),
        (lambda: fw.regions.BipartiteMatching(2, 2, [(0, 1), (0, 1)]), "some come twice"),
        (lambda: fw.regions.BipartiteMatching(2, 2, [0, 1]), "edges must be an array of pairs"),
        (lambda: fw.regions.BipartiteMatching(2, 2, sp.eye(3)), r"edges must have shape \(2, 2\)"),
        (
            lambda: fw.regions.BipartiteMatching(2, 2, [(0, 1), (1, 1)], perfect=True),
            "matching of all 2 on the smaller side, but at most 1",
        ),
        (lambda: fw.regions.Cuts(DIAMOND, 3, 0), "there is nothing to cut"),
        (lambda: fw.regions.Cuts(DIAMOND, 0, 0), "target must not be the source"),
        (lambda: fw.regions.Matroid(0, bool), "n must be a whole number >= 1"),
        (lambda: fw.regions.Matroid(3, 3), "independent must be a function of indices, got int"),
        (lambda: fw.regions.Matroid(3, len), "independent must return True or False, got int"),
        (lambda: fw.regions.Matroid(3, lambda s: len(s) > 0), "must be True for no elements"),
        (lambda: fw.regions.Matroid(3, lambda s: len(s) == 0), "must be True for some element"),
        (lambda: fw.regions.Matroid.partition([0, -1]), "labels must be a vector"),
        (lambda: fw.regions.Matroid.partition([0, 1], [1, 1, 1]), "limits must be a whole number"),
        (lambda: fw.regions.SubmodularBase(3, 3), "F must be a function, got int"),
        (lambda: fw.regions.SubmodularBase(len, 0), "n must be a whole number >= 1"),
        (lambda: fw.regions.SubmodularBase(lambda s: 1.0, 3), "F must be 0 for no elements, got 1"),
        (lambda: fw.regions.SubmodularBase(lambda s: np.nan, 3), "F must return a finite number"),
        (lambda: fw.regions.SubmodularBase(len, 3, prefixes=3), "prefixes must be a function"),
        (
            lambda: fw.regions.SubmodularBase(len, 3, prefixes=lambda o: [1.0]).lmo(np.ones(3)),
            "prefixes must return finite numbers, one for each set",
        ),
    ],
)
def test_bad_graphs_say_what_is_wrong(make, words):
    with pytest.raises(InvalidInput, match=words) as caught:
        make()
    assert str(caught.value).count("\n") == 0
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "region",
    [
        *(fw.regions.UnitFlow(DIAMOND, 0, 3), fw.regions.MinCostFlow(DIAMOND, [2, 0, 0, -2], 2)),
        *(fw.regions.SpanningTrees(DIAMOND), fw.regions.Matroid.graphic(DIAMOND, bases=False)),
    ],
    ids=repr,
)
def test_bounds_can_be_proved(region, rng):
    f = fw.SquaredError(rng.standard_normal((12, 5)), rng.standard_normal(12))
    result = fw.minimize(f, region, tol=1e-9)
    proof = fw.prove(fw.Problem(f, region), result.x)
    assert 0.0 <= float(proof.gap) <= 1e-6
