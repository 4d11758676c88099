"""Images that live elsewhere give what NumPy's do, without a GPU: the law of the seam.

`elsewhere` refuses what CuPy refuses; its maps are those of the CUDA room, its loops the CPU's.
"""

from __future__ import annotations

import subprocess
import sys

import elsewhere
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import N, basic_examples, size
from elsewhere import Far, far
from laws import ObjectiveLaws, cases, check_resumed, check_runs

import frankwolfe as fw
from frankwolfe.core.atoms import Dense, Sparse, Vertex
from frankwolfe.methods import METHODS

STEPS = 5
KINDS = ("rows", "columns", "sparse")
LOSSES = ("Logistic", "SquaredError", "Huber", "Quantile", "Profiled", "Free", "Multinomial")
HERE_ALONE = ("stochastic", "svrf", "spider_fw", "screening")  # they read rows or columns of A


def data(kind, m, n, rng):
    A = rng.standard_normal((m, n))
    if kind == "sparse":
        return sp.csr_array(A * (rng.random((m, n)) < 0.4))
    return np.asfortranarray(A) if kind == "columns" else A


def loss(name, A, y):
    if name == "Profiled":
        return fw.Profiled(fw.Logistic(A, np.sign(y), sample_weight=np.arange(1.0, y.size + 1)))
    if name == "Multinomial":
        labels = np.digitize(y, [0.0, 1.0])
        labels[:3] = [0, 1, 2]
        return fw.Profiled(fw.Multinomial(A, labels))
    if name == "Free":
        columns = np.column_stack([np.ones(y.size), np.linspace(-1.0, 1.0, y.size)])
        return fw.Profiled(fw.SquaredError(A, y), columns)
    options = {"Huber": {"delta": 0.5}, "Quantile": {"quantile": 0.3, "delta": 0.5}}
    target = np.sign(y) if name == "Logistic" else y
    return getattr(fw.objectives, name)(A, target, **options.get(name, {}))


def example(kind, region, seed=0):
    rng = np.random.default_rng(seed)
    n = size(region)
    A = data(kind, 4 * n, n, rng)
    return A, A @ rng.standard_normal(n) + 0.3 * rng.standard_normal(4 * n)


def test_the_wall_stands():
    z = Far(np.ones(3))
    for mix in (lambda: np.asarray(z), lambda: z + np.ones(3), lambda: z.dot(np.ones(3))):
        with pytest.raises(TypeError):
            mix()


@pytest.mark.parametrize("method", sorted(METHODS))
def test_methods_make_the_same_steps_over_every_region(method):
    taken, refused = 0, False
    for region in basic_examples():
        A, y = example("rows", region)
        chosen = METHODS[method]()
        near = fw.Problem(fw.Logistic(A, np.sign(y)), region)
        if chosen.accepts(near) is not None:
            continue
        there = fw.Problem(fw.Logistic(far(A), np.sign(y)), region)
        if method in HERE_ALONE:
            assert chosen.accepts(there)
            refused = True
            continue
        a, b = chosen.init(there), chosen.init(near)
        for _ in range(STEPS):
            chosen.advance(a)
            chosen.advance(b)
        assert a.value == pytest.approx(b.value, rel=1e-10)
        np.testing.assert_allclose(a.x, b.x, atol=1e-9)
        taken += 1
    assert taken or refused or METHODS[method]().accepts(near)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("kind", KINDS)
def test_default_methods_end_at_the_same_point(kind, name):
    for region in basic_examples():
        if name == "Multinomial" and region.dimension is not None:
            continue
        A, y = example(kind, region, 1)
        near = fw.minimize(loss(name, A, y), region, tol=1e-8, max_iter=50)
        there = fw.minimize(loss(name, far(A), y), region, tol=1e-8, max_iter=50)
        assert abs(there.fun - near.fun) <= max(there.gap, near.gap)


class TestObjectives(ObjectiveLaws):
    @pytest.fixture(params=[*LOSSES, "sparse"])
    def f(self, request):
        rng = np.random.default_rng(2)
        kind, name = (
            ("sparse", "Logistic") if request.param == "sparse" else ("rows", request.param)
        )
        n = 2 if name == "Multinomial" else N
        A = data(kind, 24, n, rng)
        return loss(name, far(A), A @ rng.standard_normal(n) + rng.standard_normal(24))


