"""Losses in shards are what they are on one machine: every loss, every method that accepts them."""

from inspect import getattr_static

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import basic_examples

import frankwolfe as fw
from frankwolfe import InvalidInput, Problem
from frankwolfe.engines.dask.sharded import Sharded
from frankwolfe.methods import METHODS

pytest.importorskip("distributed", reason="dask is not installed")

from direct import sharded
from elsewhere import far

N = 8
LOSSES = {
    "logistic": (fw.Logistic, {}),
    "squared": (fw.SquaredError, {}),
    "huber": (fw.Huber, {"delta": 0.5, "scaling": "usual"}),
    "quantile": (fw.Quantile, {"quantile": 0.3, "delta": 1.0}),
    "multinomial": (fw.Multinomial, {}),
    "poisson": (fw.Poisson, {}),
    "portfolio": (fw.LogPortfolio, {}),
}
TIES = {  # after an exact line search two atoms are equally good, and rounding chooses
    made.__name__: made
    for made in (
        fw.pairwise,
        fw.blended_pairwise,
        fw.methods.decomposition_invariant,
        fw.methods.conjugate_fw,
        fw.methods.biconjugate_fw,
    )
}
EVERYWHERE = [name for name in LOSSES if name not in ("poisson", "portfolio")]


def both(name, *, form="dense", weights=False, dtype=np.float64, n=N):
    """The loss on one machine and in shards."""
    kind, options = LOSSES[name]
    rng = np.random.default_rng(7)
    A = rng.standard_normal((90, n))
    y = A[:, :3].sum(axis=1) + rng.standard_normal(90) + 0.5
    targets = {
        "logistic": (np.where(y > 0.5, "yes", "no"),),
        "multinomial": (np.argmax(A[:, :3] + rng.standard_normal((90, 3)), axis=1),),
        "poisson": (rng.poisson(2.0, 90),),
        "portfolio": (),
    }.get(name, (y,))
    if name in ("poisson", "portfolio"):
        A = np.exp(0.3 * A)
    if name == "logistic":
        targets = (np.sort(targets[0]),)  # so that some shards have one class alone
        A = A + (targets[0] == "yes")[:, None] * 0.3
    A = A.astype(dtype)
    A = sp.csr_array(A * (rng.random(A.shape) < 0.6)) if form == "sparse" else A
    extra = {"sample_weight": rng.uniform(0.0, 2.0, 90)} if weights else {}
    if weights:
        extra["sample_weight"][:20] = 0.0  # a shard's block without any weight
    near, far = (
        kind(A, *targets, **options, **extra),
        sharded(kind, A, *targets, **options, **extra),
    )
    return near, far


@pytest.mark.parametrize("name", LOSSES)
def test_a_sharded_loss_is_of_both_classes_and_answers_as_shards_do(name):
    kind = LOSSES[name][0]
    far = type(both(name)[1])
    assert issubclass(far, kind)
    assert issubclass(far, Sharded)
    assert far.__name__ == f"Sharded{kind.__name__}"
    for ability in dir(fw.Objective):
        if not ability.startswith(("__", "_abc")):
            assert getattr_static(far, ability) is getattr_static(Sharded, ability), ability


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("region", [fw.L1Ball(0.5), fw.L2Ball(0.5), fw.Simplex()], ids=repr)
def test_shards_may_be_on_devices(name, region):
    """A loss of rows on devices, in shards: both seams at once."""
    if name in ("poisson", "portfolio") and not isinstance(region, fw.Simplex):
        pytest.skip("its logarithms are finite over nonnegative x alone")
    near, _ = both(name, n=6)
    kind, options = LOSSES[name]
    A = near.linear.matrix
    targets = {"multinomial": ("labels",), "portfolio": ()}.get(name, ("b",))
    given = [getattr(near, target) for target in targets]
    there = sharded(kind, far(A), *given, **options)
    problems = [fw.Profiled(f) if f.everywhere else f for f in (near, there)]
    runs = [fw.minimize(f, region, tol=1e-8, max_iter=200) for f in problems]
    assert abs(runs[0].fun - runs[1].fun) <= max(run.gap for run in runs)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("name", LOSSES)
