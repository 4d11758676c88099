"""Readers of TNTP files of links, nodes and link flows."""

from __future__ import annotations

import os

import numpy as np

from frankwolfe.apps.traffic.costs import BPR
from frankwolfe.apps.traffic.link_cost import InvalidLink
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.tntp_text import END, Text, columns_of, opened
from frankwolfe.base import AnyArray, Array, Indices, InvalidInput, check_room
from frankwolfe.base.files import NamedColumns

__all__ = ["ALIASES", "read_flow", "read_network"]

BYTES_PER_NODE = 32  # label, first link by tail and by head, and flags
USUAL_COLUMNS = (
    "init_node", "term_node", "capacity", "length", "free_flow_time", "b", "power", "speed",
    "toll", "link_type",
)  # fmt: skip
UNREAD_COLUMNS = ("speed", "link_type")
REQUIRED_COLUMNS = ("capacity", "free_flow_time", "b", "power")
ALIASES = {
    **dict.fromkeys(
        ("from", "fromnode", "tail", "tailnode", "init", "anode", "inode", "source", "u"),
        "init_node",
    ),
    **dict.fromkeys(
        ("to", "tonode", "head", "headnode", "term", "bnode", "jnode", "target", "v"), "term_node"
    ),
    **dict.fromkeys(("cap", "totalcapacity"), "capacity"),
    **dict.fromkeys(("fftt", "ftime", "fft", "freeflow", "t0", "freetime"), "free_flow_time"),
    **dict.fromkeys(("distance", "dist", "len"), "length"),
    **dict.fromkeys(("alpha", "bpralpha"), "b"),
    **dict.fromkeys(("beta", "bprbeta"), "power"),
    **dict.fromkeys(("speedlimit", "ffspeed"), "speed"),
    **dict.fromkeys(("type",), "link_type"),
    **dict.fromkeys(("volume", "vol", "flows"), "flow"),
    **dict.fromkeys(("costs", "time"), "cost"),
    **dict.fromkeys(("nodeid", "id"), "node"),
    **dict.fromkeys(("xcoord", "lon", "longitude"), "x"),
    **dict.fromkeys(("ycoord", "lat", "latitude"), "y"),
}


def read_network(
    net: str | os.PathLike[str],
    nodes: str | os.PathLike[str] | None = None,
    *,
    toll_factor: float | None = None,
    distance_factor: float | None = None,
) -> Network:
    """Network from a TNTP text file; :func:`read_tntp` describes the format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from frankwolfe import traffic
    >>> net = pathlib.Path(tempfile.mkdtemp(), "net.tntp")
    >>> _ = net.write_text('''<NUMBER OF ZONES> 2
    ... <NUMBER OF NODES> 3
    ... <FIRST THRU NODE> 3
    ... <NUMBER OF LINKS> 2
    ... <END OF METADATA>
    ... ~ init_node term_node capacity length free_flow_time b power speed toll link_type ;
    ... 1 3 100 1 2.5 0.15 4 0 0 1 ;
    ... 3 2 100 1 1.5 0.15 4 0 0 1 ;
    ... ''')
    >>> traffic.read_network(net)
    Network(3 nodes, 2 links, 2 zones, 2 of them not to be passed)
    """
    text = opened(net)
    _must_hold_links(text)
    rows, lines = columns_of(text, USUAL_COLUMNS, ALIASES, REQUIRED_COLUMNS, UNREAD_COLUMNS)
    count = text.whole("NUMBER OF LINKS")
    if len(lines) != count:
        text.wrong(
            lines[-1] if lines else text.first,
            f"<NUMBER OF LINKS> says {count}, but the file has {len(lines)}",
        )
    tails, heads = rows.whole("init_node"), rows.whole("term_node")
    labels, zones, closed = _labels(text, rows, tails, heads)
    where = None if nodes is None else _coordinates(opened(nodes), labels)
    try:
        return Network(
            tails,
            heads,
            BPR(**{name: rows.numbers(name) for name in REQUIRED_COLUMNS}),
            zones=zones,
            closed=closed,
            length=rows.numbers("length", 0.0),
            toll=rows.numbers("toll", 0.0),
            toll_factor=text.number("TOLL FACTOR") if toll_factor is None else toll_factor,
            distance_factor=(
                text.number("DISTANCE FACTOR") if distance_factor is None else distance_factor
            ),
            nodes=labels,
            coordinates=where,
        )
    except InvalidLink as error:
        rows.wrong(error.link, error.reason)


def _must_hold_links(text: Text) -> None:
    """Raise unless a file has metadata that end, and links, not trips."""
    if "NUMBER OF LINKS" not in text.tags and (
        "TOTAL OD FLOW" in text.tags or "origin" in text.body.lower()
    ):
        text.wrong(1, "these are trips, where links are wanted: give the net file first")
    if END not in text.tags:
        text.wrong(text.first, f"<{END}> is missing: a net file begins with its metadata")
    for tag in ("NUMBER OF ZONES", "NUMBER OF NODES", "NUMBER OF LINKS"):
        if text.whole(tag) < 1:
            text.wrong(text.tags[tag][1], f"<{tag}> must be at least 1, got {text.whole(tag)}")


