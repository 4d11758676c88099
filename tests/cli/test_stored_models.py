"""Models and tables on their way through files, and the problems that commands make of options."""

from __future__ import annotations

import csv
import io
import json
from types import SimpleNamespace

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.apps import traffic
from frankwolfe.cli import main
from frankwolfe.cli.commands.predict import rows_to
from frankwolfe.cli.model import (
    LISTED,
    MAX_INDENTED_NUMBERS,
    SPARSE,
    SPARSE_DENSITY,
    SPARSE_FEATURES,
    LinearModel,
    probabilities,
)
from frankwolfe.cli.screen import Screen
from frankwolfe.cli.stored_model import load_model
from frankwolfe.cli.traffic_output import figures_of, rows_of, summary
from frankwolfe.regions import REGION_NAMES

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def made(rng, outputs=1, columns=3, words=None, **more):
    encoded = dict(words or {})
    width = columns + sum(len(w) - 1 for w in encoded.values())
    classes = None if outputs == 1 else [f"c{k}" for k in range(outputs)]
    given = {
        "coefficients": rng.standard_normal((outputs, width)),
        "intercept": rng.standard_normal(outputs),
        "classes": classes,
        "features": [f"x{j}" for j in range(columns)],
        "target": "y",
        "drop": ["gone", 7],
        "encoded": encoded,
    }
    return LinearModel(**(given | more))


CASES = {
    "a regression": {},
    "two classes": {"classes": ["no", "yes"]},
    "three classes": {"outputs": 3},
    "no names": {"features": [], "target": None, "drop": []},
    "a target by number": {"target": -2},
    "means": {"fill": np.array([0.5, -1.0, 1e-300])},
    "words": {"words": {1: ("a", "b c", "é")}},
    "words first and last": {"words": {0: ("u", "v"), 2: ("0", "1")}},
    "words without names": {"words": {1: ("a", "b")}, "features": [], "drop": [2]},
    "indices": {"about": {"data": {"index base": 0}}},
    "classes of numbers": {"classes": [0, 1.5]},
    "many lines": {"columns": MAX_INDENTED_NUMBERS + 1, "features": []},
}


