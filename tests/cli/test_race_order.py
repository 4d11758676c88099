"""The table of a race: who reached the tolerance first, then who came nearest."""

from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace

from frankwolfe.cli.commands.race import _ranked

RESULTS = {  # in the order in which they belong
    "quick": SimpleNamespace(success=True, seconds=1.0, gap=3e-7),
    "slow": SimpleNamespace(success=True, seconds=9.0, gap=1e-9),
    "near": SimpleNamespace(success=False, seconds=8.0, gap=1e-3),
    "far": SimpleNamespace(success=False, seconds=0.5, gap=2.0),
}


def test_those_who_arrive_come_first_by_time_and_the_others_by_gap():
    for names in permutations(RESULTS):
        ranked = _ranked({name: RESULTS[name] for name in names})
        assert [name for name, _ in ranked] == list(RESULTS)
