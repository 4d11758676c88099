"""Laws of Beckmann's function where flows are >= 0, and of the set of flows."""

from __future__ import annotations

import numpy as np
import pytest
from random_roads import COSTS, SMOOTH, random_network, random_trips

import frankwolfe as fw
from frankwolfe.apps import traffic
from frankwolfe.core.atoms import Dense, Sparse, Vertex

EITHER = [*((name, False) for name in COSTS), *((name, True) for name in SMOOTH)]


def functions(name, system_optimum, classes=2):
    """Beckmann's function of some classes with costs of their own."""
    network = random_network(np.random.default_rng(3), 5, 6, name)
    fixed = np.random.default_rng(4).uniform(0.0, 2.0, (classes, network.size))
    return fw.traffic.Beckmann(network, fixed, system_optimum=system_optimum)


@pytest.mark.parametrize(("name", "system_optimum"), EITHER)
class TestBeckmann:
    """The laws of objectives, for flows that are there."""

    def test_gradient_matches_finite_differences(self, name, system_optimum):
        f, rng = functions(name, system_optimum), np.random.default_rng(0)
        for x in rng.uniform(0.5, 4.0, (3, f.n)):
            h, units = 1e-5, np.eye(f.n)
            numeric = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in units]
            rounding = 1e-15 * f(x) / h
            np.testing.assert_allclose(f.grad(x), numeric, rtol=1e-4, atol=1e-5 + 10 * rounding)

    def test_linearize_gives_value_and_inner_product(self, name, system_optimum):
        f, rng = functions(name, system_optimum), np.random.default_rng(1)
        x, z, slope = rng.uniform(0.0, 4.0, f.n), f.new_image(), f.new_image()
        f.image(x, z)
        value, inner = f.linearize(z, slope)
        assert value == pytest.approx(f(x), rel=1e-13)
        assert inner == pytest.approx(f.grad(x) @ x, rel=1e-12)

    def test_along_and_hessian_match_differences(self, name, system_optimum):
        f, rng = functions(name, system_optimum), np.random.default_rng(2)
        x, y = rng.uniform(0.5, 4.0, (2, f.n))
        z, dz, h = f.new_image(), f.new_image(), 1e-6
        f.image(x, z)
        f.image(y - x, dz)
        for t in (0.1, 0.37, 0.9):
            value, slope, curvature = f.along(z, dz, t)
            assert value == pytest.approx(f(x + t * (y - x)), rel=1e-12)
            assert slope == pytest.approx(f.grad(x + t * (y - x)) @ (y - x), rel=1e-8, abs=1e-8)
            numeric = (f.along(z, dz, t + h)[1] - f.along(z, dz, t - h)[1]) / (2 * h)
            assert curvature == pytest.approx(numeric, rel=2e-2, abs=1e-5 * abs(slope) + 1e-6)
        _, _, bend = f.along(z, dz, 0.0)
        assert dz @ f.hessian(z, np.eye(f.m), dz[:, None])[:, 0] == pytest.approx(bend, rel=1e-10)
        assert (y - x) @ f.full_hessian(z) @ (y - x) == pytest.approx(bend, rel=1e-10)

    def test_images_and_convexity(self, name, system_optimum):
        f, rng = functions(name, system_optimum), np.random.default_rng(5)
        few = Sparse(np.array([1, f.n - 1]), np.array([0.3, 2.0]))
        for atom in (Vertex(3, 1.7), Dense(rng.uniform(0.0, 1.0, f.n)), few):
            direct, through = f.new_image(), f.new_image()
            f.image_of(atom, direct)
            f.image(atom.dense(f.n), through)
            np.testing.assert_allclose(direct, through, rtol=1e-13)
        for x, y in rng.uniform(0.0, 8.0, (20, 2, f.n)):
            between = 0.5 * (f(x) + f(y))
            assert f(0.5 * (x + y)) <= between * (1 + 1e-12)
            assert f(y) >= f(x) + f.grad(x) @ (y - x) - 1e-12 * between


def test_the_system_optimum_is_the_time_of_all():
    f = functions("BPR", True)
    x = np.random.default_rng(6).uniform(0.0, 3.0, f.n)
    flows = x.reshape(2, -1).sum(axis=0)
    time = flows @ f.network.cost.time(flows)
    assert f(x) == pytest.approx(time + f.fixed.ravel() @ x)


def test_what_is_different_has_another_fingerprint():
    plain = functions("BPR", False)
    same, other = functions("BPR", False), functions("BPR", True)
    assert plain.fingerprint() == same.fingerprint()
    assert plain.fingerprint() != other.fingerprint()
    network, trips = plain.network, random_trips(np.random.default_rng(0), 5)
    a, b = traffic.Flows(network, trips), traffic.Flows(network, trips.times(1.5))
    assert a.fingerprint() == traffic.Flows(network, trips).fingerprint() != b.fingerprint()


@pytest.fixture
def flows():
    rng = np.random.default_rng(7)
    network = random_network(rng, 7, 15, closed=[2])
    classes = [random_trips(rng, 7, 8), traffic.UserClass(random_trips(rng, 7, 4), weight=2.0)]
    reached = [each for each in classes if _has_ways(network, each)]
    return traffic.Flows(network, reached or [classes[0]])


def _has_ways(network, trips):
    try:
        traffic.Flows(network, trips)
    except fw.InvalidInput:
        return False
    return True


def _points(flows, rng, count):
    atoms = [flows.lmo(rng.uniform(0.0, 1.0, flows.dimension)).array for _ in range(12)]
    return rng.dirichlet(np.ones(12), count) @ atoms


def test_the_oracle_beats_other_points(flows):
    rng = np.random.default_rng(8)
    points = _points(flows, rng, 500)
    for _ in range(10):
        g = np.where(rng.random(flows.dimension) < 0.3, 0.0, rng.uniform(0.0, 1.0, flows.dimension))
        given = g.copy()
        atom = flows.lmo(g)
        np.testing.assert_array_equal(g, given)
        assert atom.dot(g) <= (points @ g).min() * (1 + 1e-12)
        found, cost, error = flows.inexact_lmo(g, flows.oracle_memory((), g.dtype), None)
        np.testing.assert_array_equal(found.array, atom.array)
        assert cost == pytest.approx(atom.dot(g), rel=1e-13, abs=1e-13)
        assert error == 0.0


def test_points_lie_inside_and_others_do_not(flows):
    rng = np.random.default_rng(9)
    start = flows.start(flows.dimension)
    for x in (start, *_points(flows, rng, 20)):
        assert flows.violation(x) <= 1e-14
        np.testing.assert_array_equal(flows.snap(x), x)
        more, less = x.copy(), x - 1e-3 * flows.total
        more[rng.integers(x.size)] += 1e-3 * flows.total
        assert flows.violation(more) == pytest.approx(1e-3, rel=1e-9)
        assert flows.violation(less) >= 1e-4
    start[:] = 0.0  # is the caller's own
    assert flows.violation(flows.start(flows.dimension)) <= 1e-14


def test_no_two_points_are_further_apart_than_the_diameter(flows):
    points = _points(flows, np.random.default_rng(10), 50)
    apart = np.linalg.norm(points[:, None] - points, axis=2).max()
    assert apart <= flows.diameter(flows.dimension)


def test_a_gradient_that_is_not_finite_is_seen(flows):
    g = np.ones(flows.dimension)
    g[1] = np.nan
    assert np.isnan(flows.ask(g).array).any()
