"""What regions say they can do, against their oracles; and one that says nothing."""

from __future__ import annotations

from inspect import isabstract

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import region_examples, size, skip_if_refused

import frankwolfe as fw
from frankwolfe.core import region_abilities
from frankwolfe.core.atoms import Dense
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.entries import CellMatrix
from frankwolfe.core.faces import ThinFaces
from frankwolfe.core.gradients import DenseGradient
from frankwolfe.core.region_abilities import Projection, Projector
from frankwolfe.methods import METHODS
from frankwolfe.methods.default import best_for
from frankwolfe.regions import REGIONS, Region
from frankwolfe.solver.kernels import fast_path

EXAMPLES = region_examples()
KNOWN = [getattr(region_abilities, name) for name in region_abilities.__all__]
ABILITIES = [ThinFaces, *filter(isabstract, KNOWN)]


def _with(ability):
    return [region for region in EXAMPLES if getattr(region, ability) is not None]


def _convex(n, rng):
    half = rng.standard_normal((n + 2, n))
    return half.T @ half


class Diamond(Region):
    """The l1 ball with the five methods that a region must have, and no more."""

    def lmo(self, g, out=None):
        s = np.zeros_like(g)
        best = int(np.abs(g).argmax())
        s[best] = -np.sign(g[best])
        return Dense(s)

    def diameter(self, n):
        return 2.0

    def violation(self, x):
        return max(0.0, float(np.abs(x).sum()) - 1.0)

    def start(self, n):
        return np.zeros(n)

    @classmethod
    def examples(cls, n, rng):
        return [cls()]


class FlatDiamond(Diamond):
    polytope = True


class Disc(Diamond):
    """Another set, and another ability."""

    strongly_convex = True

    def lmo(self, g, out=None):
        return Dense(-g / max(float(np.linalg.norm(g)), 1e-300))

    def violation(self, x):
        return max(0.0, float(np.linalg.norm(x)) - 1.0)


class Projecting(Disc, Projector):
    def project(self, p):
        return Projection(p / max(1.0, float(np.linalg.norm(p))))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    "region", [Diamond(), FlatDiamond(), Disc()], ids=lambda r: type(r).__name__
)
def test_a_region_with_five_methods_runs_or_is_refused(region, name, rng):
    f = fw.SquaredError(rng.standard_normal((12, 4)), rng.standard_normal(12))
    skip_if_refused(METHODS[name](), fw.Problem(f, region))  # it asks for an ability
    result = fw.minimize(f, region, method=name, max_iter=30, tol=1e-6)
    assert region.contains(result.x)
    assert result.gap >= 0.0


def test_it_gets_a_default_by_what_it_says(rng):
    f = fw.SquaredError(rng.standard_normal((12, 4)), rng.standard_normal(12))
    p = rng.standard_normal(4)
    for region, expected in (
        (Diamond(), "fully corrective FW"),
        (FlatDiamond(), "fully corrective FW"),
        (Disc(), fw.methods.partan().name),
    ):
        assert best_for(fw.Problem(f, region)).name == expected
        assert fw.minimize(f, region, tol=1e-6).success
    far = fw.squared_distance(p)
    assert best_for(fw.Problem(far, Disc())).name != "nearest point"
    assert best_for(fw.Problem(far, Projecting())).name == "nearest point"
    np.testing.assert_allclose(
        fw.minimize(far, Projecting()).x, fw.minimize(far, fw.L2Ball(1.0)).x, atol=1e-12
    )


def test_an_ability_that_some_of_a_kind_lack_is_not_used(rng):
    class Sometimes(Projecting):
        def ability(self, kind):
            return None if kind is Projector else super().ability(kind)

    f = fw.squared_distance(rng.standard_normal(3))
    assert best_for(fw.Problem(f, Sometimes())).name != "nearest point"
    with pytest.raises(fw.InvalidInput, match="can project"):
        fw.minimize(f, Sometimes(), method="projection")


@pytest.mark.parametrize("kind", REGIONS.values(), ids=lambda kind: kind.__name__)
def test_a_set_with_the_methods_of_an_ability_has_it(kind):
    for ability in ABILITIES:
        known = all(hasattr(kind, name) for name in ability.__abstractmethods__)
        assert issubclass(kind, ability) == known, ability


