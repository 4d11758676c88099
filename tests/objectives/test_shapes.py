"""Lengths that come from the caller's numbers are weighed before memory is taken."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import frankwolfe as fw
from frankwolfe.apps import traffic
from frankwolfe.base import budget

FAR = 2_000_000_000
TNTP = """<NUMBER OF ZONES> 2
<NUMBER OF NODES> 2000000000
<FIRST THRU NODE> 1
<NUMBER OF LINKS> 2
<END OF METADATA>
~ init term capacity length free_flow_time b power speed toll type ;
1 2 1.0 1.0 1.0 0.15 4 0 0 1 ;
2 1 1.0 1.0 1.0 0.15 4 0 0 1 ;
"""


def _wide(rows, columns):
    return sp.coo_array(([1.0, 1.0], ([0, rows - 1], [0, columns - 1])), shape=(rows, columns))


def _tntp(folder):
    path = folder / "net.tntp"
    path.write_text(TNTP)
    return traffic.read_network(path)


SHAPES = {
    "rows of ratings": lambda _: fw.Completion(([0, FAR], [0, 1], [1.0, 2.0])),
    "columns of ratings": lambda _: fw.Completion(([0, 1], [0, FAR], [1.0, 2.0])),
    "a shape": lambda _: fw.Completion(([0, 1], [0, 1], [1.0, 2.0]), shape=(FAR, 5)),
    "rows of data": lambda _: fw.SquaredError(_wide(FAR, 3), np.ones(3)),
    "columns of data": lambda _: fw.SquaredError(_wide(3, FAR), np.ones(3)),
    "nodes": _tntp,
}


@pytest.mark.parametrize("what", list(SHAPES))
def test_a_shape_too_large_is_one_sentence(what, tmp_path, monkeypatch):
    monkeypatch.setattr(budget, "memory_left", lambda: 8 << 30)
    with pytest.raises(fw.InvalidInput, match=r"would take about .* of memory") as caught:
        SHAPES[what](tmp_path)
    assert len(str(caught.value).splitlines()) == 1
