"""A region that is scaled or moved can do all that the region inside can, at the points' images."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import region_examples, size

import frankwolfe as fw
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.region_abilities import Accuracy

EXACT = [region for region in region_examples() if region.exactness <= 1e-12]
INNER = list({type(region): region for region in EXACT}.values())  # one of each kind
INNER += [fw.KSparse(2, 3.0), fw.CappedSimplex([0.5, 0.25, 3.0, 1.0, 0.75, 1.0], 2.25)]
AROUND = ((4.0, 0.0), (-4.0, 0.0), (1.0, 1.0))  # powers of two round nothing
CLOSE = 1e-12
WANTED = Accuracy(math.inf, math.inf, 1.0, 0)


@pytest.fixture(params=AROUND, ids=["larger", "turned", "moved"])
def around(request):
    return request.param


@pytest.fixture
def both(region, around):
    """The region, its image, and the map of points."""
    c, moved = around
    a = moved * np.tile([1.0, -2.0, 0.5], size(region))[: size(region)]
    outer = fw.regions.Shifted(region, a) if moved else fw.regions.Scaled(region, c)
    return region, outer, c, a


def _close(one, other):
    np.testing.assert_allclose(one, other, rtol=CLOSE, atol=CLOSE * 10.0)


def _points(inner, rng, n):
    """A vertex, a point between two, and one farther inside."""
    atoms = np.array([inner.lmo(g).dense(n) for g in rng.standard_normal((3, n))])
    return [atoms[0], 0.5 * (atoms[0] + atoms[1]), np.array([0.5, 0.25, 0.25]) @ atoms]


def _all_close(one, other, to):
    assert len(one) == len(other)
    for here, there in zip(one, other, strict=True):
        _close(here, to(there))


@pytest.mark.parametrize("region", INNER, ids=repr)
class TestAnImage:
    """Of every region with an oracle of its own."""

    def test_has_the_images_of_its_atoms(self, both, rng):
        inner, outer, c, a = both
        n = a.size
        for g in rng.standard_normal((2, n)):
            toward = np.sign(c) * g
            _close(outer.lmo(g).dense(n), c * inner.lmo(toward).dense(n) + a)
            one, other = ([s.dense(n) for s in r.several(d, 3)] for r, d in _two(both, g))
            _all_close(one, other, lambda s: c * s + a)
            found = [
                r.inexact_lmo(d, r.oracle_memory(n, np.dtype(float)), WANTED)
                for r, d in _two(both, g)
            ]
            _close(found[0][0].dense(n), c * found[1][0].dense(n) + a)
            _close(found[0][1:], (abs(c) * found[1][1] + g @ a, abs(c) * found[1][2]))
            _close(
                outer.reach(np.abs(g), n), abs(c) * inner.reach(np.abs(g), n) + np.abs(g) @ abs(a)
            )
            assert (outer.scores is None) == (inner.scores is None)
            if outer.sparse_atoms and outer.scores is not None:
                _close(outer.scores.merit(g), inner.scores.merit(toward))
                worse = np.append(g, outer.scores.passed_by(g[:2]))
                assert outer.lmo(worse[[0, 1, n]]).index < 2
            bound, known = outer.exact_bound, inner.exact_bound
            assert (bound is None) == (known is None)
            if known is not None:
                least = known.least(Doubled(c * g, np.zeros(n), np.zeros(n)))
                low = bound.least(Doubled(g, np.zeros(n), np.zeros(n)))
                _close(float(low), float(least) + g @ a)

    def test_has_its_points(self, both, rng):
        inner, outer, c, a = both
        n = a.size
        _close(outer.start(n), c * inner.start(n) + a)
        _close(outer.middle(n), c * inner.middle(n) + a)
        _close(outer.diameter(n), abs(c) * inner.diameter(n))
        for x in _points(inner, rng, n):
            for y in (x, x + 1e-3, 3.0 * x - 1.0):
                out = inner.violation(y)
                assert outer.violation(c * y + a) == pytest.approx(out, abs=1e-12)
                for name in ("inside", "snap"):
                    moved = getattr(inner, name)(y.copy())
                    np.testing.assert_allclose(
                        getattr(outer, name)(c * y + a), c * moved + a, rtol=1e-9, atol=1e-9
                    )
            found = inner.decompose(x)
            if found is not None:
                pairs = outer.decompose(c * x + a)
                _close([w for w, _ in pairs], [w for w, _ in found])
                _all_close(
                    [s.dense(n) for _, s in pairs],
                    [s.dense(n) for _, s in found],
                    lambda s: c * s + a,
                )
        assert (outer.entry_bounds is None) == (inner.entry_bounds is None)
        if outer.entry_bounds is not None:
            ends = [c * end + a for end in inner.entry_bounds.bounds(n)]
            _close(outer.entry_bounds.bounds(n), ends if c > 0.0 else ends[::-1])

    def test_has_its_nearest_points(self, both, rng):
        inner, outer, c, a = both
        for p in rng.standard_normal((2, a.size)):
            assert (outer.projection is None) == (inner.projection is None)
            if inner.projection is not None:
                assert outer.projection.iterates == inner.projection.iterates
                one, other = outer.projection.project(c * p + a), inner.projection.project(p)
                _close(one.x, c * other.x + a)
                assert (one.bound is None) == (other.bound is None)
                if other.bound is not None:
                    g = one.x - (c * p + a)
                    _close(one.bound(g, 1.0), other.bound(c * g, c * c) + g @ a)
            assert (outer.quadratics is None) == (inner.quadratics is None)
            if inner.quadratics is None:
                continue
            H = np.diag(rng.uniform(1.0, 2.0, a.size))
            x = _points(inner, rng, a.size)[1]
            y, z = (
                outer.quadratics.quadratic_step(H, p, c * x + a),
                inner.quadratics.quadratic_step(c * c * H, c * p, x),
            )
            assert (y is None) == (z is None)
            if y is not None:
                np.testing.assert_allclose(y, c * z + a, atol=1e-9)

    def test_has_its_faces(self, both, rng):
        inner, outer, c, a = both
        one, other = outer.faces, inner.faces
        assert (one is None) == (other is None)
        if other is None:
            pytest.skip("no faces")
        assert one.costly_faces == other.costly_faces
        n = a.size
        for x in _points(inner, rng, n):
            g = rng.standard_normal(n)
            toward = np.sign(c) * g
            s, v = inner.lmo(toward), other.face_atom(toward, x)
            best = one.face_atom(g, c * x + a)
            _close(best.dense(n), c * v.dense(n) + a)
            step = one.face_step(c * x + a, outer.lmo(g), best)
            assert step == pytest.approx(other.face_step(x, s, v), rel=1e-9, abs=1e-9)
            _close(one.snap_to_face(c * x + a), c * other.snap_to_face(x) + a)

    def test_has_its_parts(self, both, rng):
        inner, outer, c, a = both
        one, other = outer.restriction, inner.restriction
        assert (one is None) == (other is None)
        if one is None:
            pytest.skip("no restriction to some variables")
        assert one.together == other.together
        n = a.size
        for x in _points(inner, rng, n):
            g = rng.standard_normal(n)
            toward = np.sign(c) * g
            for above in (
                math.inf,
                toward @ x,
                float(np.median(toward)),
                inner.lmo(toward).dot(toward),
            ):
                places = other.candidates(x, toward, above, 2, n)
                there = one.candidates(c * x + a, g, abs(c) * above + g @ a, 2, n)
                if inner.entry_bounds is not None or isinstance(inner, fw.CappedSimplex):
                    assert np.isin(places, there).all()  # moved, an entry may be off its bound
                else:
                    np.testing.assert_array_equal(places, there)
            places = other.candidates(x, toward, math.inf, 2, n)
            if not places.size:
                continue
            part, image = other.part(x, places), one.part(c * x + a, places)
            y, b, r = x[places], a[places], g[places]
            _close(image.gap(r, c * y + b), part.gap(c * r, y))
            H = np.diag(rng.uniform(1.0, 2.0, places.size))
            moved = image.minimize(H, r, c * y + b, 1e-12)
            still = part.minimize(c * c * H, c * (r + H @ b), y, 1e-12)
            np.testing.assert_allclose(moved, c * still + b, atol=1e-6)


def _two(both, g):
    """The image and the region, with the gradients for which their atoms agree."""
    inner, outer, c, _ = both
    return (outer, g), (inner, np.sign(c) * g)
