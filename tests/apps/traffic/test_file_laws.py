"""Networks and trips on their way from files and tables, and options on their way to methods."""

from __future__ import annotations

import re
import warnings
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from random_roads import random_network, random_trips

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.apps import traffic
from frankwolfe.apps.traffic.tntp_net import ALIASES
from frankwolfe.apps.traffic.trips import Demand
from frankwolfe.base.files import NamedColumns, is_label

HEAD = ("init_node", "term_node", "capacity", "length", "free_flow_time", "b", "power", "toll")


def net_text(rows, zones, nodes, first=1, head=HEAD, comments=False):
    lines = [
        f"<NUMBER OF ZONES> {zones}",
        f"<NUMBER OF NODES> {nodes}",
        f"<FIRST THRU NODE> {first}",
    ]
    lines += ["~ a comment", ""] * comments
    lines += [f"<NUMBER OF LINKS> {len(rows)}", "<END OF METADATA>", f"~ {' '.join(head)} ;"]
    for row in rows:
        lines += ["~ another", ""] * comments + [f"\t{' '.join(map(str, row))} ;"]
    return "\n".join(lines) + "\n"


def links(rng, m=8, n=4):
    tails = 1 + np.arange(m) % n
    heads = 1 + (tails + rng.integers(0, n - 1, m)) % n
    numbers = np.round(rng.uniform(0.5, 9.0, (m, 6)), 3)
    return [
        [int(a), int(b), *row] for a, b, row in zip(tails, heads, numbers.tolist(), strict=True)
    ]


def saved(folder, text, name="net.tntp"):
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("comments", [False, True])
def test_columns_in_any_order_and_by_other_names_are_the_same(comments, tmp_path, rng):
    rows = links(rng)
    plain = traffic.read_network(saved(tmp_path, net_text(rows, 2, 4, 3, comments=comments)))
    others = {}
    for name, own in ALIASES.items():
        others.setdefault(own, []).append(name)
    for _ in range(6):
        order = rng.permutation(len(HEAD))
        head = [str(rng.choice(others.get(HEAD[j], [HEAD[j]]))) for j in order]
        text = net_text([[row[j] for j in order] for row in rows], 2, 4, 3, head, comments)
        network = traffic.read_network(saved(tmp_path, text))
        for name in ("nodes", "tails", "heads", "zones", "closed", "length", "toll"):
            np.testing.assert_array_equal(getattr(network, name), getattr(plain, name))
        np.testing.assert_array_equal(network.cost.table, plain.cost.table)
    numbers = np.array(rows)[:, 2:]
    np.testing.assert_array_equal(plain.length, numbers[:, 1])
    np.testing.assert_array_equal(plain.toll, numbers[:, 5])
    flows = rng.uniform(0.0, 5.0, 8)
    times = numbers[:, 2] * (1.0 + numbers[:, 3] * (flows / numbers[:, 0]) ** numbers[:, 4])
    np.testing.assert_allclose(plain.cost.time(flows), times)
    assert plain.nodes[plain.closed].tolist() == plain.nodes[plain.zones].tolist() == [1, 2]


@pytest.mark.parametrize("first", [1, 3, 5])
@pytest.mark.parametrize("shift", range(7))
def test_numbers_of_nodes_or_names(shift, first, tmp_path, rng):
    """Names are numbers none of which is among those of nodes; else all must be."""
    rows = [[a + shift, b + shift, *rest] for a, b, *rest in links(rng)]
    path = saved(tmp_path, net_text(rows, 2, 4, first))
    if shift == 0:
        network = traffic.read_network(path)
        assert network.nodes.tolist() == [1, 2, 3, 4]
        assert network.nodes[network.zones].tolist() == [1, 2]
        assert network.nodes[network.closed].tolist() == list(range(1, first))
    elif shift >= 4 and first == 1:
        network = traffic.read_network(path)
        assert network.nodes.tolist() == [1 + shift, 2 + shift, 3 + shift, 4 + shift]
        assert network.zones.size == 4
        assert not network.closed.any()
    else:
        bad = [(name, k, row[j]) for j, name in enumerate(HEAD[:2]) for k, row in enumerate(rows)
               if row[j] > 4]  # fmt: skip
        name, k, got = bad[0]
        words = f"line {k + 7}: {name} must be a node from 1 to 4, got {got}"
        with pytest.raises(InvalidInput, match=re.escape(words)):
            traffic.read_network(path)
    if shift == 0:
        for wrong in (0, 6, -1):
            with pytest.raises(InvalidInput, match="line 3: <FIRST THRU NODE> must be a node from"):
                traffic.read_network(saved(tmp_path, net_text(rows, 2, 4, wrong)))
        with pytest.raises(InvalidInput, match="line 1: 5 zones must be among the 4 nodes"):
            traffic.read_network(saved(tmp_path, net_text(rows, 5, 4, 1)))
        with pytest.raises(InvalidInput, match="<NUMBER OF LINKS> says 9, but the file has 8"):
            traffic.read_network(
                saved(tmp_path, net_text(rows, 2, 4).replace("LINKS> 8", "LINKS> 9"))
            )


