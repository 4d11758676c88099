"""A small dose of completion problems and spans, and what large doses have found."""

from __future__ import annotations

import importlib.util

import pytest

from . import spans
from .completion import judged
from .completion_shapes import ratings

PEERS = importlib.util.find_spec("cvxpy") is not None
DOSE = (0, 1, 4, 6, 10, 15, 24, 27, 29, 36)  # the 29th once had a bound that was none


def test_a_seed_is_a_problem():
    for seed in range(5):
        assert str(ratings(seed)) == str(ratings(seed))


@pytest.mark.long
@pytest.mark.parametrize("seed", DOSE)
def test_a_small_dose(seed):
    record = judged(seed, peers=PEERS)
    assert not record["defects"], record
    assert record["level"] in ("reached", "forced"), record


def test_bounds_beside_spans():
    assert not [wrong for wrong in map(spans.judged, range(300)) if wrong]


def test_a_bound_that_forgets_where_a_span_leads_is_found(monkeypatch):
    monkeypatch.setattr(
        "frankwolfe.regions.matrices.spectral.RitzSpan.above", lambda span, b: max(span.top, b)
    )
    assert any(map(spans.judged, range(60)))