@pytest.mark.parametrize(
    "method", ["pairwise", "working_set", "partan", "biconjugate_fw", "second_order", "relay"]
)
def test_laws_of_methods(method):
    A, y = example("rows", fw.L1Ball(1.0))
    regions = [fw.L1Ball(1.5), fw.L2Ball(0.8), fw.Simplex(), fw.Box(-0.5, 0.4)]
    those = cases(regions, [fw.Logistic(far(A), np.sign(y))])
    check_runs(METHODS[method](), those)
    for case in those[:2]:
        if METHODS[method]().accepts(case.problem) is None:
            check_resumed(METHODS[method](), case)


@pytest.mark.parametrize("kind", KINDS)
def test_maps_are_those_of_numpy(kind):
    rng = np.random.default_rng(2)
    A = data(kind, 30, 12, rng)
    dense = A.toarray() if sp.issparse(A) else A
    there, near = fw.SquaredError(far(A), np.ones(30)), fw.SquaredError(A, np.ones(30))
    z, g, slope = there.new_image(), np.empty(12), rng.standard_normal(30)
    places, x = np.array([1, 4, 7]), rng.standard_normal(12)
    atoms = [Vertex(3, -2.0), Sparse(places, x[places]), Dense(x)]
    for atom in atoms:
        there.image_of(atom, z)
        np.testing.assert_allclose(there.stored(z), dense @ atom.dense(12), atol=1e-13)
    there.gradient(there.recalled(slope), g)
    np.testing.assert_allclose(g, dense.T @ slope, atol=1e-13)
    for block in (slice(2, 5), slice(0, 12)):
        there.block_image(x[block], block, z)
        np.testing.assert_allclose(there.stored(z), dense[:, block] @ x[block], atol=1e-13)
        there.linear.adjoint_block(there.recalled(slope), block, g[block])
        np.testing.assert_allclose(g[block], dense[:, block].T @ slope, atol=1e-13)
    np.testing.assert_allclose(there.linear.column_norms, near.linear.column_norms)
    assert there.smoothness == pytest.approx(near.smoothness)
    for side in ("columns", "rows"):
        np.testing.assert_allclose(there.linear.gram(side), near.linear.gram(side), atol=1e-13)
    np.testing.assert_allclose(there.gram()(x), near.gram()(x))
    assert there.in_double().dtype == np.float64


@pytest.mark.parametrize("kind", KINDS)
def test_far_columns_are_centred(kind):
    rng = np.random.default_rng(3)
    A = data(kind, 40, 5, rng)
    A = sp.csr_array(A + sp.csr_array(1e4 * np.ones((40, 5)))) if kind == "sparse" else A + 1e4
    y = A @ rng.standard_normal(5) + 3e6
    near, there = (fw.Profiled(fw.SquaredError(a, y)) for a in (A, far(A)))
    assert there._moved is not None
    assert near._moved is not None
    np.testing.assert_allclose(there._moved.shift, near._moved.shift, rtol=1e-15)
    a, b = (fw.minimize(f, fw.L1Ball(0.5), tol=1e-10) for f in (there, near))
    np.testing.assert_allclose(a.x, b.x, atol=1e-8)
    np.testing.assert_allclose(there.free_at(a.x), near.free_at(b.x), rtol=1e-10)


@pytest.mark.parametrize("name", ["Poisson", "LogPortfolio"])
def test_logarithms(name):
    rng = np.random.default_rng(4)
    A = rng.uniform(0.5, 1.5, (40, 6))
    rest = (rng.poisson(3.0, 40),) if name == "Poisson" else ()
    near = fw.minimize(getattr(fw.objectives, name)(A, *rest), fw.Simplex(2.0))
    there = fw.minimize(getattr(fw.objectives, name)(far(A), *rest), fw.Simplex(2.0))
    np.testing.assert_allclose(there.x, near.x, atol=1e-9)