def test_values_and_derivatives_are_those_of_one_machine(name, form, weights):
    if form == "sparse" and name in ("poisson", "portfolio"):
        pytest.skip("a row of zeros has no logarithm")
    near, far = both(name, form=form, weights=weights)
    rng = np.random.default_rng(0)
    x, d = (rng.uniform(0.1, 0.3, near.n) for _ in range(2))
    z, dz = (np.array(A) for A in (near.new_image(), near.new_image()))
    near.image(x, z)
    near.image(d, dz)
    assert far(x) == pytest.approx(near(x), rel=1e-13)
    np.testing.assert_allclose(far.grad(x), near.grad(x), atol=1e-13)
    for a, b in zip(far.along(x, d, 0.3), near.along(z, dz, 0.3), strict=True):
        assert a == pytest.approx(b, rel=1e-12)
    np.testing.assert_allclose(far.full_hessian(x), near.full_hessian(z), atol=1e-12)
    assert far.squared_length(d) == pytest.approx(float(dz @ dz), rel=1e-12)
    assert far.max_step(x, -d, 5.0) == pytest.approx(near.max_step(z, -dz, 5.0), rel=1e-12)
    assert far.in_domain(x) == near.in_domain(z)
    assert far.sparse == near.sparse
    if near.everywhere:
        assert far.curvature_bound(d) == pytest.approx(near.curvature_bound(dz), rel=1e-12)
        assert far.smoothness == pytest.approx(near.smoothness, rel=1e-9)
    for sharp in (False, True):
        gain = [f.gain(lambda w: float(np.max(w)), sharp=sharp) for f in (far, near)]
        assert gain[0] == pytest.approx(gain[1], rel=0.13)  # it has four bits


@pytest.mark.parametrize("name", EVERYWHERE)
def test_intercepts_are_those_of_one_machine(name):
    near, far = (fw.Profiled(f) for f in both(name))
    x = np.random.default_rng(1).uniform(-0.5, 0.5, near.n)
    z = near.new_image()
    near.image(x, z)
    assert far(x) == pytest.approx(near(x), rel=1e-12)
    np.testing.assert_allclose(far.grad(x), near.grad(x), atol=1e-10)
    np.testing.assert_allclose(far.full_hessian(x), near.full_hessian(z), atol=1e-9)
    b, c = near.free_at(x), far.free_at(x)
    np.testing.assert_allclose(b - b[0], c - c[0], atol=1e-6)  # of classes, up to a constant


def close(near, far, method, region, steps=8):
    """Whether a few steps lead to the same point."""
    stop = fw.Iterations(steps)
    a, b = (fw.minimize(f, region, method=method, stop=stop) for f in (near, far))
    assert b.fun == pytest.approx(a.fun, rel=1e-10, abs=1e-12)
    assert b.certified == a.certified
    # a gap is linear in x: what 1e-10 in x and the gradient may change of it
    assert b.gap == pytest.approx(a.gap, rel=1e-5, abs=1e-8)
    return a, b


@pytest.mark.parametrize("name", EVERYWHERE)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_makes_the_same_steps(method, name):
    near, far = both(name)
    for region in (fw.L1Ball(1.5), fw.L2Ball(0.7), fw.Box(-0.2, 0.3)):
        made = METHODS[method]()
        if made.accepts(Problem(near, region)) is not None:
            continue
        refusal = made.accepts(Problem(far, region))
        if refusal is not None:
            assert refusal.endswith(".")
            with pytest.raises(InvalidInput):
                fw.minimize(far, region, method=made)
            continue
        by_chance = method in TIES and name == "squared"  # where short steps are exact too
        if by_chance or method == "interior_point":  # by slopes here, by derivatives there
            a, b = (fw.minimize(f, region, method=made, tol=1e-9) for f in (near, far))
            assert abs(a.fun - b.fun) <= a.gap + b.gap + 1e-12
            continue
        if method in TIES:
            made = TIES[method](fw.steps.ShortStep())
        a, b = close(near, far, made, region)
        if name != "multinomial":  # whose minimizers are many
            np.testing.assert_allclose(b.x, a.x, atol=1e-10)


@pytest.mark.parametrize("region", basic_examples(), ids=repr)
@pytest.mark.parametrize("name", ["logistic", "squared"])
def test_the_default_certifies_over_every_region(name, region):
    near, far = both(name)
    if region.dimension not in (None, N):
        near, far = both(name, n=region.dimension)
    a, b = (fw.minimize(f, region, tol=1e-8) for f in (near, far))
    assert b.success
    assert b.certified
    assert abs(a.fun - b.fun) <= a.gap + b.gap + 1e-12
    assert b.traffic.rounds > 0
    assert "rounds" in repr(b)


