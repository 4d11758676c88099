"""What a caller may pass to an oracle, for every region; and that a loop does not pay for it."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from conftest import objective_examples, region_examples, size

import frankwolfe as fw
from frankwolfe.core import checked_oracle as checked
from frankwolfe.regions import MATRIX_REGIONS

VECTORS, MATRICES = region_examples(), region_examples(MATRIX_REGIONS.values())


def _refuses(region, g):
    with pytest.raises(fw.InvalidInput) as caught:
        region.lmo(g)
    said = str(caught.value)
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) <= 300, said


@pytest.mark.parametrize("region", [*VECTORS, *MATRICES], ids=repr)
def test_what_is_no_gradient_gets_one_sentence(region, rng):
    shape = (4, 4) if region.matrix else (size(region),)
    shape = getattr(region, "shape", None) or shape if region.matrix else shape
    good = rng.standard_normal(shape)
    for wrong in (np.nan, np.inf, -np.inf):
        g = good.copy()
        g.flat[-1] = wrong
        _refuses(region, g)
        _refuses(region, g.astype(np.float32))
        _refuses(region, g.tolist())
    others = [good[None], good.ravel()] if region.matrix else [np.diag(good), good[:, None]]
    nothing = [None, 1.0, np.array(1.0), [], "steep", [[1.0], [2.0, 3.0]], {}]
    for g in (*others, *nothing, good * 1j, good.astype(str), np.ma.masked_array(good, good > -9)):
        _refuses(region, g)
    if region.dimension is not None:
        for g in (np.append(good, 1.0), good[:-1]):
            _refuses(region, g)


@pytest.mark.parametrize("region", [*VECTORS, *MATRICES], ids=repr)
def test_numbers_in_any_form_are_taken(region, rng):
    n = (4, 4) if region.matrix else size(region)
    n = getattr(region, "shape", None) or n if region.matrix else n
    whole = rng.permutation(np.arange(1, 1 + int(np.prod(n)))).reshape(n)
    g = whole.astype(np.float64)
    wanted = region.lmo(g)
    spread = np.repeat(g, 2, axis=-1)[..., ::2]  # not contiguous
    for same in (whole, whole.tolist(), g.astype(np.float128), whole.astype(np.int8), spread):
        found = region.lmo(same)
        assert found.dot(g) == pytest.approx(wanted.dot(g), rel=1e-9)


@pytest.mark.parametrize("name", ["frank_wolfe", "boosted", "fully_corrective", "block_coordinate"])
def test_steps_do_not_pay_for_the_check(name, monkeypatch):
    calls: list[fw.Region] = []
    given = checked._gradient
    monkeypatch.setattr(
        checked, "_gradient", lambda region, g: calls.append(region) or given(region, g)
    )
    method, ran = fw.methods.METHODS[name](), 0
    for region in VECTORS:
        problem = fw.Problem(objective_examples(size(region))[1], region)
        if size(region) > 40 or method.accepts(problem) is not None:
            continue
        run = fw.states(problem, method)
        next(run)
        calls.clear()
        for state in islice(run, 6):
            assert state.oracle_calls
        assert not calls, region
        ran += 1
    assert ran
