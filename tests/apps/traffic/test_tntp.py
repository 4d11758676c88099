"""TNTP text files: what is written is read, and what is broken gets one sentence with the line."""

import bz2
import gzip
import lzma
import re
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frankwolfe import InvalidInput
from frankwolfe.apps import traffic

NET = """<NUMBER OF ZONES> 2
<NUMBER OF NODES> 4
<FIRST THRU NODE> 3
<NUMBER OF LINKS> 4
<END OF METADATA>

~ init_node term_node capacity length free_flow_time b power speed toll link_type ;
	1	3	100.5	2.0	1.5	0.15	4	0	0	1	;
	3	4	200	3.0	2.5	0.25	3.5	0	7	1	;
	4	2	300	4.0	0	0	0	0	0	1	;
	4	2	50	1.0	4.5	0.15	4	0	0	1	;
"""
TRIPS = """<NUMBER OF ZONES> 2
<TOTAL OD FLOW> 15.5
<END OF METADATA>

~ nobody stays at home
Origin 1
    1 : 0.0;    2 : 10.5;
Origin 2
    1 : 5.0;
"""


@pytest.fixture
def written(tmp_path):
    """Writes a text into a file, and returns its path."""

    def write(text, name="file.tntp"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_net_and_trips(written):
    network, trips = traffic.read_tntp(
        written(NET, "net"), written(TRIPS, "trips"), toll_factor=0.5, distance_factor=0.25
    )
    assert network.links.tolist() == [[1, 3], [3, 4], [4, 2], [4, 2]]
    assert network.nodes[network.zones].tolist() == [1, 2]
    assert network.nodes[network.closed].tolist() == [1, 2]
    flows = np.array([100.5, 100.0, 1000.0, 25.0])
    times = [1.5 * 1.15, 2.5 * (1 + 0.25 * 0.5**3.5), 0.0, 4.5 * (1 + 0.15 * 0.5**4)]
    np.testing.assert_allclose(network.cost.time(flows), times, rtol=1e-14)
    np.testing.assert_allclose(network.fixed, [0.5, 0.75 + 3.5, 1.0, 0.25], rtol=1e-14)
    np.testing.assert_array_equal(trips.matrix([1, 2]), [[0.0, 10.5], [5.0, 0.0]])


def written_net(rng, nodes, m):
    """A random network as text, and its numbers."""
    ends = rng.integers(1, nodes + 1, (m, 2))
    numbers = rng.exponential(10.0 ** rng.integers(-3, 6, (m, 1)), (m, 6))
    rows = [
        f"{a} {b} {' '.join(repr(float(v)) for v in row[:5])} 0 {float(row[5])!r} 1 ;"
        for (a, b), row in zip(ends, numbers, strict=True)
    ]
    head = f"<NUMBER OF ZONES> {nodes}\n<NUMBER OF NODES> {nodes}\n<NUMBER OF LINKS> {m}\n"
    return head + "<END OF METADATA>\n" + "\n".join(rows), ends, numbers


@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(1, 20))
@settings(max_examples=25, deadline=None)
def test_numbers_are_those_of_the_text(tmp_path_factory, seed, nodes, m):
    rng = np.random.default_rng(seed)
    text, ends, numbers = written_net(rng, nodes, m)
    path = tmp_path_factory.mktemp("net") / "net.tntp"
    path.write_text(text)
    network = traffic.read_network(path)
    capacity, length, time, b, power, toll = numbers.T
    np.testing.assert_array_equal(network.links, ends)
    np.testing.assert_array_equal(network.length, length)
    np.testing.assert_array_equal(network.toll, toll)
    np.testing.assert_array_equal(
        network.cost.table, np.stack([time, time * b, capacity, power], axis=1)
    )


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.sampled_from(["\n", "\r\n", " ", "\t\n"]))
@settings(max_examples=25, deadline=None)
def test_trips_are_those_of_the_text(tmp_path_factory, seed, zones, gap):
    rng = np.random.default_rng(seed)
    matrix = np.where(rng.random((zones, zones)) < 0.6, rng.exponential(5.0, (zones, zones)), 0.0)
    parts = [f"<NUMBER OF ZONES> {zones}\n<END OF METADATA>\n"]
    for i, row in enumerate(matrix):
        parts.append(f"Origin {i + 1}\n")
        parts += [f"{j + 1} : {float(row[j])!r};{gap}" for j in np.flatnonzero(row)]
        parts.append("\n")
    path = tmp_path_factory.mktemp("trips") / "trips.tntp"
    path.write_bytes("".join(parts).encode())
    np.testing.assert_array_equal(traffic.read_trips(path).matrix(np.arange(1, zones + 1)), matrix)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, "zip"])
