"""The command line: results on standard output, one sentence for what is wrong, exit codes."""

import csv
import hashlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.cli import main, parser, script

estimators = pytest.importorskip("frankwolfe.sklearn", exc_type=ImportError)

COMMANDS = list(parser()._subparsers._group_actions[0].choices)
RNG = np.random.default_rng(0)
DATA = Path(fw.datasets.__file__).parent
PIMA = DATA / "pima-indians-diabetes.csv"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(path, X, y, names=True):
    rows = [[*row, target] for row, target in zip(X.tolist(), y.tolist(), strict=True)]
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        if names:
            writer.writerow([*(f"x{j}" for j in range(X.shape[1])), "target"])
        writer.writerows(rows)
    return path


def flowers():
    X = RNG.standard_normal((90, 3))
    kinds = np.array(["iris", "rose", "tulip"])
    return X, kinds[np.argmax(X + 0.3 * RNG.standard_normal(X.shape), axis=1)]


def out_of(capsys, *arguments, code=0):
    assert main([str(a) for a in arguments]) == code
    return capsys.readouterr().out


def model_of(path="model.json"):
    return json.loads(Path(path).read_text())


@pytest.mark.parametrize(
    ("loss", "region", "options"),
    [
        ("logistic", "l1", {}),
        ("multinomial", "l2", {}),
        ("squared", "l1", {"fit_intercept": False}),
        ("huber", "linf", {"delta": 0.3}),
        ("quantile", "l2", {"quantile": 0.8, "delta": 0.1}),
        ("squared", "simplex", {}),
    ],
)
def test_fit_is_the_estimator(loss, region, options, here, capsys):
    X, kinds = flowers()
    classes = loss in ("logistic", "multinomial")
    y = (
        kinds
        if loss == "multinomial"
        else kinds == "iris"
        if classes
        else X @ [1.0, 2, 0] + X[:, 1] ** 2
    )
    y = y.astype(str) if classes else y
    path = table("a.csv", X, y)
    words = ["--no-intercept"] if not options.get("fit_intercept", True) else []
    for name in ("delta", "quantile"):
        words += [f"--{name}", str(options[name])] if name in options else []
    out = out_of(capsys, "fit", path, "--loss", loss, "--region", region, "--radius", "1.5", *words)
    assert "certified" in out
    kind = estimators.ConstrainedLogisticRegression if classes else estimators.ConstrainedRegressor
    theirs = kind(region, 1.5, **({} if classes else {"loss": loss}), **options).fit(X, y)
    model = model_of()
    np.testing.assert_array_equal(model["coefficients"], np.atleast_2d(theirs.coef_))
    np.testing.assert_array_equal(model["intercept"], np.atleast_1d(theirs.intercept_))
    assert model["result"]["gap"] == theirs.dual_gap_
    assert model["result"]["certified"]
    rows = list(csv.DictReader(io.StringIO(out_of(capsys, "predict", "model.json", path))))
    predicted = theirs.predict(X)
    if classes:
        assert [row["prediction"] for row in rows] == predicted.tolist()
        shares = [[float(row[f"probability of {c}"]) for c in theirs.classes_] for row in rows]
        np.testing.assert_allclose(shares, theirs.predict_proba(X), rtol=1e-10)
    else:
        found = [float(row["prediction"]) for row in rows]
        np.testing.assert_allclose(found, predicted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mean", [0.0, 1e6])
def test_fit_proves_its_gap_in_the_units_of_the_loss(mean, here, capsys):
    X = RNG.standard_normal((40, 3)) + mean
    y = 50.0 * (X - mean) @ [1.0, 0.0, -2.0] + RNG.standard_normal(40)
    out = out_of(
        capsys, "fit", table("a.csv", X, y), "--region", "l1", "--radius", "20", "--verify"
    )
    assert "no model of the region has less" in out
    model = model_of()
    proof = model["result"]["proof"]
    off = X @ model["coefficients"][0] + model["intercept"][0] - y
    assert proof["lower"] <= proof["upper"]
    assert proof["upper"] == pytest.approx(0.5 * np.mean(off**2), rel=1e-5)
    assert proof["gap"] <= 1e-5 * proof["upper"]


def test_the_radius_by_folds_is_the_estimators(here, capsys):
    X = RNG.standard_normal((60, 4))
    y = X @ [1.0, 0, 0, -2] + 0.5 * RNG.standard_normal(60)
    path = table("a.csv", X, y)
    out = out_of(capsys, "fit", path, "--region", "l1", "--radius", "cv", "--folds", "3", "--json")
    printed = json.loads(out)
    theirs = estimators.ConstrainedRegressorCV("l1", cv=3).fit(X, y)
    assert printed["radius"] == theirs.radius_
    assert printed["cross-validation"]["best score"] == theirs.best_score_
    assert printed["written"] == "model.json"


def test_standardized_coefficients_are_in_the_features_own_units(here, capsys):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = RNG.standard_normal((80, 3)) * [1.0, 100.0, 1e-3] + [0.0, 50.0, 1.0]
    y = X @ [1.0, 0.02, 500.0] + 0.1 * RNG.standard_normal(80)
    path = table("a.csv", X, y)
    out_of(capsys, "fit", path, "--standardize", "--region", "l1", "--radius", "2")
    rows = csv.DictReader(io.StringIO(out_of(capsys, "predict", "model.json", path)))
    theirs = make_pipeline(StandardScaler(), estimators.ConstrainedRegressor("l1", 2.0)).fit(X, y)
    found = [float(row["prediction"]) for row in rows]
    np.testing.assert_allclose(found, theirs.predict(X), rtol=1e-9, atol=1e-9)


def test_formats_give_the_same_model(here, capsys):
    import pandas
    import scipy.io
    import scipy.sparse

    X, kinds = flowers()
    y = (kinds == "rose").astype(float)
    table("a.csv", X, y)
    table("bare.csv", X, y, names=False)
    with open("a.svm", "w") as file:
        for row, target in zip(X.tolist(), y, strict=True):
            pairs = " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row))
            file.write(f"{target} {pairs}\n")
    np.savez("a.npz", X=X, y=y)
    scipy.io.mmwrite("a.mtx", scipy.sparse.coo_array(X))
    np.savetxt("y.txt", y)
    files = {"a.csv": [], "bare.csv": [], "a.svm": [], "a.npz": []}
    files["a.mtx"] = ["--target-file", "y.txt"]
    try:
        pandas.read_csv("a.csv").to_parquet("a.parquet")
        files["a.parquet"] = ["--target", "target"]
    except ImportError:
        pass
    models = {}
    for name, words in files.items():
        out_of(capsys, "fit", name, "--radius", "2", "--region", "l1", "--tol", "1e-10", *words)
        models[name] = model_of()["coefficients"]
        out = out_of(capsys, "predict", "model.json", name)
        assert len(out.splitlines()) == 91
    for name, found in models.items():
        np.testing.assert_allclose(found, models["a.csv"], atol=2e-4, err_msg=name)


def test_missing_values_are_refused_or_filled(here, capsys):
    Path("a.csv").write_text("a,b,y\n1,2,3\n,4,5\n3,1,2\n5,5,9\n")
    assert main(["fit", "a.csv"]) == 2
    assert "line 3, feature a is missing" in capsys.readouterr().err
    out_of(capsys, "fit", "a.csv", "--missing", "mean", "--radius", "1")
    assert model_of()["fill"] == [3.0, 3.0]
    Path("b.csv").write_text("b,a\n1,\n1,3\n")
    rows = out_of(capsys, "predict", "model.json", "b.csv").splitlines()
    assert rows[1] == rows[2]


def test_advice_is_what_the_command_can_do(here, capsys):
    Path("a.csv").write_text("a,b c,y\n1,2,3\n3,,2\n5,5,9\n1,4,3\n")
    Path("inf.csv").write_text("a,y\n1,2\n\ninf,3\n2,4\n")
    Path("words.csv").write_text("city,a,garden,y\nRome,1,yes,3\nOslo,2,no,4\nBern,4,no,4\n")
    Path("bare.csv").write_text("7,1,2\n8,,4\n9,1,2\n")
    Path("nan.svm").write_text("1 1:2\n2 1:nan\n3 1:3\n")

    def said(*words):
        assert main(list(words)) == 2
        return capsys.readouterr().err

    drop = "leave the column out (--drop 'b c')"
    mean = "fill missing values with their column's mean (--missing mean)"
    text = said("fit", "a.csv")
    assert "line 3, feature b c is missing" in text
    assert drop in text
    assert mean in text
    text = said("race", "a.csv")
    assert drop in text
    assert "--missing" not in text
    assert "(--drop 2)" in said("fit", "bare.csv", "--target", "1")
    for word in ("--drop", "--missing"):
        assert word not in said("fit", "nan.svm", "--missing", "mean")
    for command in ("fit", "race"):
        text = said(command, "inf.csv")
        assert "line 4, feature a is infinite" in text
        assert "--missing" not in text
        text = said(command, "words.csv")
        assert "columns city and garden hold words" in text
        assert "leave them out with --drop city,garden." in text
        assert ("encode them with --encode city,garden" in text) == (command == "fit")
    out_of(capsys, "fit", "words.csv", "--drop", "city,garden", "--radius", "1")
    Path("new.csv").write_text("a\nx\nz\n")
    Path("gap.csv").write_text("a\n1\nNA\n")
    for name in ("new.csv", "gap.csv"):
        text = said("predict", "model.json", name)
        assert text.endswith("correct the file.\n")


def houses(rows, names=True):
    rng = np.random.default_rng(5)
    cities, gardens = rng.choice(["Bern", "Oslo", "Rome"], rows), rng.choice(["no", "yes"], rows)
    rooms, zones = rng.integers(1, 7, rows), rng.choice([5, 10, 20], rows)
    X = np.column_stack(
        [
            *(cities == city for city in ("Bern", "Oslo", "Rome")),
            rooms,
            *(gardens == garden for garden in ("no", "yes")),
            *(zones == zone for zone in (5, 10, 20)),
        ]
    ).astype(float)
    y = (X @ [7, 1, 3, 2, 0, 1, 0, 5, 2] + 0.1 * rng.standard_normal(rows)).round(4)
    lines = ["city,rooms,garden,zone,price"] if names else []
    lines += map(",".join, np.column_stack([cities, rooms, gardens, zones, y]).tolist())
    return X, y, "\n".join(lines) + "\n"


@pytest.mark.parametrize("radius", ["3", "cv"])
@pytest.mark.parametrize("kind", ["csv", "bare", "parquet", "categories"])
def test_words_are_encoded_and_the_model_keeps_them(kind, radius, here, capsys):
    import pandas

    X, y, text = houses(60, names=kind != "bare")
    Path("a.csv").write_text(text)
    path, which = "a.csv", "1,3,4" if kind == "bare" else "city,garden,zone"
    if kind in ("parquet", "categories"):
        path, frame = "a.parquet", pandas.read_csv("a.csv")
        if kind == "categories":
            frame = frame.astype({"city": "category", "zone": "category"})
        frame.to_parquet(path, row_group_size=25)
    words = ["--radius", radius, "--region", "l1"]
    assert "8 are words of 3 columns" in out_of(capsys, "fit", path, "--encode", which, *words)
    if radius == "cv":
        theirs = estimators.ConstrainedRegressorCV("l1", cv=5).fit(X, y)
    else:
        theirs = estimators.ConstrainedRegressor("l1", 3.0).fit(X, y)
    model = model_of()
    np.testing.assert_array_equal(model["coefficients"], [theirs.coef_])
    assert [one["words"] for one in model["encoded"]] == [
        ["Bern", "Oslo", "Rome"],
        ["no", "yes"],
        ["5", "10", "20"],
    ]
    assert model["terms"][2:4] == (["1=Rome", "2"] if kind == "bare" else ["city=Rome", "rooms"])
    for new in {path, "a.csv"}:
        rows = csv.DictReader(io.StringIO(out_of(capsys, "predict", "model.json", new)))
        found = [float(row["prediction"]) for row in rows]
        np.testing.assert_allclose(found, theirs.predict(X), rtol=1e-12)


def test_encode_alone_takes_the_columns_of_words(here, capsys):
    X, y, text = houses(40)
    Path("a.csv").write_text(text)
    out_of(capsys, "fit", "a.csv", "--encode", "--radius", "2", "--standardize")
    zones = X[:, 6:] @ [5, 10, 20]
    A = np.column_stack([X[:, :6], zones])
    A = (A - A.mean(axis=0)) / A.std(axis=0)
    theirs = estimators.ConstrainedRegressor("l2", 2.0).fit(A, y)
    rows = csv.DictReader(io.StringIO(out_of(capsys, "predict", "model.json", "a.csv")))
    found = [float(row["prediction"]) for row in rows]
    np.testing.assert_allclose(found, theirs.predict(A), rtol=1e-9)
    numbers = table("b.csv", X, y)
    out_of(capsys, "fit", numbers, "--encode", "--radius", "2")  # there is nothing to encode
    assert "encoded" not in model_of()


def test_words_that_a_model_has_not_seen_are_told(here, capsys):
    Path("a.csv").write_text(houses(40)[2])
    out_of(capsys, "fit", "a.csv", "--encode", "--radius", "2")
    Path("new.csv").write_text(
        "rooms,garden,zone,city\n2,no,5,Paris\n2,no,5,Lima\n2,no,5,Paris\n2,no,5,Rome\n"
    )
    assert main(["predict", "model.json", "new.csv"]) == 0
    out, err = capsys.readouterr()
    assert "3 rows have a word in column city that the model has not seen ('Paris', 'Lima')" in err
    assert err.count("\n") == 1
    rows = [float(line) for line in out.splitlines()[1:]]
    place = model_of()["terms"].index("city=Rome")
    rome = model_of()["coefficients"][0][place]
    np.testing.assert_allclose(rows, [rows[3] - rome] * 3 + [rows[3]], rtol=1e-12)
    Path("new.csv").write_text("rooms,garden,zone,city\n2,no,5,\n")
    assert main(["predict", "model.json", "new.csv"]) == 2
    assert "line 2, feature city is missing; correct the file" in capsys.readouterr().err


def test_missing_words_are_refused_or_none_of_the_words(here, capsys):
    text = houses(40)[2]
    Path("a.csv").write_text(text + ",3,no,5,9\nNA,3,no,5,9.1\n")
    assert main(["fit", "a.csv", "--encode", "--radius", "2"]) == 2
    text = capsys.readouterr().err
    assert "line 42, feature city is missing" in text
    assert "count missing words as none of the column's (--missing mean)" in text
    out_of(capsys, "fit", "a.csv", "--encode", "--radius", "2", "--missing", "mean")
    model = model_of()
    assert model["encoded"][0]["words"] == ["Bern", "Oslo", "Rome"]
    Path("new.csv").write_text("city,rooms,garden,zone\n,3,no,5\nParis,3,no,5\n")
    rows = out_of(capsys, "predict", "model.json", "new.csv").splitlines()
    assert rows[1] == rows[2]


def test_what_cannot_be_encoded_is_said(here, capsys):
    Path("a.csv").write_text(houses(20)[2])
    Path("a.svm").write_text("1 1:2\n2 1:3\n")
    for words, said in (
        (["a.csv", "--encode", "price"], "the target cannot be encoded"),
        (["a.csv", "--encode", "town"], "no column 'town'"),
        (["a.csv", "--encode", "city", "--drop", "city"], "column city cannot be both"),
        (["a.csv", "--encode", "city"], "column garden holds words"),
        (["a.svm", "--encode", "1"], "only columns of CSV and Parquet files are encoded"),
    ):
        assert main(["fit", *words]) == 2
        assert said in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["fit", "--encode", "a.csv"])
    assert "write the file before --encode" in capsys.readouterr().err


