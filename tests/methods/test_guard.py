from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from frankwolfe.methods.parts.guard import Guard


@settings(max_examples=200, deadline=None)
@given(
    steps=st.lists(st.tuples(st.floats(0.001, 1.0), st.floats(0.0, 1.0)), min_size=1, max_size=80)
)
def test_one_ratio_is_as_good_as_all_weights(steps):
    """With the guard's momentum every weight stays >= 0, and no more could be allowed."""
    guard = Guard()
    w = before = np.ones(1)
    for t, wanted in steps:
        w, before = np.append(w, 0.0), np.append(before, 0.0)
        atom = np.zeros_like(w)
        atom[-1] = 1.0
        base, change = w + t * (atom - w), w - before
        mu = guard.allow(1.0 - t, wanted)
        assert 0.0 <= mu <= wanted
        new = base + mu * change
        assert new.min() >= -1e-12
        if mu < wanted:  # cut: a bit more would make a weight negative, or one has just gone
            more = base + (mu + 1e-6 + 1e-6 * mu) * change
            assert more.min() < 1e-12
        new[np.abs(new) < 1e-14] = 0.0
        w, before = new, w
        assert abs(w.sum() - 1.0) < 1e-9