@pytest.mark.parametrize("row", range(0, 8, 3))
@pytest.mark.parametrize("comments", [False, True])
def test_a_bad_number_is_named_by_its_line(comments, row, tmp_path, rng):
    for column, bad, words in (
        (0, "1.5", "init_node must be a whole number, got 1.5"),
        (1, "x", "term_node must be a number, got 'x'"),
        (2, "1_0", "capacity must be a number, got '1_0'"),
        (4, "-1", "free_flow_time"), (2, "0", "capacity"), (6, "-2", "power"),
    ):  # fmt: skip
        rows = links(rng)
        rows[row][column] = bad
        line = (9 if comments else 7) + row * (3 if comments else 1) + 2 * comments
        with pytest.raises(InvalidInput, match=re.escape(words)) as caught:
            traffic.read_network(saved(tmp_path, net_text(rows, 2, 4, comments=comments)))
        assert f"line {line}: " in str(caught.value)
    rows = links(rng)
    rows[row] = rows[row][:6]
    with pytest.raises(InvalidInput, match="a row must have 8 columns, got 6") as caught:
        traffic.read_network(saved(tmp_path, net_text(rows, 2, 4, comments=comments)))
    assert f"line {line}: " in str(caught.value)


def trips_text(pairs, zones, *, total=None, every=5):
    lines = [f"<NUMBER OF ZONES> {zones}"] + [f"<TOTAL OD FLOW> {total}"] * (total is not None)
    lines += ["<END OF METADATA>", ""]
    where = {}
    for origin in sorted({a for a, _, _ in pairs}):
        lines.append(f"Origin  {origin}")
        mine = [(b, v) for a, b, v in pairs if a == origin]
        for k in range(0, len(mine), every):
            lines.append("  ".join(f"{b} : {v};" for b, v in mine[k : k + every]))
            where |= {(origin, b): len(lines) for b, _ in mine[k : k + every]}
    return "\n".join(lines) + "\n", where


def all_trips(shift, rng):
    """Trips between each two of four zones, whose numbers begin behind the shift."""
    pairs = permutations(range(1 + shift, 5 + shift), 2)
    return [(a, b, round(float(rng.uniform(0, 9)), 2)) for a, b in pairs]


@pytest.mark.parametrize("every", [1, 3])
def test_a_number_behind_those_of_the_zones_is_no_zone(every, tmp_path, rng):
    pairs = all_trips(1, rng)
    text, where = trips_text(pairs, 4, every=every)
    first = next((a, b) for a, b, _ in pairs if a == 5)
    with pytest.raises(InvalidInput, match="an origin must be 1 to 4, got 5") as caught:
        traffic.read_trips(saved(tmp_path, text, "trips"))
    assert f"line {where[first]}: " in str(caught.value)


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("shift", [0, 4, 50])
def test_trips_between_numbers_or_names(shift, every, tmp_path, rng):
    pairs = all_trips(shift, rng)
    text, where = trips_text(pairs, 4, every=every)
    path = saved(tmp_path, text, "trips")
    found = traffic.read_trips(path)
    assert sorted(zip(found.origins, found.destinations, found.amounts, strict=True)) == sorted(
        pairs
    )
    total = sum(v for *_, v in pairs)
    for said, warned in (
        (total, False),
        (1.005 * total, False),
        (0.98 * total, True),
        (1.02 * total, True),
    ):
        again = saved(tmp_path, trips_text(pairs, 4, total=said)[0], "trips")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            traffic.read_trips(again)
        assert bool(caught) == warned
        assert not warned or "line 2: <TOTAL OD FLOW> says" in str(caught[0].message)
    for bad, words in (
        ("-1", "trips must be finite numbers >= 0, got -1"),
        ("inf", "finite numbers"),
    ):
        for place in (0, 5, 11):
            a, b, _ = pairs[place]
            text, where = trips_text(
                [*pairs[:place], (a, b, bad), *pairs[place + 1 :]], 4, every=every
            )
            with pytest.raises(InvalidInput, match=words) as told:
                traffic.read_trips(saved(tmp_path, text, "trips"))
            assert f"line {where[a, b]}: " in str(told.value)
    for bad in ("3 : ;", "3 4;", "x : 1;", "3 : 1; 4", "3 : 1_0;"):
        text, _ = trips_text(pairs, 4, every=every)
        lines = text.splitlines()
        lines[5] = bad
        with pytest.raises(InvalidInput, match=r"line 6: trips must be written as destination"):
            traffic.read_trips(saved(tmp_path, "\n".join(lines), "trips"))