def _labels(
    text: Text, rows: NamedColumns, tails: Indices, heads: Indices
) -> tuple[Indices, Indices | None, Indices | None]:
    """All nodes, the zones, and the nodes that may not be passed.

    Nodes are numbered from 1. Where no label is among these numbers, labels are the file's own
    names: then all nodes are zones (None), and all may be passed (None).
    """
    count, zones = text.whole("NUMBER OF NODES"), text.whole("NUMBER OF ZONES")
    first = text.whole("FIRST THRU NODE", 1)
    if zones > count:
        text.wrong(
            text.tags["NUMBER OF ZONES"][1], f"{zones} zones must be among the {count} nodes"
        )
    if not 1 <= first <= count + 1:
        text.wrong(
            text.tags["FIRST THRU NODE"][1],
            f"<FIRST THRU NODE> must be a node from 1 to {count}, got {first}",
        )
    fine = [(ends >= 1) & (ends <= count) for ends in (tails, heads)]
    names = np.unique(np.concatenate([tails, heads]))
    if first == 1 and not (fine[0].any() or fine[1].any()) and names.size <= count:
        return names, None, None
    for name, ends, inside in zip(USUAL_COLUMNS[:2], (tails, heads), fine, strict=True):
        if not inside.all():
            i = int(np.argmin(inside))
            rows.wrong(i, f"{name} must be a node from 1 to {count}, got {ends[i]}")
    instead = "number the nodes without gaps"
    check_room(BYTES_PER_NODE * count, f"a network of {count:,} nodes", instead)
    return np.arange(1, count + 1), np.arange(1, zones + 1), np.arange(1, first)


def _coordinates(text: Text, labels: Indices) -> Array:
    """Coordinates of the nodes, from a file with a node, x and y in each row."""
    rows, _ = columns_of(text, ("node", "x", "y"), ALIASES, ("y",))
    found, x, y = rows.whole("node"), rows.numbers("x"), rows.numbers("y")
    lines = dict(zip(found.tolist(), range(found.size), strict=True))
    places = np.array([lines.get(label, -1) for label in labels.tolist()])
    if (places < 0).any():
        raise InvalidInput(f"{text.path} has no node {labels[np.argmin(places)]} of the network.")
    for value, name in ((x, "x"), (y, "y")):
        wrong = np.flatnonzero(~np.isfinite(value))
        if wrong.size:
            rows.wrong(wrong[0], f"{name} must be finite, got {value[wrong[0]]:g}")
    return np.stack([x[places], y[places]], axis=1)


def read_flow(flow: str | os.PathLike[str], network: Network) -> tuple[Array, Array]:
    r"""Link flows and costs from a flow file, in the order of the network's links.

    Parameters
    ----------
    flow : path
        A text file with a row for each link: from, to, volume and cost.
    network : Network
        Network of these links; parallel links are taken in the order of the file.

    Returns
    -------
    (array of m flows, array of m costs)
        Flows and costs; the latter NaN where the file has none.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from frankwolfe import traffic
    >>> flow = pathlib.Path(tempfile.mkdtemp(), "flow.tntp")
    >>> _ = flow.write_text("From To Volume Cost\n2 3 7.0 2.5\n1 2 4.0 1.5\n")
    >>> network = traffic.Network([1, 2], [2, 3], traffic.FixedTime([1.5, 2.5]))
    >>> traffic.read_flow(flow, network)
    (array([4., 7.]), array([1.5, 2.5]))
    """
    text = opened(flow)
    usual = ("init_node", "term_node", "flow", "cost")
    rows, lines = columns_of(text, usual, ALIASES, ("flow",))
    ends = np.stack([rows.whole("init_node"), rows.whole("term_node")], axis=1)
    if len(ends) != network.size:
        text.wrong(
            lines[-1] if lines else text.first,
            f"there must be a row for each of {network.size} links, got {len(ends)}",
        )
    links = network.links
    ends = ends.astype(links.dtype)
    by, order = _sorted(ends), _sorted(links)
    strange = np.flatnonzero((ends[by] != links[order]).any(axis=1))
    if strange.size:
        i = by[strange[0]]
        rows.wrong(i, f"a row must be of a link of the network, got {ends[i, 0]} to {ends[i, 1]}")
    flows, costs = np.empty(network.size), np.empty(network.size)
    flows[order] = rows.numbers("flow")[by]
    costs[order] = rows.numbers("cost", np.nan)[by]
    return flows, costs


def _sorted(links: AnyArray) -> Indices:
    """Stable order of links by tail, then head: the k-th of parallel links stays the k-th."""
    return np.lexsort((links[:, 1], links[:, 0]))