def test_compressed_files_are_unpacked(written, tmp_path, pack):
    plain = traffic.read_network(written(NET))
    if pack == "zip":
        path = tmp_path / "net.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("net.tntp", NET)
    else:
        path = written(pack(NET.encode()), "net.packed")
    np.testing.assert_array_equal(traffic.read_network(path).cost.table, plain.cost.table)
    cut = written(path.read_bytes()[:-20], "cut")
    with pytest.raises(InvalidInput, match=r"cut (is cut short|cannot be read): [^\n]*\.$"):
        traffic.read_network(cut)


@pytest.mark.parametrize(
    "head",
    [
        "~ term_node\tinit_node\tfree_flow_time\tcapacity\tpower\tb\ttoll\t;",
        "To From fftt cap beta alpha Toll",
        "~\tHead\tTail\tFree Flow Time (min)\tCapacity (veh/h)\tPower\tB\tToll (cents)",
    ],
)
def test_the_header_says_which_column_is_which(written, head):
    rows = (
        "3 1 1.5 100.5 4 0.15 0;\n4 3 2.5 200 3.5 0.25 7;\n2 4 0 300 0 0 0;\n2 4 4.5 50 4 0.15 0;"
    )
    other = written(NET[: NET.index("~")] + head + "\n" + rows, "other")
    one, two = traffic.read_network(written(NET)), traffic.read_network(other)
    np.testing.assert_array_equal(one.links, two.links)
    np.testing.assert_array_equal(one.cost.table, two.cost.table)
    np.testing.assert_array_equal(one.toll, two.toll)
    assert not two.length.any()


def test_words_of_a_comment_are_no_header(written):
    remark = NET.replace("\n\n~", "\n~ ways from north to south\n~")
    np.testing.assert_array_equal(
        traffic.read_network(written(remark)).cost.table,
        traffic.read_network(written(NET)).cost.table,
    )


def test_factors_of_the_file_and_of_the_caller(written):
    with_factors = "<TOLL FACTOR> 2\n<DISTANCE FACTOR> 0.5\n" + NET
    np.testing.assert_allclose(
        traffic.read_network(written(with_factors)).fixed, [1.0, 15.5, 2.0, 0.5]
    )
    own = traffic.read_network(written(with_factors), toll_factor=0.0, distance_factor=1.0)
    np.testing.assert_allclose(own.fixed, own.length)


def test_nodes_with_names_of_their_own(written):
    text = NET.replace("<FIRST THRU NODE> 3\n", "")
    for label in "1234":
        text = re.sub(rf"(?m)^(\t(?:\d+\t)?){label}\t", rf"\g<1>70{label}\t", text)
        text = re.sub(rf"(?m)^(\t70\d\t){label}\t", rf"\g<1>70{label}\t", text)
    trips = TRIPS.replace("Origin 1", "Origin 701").replace("2 :", "702 :")
    trips = trips.replace("Origin 2", "Origin 702").replace("1 :", "701 :")
    network, table = traffic.read_tntp(written(text, "net"), written(trips, "trips"))
    assert network.nodes.tolist() == [701, 702, 703, 704]
    assert table.matrix([701, 702]).tolist() == [[0.0, 10.5], [5.0, 0.0]]


