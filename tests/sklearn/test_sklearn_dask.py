"""Estimators on Dask collections: the fits and predictions of one machine."""

import logging

import numpy as np
import pytest
import scipy.sparse as sp

from frankwolfe import InvalidInput

da = pytest.importorskip("dask.array", reason="dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="dask's frames need pandas and pyarrow")
distributed = pytest.importorskip("distributed", reason="dask is not installed")
pd = pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("sklearn", minversion="1.6")

from sklearn.base import clone  # noqa: E402

from frankwolfe.sklearn import (  # noqa: E402
    ConstrainedLogisticRegression,
    ConstrainedLogisticRegressionCV,
    ConstrainedRegressor,
    regression_path,
)

NAMES = list("abcdef")
RNG = np.random.default_rng(0)
HERE = pd.DataFrame(RNG.normal([0, 1, 2, 3, 0, 0], size=(400, 6)), columns=NAMES)
HERE["t"] = HERE.to_numpy() @ RNG.standard_normal(6) + RNG.standard_normal(400)
HERE["kind"] = np.where(HERE["t"] > HERE["t"].mean(), "yes", "no")
HERE["third"] = np.digitize(HERE["t"], np.quantile(HERE["t"], [0.3, 0.7]))
HERE["w"] = RNG.uniform(0.0, 2.0, 400)


@pytest.fixture(scope="module", autouse=True)
def far():
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 2}
    with distributed.Client(**options, dashboard_address=":0"):
        yield dd.from_pandas(HERE, npartitions=5)


FITS = {
    "two classes": (ConstrainedLogisticRegression("l1", 3.0), "kind", None),
    "balanced": (ConstrainedLogisticRegression("l2", 2.0, class_weight="balanced"), "kind", "w"),
    "weights of classes": (
        ConstrainedLogisticRegression(
            "l1", 2.0, class_weight={"no": 2.0, "yes": 1.0}, fit_intercept=False
        ),
        "kind",
        "w",
    ),
    "three classes": (ConstrainedLogisticRegression("l1", 3.0), "third", "w"),
    "a radius is found": (ConstrainedLogisticRegression("l1"), "kind", None),
    "regression": (ConstrainedRegressor("l1", 3.0), "t", None),
    "its radius": (ConstrainedRegressor("l2"), "t", "w"),
    "its threshold": (ConstrainedRegressor("l1", 3.0, loss="huber"), "t", "w"),
}


@pytest.mark.parametrize("name", FITS)
def test_fits_are_those_of_one_machine(far, name):
    model, target, weight = FITS[name]
    model = clone(model).set_params(tol=1e-11)
    X, y, w = HERE[NAMES], HERE[target], None if weight is None else HERE[weight]
    near = clone(model).fit(X, y, w)
    there = far[NAMES], far[target], None if weight is None else far[weight]
    model.fit(*there)
    np.testing.assert_allclose(model.coef_, near.coef_, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, near.intercept_, atol=1e-10)
    assert model.radius_ == pytest.approx(near.radius_, rel=1e-10)
    assert model.certified_
    assert model.feature_names_in_.tolist() == NAMES
    predicted = model.predict(there[0])
    assert isinstance(predicted, da.Array)  # nothing is computed yet
    if target == "t":
        np.testing.assert_allclose(predicted.compute(), near.predict(X), atol=1e-9)
    else:
        assert (predicted.compute() == near.predict(X)).all()
        for way in ("predict_proba", "predict_log_proba", "decision_function"):
            found = getattr(model, way)(there[0]).compute()
            np.testing.assert_allclose(found, getattr(near, way)(X), atol=1e-8)
    assert model.score(*there) == pytest.approx(near.score(X, y, w), abs=1e-12)
    assert model.score(X, y, w) == pytest.approx(near.score(X, y, w), abs=1e-12)


def test_sparse_blocks_and_vectors_here():
    X, y = HERE[NAMES].to_numpy(), HERE["kind"].to_numpy()
    X = np.where(np.abs(X) > 1.0, X, 0.0)
    blocks = da.from_array(X, chunks=(90, 6)).map_blocks(sp.csr_matrix)
    model = ConstrainedLogisticRegression("l1", 3.0, tol=1e-11)
    near = clone(model).fit(sp.csr_matrix(X), y)
    model.fit(blocks, y)
    np.testing.assert_allclose(model.coef_, near.coef_, atol=1e-10)
    assert (model.predict(blocks).compute() == near.predict(sp.csr_matrix(X))).all()
    assert model.score(blocks, y) == pytest.approx(near.score(X, y))
    with pytest.raises(InvalidInput, match="X has 3 features, but 6 were expected"):
        model.predict(blocks[:, :3])


def test_a_path(far):
    radii = [0.5, 2.0]
    there = regression_path(far[NAMES], far["t"], radii=radii, region="l1", tol=1e-11)
    here = regression_path(HERE[NAMES], HERE["t"], radii=radii, region="l1", tol=1e-11)
    np.testing.assert_allclose(there.coefs, here.coefs, atol=1e-9)


def test_refusals(far):
    model = ConstrainedLogisticRegression("l1", 1.0)
    with pytest.raises(InvalidInput, match="cross-validation takes observations that are here"):
        ConstrainedLogisticRegressionCV().fit(far[NAMES], far["kind"])
    with pytest.raises(InvalidInput, match="y must hold a target"):
        model.fit(far[NAMES], None)
    with pytest.raises(InvalidInput, match="region must be one of"):
        ConstrainedLogisticRegression("l7").fit(far[NAMES], far["kind"])
    with pytest.raises(InvalidInput, match="radius must be"):
        ConstrainedRegressor("l1", -1.0).fit(far[NAMES], far["t"])
    with pytest.raises(InvalidInput, match="one class only: 'yes'"):
        model.fit(far[NAMES], ["yes"] * 400)
    with pytest.raises(InvalidInput, match="the class 'no' have weight zero"):
        model.fit(far[NAMES], far["kind"], (far["kind"] == "yes").astype(float))
    model.fit(far[NAMES], far["kind"])
    with pytest.raises(InvalidInput, match="f is not there"):
        model.predict(far[NAMES[:-1]])
    with pytest.raises(InvalidInput, match="their order is another"):
        model.predict(far[NAMES[::-1]])