@pytest.mark.parametrize("method", ["partan", "jacobi_momentum", "pairwise", "working_set"])
def test_a_run_goes_on_from_a_checkpoint(method, tmp_path):
    A, y = example("rows", fw.L1Ball(1.0))
    f, path = fw.Logistic(far(A), np.sign(y)), tmp_path / "run.npz"
    options = {"method": method, "tol": 1e-14}
    whole = fw.minimize(f, fw.L1Ball(1.0), max_iter=9, **options)
    fw.minimize(f, fw.L1Ball(1.0), max_iter=4, callback=fw.Checkpoint(path), **options)
    again = fw.minimize(f, fw.L1Ball(1.0), max_iter=9, resume=path, **options)
    np.testing.assert_array_equal(again.x, whole.x)


@pytest.mark.parametrize("name", [*LOSSES[:5], "Multinomial"])
def test_a_proof_is_that_of_the_data_here(name):
    A, y = example("rows", fw.L1Ball(1.0))
    x = np.zeros(loss(name, A, y).n)
    region = fw.L1Ball(0.5)
    near, there = (fw.prove(fw.Problem(loss(name, a, y), region), x) for a in (A, far(A)))
    assert there == near


def test_little_moves():
    rng, n = np.random.default_rng(5), 500
    A, b = rng.standard_normal((40, n)), np.sign(rng.standard_normal(40))
    for method, region in (("frank_wolfe", fw.L2Ball(2.0)), ("pairwise", fw.L1Ball(2.0))):
        f = fw.Logistic(far(A), b)
        chosen = METHODS[method]()
        state = chosen.init(fw.Problem(f, region))
        chosen.advance(state)
        before = f.traffic.bytes
        for _ in range(10):
            chosen.advance(state)
        assert 0 < (f.traffic.bytes - before) / 8 <= 3 * n * 10
    assert fw.Logistic(A, b).traffic is None


@pytest.mark.parametrize("name", ["Logistic", "SquaredError", "Quantile"])
@pytest.mark.parametrize(
    "step", [fw.steps.OpenLoop(), fw.steps.OpenLoop(4.0), fw.steps.Constant(0.1)], ids=repr
)
def test_one_pass_makes_the_same_steps(name, step, monkeypatch):
    monkeypatch.setattr(elsewhere.Elsewhere, "leaping", True)
    A, y = example("rows", fw.L2Ball(1.0))
    problem = fw.Problem(loss(name, far(A), y), fw.L2Ball(1.0))
    assert problem.objective.single_pass is not None
    runs = [
        fw.minimize(f, fw.L2Ball(1.0), method=fw.frank_wolfe(step), stop=fw.Iterations(1100))
        for f in (problem.objective, loss(name, A, y))
    ]
    np.testing.assert_allclose(runs[0].x, runs[1].x, atol=1e-12)
    for column in ("value", "gap", "step"):
        np.testing.assert_allclose(
            runs[0].history[column], runs[1].history[column], rtol=1e-9, atol=1e-13
        )
    assert (runs[0].njev, runs[0].nlmo) == (runs[1].njev, runs[1].nlmo)


def test_targets_may_live_there_too():
    A, y = example("rows", fw.L1Ball(1.0))
    near = fw.SquaredError(A, y, sample_weight=np.ones(y.size))
    there = fw.SquaredError(far(A), far(y), sample_weight=far(np.ones(y.size)))
    assert there(np.ones(A.shape[1])) == pytest.approx(near(np.ones(A.shape[1])), rel=1e-14)
    with pytest.raises(fw.InvalidInput, match="b must have"):
        fw.SquaredError(far(A), far(y[1:]))


def test_the_engine_of_gpus_is_not_loaded_for_others():
    code = (
        "import sys, numpy as np, frankwolfe as fw; fw.SquaredError(np.eye(2), [1, 2]); "
        "print([m for m in sys.modules if m.startswith(('cupy', 'frankwolfe.engines.cuda'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_tensors_of_the_cpu_go_on_as_they_are():
    torch = pytest.importorskip("torch")
    A, y = example("rows", fw.L1Ball(1.0))
    f = fw.SquaredError(torch.tensor(A), torch.tensor(y))
    assert f.traffic is None
    assert f(np.ones(A.shape[1])) == fw.SquaredError(A, y)(np.ones(A.shape[1]))


def test_an_array_is_for_its_engine():
    from frankwolfe.base.foreign import engine_of

    assert engine_of(Far(np.ones(2))) is elsewhere
    assert engine_of(np.ones(2)) is None
