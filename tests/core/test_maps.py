"""Every form of A is the same linear map."""

import numpy as np
import pytest
import scipy.sparse as sp

import frankwolfe as fw
from frankwolfe.core import ActiveSet
from frankwolfe.core.atoms import Dense, Sparse, Vertex
from frankwolfe.core.maps import DenseMap, as_map
from frankwolfe.core.products import weighted_gram
from frankwolfe.core.sparse_map import IdentityMap, SparseMap

N = 7
FORMS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
    "coo": sp.coo_array,
}
ATOMS = {
    "vertices": [Vertex(1, 2.0), Vertex(0, -1.0), Vertex(1, 2.0)],
    "sparse": [Sparse(np.array([0, 3]), np.array([1.0, -2.0])), Vertex(2, 1.0)],
    "dense": [Dense(np.arange(float(N))), Vertex(0, 0.0)],
}


def _matrices(rng):
    yield rng.standard_normal((11, N)) * (rng.random((11, N)) < 0.4)
    yield np.eye(N)


@pytest.mark.parametrize("roomy", [True, False])
@pytest.mark.parametrize("atoms", ATOMS)
@pytest.mark.parametrize("form", FORMS)
def test_products_are_those_of_the_matrix(form, atoms, roomy, rng, monkeypatch):
    monkeypatch.setattr("frankwolfe.core.sparse_map.MAX_BYTES_TWICE", 2**28 if roomy else 0)
    for A in _matrices(rng):
        linear = as_map("A", FORMS[form](A))
        m = A.shape[0]
        x, y, out, back = rng.standard_normal(N), rng.standard_normal(m), np.empty(m), np.empty(N)
        linear.apply(x, out)
        np.testing.assert_allclose(out, A @ x, atol=1e-14)
        linear.adjoint(y, back)
        np.testing.assert_allclose(back, A.T @ y, atol=1e-14)
        linear.column(2, -3.0, out)
        np.testing.assert_allclose(out, -3.0 * A[:, 2], atol=1e-14)
        linear.columns(np.array([1, 4]), np.array([2.0, -1.0]), out)
        np.testing.assert_allclose(out, 2.0 * A[:, 1] - A[:, 4], atol=1e-14)
        images = linear.images(ATOMS[atoms])
        images = images.toarray() if sp.issparse(images) else images
        points = np.column_stack([atom.dense(N) for atom in ATOMS[atoms]])
        np.testing.assert_allclose(images, A @ points, atol=1e-14)
        weights = rng.uniform(0.0, 2.0, m)
        weights[0] = 0.0
        gram = linear.weighted_gram(weights)
        np.testing.assert_allclose(gram, A.T @ np.diag(weights) @ A, atol=1e-13)


def test_the_identity_is_seen(rng):
    assert isinstance(as_map("A", sp.identity(5, format="csr")), IdentityMap)
    assert isinstance(as_map("A", sp.identity(5, format="dia")), IdentityMap)
    assert isinstance(as_map("A", np.eye(5)), DenseMap)
    flipped = sp.csr_array(np.eye(5)[::-1])
    for A in (2.0 * sp.identity(5, format="csr"), flipped, sp.eye(5, 6, format="csr")):
        assert type(as_map("A", A)) is SparseMap


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array])
def test_sparse_gram_of_two_matrices(make, rng):
    B = rng.standard_normal((20, 6)) * (rng.random((20, 6)) < 0.3)
    C = rng.standard_normal((20, 4)) * (rng.random((20, 4)) < 0.3)
    w = rng.uniform(size=20)
    found = weighted_gram(make(B), make(C), w)
    np.testing.assert_allclose(found, B.T @ np.diag(w) @ C, atol=1e-13)


@pytest.mark.parametrize("make", [fw.SquaredError, fw.Huber, fw.Logistic, fw.Poisson])
@pytest.mark.parametrize("weighted", [False, True])
def test_terms_apart_add_up_to_the_whole(make, weighted, rng):
    A = rng.uniform(0.1, 1.0, (12, N))
    b = np.sign(rng.standard_normal(12)) if make is fw.Logistic else rng.uniform(0.5, 3.0, 12)
    f = make(A, b, sample_weight=rng.uniform(0.5, 2.0, 12) if weighted else None)
    z, dz = A @ rng.uniform(0.1, 1.0, N), 0.1 * rng.standard_normal(12)
    some, others = np.array([1, 4, 9]), np.array([0, 2, 3, 5, 6, 7, 8, 10, 11])
    parts = [f.only(some), f.only(others)]
    pieces = [p.along(z[i], dz[i], 0.5) for p, i in zip(parts, (some, others), strict=True)]
    np.testing.assert_allclose(np.sum(pieces, axis=0), f.along(z, dz, 0.5), rtol=1e-12)
    assert f.m == 12


def test_few_rows_reached_give_the_same_run(rng):
    """Sparse atoms that reach few rows are treated apart; dense data never are."""
    m, n = 400, 60
    A = sp.random(m, n, density=0.01, format="csr", random_state=3)
    b = rng.standard_normal(m)
    for make in (fw.SquaredError, fw.Huber):
        runs = [
            fw.minimize(make(data, b), fw.L1Ball(3.0), method=fw.methods.working_set(5), tol=1e-12)
            for data in (A, A.toarray())
        ]
        assert runs[0].success
        assert runs[0].fun == pytest.approx(runs[1].fun, abs=1e-12)


@pytest.mark.parametrize("n", [1, 5])
def test_many_vertices_enter_as_one_by_one(n):
    atoms = [Vertex(0, 1.0), Vertex(n - 1, -1.0), Vertex(0, 1.0), Vertex(0, -0.0), Vertex(0, 0.0)]
    together, apart = ActiveSet(n), ActiveSet(n)
    together.extend(atoms)
    for atom in atoms:
        apart.place(atom)
    for name, array in apart.pack().items():
        np.testing.assert_array_equal(array, together.pack()[name])
    single = Sparse(np.array([0]), np.array([1.0]))
    assert together.place(single) == apart.place(Vertex(0, 1.0)) == 0
    copied = together.copy()
    copied.extend([Vertex(0, 9.0)])
    assert len(copied) == len(together) + 1