def test_trips_are_those_of_their_matrix(rng):
    matrix = rng.uniform(0, 5, (4, 4)) * (rng.random((4, 4)) < 0.7)
    zones = np.array([30, 7, 12, 99])
    for given in (matrix, sp.csr_array(matrix), sp.coo_matrix(matrix), matrix.tolist()):
        trips = traffic.Trips.of_matrix(given, zones)
        np.testing.assert_allclose(trips.matrix(zones), matrix)
        np.testing.assert_allclose(trips.matrix(zones[::-1]), matrix[::-1, ::-1])
        assert trips.total == pytest.approx(matrix.sum())
        np.testing.assert_allclose(trips.times(2.5).matrix(zones), 2.5 * matrix)
        some = matrix > 0
        words = f"from {some.any(axis=1).sum()} origins, {some.sum()} pairs)"
        assert repr(trips).endswith(words)
    plain = traffic.Trips.of_matrix(matrix)
    np.testing.assert_allclose(plain.matrix([1, 2, 3, 4]), matrix)
    twice = traffic.Trips([1, 1], [2, 2], [3.0, 4.0])
    assert twice.matrix([1, 2])[0, 1] == 7.0
    with pytest.raises(InvalidInput, match="there are trips from 1 to 2"):
        twice.matrix([1, 3])
    for bad in (matrix[:3], matrix[0]):
        with pytest.raises(InvalidInput, match="matrix must be square"):
            traffic.Trips.of_matrix(bad)
    with pytest.raises(InvalidInput, match="zones must have 4 labels"):
        traffic.Trips.of_matrix(matrix, zones[:3])
    for i, bad in ((0, np.nan), (2, -1.0), (1, np.inf)):
        amounts = np.ones(3)
        amounts[i] = bad
        with pytest.raises(InvalidInput, match=f"from {i + 1} to {i + 4}"):
            traffic.Trips([1, 2, 3], [4, 5, 6], amounts)
    with pytest.raises(InvalidInput, match="an origin, a destination and an amount each"):
        traffic.Trips([1, 2], [4, 5, 6], [1.0, 2.0])
    with pytest.raises(InvalidInput, match="amounts must be a vector"):
        traffic.Trips([1], [2], [[1.0]])


def test_demand_is_sorted_weighted_and_without_those_who_stay(rng):
    network = random_network(rng, 7, 20, length=1.5, toll=0.5)
    classes = [
        traffic.UserClass(random_trips(rng, 7, 20)),
        traffic.UserClass(
            random_trips(rng, 7, 9), toll_factor=2.0, distance_factor=3.0, weight=2.5
        ),
        traffic.UserClass(
            traffic.Trips([3, 3, 4], [3, 5, 1], [9.0, 0.0, 1.0]), fixed=np.arange(network.size)
        ),
    ]
    demand = Demand.on(network, classes)
    wanted = {}
    for k, each in enumerate(classes):
        for a, b, v in zip(
            each.trips.origins, each.trips.destinations, each.trips.amounts, strict=True
        ):
            if v > 0.0 and a != b:
                wanted.setdefault((k, int(a)), []).append((int(b), each.weight * v))
    assert list(zip(demand.of.tolist(), demand.origins.tolist(), strict=True)) == sorted(wanted)
    assert demand.starts.tolist()[0] == 0
    assert demand.starts[-1] == demand.ends.size == sum(map(len, wanted.values()))
    for i, key in enumerate(sorted(wanted)):
        mine = slice(demand.starts[i], demand.starts[i + 1])
        found = list(zip(demand.ends[mine].tolist(), demand.amounts[mine].tolist(), strict=True))
        assert [b for b, _ in found] == sorted(b for b, _ in wanted[key])
        assert sorted(found) == sorted(wanted[key])
    np.testing.assert_allclose(demand.fixed[0], 0.0)
    np.testing.assert_allclose(demand.fixed[1], 2.0 * 0.5 + 3.0 * 1.5)
    np.testing.assert_allclose(demand.fixed[2], np.arange(network.size))
    nobody = Demand.on(network, traffic.Trips([1], [1], [5.0]))
    assert (nobody.origins.size, nobody.starts.tolist()) == (0, [0])
    for bad in (-np.ones(network.size), np.ones(3), np.full(network.size, np.nan)):
        with pytest.raises(InvalidInput, match="fixed must have a finite number >= 0"):
            Demand.on(network, traffic.UserClass(classes[0].trips, fixed=bad))


