"""Faces of polytopes, against all their vertices; steps that use them."""

from __future__ import annotations

from itertools import islice, permutations, product

import numpy as np
import pytest
from conftest import N, region_examples, size

import frankwolfe as fw

FACED = [region for region in region_examples() if region.faces is not None]
FACED += [
    fw.Birkhoff(3),
    fw.Product([(fw.L1Ball(1.5), 3), (fw.Birkhoff(2), 4), (fw.KSparse(2), 3)]),
    fw.Product([(fw.Hypersimplex(2), 4), (fw.LInfBall(0.5, center=[1.0, 2.0]), 2)]),
]


def _vertices(region: fw.Region, rng: np.random.Generator) -> np.ndarray:
    """All vertices: what the oracle answers to very many gradients."""
    n = size(region)
    found = np.array([region.lmo(g).dense(n) for g in rng.standard_normal((4000, n))])
    return found[np.unique(np.round(found, 9) + 0.0, axis=0, return_index=True)[1]]


def _points(vertices: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Points on faces of all kinds, well inside them: mixtures of few vertices and of many."""
    counts = (1, 1, 2, 2, 2, 3, 3, 4, 5, len(vertices))
    mixtures = [(rng.uniform(0.1, 1.0, count), count) for count in counts]
    return np.array(
        [w / w.sum() @ vertices[rng.choice(len(vertices), count)] for w, count in mixtures]
    )


def test_the_vertices_found_are_all():
    rng = np.random.default_rng(3)
    counts = {
        fw.L1Ball(1.5): 2 * N,
        fw.Box(): 2**N,
        fw.Hypersimplex(2): 15,
        fw.Birkhoff(3): 6,
        fw.UnitSimplex(): N + 1,
        fw.KSparse(2, 1.5): 15 * 4,
    }
    for region, count in counts.items():
        assert len(_vertices(region, rng)) == count, region
    matrices = {tuple(np.eye(3)[list(p)].ravel()) for p in permutations(range(3))}
    assert {tuple(v) for v in _vertices(fw.Birkhoff(3), rng)} == matrices
    corners = {tuple(map(float, c)) for c in product((0, 1), repeat=N)}
    assert {tuple(v) for v in _vertices(fw.Box(), rng)} == corners


@pytest.mark.parametrize("region", FACED, ids=repr)
def test_the_face_atom_is_the_best_vertex_of_the_face(region, rng):
    n, vertices = size(region), _vertices(region, rng)
    for x in _points(vertices, rng):
        # a vertex belongs to the smallest face around x where x can move away from it
        inside = [region.violation(x + 1e-5 * (x - v)) <= 1e-9 for v in vertices]
        for g in rng.standard_normal((6, n)):
            atom = region.faces.face_atom(g, x)
            assert atom.dot(g) == pytest.approx((vertices[inside] @ g).max(), abs=1e-9)
            assert np.abs(vertices[inside] - atom.dense(n)).max(axis=1).min() <= 1e-11


@pytest.mark.parametrize("region", FACED, ids=repr)
def test_the_face_step_is_the_longest_that_stays_inside(region, rng):
    n, vertices = size(region), _vertices(region, rng)
    for x in _points(vertices, rng):
        for g in rng.standard_normal((4, n)):
            s, a = region.lmo(g), region.faces.face_atom(g, x)
            longest, d = region.faces.face_step(x, s, a), s.dense(n) - a.dense(n)
            assert region.violation(x + longest * d) <= 1e-11
            if np.abs(d).max() > 0:
                assert longest > 0
                assert region.violation(x + (longest + 1e-4) * d) > 1e-7
            else:
                assert longest == 0.0


@pytest.mark.parametrize("region", FACED, ids=repr)
def test_tidying_puts_a_point_on_its_face_and_changes_nothing_else(region, rng):
    for x in _points(_vertices(region, rng), rng):
        blurred = x + 1e-15 * rng.standard_normal(x.size)
        tidy = region.faces.snap_to_face(blurred)
        assert np.abs(tidy - x).max() <= 1e-11
        assert region.violation(tidy) <= 1e-14
        for g in rng.standard_normal((3, x.size)):
            assert region.faces.face_atom(g, tidy).dot(g) == pytest.approx(
                region.faces.face_atom(g, x).dot(g)
            )


@pytest.mark.parametrize("step", [fw.steps.ShortStep(), fw.steps.Constant(0.05)], ids=repr)
@pytest.mark.parametrize("seed", range(5))
def test_on_the_simplex_they_are_pairwise_steps(step, seed):
    # there the active set is the support; after an exact search both ends would tie
    f = fw.Logistic.example(12, np.random.default_rng(seed))
    problem = fw.Problem(f, fw.Simplex(2.0))
    one = fw.states(problem, fw.methods.decomposition_invariant(step))
    other = fw.states(problem, fw.pairwise(step))
    for here, there in islice(zip(one, other, strict=True), 100):
        if here.gap < 1e-9:
            break
        np.testing.assert_allclose(here.x, there.x, atol=1e-10)
    assert here.k > 15


@pytest.mark.parametrize("seed", range(5))
def test_entries_that_leave_are_exactly_zero(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((40, 20))
    f = fw.SquaredError(A, A @ np.r_[2.1, 0.9, np.zeros(18)] + 0.1 * rng.standard_normal(40))
    x0 = 3.0 * rng.dirichlet(np.ones(20))
    method = fw.methods.decomposition_invariant()
    result = fw.minimize(f, fw.Simplex(3.0), x0=x0, method=method, tol=1e-10)
    assert result.success
    assert np.count_nonzero(result.x) == np.count_nonzero(result.x > 1e-9) < 15


@pytest.mark.parametrize("region", [fw.L2Ball(), fw.ConvexHull(np.eye(3)), fw.LpBall(1.0)])
def test_a_region_that_knows_no_faces_is_refused(region):
    f = fw.SquaredError(np.eye(3), np.ones(3))
    words = f"needs the face of a point, which {type(region).__name__} does not offer: use away"
    with pytest.raises(fw.InvalidInput, match=words):
        fw.minimize(f, region, method="decomposition_invariant")