def test_many_words_make_a_sparse_matrix_and_the_same_model(here, capsys):
    from frankwolfe.datasets.readers import one_hot, read_table

    rng = np.random.default_rng(2)
    words, y = rng.integers(0, 300, 4000), rng.standard_normal(4000).round(3)
    lines = [f"w{w},{k % 3},{t}" for k, (w, t) in enumerate(zip(words, y, strict=True))]
    Path("a.csv").write_text("word,k,y\n" + "\n".join(lines))
    read = read_table("a.csv", encode=True)
    X = one_hot(read.X, read.encoded)
    assert X.shape == (4000, 301)
    assert X.nnz < 8001
    few = one_hot(read.X[:50], read.encoded)
    np.testing.assert_array_equal(X[:50].toarray(), few)
    order = sorted(f"w{k}" for k in range(300))
    np.testing.assert_array_equal(X[:, :300].indices, [order.index(f"w{w}") for w in words])


@pytest.mark.parametrize(
    ("package", "words"),
    [("pyarrow.csv", ["fit", str(PIMA)]), ("shtab", ["completion", "bash"])],
)
def test_what_is_not_installed_is_named(package, words, here, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, package, None)
    assert main(words) == 2
    err = capsys.readouterr().err
    assert f"needs {package.split('.')[0]}, which is not installed" in err
    assert 'pip install "frankwolfe[cli]"' in err