@pytest.mark.parametrize("region", _with("exact_bound"), ids=repr)
def test_an_exact_bound_holds_for_every_gradient_within_its_error(region, rng):
    n, bound = size(region), region.exact_bound
    for share in (0.0, 1e-3, 0.5):
        high = np.abs(rng.standard_normal(n)) if region.costly_oracle else rng.standard_normal(n)
        error = share * np.abs(high)
        v = region.probe(high).dense(n)
        # the gradient in the error's box that is least at this point, and one on its way there
        worst = high @ v - error @ np.abs(v)
        rounding = 1e-12 * (np.abs(high) @ np.abs(v) + 1.0)
        least = float(bound.least(Doubled(high, np.zeros(n), error)))
        assert least <= worst + rounding
        if share == 0.0:  # and it is no idle bound
            assert least >= worst - 1e-6 * (np.abs(high) @ np.abs(v) + 1.0)


@pytest.mark.parametrize("region", _with("quadratics"), ids=repr)
def test_a_quadratic_step_minimizes_the_model(region, rng):
    n = size(region)
    for scale in (0.1, 10.0):
        H, g = _convex(n, rng), scale * rng.standard_normal(n)
        x = region.lmo(rng.standard_normal(n)).dense(n)
        y = region.quadratics.quadratic_step(H, g, x)
        if y is None:
            assert not region.strictly_convex
            continue
        slope = g + H @ (y - x)
        assert region.contains(y, 1e-8)
        assert float(slope @ y) - region.lmo(slope).dot(slope) <= 1e-8 * max(1.0, scale)


@pytest.mark.parametrize("region", _with("restriction"), ids=repr)
def test_a_part_of_all_candidates_is_the_region(region, rng):
    n = size(region)
    x = 0.5 * (region.lmo(rng.standard_normal(n)).dense(n) + region.start(n))
    H, g = _convex(n, rng), rng.standard_normal(n)
    restriction = region.restriction
    places = restriction.candidates(x, g, float(g @ x), n, 2000)
    part = restriction.part(x, places)
    assert restriction.together <= n
    assert set(np.flatnonzero(x - region.start(n))) <= set(places.tolist())
    sub = H[np.ix_(places, places)]
    y = part.minimize(sub, g[places] - sub @ x[places], x[places], 1e-12)
    moved = x.copy()
    moved[places] = y
    assert region.contains(moved, 1e-9)
    d = moved - x
    assert g @ d + 0.5 * d @ H @ d <= 1e-12
    assert part.gap((g + H @ d)[places], y) <= 1e-9


@pytest.mark.parametrize(
    "region", [region for region in _with("scores") if region.sparse_atoms], ids=repr
)
def test_the_oracle_answers_where_the_merit_is_least(region, rng):
    g = rng.standard_normal(9)
    least = float(region.scores.merit(g).min())
    atom = region.lmo(g)
    assert atom.value == 0.0 or region.scores.merit(g)[atom.index] == least
    few = np.array([1, 4, int(region.scores.merit(g).argmin())])
    hidden = np.full(9, region.scores.passed_by(g[few]))
    hidden[few] = g[few]
    assert region.lmo(hidden) == atom


@pytest.mark.parametrize(
    "region", [r for r in EXAMPLES if r.compiled(size(r)) is not None], ids=repr
)
def test_the_compiled_oracle_is_the_oracle(region, rng):
    n = size(region)
    oracle = region.compiled(n)
    for g in (rng.standard_normal(n), np.abs(rng.standard_normal(n))):
        s = np.empty(n)
        fast_path.ask(oracle, g, s)
        np.testing.assert_array_equal(s, region.lmo(g).dense(n))


def test_matrix_gradients_agree(rng):
    full = np.where(rng.random((7, 7)) < 0.5, rng.standard_normal((7, 7)), 0.0)
    f = fw.Completion(sp.coo_matrix(full), shape=(7, 7))
    cells = CellMatrix(f.cells, sp.csr_matrix(full).data)
    dense, x, B = DenseGradient(full), rng.standard_normal(7), rng.standard_normal((7, 2))
    assert (cells.full, dense.full) == (False, True)
    for name in ("apply", "adjoint", "apply_block", "adjoint_block"):
        given = B if name.endswith("block") else x
        one, other = np.empty_like(given), np.empty_like(given)
        getattr(cells, name)(given, one)
        getattr(dense, name)(given, other)
        np.testing.assert_allclose(one, other, atol=1e-14)
    one, other = np.empty(7), np.empty(7)
    cells.symmetric(x, one, np.empty(7))
    dense.symmetric(x, other, np.empty(7))
    np.testing.assert_allclose(one, other, atol=1e-14)
    np.testing.assert_allclose(cells.between(B.T, B.T), dense.between(B.T, B.T), atol=1e-13)
    np.testing.assert_allclose(cells.dense(), dense.dense())
    assert cells.frobenius() == pytest.approx(dense.frobenius())