@pytest.mark.parametrize("case", CASES)
def test_a_model_comes_back_as_it_was_written(case, tmp_path, rng):
    model = made(rng, **CASES[case])
    path = tmp_path / "m.json"
    model.write(path)
    again = load_model(path)
    for name in ("coefficients", "intercept", "fill"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    for name in ("classes", "features", "target", "drop", "base", "width", "columns"):
        assert getattr(again, name) == getattr(model, name)
    assert {k: tuple(v) for k, v in again.encoded.items()} == model.encoded
    X = rng.standard_normal((4, model.width))
    z = X @ model.coefficients.T + model.intercept
    np.testing.assert_allclose(again.predict(X), z)
    parts = json.loads(path.read_text("utf-8"))
    assert parts["format"] == LISTED
    if model.encoded:
        assert len(parts["terms"]) == model.width
        named = {one["place"]: one["column"] for one in parts["encoded"]}
        numbers = [c for c in range(1, 20) if c not in model.drop]
        for place in model.encoded:
            wanted = model.features[place] if model.features else str(numbers[place])
            assert named[place + 1] == wanted
            assert sum(term.startswith(f"{wanted}=") for term in parts["terms"]) == len(
                model.encoded[place]
            )


@pytest.mark.parametrize("width", [SPARSE_FEATURES - 1, SPARSE_FEATURES])
@pytest.mark.parametrize("share", [0.5 * SPARSE_DENSITY, SPARSE_DENSITY, 1.01 * SPARSE_DENSITY])
def test_wide_and_empty_models_are_written_sparsely(share, width, tmp_path, rng):
    coefficients = np.zeros((1, width))
    count = int(share * width)
    coefficients[0, rng.permutation(width)[:count]] = rng.standard_normal(count)
    model = made(rng, coefficients=coefficients, features=[])
    model.write(tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    sparse = width >= SPARSE_FEATURES and count <= SPARSE_DENSITY * width
    assert (f'"format": {SPARSE}' in text) == sparse
    np.testing.assert_array_equal(load_model(tmp_path / "m.json").coefficients, coefficients)


def _sparse_parts():
    return {
        "kind": "frankwolfe linear model", "format": SPARSE, "classes": None, "target": "y",
        "drop": [], "features": None, "fill": None, "intercept": [0.5],
        "coefficients": {
            "shape": [1, 4], "outputs": [0, 0], "features": [1, 3], "values": [2.0, -1.0],
        },
    }  # fmt: skip


BROKEN_ENTRIES = {
    "shape": [[1], [1, 4, 1], [1, 0], [0, 4], [1, 2**31], [1.0, 4], [True, 4], "14", None],
    "outputs": [[0], [0, 1], [0, -1], [0, 0.5], ["0", 0], None],
    "features": [[1], [1, 4], [-1, 3], [1, 2.5], {}],
    "values": [[2.0], [2.0, None], ["a", "b"], 3.0],
}


@pytest.mark.parametrize("name", BROKEN_ENTRIES)
def test_entries_that_do_not_fit_are_refused(name, tmp_path):
    path = tmp_path / "m.json"
    path.write_text(json.dumps(_sparse_parts()))
    np.testing.assert_array_equal(load_model(path).coefficients, [[0.0, 2.0, 0.0, -1.0]])
    for value in BROKEN_ENTRIES[name]:
        parts = _sparse_parts()
        parts["coefficients"][name] = value
        path.write_text(json.dumps(parts))
        with pytest.raises(InvalidInput, match="is not a model that frankwolfe fit wrote"):
            load_model(path)
        del parts["coefficients"][name]
        path.write_text(json.dumps(parts))
        with pytest.raises(InvalidInput, match="is not a model"):
            load_model(path)


WORDS_WRONG = [
    [{"place": 1, "words": ["a", "a"]}], [{"place": 1, "words": ["a"]}] * 2,
    [{"place": 0, "words": ["a", "b"]}], [{"place": 4, "words": ["a", "b"]}],
    [{"place": True, "words": ["a", "b"]}], [{"words": ["a", "b"]}],
]  # fmt: skip


def test_words_that_do_not_fit_are_refused(tmp_path, rng):
    path = tmp_path / "m.json"
    made(rng, words={0: ("a", "b")}).write(path)
    parts = json.loads(path.read_text())
    load_model(path)
    for wrong in WORDS_WRONG:
        path.write_text(json.dumps(parts | {"encoded": wrong}))
        with pytest.raises(InvalidInput, match="is not a model"):
            load_model(path)


def test_shares_of_classes_are_those_of_the_logistic_function(rng):
    z = 50.0 * rng.standard_normal((20, 1))
    two = probabilities(z)
    np.testing.assert_allclose(two[:, 1], 1.0 / (1.0 + np.exp(-z[:, 0])), rtol=1e-12)
    many = 100.0 * rng.standard_normal((20, 4))
    shares = probabilities(many)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(shares.argmax(axis=1), many.argmax(axis=1))
    apart = many[:, 1] - many[:, 0]
    seen = (shares[:, 0] > 1e-300) & (shares[:, 1] > 1e-300)
    assert seen.sum() > 3
    ratio = np.log(shares[seen, 1] / shares[seen, 0])
    np.testing.assert_allclose(ratio, apart[seen], rtol=1e-9)


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("place", [None, "a.out"])
def test_rows_are_read_back(place, as_json, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    header, rows = ("name", "v, w"), [('é "q"', 0.1), ("b\nc", None), ("", -1e-300)]
    rows_to(place, header, iter(rows), as_json=as_json)
    text = capsys.readouterr().out
    if place:
        assert text == ""
        text = (tmp_path / place).read_bytes().decode("utf-8")
    if as_json:
        assert json.loads(text) == [dict(zip(header, row, strict=True)) for row in rows]
    else:
        head, *found = csv.reader(io.StringIO(text))
        assert head == list(header)
        assert [(a, float(b) if b else None) for a, b in found] == rows
        assert "\r" not in text


# ---- problems of options


def options(**given):
    usual = {
        "data": "pima", "loss": None, "radius": None, "region": "l2", "delta": None, "target": None,
        "drop": (), "header": None, "format": None, "standardize": False, "max_memory": None,
        "zero_based": "auto",
    }  # fmt: skip
    return SimpleNamespace(**(usual | given))


@pytest.mark.parametrize("region", ["l1", "l2", "linf"])
@pytest.mark.parametrize("loss", [None, "squared", "huber", "quantile", "logistic"])
@pytest.mark.parametrize("data", ["pima", "breast_cancer"])
def test_the_problem_is_the_one_that_was_asked_for(data, loss, region, rng):
    from frankwolfe.cli.data import given_problem

    for radius in (None, 2.5):
        given = given_problem(
            options(data=data, loss=loss, region=region, radius=radius), Screen(True)
        )
        table = fw.datasets.DATASETS[data]()
        A, b = table.paper()
        usual, size = {"pima": ("huber", 35.0), "breast_cancer": ("logistic", 50.0)}[data]
        assert given.loss == (loss or usual)
        assert given.radius == (radius or size)
        assert (
            given.problem.region.fingerprint()
            == REGION_NAMES[region].of_radius(given.radius).fingerprint()
        )
        assert (given.sha256, given.data, given.region) == (table.sha256, data, region)
        x = 0.01 * rng.standard_normal(A.shape[1])
        y = np.unique(b, return_inverse=True)[1] if given.loss == "logistic" else b
        more = {"delta": 0.5} if (given.loss, data) == ("huber", "pima") else {}
        own = fw.objectives.LOSSES[given.loss](A, y, **more)
        assert given.problem.objective(x) == pytest.approx(own(x), rel=1e-12)
    if given.loss in ("huber", "quantile"):
        given = given_problem(options(data=data, loss=loss, radius=1.0, delta=0.07), Screen(True))
        own = fw.objectives.LOSSES[given.loss](A, y, delta=0.07)
        assert given.problem.objective(x) == pytest.approx(own(x), rel=1e-12)
    else:
        with pytest.raises(InvalidInput, match="--delta goes with the losses huber and quantile"):
            given_problem(options(data=data, loss=loss, radius=1.0, delta=0.07), Screen(True))


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("kind", ["numbers", "two", "three", "words"])
def test_a_file_makes_the_problem_of_its_columns(kind, standardize, tmp_path, rng):
    from frankwolfe.cli.data import given_problem

    X = np.round(3.0 + 2.0 * rng.standard_normal((30, 3)), 3)
    y = {
        "numbers": np.round(rng.standard_normal(30), 3), "two": np.arange(30) % 2 + 4,
        "three": np.arange(30) % 3, "words": np.array(["u", "v", "w"])[np.arange(30) % 3],
    }[kind]  # fmt: skip
    lines = [
        ",".join([*map(str, row), str(t)]) for row, t in zip(X.tolist(), y.tolist(), strict=True)
    ]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines))
    given = given_problem(
        options(data=str(path), radius=1.5, standardize=standardize), Screen(True)
    )
    loss = {"numbers": "squared", "two": "logistic", "three": "squared", "words": "multinomial"}[
        kind
    ]
    assert given.loss == loss
    A = (X - X.mean(axis=0)) / X.std(axis=0) if standardize else X
    targets = np.unique(y, return_inverse=True)[1] if kind in ("two", "words") else y
    own = fw.objectives.LOSSES[loss](A, targets)
    x = rng.standard_normal(own.n)
    assert given.problem.objective(x) == pytest.approx(own(x), rel=1e-10)
    import hashlib

    assert given.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    if kind == "words":
        with pytest.raises(InvalidInput, match="words such as 'u'; the loss squared needs"):
            given_problem(options(data=str(path), radius=1.0, loss="squared"), Screen(True))


def test_files_that_no_problem_can_be_made_of_are_refused(tmp_path):
    from frankwolfe.cli.data import given_problem

    for cell, words in (("1e80", "another unit"), ("nan", "is missing"), ("inf", "is infinite")):
        (tmp_path / "a.csv").write_text(f"1,2,3\n4,{cell},5\n1,1,1\n")
        with pytest.raises(InvalidInput, match=f"line 2, feature 2 is.*{words}|{words}"):
            given_problem(options(data=str(tmp_path / "a.csv"), radius=1.0), Screen(True))


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("outputs", [1, 3])
def test_predictions_are_those_of_the_stored_model(
    outputs, as_json, tmp_path, monkeypatch, capsys, rng
):
    monkeypatch.chdir(tmp_path)
    model = made(rng, outputs=outputs)
    model.write("m.json")
    X = np.round(rng.standard_normal((5, 3)), 3)
    lines = ["x2,x0,x1", *(",".join(map(str, row[[2, 0, 1]])) for row in X)]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    z = X @ model.coefficients.T + model.intercept
    for place in (None, "out"):
        words = ["predict", "m.json", "a.csv", "-q", *(["--json"] if as_json else [])]
        assert main([*words, *(["-o", place] if place else [])]) == 0
        text = capsys.readouterr().out
        text = (tmp_path / place).read_text() if place else text
        rows = json.loads(text) if as_json else list(csv.DictReader(io.StringIO(text)))
        if outputs == 1:
            np.testing.assert_allclose([float(row["prediction"]) for row in rows], z[:, 0])
            continue
        shares = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        for k, row in enumerate(rows):
            assert row["prediction"] == model.classes[z[k].argmax()]
            told = [float(row[f"probability of {c}"]) for c in model.classes]
            np.testing.assert_allclose(told, shares[k])


# ---- the figures of an assignment


@pytest.mark.parametrize("optimum", [True, False])
def test_figures_and_rows_are_those_of_the_result(optimum):
    network, trips = traffic.braess()
    result = traffic.equilibrium(network, trips, tol=1e-3, system_optimum=optimum)
    told = figures_of(result)
    names = {
        "method": "method", "converged": "success", "message": "message", "gap": "gap",
        "relative gap": "relative_gap", "certified": "certified", "objective": "fun",
        "lower bound": "lower_bound", "average excess cost": "average_excess_cost",
        "total cost": "total_cost", "iterations": "nit", "seconds": "seconds",
        "system optimum": "system_optimum",
    }  # fmt: skip
    assert told == {name: getattr(result, attribute) for name, attribute in names.items()}
    line = summary(result)
    for value in (result.fun, result.total_cost):
        assert f"{value:.10g}" in line
    assert f"{result.nit:,} iterations of {result.method}" in line
    assert ("certified gap" in line) == result.certified
    rows = list(rows_of(result))
    empty = network.cost_of(np.zeros(network.size))
    for i, (tail, head, flow, cost, free, share) in enumerate(rows):
        assert [tail, head] == network.links[i].tolist()
        assert (flow, cost, free) == (result.flows[i], result.costs[i], empty[i])
        full = network.saturation(result.flows)[i]
        assert share is None if np.isnan(full) else share == full


def test_a_race_tells_what_each_method_reached(tmp_path, monkeypatch, capsys, rng):
    """Table, JSON, curves and page of one race are about the same runs."""
    monkeypatch.chdir(tmp_path)
    words = ["race", "pima", "--methods", "fw,afw,pairwise", "--max-iter", "40", "--seconds", "5"]
    words = [word.replace("fw,afw", "jacobi,afw") for word in words]
    code = main([*words, "--json", "--csv", "c.csv", "--out", "r.html", "-q"])
    told = json.loads(capsys.readouterr().out)
    assert code == (0 if any(row["converged"] for row in told["results"]) else 1)
    assert told["report"] == "r.html"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "c.csv").read_text())))
    page = (tmp_path / "r.html").read_text("utf-8")
    for row in told["results"]:
        mine = [r for r in rows if r["method"] == row["method"]]
        assert int(mine[-1]["iteration"]) == row["iterations"] <= 40
        assert min(float(r["value"]) for r in mine) == pytest.approx(row["value"], rel=1e-9)
        assert row["method"] in page
        assert row["gradients"] >= 1
    order = [
        (not row["converged"], row["seconds"] if row["converged"] else row["gap"])
        for row in told["results"]
    ]
    assert order == sorted(order)
    assert not told["left out"]
    assert "Left out" not in page
    assert main([*words[:3], "afw,hybrid", *words[4:], "--json", "--out", "r.html", "-q"]) == code
    told = json.loads(capsys.readouterr().out)
    page = (tmp_path / "r.html").read_text("utf-8")
    assert [row["method"] for row in told["results"]] == ["afw"]
    assert list(told["left out"]) == ["hybrid"]
    assert "Left out" in page
    assert told["left out"]["hybrid"][:20] in page
    assert main([*words, "--no-report", "-q"]) == code
    assert "report:" not in capsys.readouterr().out
