"""Networks and trips from tables of pandas, polars, pyarrow, and from dicts."""

import re

import numpy as np
import pytest

from frankwolfe import InvalidInput
from frankwolfe.apps import traffic

pandas = pytest.importorskip("pandas", reason="pandas is not installed")
polars = pytest.importorskip("polars", reason="polars is not installed")
pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

LINKS = {
    "init_node": [1, 1, 2],
    "term_node": [2, 3, 3],
    "capacity": [100, 200, 300],
    "free_flow_time": [1.0, 2.0, 3.0],
    "b": [0.15, 0.2, 0.0],
    "power": [4.0, 3.0, 1.0],
    "length": [1.0, 2.0, 3.0],
    "toll": [0.0, 0.0, 5.0],
}
PAIRS = {"origin": [1, 1, 2], "destination": [2, 3, 3], "trips": [10.0, 5.0, 2.5]}
KINDS = [pandas.DataFrame, polars.DataFrame, pyarrow.table, dict]


def plain():
    cost = traffic.BPR(*(LINKS[name] for name in ("free_flow_time", "capacity", "b", "power")))
    return traffic.Network(
        LINKS["init_node"], LINKS["term_node"], cost, length=LINKS["length"], toll=LINKS["toll"],
        toll_factor=2.0, distance_factor=0.5,
    )  # fmt: skip


def same(one, two):
    np.testing.assert_array_equal(one.links, two.links)
    np.testing.assert_array_equal(one.cost.table, two.cost.table)
    np.testing.assert_array_equal(one.fixed, two.fixed)


@pytest.mark.parametrize("kind", KINDS)
def test_links(kind):
    factors = {"toll_factor": 2.0, "distance_factor": 0.5}
    same(traffic.network_from_frame(kind(LINKS), **factors), plain())
    renamed = dict(zip(["A_Node", "B node", "Cap", "FFTT", "alpha", "beta", "dist", "Toll"],
                       LINKS.values(), strict=True))  # fmt: skip
    same(traffic.network_from_frame(kind(renamed), **factors), plain())
    odd = {f"my {name}": values for name, values in LINKS.items()}
    columns = {name: f"my {name}" for name in LINKS}
    same(traffic.network_from_frame(kind(odd), columns=columns, **factors), plain())


def test_a_named_column_is_not_taken_for_another():
    cube = {"A": [1, 1], "B": [2, 2], "capacity": [10, 10], "free_flow_time": [1, 2]}
    names = {"init_node": "A", "term_node": "B"}
    network = traffic.network_from_frame(cube, columns=names)
    np.testing.assert_allclose(network.cost.time([10.0, 10.0]), [1.15, 2.3])


@pytest.mark.parametrize("kind", [pandas.DataFrame, polars.DataFrame])
def test_texts_as_labels_zones_and_coordinates(kind):
    table = {**LINKS, "init_node": ["b", "b", "a"], "term_node": ["a", "c", "c"]}
    nodes = {"node": ["c", "a", "b", "d"], "x": [3.0, 1.0, 2.0, 4.0], "y": [30, 10, 20, 40]}
    network = traffic.network_from_frame(kind(table), nodes=kind(nodes), zones=["b", "c"])
    assert network.nodes.tolist() == ["a", "b", "c", "d"]
    assert network.coordinates.tolist() == [[1, 10], [2, 20], [3, 30], [4, 40]]
    assert network.nodes[network.zones].tolist() == ["b", "c"]


@pytest.mark.parametrize("kind", KINDS)
def test_pairs(kind):
    trips = traffic.trips_from_frame(kind(PAIRS))
    np.testing.assert_array_equal(trips.amounts, PAIRS["trips"])
    other = {"O": PAIRS["origin"], "D": PAIRS["destination"], "AM peak": PAIRS["trips"]}
    again = traffic.trips_from_frame(kind(other), columns={"amount": "AM peak"})
    np.testing.assert_array_equal(again.matrix([1, 2, 3]), trips.matrix([1, 2, 3]))