def test_classes_too_rare_for_the_folds(here, capsys, recwarn):
    Path("a.csv").write_text("".join(f"{k},{k % 3},{'ab'[k < 3]}\n" for k in range(20)))
    assert main(["fit", "a.csv", "--radius", "cv"]) == 2
    text = capsys.readouterr().err
    assert "the class 'b' has 3 rows, too few for 5 folds; take --folds 3" in text
    assert not recwarn.list
    out_of(capsys, "fit", "a.csv", "--radius", "cv", "--folds", "3")


@pytest.mark.parametrize("factor", [1e70, 1e80, 1e155, 1e200])
def test_huge_values_are_fitted_or_refused_without_a_warning(factor, here, capsys, recwarn):
    X = RNG.standard_normal((30, 2))
    path = table("a.csv", X * [factor, 1.0], X @ [1.0, 1.0])
    code = main(["fit", path, "--radius", "1"])
    assert not [w for w in recwarn.list if issubclass(w.category, RuntimeWarning)]
    text = capsys.readouterr().err
    if factor > 1e75:
        assert code == 2
        assert "feature x0 is" in text
    table("b.csv", X, X @ [factor, factor])
    code = main(["fit", "b.csv", "--radius", "1"])
    assert not [w for w in recwarn.list if issubclass(w.category, RuntimeWarning)]