@pytest.mark.parametrize("head", ["", "Node X Y ;\n", "NodeID\tXcoord\tYcoord\n"])
def test_coordinates(written, head):
    places = head + "4 7 8 ;\n1 1.5 2\t;\n2 3 4\n3 5 -6 ;\n9 0 0 ;\n"
    network = traffic.read_network(written(NET, "net"), written(places, "nodes"))
    assert network.coordinates.tolist() == [[1.5, 2.0], [3.0, 4.0], [5.0, -6.0], [7.0, 8.0]]


@pytest.mark.parametrize(
    ("places", "sentence"),
    [
        ("1 1 1\n2 2 2\n4 0 0\n", "has no node 3 of the network."),
        ("1 1 1\n2 2 2\n3 nan 0\n4 0 0\n", "line 3: x must be finite, got nan."),
        ("1 1 1\n2 2\n3 0 0\n4 0 0\n", "line 2: a row must have 3 columns, got 2."),
        ("Node X Z ;\n1 1 1\n", "line 1: node must be a number, got 'Node'."),
    ],
)
def test_broken_coordinates(written, places, sentence):
    with pytest.raises(InvalidInput, match=re.escape(sentence) + "$"):
        traffic.read_network(written(NET, "net"), written(places, "nodes"))


def test_flows_in_the_order_of_the_links(written):
    network = traffic.read_network(written(NET, "net"))
    rows = "4 2 30 3.5\n3\t4\t20\t2.5 ;\n1 3 10 1.5\n4 2 40 4.5\n"
    meta = "<NUMBER OF LINKS> -1\n<END OF METADATA>\n\n"
    for text in (rows, "From To Volume Cost\n" + rows, meta + "~ Tail Head Volume Cost ;\n" + rows):
        flows, costs = traffic.read_flow(written(text, "flow"), network)
        assert flows.tolist() == [10.0, 20.0, 30.0, 40.0]
        assert costs.tolist() == [1.5, 2.5, 3.5, 4.5]
    with pytest.raises(
        InvalidInput, match=r"line 3: a row must be of a link of the network, got 1"
    ):
        traffic.read_flow(written(rows.replace("1 3", "1 4"), "flow"), network)
    with pytest.raises(InvalidInput, match="a row for each of 4 links, got 3"):
        traffic.read_flow(written(rows[11:], "flow"), network)
    with pytest.raises(InvalidInput, match="line 1: flow must be a number, got 'x'"):
        traffic.read_flow(written(rows.replace("30", "x"), "flow"), network)