def test_square_tables():
    matrix = np.array([[0.0, 10.0, 5.0], [1.0, 0.0, 2.5], [0.0, 4.0, 0.0]])
    square = pandas.DataFrame(matrix, index=[1, 2, 3], columns=[1, 2, 3])
    shuffled = square.loc[[3, 1, 2]]
    flat = square.reset_index(names="zone")
    texts = flat.rename(columns=str)
    for table in (square, shuffled, flat, texts, polars.from_pandas(texts), pyarrow.table(texts)):
        np.testing.assert_array_equal(traffic.trips_from_frame(table).matrix([1, 2, 3]), matrix)
    names = pandas.DataFrame(matrix, index=list("abc"), columns=list("abc"))
    np.testing.assert_array_equal(traffic.trips_from_frame(names).matrix(list("abc")), matrix)
    with pytest.raises(InvalidInput, match="same zones as rows and as columns"):
        traffic.trips_from_frame(square.set_axis([4, 5, 6], axis=0))


@pytest.mark.parametrize("kind", [pandas.DataFrame, polars.DataFrame])
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"capacity": [100, -1, 300]}, "row 1 of the links, counted from 0: capacity must be > 0"),
        ({"capacity": [100, None, 300]}, "row 1 of the links, counted from 0: capacity must be a"),
        (
            {"capacity": ["1", "2", "x"]},
            "row 2 of the links, counted from 0: capacity must be a nu",
        ),
        ({"power": [4.0, 3.0, np.nan]}, "row 2 of the links, counted from 0: power must be a fin"),
        ({"power": [4.0, -3.0, 1.0]}, "row 1 of the links, counted from 0: power must be >= 0"),
        (
            {"length": [1.0, np.inf, 1.0]},
            "row 1 of the links, counted from 0: length must be finite",
        ),
        (
            {"init_node": [1.0, None, 2.0]},
            "row 1 of the links, counted from 0: init_node must be a",
        ),
        ({"init_node": [1.0, 1.5, 2.0]}, "row 1 of the links, counted from 0: init_node must be a"),
        (
            {"init_node": ["a", None, "b"]},
            "row 1 of the links, counted from 0: init_node must be a",
        ),
    ],
)
def test_bad_links_get_a_sentence_with_the_row(kind, change, sentence):
    with pytest.raises(InvalidInput, match="^" + re.escape(sentence)) as caught:
        traffic.network_from_frame(kind({**LINKS, **change}))
    assert str(caught.value).endswith(".")


def test_other_bad_tables():
    without = {name: values for name, values in LINKS.items() if name != "capacity"}
    with pytest.raises(InvalidInput, match="links must have a column capacity, or columns="):
        traffic.network_from_frame(without)
    with pytest.raises(InvalidInput, match="columns says 'cap' for capacity, but the table has"):
        traffic.network_from_frame(LINKS, columns={"capacity": "cap"})
    with pytest.raises(InvalidInput, match=r"columns must say what .* are called, got 'speed'"):
        traffic.network_from_frame(LINKS, columns={"speed": "b"})
    with pytest.raises(InvalidInput, match="named columns, such as a DataFrame has, got ndarray"):
        traffic.network_from_frame(np.eye(3))
    with pytest.raises(InvalidInput, match=r"row 2 of the links, .* init_node must be a whole"):
        traffic.network_from_frame({**LINKS, "init_node": [1, 2, 10**30]})
    with pytest.raises(InvalidInput, match=r"row 0 of the links, .* capacity must be a number"):
        traffic.network_from_frame({**LINKS, "capacity": np.array(["2020-01-01"] * 3, "M8[D]")})
    with pytest.raises(InvalidInput, match="column capacity must hold one entry a row"):
        traffic.network_from_frame({**LINKS, "capacity": [1, [2, 3], 4]})
    with pytest.raises(InvalidInput, match="nodes must have all ends of links, but 3 is not there"):
        traffic.network_from_frame(LINKS, nodes={"node": [1, 2], "x": [0, 1], "y": [0, 1]})
    with pytest.raises(InvalidInput, match="row 1 of the trips, counted from 0: amount must be"):
        traffic.trips_from_frame({**PAIRS, "trips": [1.0, -1.0, 2.0]})
    with pytest.raises(InvalidInput, match="trips must have a column destination"):
        traffic.trips_from_frame({"origin": [1, 2, 3], "trips": [1.0, 1.0, 2.0]})
    with pytest.raises(InvalidInput, match="finite numbers >= 0, got nan from 1 to 2"):
        traffic.trips_from_frame(pandas.DataFrame([[0, np.nan], [1, 0]], [1, 2], [1, 2]))