@pytest.mark.parametrize("names", [True, False])
def test_predict_takes_the_bare_columns_of_the_fit(names, here, capsys):
    X = RNG.standard_normal((20, 4)).round(4)
    lines = [f"id{k},{a},{b},{c},{d}" for k, (a, b, c, d) in enumerate(X.tolist())]
    header = ["id,a,b,y,d"] if names else []
    Path("a.csv").write_text("\n".join([*header, *lines]))
    target, drop = ("y", "id") if names else ("4", "1")
    out_of(capsys, "fit", "a.csv", "--target", target, "--drop", drop, "--radius", "1")
    wanted = out_of(capsys, "predict", "model.json", "a.csv")
    Path("bare.csv").write_text("\n".join(lines))
    assert out_of(capsys, "predict", "model.json", "bare.csv") == wanted
    Path("features.csv").write_text("\n".join(f"{a},{b},{d}" for a, b, _, d in X.tolist()))
    assert out_of(capsys, "predict", "model.json", "features.csv") == wanted
    Path("more.csv").write_text("\n".join(f"{line},9" for line in lines))
    assert main(["predict", "model.json", "more.csv"]) == 2
    assert "has 6 columns, but the model has 3 features" in capsys.readouterr().err


def test_words_as_classes_need_no_loss(here, capsys):
    X, kinds = flowers()
    table("a.csv", X, kinds)
    assert "3 classes" in out_of(capsys, "fit", "a.csv", "--radius", "3")
    assert model_of()["classes"] == ["iris", "rose", "tulip"]
    assert main(["fit", "a.csv", "--loss", "squared"]) == 2
    assert "the target holds words" in capsys.readouterr().err


def test_not_converged_is_code_one_and_the_model_is_written(here, capsys):
    words = ["fit", PIMA, "--method", "frank_wolfe", "--max-iter", "3", "--radius", "1"]
    assert "above the tolerance" in out_of(capsys, *words, code=1)
    assert model_of()["result"]["converged"] is False


def test_a_model_on_standard_output(here, capsys):
    out = out_of(capsys, "fit", PIMA, "--radius", "1", "-o", "-")
    assert json.loads(out)["kind"] == "frankwolfe linear model"
    assert os.listdir(".") == []


