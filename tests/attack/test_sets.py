"""A small dose of problems over every set, and what large doses have found."""

from __future__ import annotations

import pytest
from conftest import nightly

from .set_judge import judged
from .sets import ALL, siege

ONCE_WRONG = [  # points outside, runs that stood still, loose bounds, pivots without end
    *(("Cuts", 14), ("UnitFlow", 259), ("IntegerPolytope", 18), ("MinCostFlow", 295)),
    *(("Polytope", 297), ("Polytope", 406), nightly("CvxpySet", 518)),
]
SLOW = 20.0


def test_a_seed_is_a_problem():
    for kind in ALL[::4]:
        assert str(siege(3, kind)) == str(siege(3, kind))


def _is_right(kind, seed):
    record = judged(seed, kind)
    if record["seconds"] > 0.5 * SLOW:  # once more: loops are compiled now
        record = judged(seed, kind)
    assert not record["defects"], record
    return record


@pytest.mark.long
@pytest.mark.parametrize("kind", ALL)
def test_a_small_dose(kind):
    levels = [_is_right(kind, seed)["level"] for seed in range(1, 3)]
    assert set(levels) != {"refused"}


@pytest.mark.parametrize(("kind", "seed"), ONCE_WRONG)
def test_what_was_wrong_is_right(kind, seed):
    assert _is_right(kind, seed)["level"] != "short"
