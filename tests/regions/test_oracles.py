"""Every registered oracle beside another solver, for gradients that Hypothesis makes."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import N, installed, nightly
from hypothesis import given, settings
from hypothesis import strategies as st
from minima import least

import frankwolfe as fw
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.regions import REGIONS

FLOATS = st.floats(-10.0, 10.0, allow_subnormal=False)
FEW = st.sampled_from([-2.0, -1.0, -0.0, 0.0, 1.0, 3.0])  # ties and zeros
SCALES = st.sampled_from([1e-9, 1e-3, 1.0, 1.0, 1.0, 1e5, 1e12])
KINDS = [kind for kind in REGIONS.values() if installed(kind)]
TIGHT = Accuracy(0.0, 0.0, 0.0, 0)


def gradients(n: int) -> st.SearchStrategy[np.ndarray]:
    """Vectors of all kinds: with ties, zeros, or one entry far larger than the others."""
    entries = st.one_of(
        st.lists(FLOATS, min_size=n, max_size=n),
        st.lists(FEW, min_size=n, max_size=n),
        st.lists(st.one_of(FEW, FLOATS, st.just(1e6)), min_size=n, max_size=n),
    )
    return st.tuples(entries, SCALES).map(lambda made: made[1] * np.array(made[0]))


def examples(kind: type) -> list[tuple[fw.Region, int]]:
    """In six variables, or what comes nearest, and in one: with their sizes."""
    made = [(r, n) for n in (N, 1) for r in kind.examples(n, np.random.default_rng(1))]
    return [(r, r.dimension or n) for r, n in made]


@pytest.mark.parametrize("count", [50, nightly(200)])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_oracle_finds_what_others_find(kind, count):
    regions = examples(kind)

    @settings(max_examples=count)
    @given(st.data())
    def law(data):
        region, n = data.draw(st.sampled_from(regions))
        g = data.draw(gradients(n))
        near = max(1e-9, region.exactness)
        slack = near * region.reach(np.abs(g), n) + 1e-308  # numbers with fewer digits
        other, atom = least(region, g), region.lmo(g)
        assert region.violation(atom.dense(n)) <= near
        assert abs(atom.dot(g) - other) <= slack
        memory = region.oracle_memory(n, g.dtype)
        atom, value, error = region.inexact_lmo(g, memory, TIGHT)
        assert region.violation(atom.dense(n)) <= near
        assert abs(value - atom.dot(g)) <= slack
        assert 0.0 <= error <= slack
        assert abs(value - other) <= slack

    law()