# ---- tables


def test_tables_of_links_are_the_same_in_any_order(rng):
    m = 7
    table = {
        "init_node": 1 + np.arange(m) % 4, "term_node": 1 + (np.arange(m) + 1) % 4,
        "capacity": rng.uniform(5, 9, m), "free_flow_time": rng.uniform(1, 2, m),
        "b": rng.uniform(0.1, 0.3, m), "power": np.full(m, 3.0), "length": rng.uniform(1, 2, m),
        "toll": rng.uniform(0, 1, m), "colour": np.array(list("abcdefg")),
    }  # fmt: skip
    plain = traffic.network_from_frame(table, toll_factor=0.5, distance_factor=0.1)
    np.testing.assert_array_equal(plain.cost.table[:, 0], table["free_flow_time"])
    np.testing.assert_allclose(plain.fixed, 0.5 * table["toll"] + 0.1 * table["length"])
    others = {}
    for name, own in ALIASES.items():
        others.setdefault(own, []).append(name)
    for _ in range(8):
        names = {}
        for name in table:
            ways = [name, name.upper().replace("_", " "), *others.get(name, [])]
            names[name] = str(rng.choice(ways))
        mixed = {names[name]: table[name] for name in rng.permutation(list(table))}
        mixed |= {"colour": mixed.pop(names["colour"])}
        found = traffic.network_from_frame(mixed, toll_factor=0.5, distance_factor=0.1)
        np.testing.assert_array_equal(found.cost.table, plain.cost.table)
        np.testing.assert_array_equal(found.links, plain.links)
        np.testing.assert_array_equal(found.fixed, plain.fixed)
    usual = {name: table[name] for name in list(table)[:4]}
    bare = traffic.network_from_frame(usual)
    full = traffic.network_from_frame(usual | {"b": np.full(m, 0.15), "power": np.full(m, 4.0)})
    np.testing.assert_array_equal(bare.cost.table, full.cost.table)
    assert not bare.fixed.any()
    for name in usual:
        with pytest.raises(InvalidInput, match=f"the links must have a column {name}"):
            traffic.network_from_frame({other: usual[other] for other in usual if other != name})
    for row in (0, 3, 6):
        for name, bad, words in (
            ("capacity", "x", "capacity must be a number, got 'x'"),
            ("capacity", "-1", "capacity"), ("init_node", 1.5, "init_node must be a whole number"),
        ):  # fmt: skip
            values = [*table[name].tolist()]
            values[row] = bad
            with pytest.raises(InvalidInput, match=f"row {row} of the links.*{words}"):
                traffic.network_from_frame(table | {name: np.array(values, dtype=object)})


def test_labels_are_texts_or_whole_numbers_that_fit():
    for entry in ("a", "", 0, -5, 3.0, 2**63 - 1, -(2**63)):
        assert is_label(entry)
    for entry in (True, 1.5, 2**63, float(2**63), -(2**63) - 1, None, (1,)):
        assert not is_label(entry)
    for entries, kind in (([1, 2.0, -3], "i"), (["a", "b", "1"], "U")):
        frame = NamedColumns({"x": np.array(entries, dtype=object)}, "row {}".format)
        assert frame.labels("x").dtype.kind == kind
        assert frame.labels("x").tolist() == entries
    for entries, row in (([1, "a", 2], 1), (["a", "b", 3], 2), ([1, 2, 2.5], 2), ([2**63, 1], 0)):
        frame = NamedColumns({"x": np.array(entries, dtype=object)}, "row {}".format)
        with pytest.raises(InvalidInput, match=f"row {row}: x must be"):
            frame.labels("x")


