"""Hard input on the command line: one sentence, no traceback, and Ctrl-C at any moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.cli import main
from frankwolfe.cli.model import SPARSE_FEATURES
from frankwolfe.cli.stored_model import load_model

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

RNG = np.random.default_rng(0)
SOURCE = str(Path(fw.__file__).parents[1])


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def said(capsys, recwarn):
    """Run a command that must be refused with one line and no warning; that line."""

    def run(*words) -> str:
        assert main([*map(str, words)]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1, lines
        assert not recwarn.list
        return lines[0]

    return run


def write(name: str, text: str) -> str:
    Path(name).write_text(text)
    return name


ROWS = "a,b,y\n" + "".join(f"{i % 5},{i * i % 7},{i % 3}\n" for i in range(30))


def _with_long_cell(row: int, letter: str, quote: str) -> str:
    lines = ROWS.splitlines()
    lines[row] = f"{quote}{letter * 150_000}x{quote},{lines[row].split(',', 1)[1]}"
    return "\n".join(lines)


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize(("row", "letter"), [(1, "x"), (5, "x"), (5, "1")])
def test_very_long_cells_on_the_command_line(quote, row, letter, here, capsys):
    code = main(["fit", write("a.csv", _with_long_cell(row, letter, quote)), "--radius", "1"])
    text = capsys.readouterr().err
    assert code == 2
    assert len(text) < 300
    assert f"line {row + 1}, column a" in text


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_very_long_name_of_a_column_is_one(quote, here, capsys):
    main(["fit", write("a.csv", _with_long_cell(0, "x", quote)), "--radius", "1"])
    told = capsys.readouterr()
    assert told.err == ""
    assert "certified" in told.out


@pytest.mark.parametrize("cell", ["1e308", "-1e308", "1e80"])
def test_numbers_near_the_largest_are_refused_without_a_warning(cell, here, said):
    rows = "".join(f"{cell},{i % 4},{i % 3}\n" for i in range(20))
    assert "must not be beyond 1e+75" in said("fit", write("a.csv", "a,b,y\n" + rows))
    assert "must not be beyond" in said("race", "a.csv", "--no-report")
    rows = "".join(f"{i % 4},{i % 3},{cell}\n" for i in range(20))
    assert "must not be beyond" in said("fit", write("b.csv", "a,b,y\n" + rows))
    assert "must not be beyond" in said("complete", "b.csv", "--columns", "a,b,y", "--top", "1")


def test_infinite_predictions_are_told(here, said, capsys):
    main(["fit", write("a.csv", ROWS), "--radius", "10", "--loss", "squared"])
    capsys.readouterr()
    new = write("b.csv", "a,b\n1,2\n1e308,-1e308\n")
    model = json.loads(Path("model.json").read_text())
    model["coefficients"] = [[1e5, 1e5]]
    write("model.json", json.dumps(model))
    assert "the prediction of line 3 is infinite" in said("predict", "model.json", new)


def _model() -> dict:
    return {
        **{"kind": "frankwolfe linear model", "format": 1, "classes": None, "target": "y"},
        **{"drop": [3], "features": ["a", "b"], "fill": None, "intercept": [0.25]},
        **{"coefficients": [[1.5, -2.5]], "data": {}},
    }


MISTYPED = {
    "coefficients": [
        *("ab", {}, [], [[]], [[1]], [["1", "2"]], [[1, 2], [3]], [[None, 1]], 7, None),
        *([[True, 2]], [[[1]]], [[10**400, 1]]),
    ],
    "intercept": ["a", [[1]], [], None, [None], {"a": 1}, ["1"], [1, 2], 3],
    "classes": ["ab", [1], [[1], [2]], [None, None], {"a": 1}, 7, [1, 2, 3]],
    "features": [[1, 2], "ab", [[], []], {"a": 1}, ["a"], [None, None], 5],
    "drop": ["y", [None], [[1]], {"a": 1}, None, 5, [1e9], [True]],
    "fill": [[1], ["a", "b"], "ab", {"a": 1}, [None, None], [[1, 2]], 5],
    "encoded": [
        *([{"place": "1", "words": ["a"]}], [{"place": 9, "words": ["a"]}], [{}], "ab", [1]),
        *([{"place": 1, "words": [1, 2]}], [{"place": 1, "words": []}], {"a": 1}, 5),
    ],
    "target": [[], {}, 1.5],
    "data": ["x", [1], {"index base": 5}, 5],
    "format": ["1", 99, None, [1], {"a": 1}, 2],
    "kind": [None, 1, [], "x"],
}


@pytest.mark.parametrize("name", MISTYPED)
def test_a_mistyped_model_gets_one_sentence(name, here, said):
    write("a.csv", ROWS)
    for value in MISTYPED[name]:
        write("m.json", json.dumps({**_model(), name: value}))
        assert "is not a model that" in (line := said("predict", "m.json", "a.csv")) or (
            name == "format" and "has format" in line
        )


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"kind":' * 50_000, "7", "null", '"kind"', "[1]", "", "\x00", "{}"]
    + [json.dumps(_model()).replace("1.5", word) for word in ("NaN", "Infinity", "9" * 5000)],
    ids=range(12),
)
def test_a_broken_model_gets_one_sentence(text, here, said):
    line = said("predict", write("m.json", text), write("a.csv", ROWS))
    assert "is not a model that frankwolfe fit wrote" in line or "is empty" in line


def test_many_features_are_written_sparsely_and_read_again(here, capsys):
    write("a.svm", "".join(f"{i % 2} {i + 1}:1 {SPARSE_FEATURES + 7 * i}:2\n" for i in range(6)))
    assert main(["fit", "a.svm", "--radius", "2", "--region", "l1", "--loss", "squared"]) == 0
    assert Path("model.json").stat().st_size < 10_000
    capsys.readouterr()
    assert main(["predict", "model.json", "a.svm"]) == 0
    found = np.array(capsys.readouterr().out.split()[1:], dtype=float)
    table = fw.readers.read_table("a.svm")
    model = load_model("model.json")
    np.testing.assert_allclose(found, model.predict(table.X)[:, 0], rtol=1e-12)
    assert np.corrcoef(found, table.y)[0, 1] > 0.9


def test_memory_is_bounded_by_an_option(here, said, capsys):
    write("a.csv", ROWS)
    wide = write("b.svm", "1 1:1\n0 90000000:2\n1 3:1\n")
    assert "90,000,000 features" in said("fit", wide, "--max-memory", "1GB")
    for words in (["fit", "a.csv"], ["race", "a.csv"], ["complete", "a.csv", "--top", "1"]):
        assert "--max-memory" in said(*words, "--max-memory", "500")
    assert main(["fit", "a.csv", "--max-memory", "1GB"]) == 0
    assert "--max-memory" in said("predict", "model.json", "a.csv", "--max-memory", "500")
    with pytest.raises(SystemExit):
        main(["fit", "a.csv", "--max-memory", "much"])
    assert "must be a size such as 500M or 4GB" in capsys.readouterr().err


def test_used_up_memory_is_one_sentence(here, said, monkeypatch):
    def used_up(*_):
        raise MemoryError

    monkeypatch.setattr("frankwolfe.cli.commands.fit._fit", used_up)
    assert "memory is used up" in said("fit", write("a.csv", ROWS))


def test_an_error_of_the_program_itself_is_called_so(here, capsys, monkeypatch):
    def fails(*_):
        raise ZeroDivisionError("float division\nby zero")

    monkeypatch.setattr("frankwolfe.cli.commands.fit._fit", fails)
    monkeypatch.delenv("FRANKWOLFE_TRACEBACK", raising=False)
    assert main(["fit", write("a.csv", ROWS)]) == 70
    (line,) = capsys.readouterr().err.splitlines()
    assert "(ZeroDivisionError: float division by zero); please report it" in line
    monkeypatch.setenv("FRANKWOLFE_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(["fit", "a.csv"])


def start(*words, path=()) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*path, SOURCE])},
    )


def ended(process: subprocess.Popen[str]) -> str:
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    return err


def test_ctrl_c_while_packages_load_is_one_sentence(here):
    write("a.csv", ROWS)
    code = (
        "import sys, builtins, signal, frankwolfe.cli as cli\n"
        "before = builtins.__import__\n"
        "def slow(name, *rest):\n"
        "    if name.startswith('pyarrow') and not hasattr(slow, 'done'):\n"
        "        slow.done = True\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "    return before(name, *rest)\n"
        "builtins.__import__ = slow\n"
        "sys.exit(cli.main(['fit', 'a.csv']))\n"
    )
    assert ended(start("-c", code)) == "frankwolfe: interrupted.\n"
    assert sorted(os.listdir(here)) == ["a.csv"]


PRESSED = """\
import signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "frankwolfe.cli.arguments":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Finder())
"""
"""A sitecustomize.py that presses Ctrl-C while the command line is imported."""


@pytest.mark.parametrize("way", ["module", "script"])
def test_ctrl_c_while_the_command_itself_loads(way, here):
    """Python's own start-up: the import goes on to its end, and main lets Ctrl-C through."""
    write("sitecustomize.py", PRESSED)
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    module, function = project["project"]["scripts"]["frankwolfe"].split(":")
    script = f"import sys; from {module} import {function}; sys.exit({function}())"
    words = ("-m", "frankwolfe", "methods") if way == "module" else ("-c", script, "methods")
    assert ended(start(*words, path=[str(here)])) == "frankwolfe: interrupted.\n"