BAD = {
    "no file": (["fit", "none.csv"], "there is no file none.csv"),
    "a folder": (["fit", "."], "is a folder"),
    "no column": (["fit", str(PIMA), "--target", "x"], "no column 'x'"),
    "one row": (["fit", "one.csv"], "one.csv has one row"),
    "one class": (["fit", "same.csv"], "the target is 1 in all rows"),
    "one word": (["fit", "yes.csv"], "the target is 'yes' in all rows"),
    "few rows": (["fit", "b.csv", "--radius", "cv"], "the file has 3 rows, too few for 5 folds"),
    "large target": (["fit", "huge.csv"], "the target of line 2 is 1e+200"),
    "infinite target": (["fit", "inf.csv"], "the target of line 2 is infinite"),
    "no target": (["fit", "none.csv2"], "the target of line 2 is missing"),
    "dropped": (["fit", "b.csv", "--target", "2", "--drop", "2"], "both the target and left out"),
    "words": (["fit", "3a.csv", "--loss", "squared"], "holds words such as '3a'"),
    "no method": (["fit", str(PIMA), "--method", "x"], "method must be one of"),
    "radius": (["fit", str(PIMA), "--radius", "-1"], "radius must be a finite number > 0"),
    "numbers": (["fit", "b.csv", "--loss", "logistic"], "continuous"),
    "place": (["fit", str(PIMA), "--radius", "1", "-o", "none/m.json"], "none/m.json cannot be"),
    "place is a folder": (["fit", str(PIMA), "--radius", "1", "-o", "."], "is a folder"),
    "no model": (["predict", "b.csv", str(PIMA)], "is not a model that frankwolfe fit wrote"),
    "race": (["race", "b.csv", "--methods", "x"], "--methods must be among default"),
    "cite": (["cite", "x"], "method must be one of"),
    "ratings": (["complete", "short.csv", "--top", "1"], "must hold a user, an item and a rating"),
    "top": (["complete", "r.csv", "--top", "0", "--radius", "1"], "--top must be at least 1"),
    "reproduce": (["reproduce", "z"], "parts must be among a, b, c, audit"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence_and_leaves_nothing(case, here, capsys):
    words, message = BAD[case]
    Path("b.csv").write_text("1.5,2.5\n2,3.7\n2.5,1.1\n")
    Path("short.csv").write_text("1,2\n")
    Path("one.csv").write_text("a,y\n1,2\n")
    Path("same.csv").write_text("1,1\n2,1\n3,1\n")
    Path("yes.csv").write_text("1,yes\n2,yes\n3,yes\n")
    Path("huge.csv").write_text("1,1\n2,1e200\n3,1\n")
    Path("inf.csv").write_text("1,1\n2,inf\n3,1\n")
    Path("none.csv2").write_text("1,1\n2,none\n3,1\n")
    Path("3a.csv").write_text("1,1\n2,2\n3,3a\n")
    Path("r.csv").write_text("1,2,3\n1,3,4\n2,2,5\n2,3,3\n")
    before = sorted(os.listdir("."))
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.count("\n") == 1
    assert out == ""
    assert sorted(os.listdir(".")) == before


def test_broken_files_leave_nothing(here, capsys):
    Path("a.csv").write_text("1,2,3\n4,five,6\n")
    assert main(["fit", "a.csv"]) == 2
    assert "a.csv, line 2, column 2: 'five' is not a number" in capsys.readouterr().err
    assert os.listdir(".") == ["a.csv"]


def test_complete_predicts_pairs_and_the_best(here, capsys):
    data = fw.datasets.synthetic_ratings(30, 40, 600)
    lines = [f"m{m},{u},{v}" for m, u, v in zip(data.movies, data.users, data.values, strict=True)]
    Path("r.csv").write_text("item,user,rating\n" + "\n".join(lines))
    Path("p.csv").write_text("user,item\n3,m5\n99,m5\n3,unknown\n")
    words = ["complete", "r.csv", "--radius", "20"]
    rows = list(csv.reader(io.StringIO(out_of(capsys, *words, "--pairs", "p.csv"))))
    assert [row[:2] for row in rows] == [
        ["user", "item"],
        ["3", "m5"],
        ["99", "m5"],
        ["3", "unknown"],
    ]
    names = np.array([f"m{m}" for m in data.movies])
    users, items = np.unique(data.users), np.unique(names)
    cells = np.column_stack([np.searchsorted(users, data.users), np.searchsorted(items, names)])
    model = estimators.MatrixCompletion(20.0)
    model.fit_cells(cells, data.values, shape=(users.size, items.size))
    place = [np.searchsorted(users, 3), np.searchsorted(items, "m5")]
    assert float(rows[1][2]) == pytest.approx(model.predict([place])[0], rel=1e-9)
    effects = model.effects_
    assert float(rows[2][2]) == pytest.approx(effects.mean + effects.column[place[1]], rel=1e-9)
    assert float(rows[3][2]) == pytest.approx(effects.mean + effects.row[place[0]], rel=1e-9)
    best = json.loads(out_of(capsys, *words, "--top", "2", "--json", "--clip"))
    seen = set(zip(data.users.tolist(), names.tolist(), strict=True))
    assert len(best) == 2 * users.size
    for row in best:
        assert (row["user"], row["item"]) not in seen
        assert data.values.min() <= row["prediction"] <= data.values.max()


def test_race_agrees_with_minimize(here, capsys):
    words = ["race", "breast_cancer", "--methods", "default,afw,hybrid", "--seconds", "0.2"]
    printed = json.loads(out_of(capsys, *words, "--json", "--csv", "c.csv"))
    rows = {row["method"]: row for row in printed["results"]}
    assert set(rows) == {"default", "afw"}
    assert "hybrid" in printed["left out"]
    A, b = fw.datasets.breast_cancer().paper()
    best = fw.minimize(fw.Logistic(A, b), fw.L2Ball(50.0), tol=1e-10).fun
    for row in rows.values():
        assert row["value"] - best <= row["gap"] + 1e-12
    assert rows["default"]["converged"]
    page = Path("race.html").read_text()
    assert "breast_cancer" in page
    assert "frankwolfe race breast_cancer" in page
    assert fw.datasets.breast_cancer().sha256 in page
    curves = list(csv.DictReader(io.StringIO(Path("c.csv").read_text())))
    assert {row["method"] for row in curves} == {"default", "afw"}


def test_race_on_a_file_finds_a_radius(here, capsys):
    X = RNG.standard_normal((50, 3))
    table("a.csv", X, X @ [1.0, -1, 0] + 0.1 * RNG.standard_normal(50))
    words = ["race", "a.csv", "--region", "l1", "--methods", "default,pairwise", "--no-report"]
    out = out_of(capsys, *words)
    assert re.search(r"^pairwise\s+yes", out, flags=re.MULTILINE)
    assert os.listdir(".") == ["a.csv"]


def test_the_lists_name_everything(capsys):
    from frankwolfe.regions import MATRIX_REGIONS, REGION_NAMES, REGIONS

    methods = json.loads(out_of(capsys, "methods", "--json"))
    assert [row["name"] for row in methods] == list(fw.methods.METHODS)
    assert all(row["what"] for row in methods)
    regions = json.loads(out_of(capsys, "regions", "--json"))
    kinds = [kind.__name__ for kind in {**REGIONS, **MATRIX_REGIONS}.values()]
    assert [row["class"] for row in regions] == kinds
    short = {row["name"] for row in regions if row["name"]}
    assert short == set(REGION_NAMES)
    for name in ("methods", "regions", "datasets"):
        text = out_of(capsys, name)
        rows = json.loads(out_of(capsys, name, "--json"))
        for row in rows:
            assert next(iter(row.values())) in text


def test_fit_offers_what_the_estimators_have():
    from frankwolfe.cli.arguments import LOSSES, SHAPES
    from frankwolfe.sklearn.regression import REGRESSIONS

    assert set(LOSSES) == {"logistic", "multinomial", *REGRESSIONS}
    assert {name for name in fw.regions.REGION_NAMES if name not in SHAPES} == {"group"}


def test_cite_prints_each_paper_once(capsys):
    assert fw.__version__ in out_of(capsys, "cite")
    out = out_of(capsys, "cite", "away_step", "pairwise", "jacobi")
    assert out.count("@") == 2
    assert out.strip() == "\n\n".join([fw.methods.away_step().citation(), fw.jacobi().citation()])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_helps_with_examples(name, capsys):
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert "examples:" in text
    assert "exit codes:" in text
    for line in text.split("examples:")[1].split("exit codes:")[0].strip().splitlines():
        words = re.split(r"\s{2,}|\||>|\)\"", line.strip().replace('eval "$(', ""))[0].split()
        assert words[0] == "frankwolfe", line
        parser().parse_args(words[1:])  # the example is valid


def test_wrong_options_are_code_two(capsys):
    for words in ([], ["fit"], ["fit", "a", "--radius", "x"], ["completion", "tcsh"]):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 2


def options_of(name):
    sub = parser()._subparsers._group_actions[0].choices[name]
    return [flag for action in sub._actions for flag in action.option_strings]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_know_every_option(shell):
    pytest.importorskip("shtab", reason="shtab is not installed")
    text = script(parser(), shell)
    for name in COMMANDS:
        assert name in text
        for flag in options_of(name):
            long = flag.startswith("--")
            wanted = flag if shell != "fish" else f" -{'l' if long else 's'} {flag.lstrip('-')}"
            assert wanted in text
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=text, text=True, check=True)


def test_fish_completes(here):
    pytest.importorskip("shtab", reason="shtab is not installed")
    if not shutil.which("fish"):
        pytest.skip("there is no fish")
    Path("a.fish").write_text(script(parser(), "fish"))
    Path("data.csv").write_text("")
    for line, wanted in (("fit --loss q", "quantile"), ("fit da", "data.csv"), ("cit", "cite")):
        words = ["fish", "--no-config", "-c", f"source a.fish; complete -C 'frankwolfe {line}'"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert [text.split("\t")[0] for text in done.stdout.splitlines()] == [wanted]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("frankwolfe re", {"reproduce", "regions"}),
        ("frankwolfe fit --lo", {"--loss"}),
        ("frankwolfe fit --loss q", {"quantile"}),
        ("frankwolfe completion z", {"zsh"}),
        ("frankwolfe fit a.c", {"a.csv"}),
        ("frankwolfe fit --target-file a", {"a.csv"}),
        ("frankwolfe fit --region l", {"l1", "l2", "linf"}),
        ("frankwolfe completion b", {"bash"}),
        ("frankwolfe traffic a.c", {"a.csv"}),
        ("frankwolfe traffic a.csv b.c", {"b.csv"}),
        ("frankwolfe traffic a.csv b.csv --method bi", {"biconjugate_fw"}),
    ],
)
def test_bash_completes(line, wanted, here):
    pytest.importorskip("shtab", reason="shtab is not installed")
    if not shutil.which("bash"):
        pytest.skip("there is no bash")
    for name in ("a.csv", "l.csv", "b.csv"):
        Path(name).write_text("")
    words = line.split(" ")
    test = (
        f"{script(parser(), 'bash')}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}\n"
        '_shtab_frankwolfe; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", test], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == wanted


def start(*words, stdin=None):
    """Another Python with the same package."""
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(fw.__file__).parents[1])},
    )


