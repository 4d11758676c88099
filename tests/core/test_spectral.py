from __future__ import annotations

import numpy as np
import pytest

from frankwolfe.core.maps import as_map
from frankwolfe.core.spectral import squared_norm_bound


@pytest.mark.parametrize("shape", [(5, 9), (300, 20), (400, 300), (300, 900)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bound_is_above_the_norm_and_close(shape, dtype, rng):
    A = rng.standard_normal(shape).astype(dtype)
    exact = np.linalg.norm(A.astype(float), 2) ** 2
    bound = squared_norm_bound(as_map("A", A))
    assert exact <= bound <= 1.15 * exact


def test_a_matrix_of_low_rank_and_one_of_zeros(rng):
    u, v = rng.standard_normal(500), rng.standard_normal(400)
    bound = squared_norm_bound(as_map("A", np.outer(u, v)))
    exact = (u @ u) * (v @ v)
    assert exact * (1 - 1e-12) <= bound <= 1.01 * exact
    assert squared_norm_bound(as_map("A", np.zeros((300, 300)))) == 0.0
    assert squared_norm_bound(as_map("A", np.eye(400))) == pytest.approx(1.0, rel=1e-2)