@pytest.mark.parametrize("moment", ["before the run", "in the run"])
def test_ctrl_c_in_a_fit_with_a_radius_writes_the_best_model(moment, here):
    X = RNG.standard_normal((300, 200)).round(6)
    np.savetxt("a.csv", np.column_stack([X, X[:, 0] - X[:, 1]]), delimiter=",", fmt="%.6g")
    words = ["fit", "a.csv", "--radius", "0.5", "--method", "frank_wolfe", "--tol", "1e-15"]
    code = (
        "import signal, sys, time\n"
        "from frankwolfe.cli import main\n"
        "from frankwolfe.cli.commands import fit\n"
        "from frankwolfe.cli.live import Live\n"
        "make, step = fit._estimator, Live.on_step\n"
        "def wait():\n"
        "    print('now', flush=True)\n"
        "    while not signal.getsignal(signal.SIGINT).pressed: time.sleep(0.01)\n"
        "def estimator(*all):\n"
        f"    if {moment == 'before the run'}: wait()\n"
        "    return make(*all)\n"
        "def on_step(self, run):\n"
        "    if run.state.k >= 30 and not hasattr(self, 'told'):\n"
        "        self.told = True; print('now', flush=True)\n"
        "    step(self, run)\n"
        "fit._estimator, Live.on_step = estimator, on_step\n"
        f"sys.exit(main({[*words, '--max-iter', '100000000', '-q']!r}))\n"
    )
    process = start("-c", code)
    assert process.stdout.readline() == "now\n"
    process.send_signal(signal.SIGINT)
    assert "interrupted; the best point so far is in model.json" in ended(process)
    result = json.loads(Path("model.json").read_text())["result"]
    assert result["interrupted"]
    assert result["iterations"] >= (30 if moment == "in the run" else 0)