@pytest.mark.parametrize("labels", [[1, 2, 3], [10, 7, 3], ["a", "b", "c"]])
def test_trips_in_every_table_are_the_same(labels, rng):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    matrix = np.round(rng.uniform(1, 9, (3, 3)), 2)
    matrix[1, 2] = 0.0
    pairs = [(a, b, matrix[i, j]) for i, a in enumerate(labels) for j, b in enumerate(labels)]
    square = pd.DataFrame(matrix, index=labels, columns=labels)
    mixed = square.loc[labels[::-1], [labels[1], labels[0], labels[2]]]
    first = pd.DataFrame({"zone": labels} | {str(b): matrix[:, j] for j, b in enumerate(labels)})
    tables = [
        pd.DataFrame(pairs, columns=["o", "d", "trips"]),
        pd.DataFrame(pairs, columns=["from", "to", "demand"])[["demand", "to", "from"]],
        dict(zip(("Origin", "DEST", "volume"), map(list, zip(*pairs, strict=True)), strict=True)),
        square, mixed, first,
    ]  # fmt: skip
    for table in tables:
        np.testing.assert_allclose(traffic.trips_from_frame(table).matrix(labels), matrix)
    named = pd.DataFrame(pairs, columns=["x", "y", "z"])
    found = traffic.trips_from_frame(
        named, columns={"origin": "x", "destination": "y", "amount": "z"}
    )
    np.testing.assert_allclose(found.matrix(labels), matrix)
    with pytest.raises(InvalidInput, match="same zones as rows and as columns"):
        traffic.trips_from_frame(
            square.rename(columns={labels[0]: 77 if labels[0] != "a" else "q"})
        )
    for row in (0, 4, 8):
        bad = tables[0].copy()
        bad.loc[row, "trips"] = -1.0
        with pytest.raises(InvalidInput, match=f"row {row} of the trips.*amount must be a finite"):
            traffic.trips_from_frame(bad)
    with pytest.raises(InvalidInput, match="columns must say what origin, destination, amount"):
        traffic.trips_from_frame(named, columns={"begin": "x"})
    with pytest.raises(
        InvalidInput, match="columns says 'q' for origin, but the table has x, y, z"
    ):
        traffic.trips_from_frame(named, columns={"origin": "q"})


# ---- options reach the method


@pytest.mark.parametrize("elastic", [False, True])
@pytest.mark.parametrize("optimum", [False, True])
def test_every_option_is_passed_on(optimum, elastic, rng, tmp_path):
    network = random_network(rng, 9, 24)
    trips = traffic.Trips.of_matrix(8.0 * rng.random((9, 9)) * (rng.random((9, 9)) < 0.3), range(9))
    demand = traffic.LinearDemand(60.0)

    def run(**more):
        more = {"system_optimum": optimum} | more
        if elastic:
            return traffic.elastic_equilibrium(network, trips, demand, **more)
        return traffic.equilibrium(network, trips, **more)

    fine = run(tol=1e-11)
    assert fine.system_optimum == optimum
    assert fine.relative_gap <= 1e-11
    rough = run(tol=1e-2, method="frank_wolfe")
    assert "FW" in rough.method or "Frank" in rough.method
    assert 1e-11 < rough.relative_gap <= 1e-2
    assert rough.nit > 1
    few = run(tol=0.0, method="frank_wolfe", max_iter=3)
    assert (few.nit, few.status) == (3, fw.Status.MAX_ITERATIONS)
    stopped = run(tol=0.0, method="frank_wolfe", stop=fw.Iterations(2))
    assert stopped.nit == 2
    seen = []
    run(tol=0.0, method="frank_wolfe", max_iter=4, callback=lambda run: seen.append(run.state.k))
    assert seen[-1] == 4
    path = tmp_path / "run.npz"
    saved_run = fw.Checkpoint(path, every=3)
    run(tol=0.0, method="frank_wolfe", max_iter=3, callback=saved_run)
    rest = run(tol=0.0, method="frank_wolfe", max_iter=7, resume=path)
    whole = run(tol=0.0, method="frank_wolfe", max_iter=7)
    np.testing.assert_array_equal(rest.flows, whole.flows)
    assert rest.nit == 7


def test_what_is_minimized_says_what_it_is(rng):
    network, trips = random_network(rng, 5, 9), random_trips(rng, 5, 4)
    several = np.zeros((3, network.size))
    for fixed, words in ((None, False), (several[:1], False), (several, True)):
        for optimum in (False, True):
            f = (
                fw.traffic.Beckmann(network, fixed, system_optimum=optimum)
                if optimum
                else fw.traffic.Beckmann(network, fixed)
            )
            assert (", 3 classes" in repr(f)) == words
            assert ("system optimum" in repr(f)) == optimum
            assert repr(network) in repr(f)
    assert "Trips" in repr(trips)