def test_piped_output_is_results_alone(here):
    process = start("-m", "frankwolfe", "fit", PIMA, "--radius", "1", "--json")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert json.loads(out)["result"]["certified"] is True


def test_a_reader_that_goes_away_is_no_traceback(here):
    process = start("-m", "frankwolfe", "methods")
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) in (0, 141)
    assert "Traceback" not in err


def test_ctrl_c_while_a_radius_is_looked_for_leaves_nothing(here, monkeypatch, capsys):
    from frankwolfe.cli.live import Live

    def on_step(self, run):
        if run.state.k == 0 and self.runs == 3:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Live, "on_step", on_step)
    monkeypatch.setattr(Live, "next_step", lambda self, k: k + 1)
    assert main(["fit", str(PIMA), "--radius", "cv"]) == 130
    assert capsys.readouterr().err == "frankwolfe: interrupted.\n"
    assert os.listdir(".") == []


@pytest.mark.parametrize("radius", ["20", "auto"])
def test_ctrl_c_in_a_completion_keeps_what_one_run_has(radius, here, monkeypatch, capsys):
    from frankwolfe.cli.live import Live

    data = fw.datasets.synthetic_ratings(30, 40, 600)
    cells = zip(data.users, data.movies, data.values, strict=True)
    lines = [f"{u},{i},{v}" for u, i, v in cells]
    Path("r.csv").write_text("user,item,rating\n" + "\n".join(lines))

    def on_step(self, run):
        if not steps:  # once: a second one ends everything
            os.kill(os.getpid(), signal.SIGINT)
        steps.append(run.state.k)

    steps = []
    monkeypatch.setattr(Live, "on_step", on_step)
    monkeypatch.setattr(Live, "next_step", lambda self, k: k + 1)
    code = main(["complete", "r.csv", "--radius", radius, "--top", "1", "--json", "--out", "p"])
    told = capsys.readouterr().err
    if radius == "auto":  # many runs: none of them is the answer
        assert (code, told, Path("p").exists()) == (130, "frankwolfe: interrupted.\n", False)
    else:
        assert "interrupted; these are the best predictions so far" in told
        assert len(json.loads(Path("p").read_text())) == np.unique(data.users).size