@pytest.mark.parametrize("name", ["poisson", "portfolio"])
def test_steps_stay_where_f_is_finite(name):
    near, far = both(name)
    a, b = close(near, far, fw.methods.away_step(), fw.Simplex(), steps=3)
    np.testing.assert_allclose(b.x, a.x, atol=1e-10)
    assert fw.minimize(far, fw.Simplex(), tol=1e-6).success


def test_single_precision_stays_single():
    near, far = both("logistic", dtype=np.float32)
    assert far.dtype == np.float32
    assert far.in_double().dtype == np.float64
    a, b = (fw.minimize(f, fw.L1Ball(1.0), tol=1e-4) for f in (near, far))
    assert abs(a.fun - b.fun) <= a.gap + b.gap
    assert b.x.dtype == np.float32


def lasso(seed):
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(200, 1500)), int(rng.integers(50, 600))
    A = rng.standard_normal((m, n)) + rng.uniform(0, 1) * rng.standard_normal((m, 1))
    w = np.zeros(n)
    w[:10] = rng.standard_normal(10)
    return A, A @ w + rng.standard_normal(m), 0.7 * float(np.abs(w).sum())


@pytest.mark.parametrize("seed", range(10))
def test_rounds_to_a_certified_gap(seed):
    A, y, radius = lasso(seed)
    f, g = sharded(fw.SquaredError, A, y), sharded(fw.Logistic, A, np.sign(y))
    result = fw.minimize(f, fw.L1Ball(radius), tol=1e-6)
    assert result.success
    assert result.traffic.rounds <= 12
    result = fw.minimize(g, fw.L1Ball(radius), tol=1e-6)
    assert result.success
    assert result.traffic.rounds <= 60


def test_a_vector_is_sent_once():
    _, far = both("logistic")
    x = np.linspace(-1.0, 1.0, far.n)
    sizes = []
    for _ in range(2):
        before = far.traffic.bytes
        far.value(x)
        sizes.append(far.traffic.bytes - before)
    assert sizes[1] < sizes[0]  # the second time by name alone
    for shard in far.shards:
        shard._forget()  # as if each worker had died
    assert far.value(x) == pytest.approx(far(x), rel=1e-15)


def test_a_checkpoint_goes_on_where_it_was(tmp_path):
    _, far = both("logistic")
    path, region = tmp_path / "run.npz", fw.L1Ball(1.5)
    whole = fw.minimize(far, region, method="pairwise", stop=fw.Iterations(12))
    first = fw.Checkpoint(path, every=6)
    fw.minimize(far, region, method="pairwise", stop=fw.Iterations(6), callback=first)
    again = fw.minimize(far, region, method="pairwise", stop=fw.Iterations(12), resume=path)
    np.testing.assert_array_equal(again.x, whole.x)


@pytest.mark.parametrize("name", ["logistic", "squared", "poisson"])
def test_proofs_are_those_of_one_machine(name):
    near, far = both(name)
    region = fw.Simplex()
    result = fw.minimize(far, region, tol=1e-6)
    a, b = (fw.prove(Problem(f, region), result.x) for f in (near, far))
    assert b.lower == pytest.approx(a.lower, rel=1e-13)
    assert b.upper == pytest.approx(a.upper, rel=1e-13)
    assert result.verify().gap == b.gap
    with pytest.raises(InvalidInput, match=r"cannot be bounded|not known"):
        fw.minimize(fw.Profiled(both("logistic")[1]), region).verify()


def test_wide_data_have_a_smoothness_too():
    A = np.random.default_rng(0).standard_normal((600, 300))
    near, far = fw.SquaredError(A, A[:, 0]), sharded(fw.SquaredError, A, A[:, 0])
    assert far.smoothness == pytest.approx(near.smoothness, rel=1e-9)


def test_a_value_that_is_kept_is_that_of_the_point_asked_for(monkeypatch):
    """Profiled losses in shards: at another point afresh, at the same one without a round."""
    from frankwolfe.engines.dask.named import named

    near, far = (fw.Profiled(f) for f in both("logistic"))
    points, rounds, ask = np.random.default_rng(0).uniform(-0.5, 0.5, (3, N)), [], far.objective.ask

    def counted(*words):
        rounds.append(words[0])
        return ask(*words)

    monkeypatch.setattr(far.objective, "ask", counted)
    for k in (0, 1, 0, 2):
        value, gradient = far.evaluated(named(points[k]))
        assert value == pytest.approx(near(points[k]), rel=1e-10)
        np.testing.assert_allclose(gradient, near.grad(points[k]), atol=1e-10)
        taken = len(rounds)
        assert far.evaluated(named(points[k]))[0] == value
        assert len(rounds) == taken
