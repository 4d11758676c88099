"""What a call holds at once: arrays of the size of x, beyond what it was given."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.core.atoms import Vertex
from frankwolfe.core.points import DensePoint
from frankwolfe.core.region_abilities import Projection, Projector
from frankwolfe.core.scaled_point import ScaledPoint
from frankwolfe.regions import REGIONS

N, LESS = 50_000, 10_000
COSTLY = {"birkhoff", "transport"}  # of which examples are smaller
ARRAYS = 6  # b, x, the gradient, the result; an atom, or room for something else
LITTLE = 0.3  # of an array: history, indices of few entries, what is compared with bounds
SORTED = {  # regions whose nearest points take an order, sums of all that come before, and blocks
    "owl_ball": 8,
    "permutahedron": 7,
    "top_k_ball": 8,
}
NEAREST = [
    *("l1_ball", "l2_ball", "linf_ball", "simplex", "unit_simplex", "box", "group_ball"),
    *("k_sparse", "hypersimplex", "unit_hypersimplex", "weighted_l1_ball", "weighted_linf_ball"),
    *("owl_ball", "k_support_ball", "top_k_ball", "tv_ball", "isotonic_ball", "capped_simplex"),
    *("permutahedron", "birkhoff", "transport"),
]
MATRICES = {"ellipsoid", "elliptope", "fantope", "spectral_ball"}  # which they decompose
WRAPPED = {"cached", "counted", "scaled", "shifted"}  # which hold what is inside, and their own


def peak(call: Callable[[], Any]) -> int:
    """Bytes that a warm call holds at once beyond what there was before."""
    call()  # compiles
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_every_region_that_projects_is_looked_at():
    can = {name for name, kind in REGIONS.items() if issubclass(kind, Projector)}
    assert can <= {*NEAREST, *MATRICES, *WRAPPED}


@pytest.mark.long
@pytest.mark.parametrize("name", NEAREST)
def test_a_projection_holds_few_arrays(name, rng):
    size = LESS if name in COSTLY else N
    for region in REGIONS[name].examples(size, rng):
        n = region.dimension or size
        p, x0 = rng.standard_normal(n), np.asarray(region.start(n), dtype=np.float64)
        most = SORTED.get(name, ARRAYS)
        used = peak(lambda: fw.minimize(fw.squared_distance(p), region, x0=x0))  # noqa: B023
        assert used <= (most + LITTLE) * p.nbytes, repr(region)


def test_checks_of_a_start_copy_nothing(rng):
    problem = fw.Problem(fw.squared_distance(rng.standard_normal(N)), fw.KSparse(100))
    x0 = np.zeros(N)
    assert peak(lambda: problem.check_start(x0)) < LITTLE * x0.nbytes


class Anywhere(fw.Box):
    """A box that says of every point that it is its own nearest one, in the same array."""

    def project(self, p):
        return Projection(p)


def test_data_that_a_region_hands_back_stay_as_they_are(rng):
    p = rng.uniform(0.2, 0.8, 20)
    f = fw.squared_distance(p)
    states = fw.states(fw.Problem(f, Anywhere(0.0, 1.0)), fw.methods.projection())
    for state in islice(states, 4):
        state.iterate.approach(np.zeros(20), np.zeros(20), 0.5)
    np.testing.assert_array_equal(f.b, p)


@pytest.mark.parametrize("kind", [DensePoint, ScaledPoint])
def test_a_point_remembers_where_it_was_before_any_change_in_place(kind):
    changes = [
        lambda point: point.add(0.5, np.ones(3)),
        lambda point: point.extend(0.5, np.ones(3)),
        lambda point: point.snap_to(np.zeros(3)),
        lambda point: point.jump(np.zeros(3)),
        lambda point: point.shift(0.5, ((0.5, Vertex(1, 1.0)),)),
    ]
    for change in changes:
        point = kind(np.array([1.0, 2.0, 3.0]))
        change(point)
        assert point.array().tolist() != [1.0, 2.0, 3.0]
        assert point.previous().tolist() == [1.0, 2.0, 3.0]
