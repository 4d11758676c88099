"""Regularized transport and Gromov-Wasserstein, beside sums over all indices and POT."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import approx_fprime

import frankwolfe as fw
from frankwolfe.core.atoms import Dense, Sparse
from frankwolfe.methods.default import best_for

ot = pytest.importorskip("ot", reason="POT is not installed")


def places(rows, columns, rng):
    """Costs between random places, largest one, and masses."""
    start, end = rng.standard_normal((rows, 2)), rng.standard_normal((columns, 2))
    cost = ((start[:, None] - end) ** 2).sum(axis=2)
    return cost / cost.max(), rng.dirichlet(np.ones(rows)), rng.dirichlet(np.ones(columns))


def distances(n, rng, dimension=2):
    points = rng.standard_normal((n, dimension))
    return np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))


class TestRegularized:
    @pytest.mark.parametrize("shape", [(1, 1), (1, 7), (30, 30), (20, 50)])
    @pytest.mark.parametrize("reg", [1e-6, 1e-3, 0.1, 1.0, 100.0])
    def test_the_default_is_certified_at_once(self, shape, reg, rng):
        C, a, b = places(*shape, rng)
        f, region = fw.objectives.regularized_transport(C, reg), fw.Transport(a, b)
        assert best_for(fw.Problem(f, region)).name == "nearest point"
        result = fw.minimize(f, region)
        assert (result.success, result.certified, result.nit) == (True, True, 0)
        assert result.gap <= 1e-6 * result.fun
        plan = result.x.reshape(shape)
        assert result.fun == pytest.approx((C * plan).sum() + 0.5 * reg * (plan**2).sum())
        exact = ot.emd2(a, b, C)
        assert exact <= result.fun * (1.0 + 1e-6)
        vertex = ot.emd(a, b, C)
        assert result.fun <= (exact + 0.5 * reg * (vertex**2).sum()) * (1.0 + 1e-6)

    @pytest.mark.parametrize("uniform", [True, False])
    def test_it_is_what_iterations_find(self, uniform, rng):
        C, a, b = places(9, 12, rng)
        if uniform:
            a, b = np.full(9, 1 / 9), np.full(12, 1 / 12)
        f, region = fw.objectives.regularized_transport(C, 0.5), fw.Transport(a, b)
        best = fw.minimize(f, region)
        for method in ("interior_point", "pairwise"):
            other = fw.minimize(f, region, method=method, tol=1e-7, max_iter=5000)
            assert other.success
            assert other.lower_bound <= best.fun + 1e-12
            assert best.lower_bound <= other.fun + 1e-12
            # f is strongly convex: points with small gaps are near the minimizer, and each other
            apart = np.sqrt(2.0 * other.gap / 0.5) + np.sqrt(2.0 * best.gap / 0.5)
            assert np.linalg.norm(other.x - best.x) <= apart

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of scipy, by POT
    def test_it_is_pots_smooth_transport(self, rng):
        C, a, b = places(15, 18, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # POT passes options that newer versions of scipy lack
            plan = ot.smooth.smooth_ot_dual(a, b, C, 1.0, "l2", stopThr=1e-15, numItermax=10_000)
        region = fw.Transport(a, b)
        theirs = region.project(plan.ravel()).x  # whose sums are a little off
        f = fw.objectives.regularized_transport(C, 1.0)
        result = fw.minimize(f, region)
        behind = f(theirs) - result.fun
        assert -result.gap <= behind <= 1e-3 * result.fun
        # strongly convex with 1.0: their plan is as near as its value says
        apart = np.sqrt(2.0 * max(behind, 0.0)) + 2.0 * np.sqrt(2.0 * result.gap) + 1e-9
        assert np.linalg.norm(result.x - theirs) <= apart

    def test_costs_of_any_size_and_sign(self, rng):
        C, a, b = places(10, 11, rng)
        region = fw.Transport(a, b)
        plan = fw.minimize(fw.objectives.regularized_transport(C, 0.1), region).x
        for scale, shift in ((1e-9, 0.0), (1e9, 0.0), (1.0, -5.0)):
            f = fw.objectives.regularized_transport(scale * C + shift, 0.1 * scale)
            np.testing.assert_allclose(fw.minimize(f, region).x, plan, atol=1e-9)

    @pytest.mark.parametrize(
        ("C", "reg", "words"),
        [
            ([1.0, 2.0], 1.0, "C must be a non-empty matrix, got an array of shape"),
            (np.zeros((0, 2)), 1.0, "C must be a non-empty matrix"),
            ([[np.nan]], 1.0, "C must be finite"),
            ([[1.0]], 0.0, "reg must be a finite number > 0"),
            ([["a"]], 1.0, "C must be an array of real numbers"),
        ],
    )
    def test_bad_input_gets_one_sentence(self, C, reg, words):
        with pytest.raises(fw.InvalidInput, match=words):
            fw.objectives.regularized_transport(C, reg)

    def test_another_shape_is_refused(self):
        f = fw.objectives.regularized_transport(np.ones((2, 3)), 1.0)
        with pytest.raises(fw.InvalidInput, match="has 4 variables, the objective 6"):
            fw.minimize(f, fw.Transport([1.0, 1.0], [1.0, 1.0]))


def test_a_quadratic_with_a_multiple_of_the_identity_is_a_distance(rng):
    c = rng.standard_normal(5)
    for Q in (2.0 * np.eye(5), 2.0 * sp.identity(5, format="csr")):
        f = fw.Quadratic(Q, c)
        p, scale = f.distance_to()
        assert scale == 2.0
        np.testing.assert_array_equal(p, -c / 2.0)
        x, y = rng.standard_normal((2, 5))
        expected = 0.5 * scale * (((x - p) ** 2).sum() - ((y - p) ** 2).sum())
        assert f(x) - f(y) == pytest.approx(expected)
        nearest = fw.minimize(f, fw.Simplex())
        np.testing.assert_allclose(nearest.x, fw.Simplex().project(p).x, atol=1e-14)
        assert nearest.nit == 0
    for Q in (-np.eye(5), np.zeros((5, 5)), np.diag([1.0, 1, 1, 1, 2]), np.eye(5) + 0.1):
        assert fw.Quadratic(Q, c).distance_to() is None
    assert fw.Quadratic(1e-300 * np.eye(5), 1e300 * np.ones(5)).distance_to() is None


def brute(C1, C2, T, loss):
    """The sum over all four indices."""
    a, b = C1[:, None, :, None], C2[None, :, None, :]
    terms = (a - b) ** 2 if loss == "square" else a * np.log(np.where(a > 0, a, 1.0) / b) - a + b
    if loss == "kl":
        terms = np.where(a > 0, terms, np.broadcast_to(b, terms.shape))
    return float(np.einsum("ijkl,ij,kl->", terms, T, T))


class TestGromov:
    @pytest.mark.parametrize("symmetric", [True, False])
    @pytest.mark.parametrize("loss", ["square", "kl"])
    def test_it_is_the_sum_over_all_pairs(self, loss, symmetric, rng):
        C1, C2 = rng.random((4, 4)), 0.1 + rng.random((6, 6))
        C1[0, 1] = 0.0
        if symmetric:
            C1, C2 = C1 + C1.T, C2 + C2.T
        M = rng.standard_normal((4, 6))
        for f, alpha in (
            (fw.objectives.GromovWasserstein(C1, C2, loss=loss), 1.0),
            (fw.objectives.GromovWasserstein(C1, C2, loss=loss, M=M), 0.5),
            (fw.objectives.GromovWasserstein(C1, C2, loss=loss, M=M, alpha=0.2), 0.2),
        ):
            for T in rng.standard_normal((3, 4, 6)):
                expected = alpha * brute(C1, C2, T, loss) + (1 - alpha) * float((M * T).sum())
                assert f(T.ravel()) == pytest.approx(expected, rel=1e-12, abs=1e-12)
                numeric = approx_fprime(T.ravel(), f, 1e-6)
                np.testing.assert_allclose(f.grad(T.ravel()), numeric, rtol=1e-4, atol=1e-4)
            z = f.new_image()
            H = f.full_hessian(z)
            np.testing.assert_array_equal(H, H.T)
            d = rng.standard_normal(24)
            np.testing.assert_allclose(H @ d, f.grad(d) - f.grad(np.zeros(24)), atol=1e-12)
            few = Sparse(np.array([1, 7, 20]), np.array([0.3, 0.2, -1.0]))
            image = f.new_image()
            f.image_of(few, image)
            f.image(few.dense(24), z)
            np.testing.assert_allclose(image, z, atol=1e-14)
            atoms = [few, Dense(d)]
            np.testing.assert_allclose(f.images(atoms)[:, 0], image, atol=1e-14)

    def test_what_both_are_shifted_by_does_no_harm(self, rng):
        C1, C2 = distances(5, rng), distances(6, rng)
        T = rng.random(30)
        value = fw.objectives.GromovWasserstein(C1, C2)(T)
        moved = fw.objectives.GromovWasserstein(C1 + 1e6, C2 + 1e6)(T)
        assert moved == pytest.approx(value, rel=1e-8)

    @pytest.mark.parametrize("seed", range(4))
    def test_it_finds_what_pot_finds(self, seed):
        rng = np.random.default_rng(seed)
        C1, C2 = distances(12, rng), distances(15, rng, 3)
        p, q = rng.dirichlet(np.ones(12)), rng.dirichlet(np.ones(15))
        f = fw.objectives.GromovWasserstein(C1, C2)
        result = fw.minimize(f, fw.Transport(p, q), tol=1e-9)
        plan, log = ot.gromov.gromov_wasserstein(
            C1, C2, p, q, "square_loss", log=True, tol_rel=1e-12, tol_abs=1e-12
        )
        assert f(plan.ravel()) == pytest.approx(float(log["gw_dist"]), rel=1e-9)
        assert result.fun <= float(log["gw_dist"]) * (1.0 + 1e-6)
        assert not result.certified
        assert "convex" in str(result.message) or not result.convex
        assert result.success
        g = f.grad(result.x)
        region = fw.Transport(p, q)
        assert float(g @ result.x) - region.lmo(g).dot(g) <= 1e-8

    def test_fused_with_no_share_is_transport(self, rng):
        M, p, q = places(8, 9, rng)
        f = fw.objectives.GromovWasserstein(distances(8, rng), distances(9, rng), M=M, alpha=0.0)
        result = fw.minimize(f, fw.Transport(p, q))
        assert result.certified
        assert result.fun == pytest.approx(ot.emd2(p, q, M), rel=1e-9)

    def test_squared_distances_go_from_vertex_to_vertex(self, rng):
        C1, C2 = distances(8, rng) ** 2, distances(8, rng) ** 2
        ones = np.ones(8)
        result = fw.minimize(
            fw.objectives.GromovWasserstein(C1, C2), fw.Transport(ones, ones), tol=1e-9
        )
        assert result.success
        assert np.count_nonzero(result.x) == 8  # a permutation: it is concave there

    def test_where_it_is_convex_it_is_certified(self, rng):
        half, other = rng.standard_normal((5, 4)), rng.standard_normal((7, 6))
        up, down = half.T @ half, -other.T @ other
        p, q = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(6))
        for f, region in (
            (fw.objectives.GromovWasserstein(up, down), fw.Transport(p, q)),
            (fw.objectives.GromovWasserstein(down, up), fw.Transport(q, p)),
        ):
            assert f.convex
            least = np.linalg.eigvalsh(f.full_hessian(f.new_image()))[0]
            assert least >= -1e-12 * f.smoothness
            result = fw.minimize(f, region, tol=1e-8)
            assert result.success
            assert result.certified
            for x in rng.dirichlet(np.ones(5), 20) @ np.array(
                [region.lmo(g).dense(24) for g in rng.standard_normal((5, 24))]
            ):
                assert result.lower_bound <= f(x) + 1e-12
        for pair in ((up, up[:3, :3]), (up, np.array([[0.0, 1.0], [1.0, 0.0]])), (down, down)):
            assert not fw.objectives.GromovWasserstein(*pair).convex
        assert not fw.objectives.GromovWasserstein(up + np.triu(np.ones((4, 4)), 1), down).convex

    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (
                lambda: fw.objectives.GromovWasserstein(np.ones((2, 3)), np.eye(2)),
                "C1 must be square",
            ),
            (
                lambda: fw.objectives.GromovWasserstein(np.eye(2), [1.0]),
                "C2 must be a non-empty matrix",
            ),
            (lambda: fw.objectives.GromovWasserstein(np.eye(2), [[np.inf]]), "C2 must be finite"),
            (
                lambda: fw.objectives.GromovWasserstein(np.eye(2), np.eye(2), loss="cube"),
                "loss must be",
            ),
            (lambda: fw.objectives.GromovWasserstein(np.eye(2), np.eye(2), loss="kl"), "C2 > 0"),
            (lambda: fw.objectives.GromovWasserstein(np.eye(2), np.eye(2), alpha=0.3), "pass M"),
            (
                lambda: fw.objectives.GromovWasserstein(np.eye(2), np.eye(2), M=np.eye(3)),
                r"M must have shape \(2, 2\), as C1 and C2 say, got \(3, 3\)",
            ),
            (
                lambda: fw.objectives.GromovWasserstein(
                    np.eye(2), np.eye(2), M=np.eye(2), alpha=2.0
                ),
                "alpha must be a finite number >= 0 and <= 1",
            ),
        ],
    )
    def test_bad_input_gets_one_sentence(self, make, words):
        with pytest.raises(fw.InvalidInput, match=words) as caught:
            make()
        assert str(caught.value).endswith(".")


def test_what_rounding_hides_of_gromov_convexity_is_counted():
    """Matrices that are semidefinite but for a last digit: f may bend down by as much, and no more.

    Along u v' with sums of zero f is alpha times -2 (u'C1 u)(v'C2 v), exactly.
    """
    for size, turned in ((1.0, False), (2.0**20, False), (1.0, True)):
        up = size * np.array([[1.0, 1.0 + 2.0**-52], [1.0 + 2.0**-52, 1.0]])
        down = size * np.array([[1.0, -1.0], [-1.0, 1.0]])
        sides = (-down, up) if turned else (up, -down)
        f = fw.objectives.GromovWasserstein(*sides)
        assert f.convex
        bend = 2.0 * (2.0 * size * 2.0**-52) * (4.0 * size)  # downward, over a way of length two
        lost = f.lost(lambda weights: 1.0, lambda: 2.0)
        assert bend <= lost <= 1000.0 * bend
