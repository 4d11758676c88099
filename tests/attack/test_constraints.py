"""Sixty problems under linear constraints, beside CVXPY, every night two hundred."""

from __future__ import annotations

import pytest
from conftest import nightly

pytest.importorskip("cvxpy", reason="cvxpy is not installed")

from .constraint_shapes import KINDS
from .constraints import judged

SHARES = {"polytopes": 80, "curved": 40, "matrices": 80}
BLOCK = 20


def test_every_kind_is_judged():
    assert set(SHARES) == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        nightly(kind, first, unless=first == 0)
        for kind, count in SHARES.items()
        for first in range(0, count, BLOCK)
    ],
)
def test_values_bounds_and_proofs(kind, first):
    found = {seed: judged(kind, seed)[0] for seed in range(first, first + BLOCK)}
    assert {seed: defects for seed, defects in found.items() if defects} == {}