BROKEN_NETS = [
    ("", "is empty."),
    (" \n\n", "is empty."),
    (b"\x00\x01\xff", "line 1: this is not a text file."),
    (TRIPS, "line 1: these are trips, where links are wanted: give the net file first."),
    (NET.replace("<END OF METADATA>\n", ""), "<END OF METADATA> is missing"),
    ("1 3 100 2 1 0.15 4 0 0 1 ;", "line 1: <END OF METADATA> is missing"),
    (NET.replace("<NUMBER OF NODES> 4\n", ""), "line 4: <NUMBER OF NODES> is missing"),
    (NET.replace("<NUMBER OF ZONES> 2\n", ""), "line 4: <NUMBER OF ZONES> is missing"),
    (NET.replace("<NUMBER OF LINKS> 4\n", ""), "line 4: <NUMBER OF LINKS> is missing"),
    (NET.replace("NODES> 4", "NODES> four"), "line 2: <NUMBER OF NODES> must be a finite number"),
    (NET.replace("NODES> 4", "NODES> 4.5"), "line 2: <NUMBER OF NODES> must be a whole number"),
    (NET.replace("NODES> 4", "NODES> -4"), "line 2: <NUMBER OF NODES> must be at least 1"),
    (NET.replace("ZONES> 2", "ZONES> 5"), "line 1: 5 zones must be among the 4 nodes."),
    (NET.replace("THRU NODE> 3", "THRU NODE> 9"), "line 3: <FIRST THRU NODE> must be a node"),
    (NET.replace("LINKS> 4", "LINKS> 5"), "line 11: <NUMBER OF LINKS> says 5, but the file has 4."),
    (NET.replace("\t3\t4\t", "\t3\t5\t"), "line 9: term_node must be a node from 1 to 4, got 5."),
    (NET.replace("\t1\t3\t", "\t0\t3\t"), "line 8: init_node must be a node from 1 to 4, got 0."),
    (NET.replace("\t1\t3\t", "\t1.5\t3\t"), "line 8: init_node must be a whole number, got 1.5."),
    (NET.replace("100.5", "-5"), "line 8: capacity must be > 0, got -5."),
    (NET.replace("100.5", "0"), "line 8: capacity must be > 0, got 0."),
    (NET.replace("100.5", "nan"), "line 8: capacity must be a finite number, got nan."),
    (NET.replace("100.5", "many"), "line 8: capacity must be a number, got 'many'."),
    (NET.replace("100.5", "1_00"), "line 8: capacity must be a number, got '1_00'."),
    (NET.replace("\t2.5\t", "\t-2.5\t"), "line 9: free_flow_time must be >= 0, got -2.5."),
    (NET.replace("\t2.5\t", "\tinf\t"), "line 9: free_flow_time must be a finite number"),
    (NET.replace("\t0.25\t", "\t-1\t"), "line 9: b must be >= 0"),
    (NET.replace("\t3.5\t", "\t-3\t"), "line 9: power must be >= 0"),
    (NET.replace("\t7\t", "\tx\t"), "line 9: toll must be a number, got 'x'."),
    (NET.replace("\t3.0\t", "\tnan\t"), "line 9: length must be finite."),
    (NET.replace("\t3.5\t0\t7\t1\t;", ""), "line 9: a row must have 10 columns, got 6."),
    (NET.replace("\t1\t3\t", "\tone\t3\t"), "line 8: init_node must be a number, got 'one'."),
    (NET[: NET.index("~")] + "x 3 100 2 1 0.15 4 0 0 1\n", "line 7: <NUMBER OF LINKS> says 4, but"),
    (NET.replace("\t1\t3\t", "\t1e30\t3\t"), "line 8: init_node must be a whole number, got 1e+30"),
    (NET.replace(" power ", " p "), "line 7: the header must name power"),
]


@pytest.mark.parametrize(("text", "sentence"), BROKEN_NETS)
def test_broken_net_files_get_one_sentence(written, text, sentence):
    path = written(text)
    with pytest.raises(InvalidInput) as caught:
        traffic.read_network(path)
    one_sentence(str(caught.value), path, sentence)