def test_ctrl_c_in_a_race_keeps_what_is_done(here, monkeypatch, capsys):
    from frankwolfe.cli.live import Board

    def see(self, name, run):
        if name == "afw" and run.state.k == 10 and not run.done:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Board, "see", see)
    monkeypatch.setattr("frankwolfe.cli.live._Row.next_step", lambda self, k: k + 1)
    words = ["race", "breast_cancer", "--methods", "default,afw,jacobi", "--json"]
    assert main(words) == 130
    out, err = capsys.readouterr()
    assert {row["method"] for row in json.loads(out)["results"]} == {"default", "afw"}
    assert "interrupted" in err
    assert Path("race.html").exists()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_progress_at_once(here, monkeypatch, capsys):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["fit", str(PIMA), "--radius", "1"]) == 0
    text = terminal.getvalue()
    assert text.index("reading pima-indians-diabetes.csv") < text.index("fitting")
    assert text.endswith("\r\x1b[K")
    assert "certified" in capsys.readouterr().out


def test_progress_is_shown_before_anything_slow_is_loaded(here):
    code = (
        "import io, sys\n"
        "from frankwolfe.cli import main\n"
        "loaded = []\n"
        "class Terminal(io.StringIO):\n"
        "    def isatty(self): return True\n"
        "    def write(self, text):\n"
        "        slow = {'numba', 'sklearn', 'pandas', 'pyarrow'}\n"
        "        loaded.append((text, sorted(slow & set(sys.modules))))\n"
        "        return len(text)\n"
        "sys.stderr = Terminal()\n"
        f"main(['fit', {str(PIMA)!r}, '--radius', '1'])\n"
        "assert 'reading pima' in loaded[0][0] and loaded[0][1] == [], loaded[0]\n"
    )
    process = start("-c", code)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err


@pytest.mark.parametrize("rich", [True, False])
def test_a_race_on_a_terminal_is_live_with_and_without_rich(rich, here, monkeypatch, capsys):
    if rich:
        pytest.importorskip("rich")
    else:
        monkeypatch.setitem(sys.modules, "rich.live", None)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["race", "breast_cancer", "--methods", "default,afw", "--seconds", "0.3"]) == 0
    assert "afw" in terminal.getvalue()
    assert "afw" in capsys.readouterr().out
    quiet = Terminal()
    monkeypatch.setattr(sys, "stderr", quiet)
    main(["race", "breast_cancer", "--methods", "default", "--quiet"])
    assert quiet.getvalue() == ""


def test_fit_without_scikit_learn_says_what_to_install(here, monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith("frankwolfe.sklearn")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(fw, "sklearn", raising=False)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert main(["fit", str(PIMA)]) == 2
    assert 'pip install "frankwolfe[cli]"' in capsys.readouterr().err


def test_show_is_quiet_but_on_a_terminal(here, monkeypatch, capsys):
    words = ["show", "disc", "--steps", "2", "--methods", "JFW"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out == "written to results: geometry.gif, geometry.html\n"
    assert err == ""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(words) == 0
    assert "the animation" in terminal.getvalue()


def test_files_through_pipes(here, capsys):
    text = PIMA.read_text()
    words = ["--radius", "1", "--region", "l1"]
    out_of(capsys, "fit", PIMA, *words)
    there = model_of()["coefficients"]
    command = ["-m", "frankwolfe", "fit", "/dev/stdin", *words, "-o", "/dev/stdout"]
    process = start(*command, stdin=subprocess.PIPE)
    out, err = process.communicate(text, timeout=120)
    assert (process.returncode, err) == (0, "")
    assert json.loads(out[: out.rindex("}") + 1])["coefficients"] == there
    os.mkfifo("pipe")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(Path("pipe").write_text, text)
        race = ["race", "pipe", "--methods", "default", "--seconds", "0.1", "--json"]
        assert json.loads(out_of(capsys, *race))["results"]
    assert hashlib.sha256(text.encode()).hexdigest() in Path("race.html").read_text()


def test_predict_counts_indices_as_the_fit_did(here, capsys):
    X = RNG.standard_normal((40, 3))
    y = X @ [3.0, -1.0, 0.5]

    def lines(rows, base, first=0):
        return "".join(
            f"{t} " + " ".join(f"{j + base}:{row[j]!r}" for j in range(first, 3)) + "\n"
            for t, row in rows
        )

    rows = list(zip(y.tolist(), X.tolist(), strict=True))
    for base in (0, 1):
        Path("a.svm").write_text(lines(rows, base))
        Path("all.svm").write_text(lines([(t, [0.0, *row[1:]]) for t, row in rows], base))
        Path("later.svm").write_text(lines(rows, base, first=1))  # the first feature is 0 in all
        out_of(capsys, "fit", "a.svm", "--radius", "3")
        assert model_of()["data"]["index base"] == base
        every = out_of(capsys, "predict", "model.json", "all.svm")
        assert out_of(capsys, "predict", "model.json", "later.svm") == every
    Path("zero.svm").write_text("1 0:1\n")
    Path("wide.svm").write_text("1 4:1\n")
    assert main(["predict", "model.json", "zero.svm"]) == 2
    assert "an index 0" in capsys.readouterr().err
    assert main(["predict", "model.json", "wide.svm"]) == 2
    assert "the index 4, but the model has 3 features" in capsys.readouterr().err
    out_of(capsys, "fit", "later.svm", "--radius", "3", "--zero-based", "yes")
    assert model_of()["data"] | {"index base": 0, "features": 4} == model_of()["data"]


def test_complete_keeps_ids_and_takes_columns(here, capsys):
    big = 76561198000000000  # doubles are 16 apart here
    rng = np.random.default_rng(3)
    lines = [
        f"{rng.integers(1, 6)},{big + u},{i:03d}" for u in range(8) for i in range(6) if (u + i) % 4
    ]
    Path("r.csv").write_text("grade,buyer,good\n" + "\n".join(lines))
    words = ["complete", "r.csv", "--radius", "5", "--columns", "buyer,good,grade"]
    best = json.loads(out_of(capsys, *words, "--top", "9", "--json"))
    missing = {(big + u, f"{i:03d}") for u in range(8) for i in range(6) if not (u + i) % 4}
    assert {(row["user"], row["item"]) for row in best} == missing
    Path("p.csv").write_text("good,buyer\n" + "".join(f"{i},{u}\n" for u, i in sorted(missing)))
    rows = json.loads(out_of(capsys, *words, "--pairs", "p.csv", "--json"))
    assert [(str(row["user"]), row["item"]) for row in rows] == [
        (str(u), i) for u, i in sorted(missing)
    ]
    there = {(row["user"], row["item"]): row["prediction"] for row in best}
    for row in rows:
        wanted = there[row["user"], row["item"]]
        assert row["prediction"] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("radius", ["-1", "0", "nan", "inf"])
def test_a_wrong_radius_is_told_before_anything_is_read(radius, capsys):
    assert main(["fit", "there is no such file.csv", f"--radius={radius}"]) == 2
    assert "radius must be a finite number > 0" in capsys.readouterr().err