BROKEN_TRIPS = [
    ("", "is empty."),
    (NET, "line 4: these are links, where trips are wanted: give the trips file second."),
    (TRIPS.replace("<END OF METADATA>\n", ""), "<END OF METADATA> is missing"),
    (TRIPS.replace("<NUMBER OF ZONES> 2\n", ""), "line 2: <NUMBER OF ZONES> is missing"),
    (TRIPS.replace("15.5", "some"), "line 2: <TOTAL OD FLOW> must be a finite number, got 'some'."),
    (TRIPS[: TRIPS.index("Origin")], "trips must begin with a line such as Origin 1."),
    (TRIPS.replace("Origin 1\n", ""), "line 6: trips must begin with a line such as Origin 1."),
    (TRIPS.replace("Origin 2", "Origin"), "line 8: Origin must be followed by its number, got ''."),
    (TRIPS.replace("Origin 2", "Origin x"), "line 8: Origin must be followed by its number"),
    (
        TRIPS.replace("Origin 2", "Origin 3"),
        "line 9: an origin must be a zone of the network, got 3",
    ),
    (TRIPS.replace("Origin 2", f"Origin {10**30}"), "line 8: Origin must be followed by its"),
    (TRIPS.replace("2 :", f"{10**30} :"), "line 7: trips must be written as destination"),
    (TRIPS.replace("2 :", "-2 :"), "line 7: a destination must be a zone of the network, got -2."),
    (TRIPS.replace("2 :", "7 :"), "line 7: a destination must be a zone of the network, got 7."),
    (TRIPS.replace("5.0;", "-5.0;"), "line 9: trips must be finite numbers >= 0, got -5."),
    (
        TRIPS.replace("1 : 5", "1\n: 5;\n2 : -5"),
        "line 11: trips must be finite numbers >= 0, got -5.",
    ),
    (TRIPS.replace("5.0;", "nan;"), "line 9: trips must be finite numbers >= 0, got nan."),
    (TRIPS.replace("5.0;", "five;"), "line 9: trips must be written as destination : amount;"),
    (TRIPS.replace("5.0;", ";"), "line 9: trips must be written as destination : amount;"),
    (TRIPS.replace("0.0;", "0.0"), "line 7: trips must be written as destination : amount;"),
    (TRIPS.replace("0.0;", "0 0;"), "line 7: trips must be written as destination : amount;"),
    (TRIPS.replace("1 : 0.0;", "1 ; 0.0:"), "line 7: trips must be written as destination"),
    (TRIPS.replace("1 : 0.0;", "1.5 : 0.0;"), "line 7: trips must be written as destination"),
]


@pytest.mark.parametrize(("text", "sentence"), BROKEN_TRIPS)
def test_broken_trips_files_get_one_sentence(written, text, sentence):
    path, network = written(text), traffic.read_network(written(NET, "net"))
    with pytest.raises(InvalidInput) as caught:
        traffic.read_trips(path, network)
    one_sentence(str(caught.value), path, sentence)


def one_sentence(message, path, wanted):
    assert message.startswith(str(path))
    assert wanted in message
    assert message.endswith(".")
    assert "\n" not in message


def test_zones_out_of_range_without_a_network(written):
    with pytest.raises(InvalidInput, match="line 7: a destination must be 1 to 2, got 7"):
        traffic.read_trips(written(TRIPS.replace("2 :", "7 :")))


def test_the_last_semicolon_of_a_line_may_be_missing(written):
    loose = TRIPS.replace("10.5;", "10.5").replace("5.0;", "5.0")
    one, two = traffic.read_trips(written(TRIPS, "a")), traffic.read_trips(written(loose, "b"))
    np.testing.assert_array_equal(one.amounts, two.amounts)
    np.testing.assert_array_equal(one.destinations, two.destinations)


def test_a_wrong_total_is_a_warning(written):
    with pytest.warns(UserWarning, match=r"line 2: .* says 25, but the trips sum to 15.5\."):
        trips = traffic.read_trips(written(TRIPS.replace("OD FLOW> 15.5", "OD FLOW> 25")))
    assert trips.total == 15.5
    traffic.read_trips(written(TRIPS.replace("OD FLOW> 15.5", "OD FLOW> 15.4999")))


def test_no_such_file(tmp_path):
    with pytest.raises(InvalidInput, match=r"^there is no file .*nothing\.tntp\.$"):
        traffic.read_network(tmp_path / "nothing.tntp")
    with pytest.raises(InvalidInput, match="is a folder: name a file in it"):
        traffic.read_trips(tmp_path)
    with pytest.raises(InvalidInput, match="must be given by its path, got int"):
        traffic.read_network(7)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_any_damage_is_read_or_told_in_one_sentence(tmp_path_factory, data):
    text, read = data.draw(
        st.sampled_from([(NET, traffic.read_network), (TRIPS, traffic.read_trips)])
    )
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    junk = st.text("0123456789.-eE_:;~<>\t\n naiOrg\x00é", max_size=6)
    path = tmp_path_factory.mktemp("damaged") / "file.tntp"
    path.write_text(text[:start] + data.draw(junk) + text[end:], "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the total
        try:
            read(path)
        except InvalidInput as error:
            one_sentence(str(error), path, "")
