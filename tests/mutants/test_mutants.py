"""The mutation tool on toys: what is noticed, what is not, and compiled callers of what changes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from .__main__ import parts
from .changes import changes, mutated, pick
from .equivalent import reason, reasons
from .project import Project, folder_of
from .report import share, table
from .trial import Outcome

ROOT = Path(__file__).resolve().parents[2]
TOY = {
    "src/toy/__init__.py": "",
    "src/toy/base/__init__.py": "",
    "src/toy/base/kernels/__init__.py": "",
    "src/toy/base/kernels/order.py": """
        from numba import njit

        @njit(cache=True)
        def smaller(a, b):
            return a < b
        """,
    "src/toy/base/kernels/least.py": """
        from numba import njit
        from toy.base.kernels.order import smaller

        @njit(cache=True)
        def least(a, b):
            return a if smaller(a, b) else b
        """,
    "src/toy/shop/__init__.py": "",
    "src/toy/shop/price.py": """
        from toy.base.kernels import least

        def price(count, each=2):
            \"\"\"At most 100.\"\"\"
            while count < 0:
                count += 1
            if count > 10:
                each = 1
            return least.least(count * each, 100)

        def unused():
            return 3
        """,
    "tests/shop/test_price.py": """
        from toy.shop.price import price

        def test_price():
            assert [price(n) for n in (-3, 0, 3, 20, 200)] == [0, 0, 6, 20, 100]
        """,
}
RUN = """
import json, sys
from pathlib import Path
import numba
from tests.mutants.coverage import record, recorded
from tests.mutants.project import Project
from tests.mutants.trial import try_out

root, wanted = Path(sys.argv[1]), sys.argv[2:]
project = Project(root, Path("src/toy"), root / "results" / "scratch")
assert record(project, "tests", 60.0) == 0
calls = recorded(project)
for change in [change for room in project.rooms() for change in project.changes(room)]:
    name = f"{change.source} | {change.before} -> {change.after}"
    if name in wanted:
        print(json.dumps([name, try_out(project, calls, change, 5.0, start=1.0).end]))
"""
ENDS = {
    "return a < b | < -> >": "noticed",  # in a compiled function that another file's calls
    "if count > 10: | > -> >=": "survived",  # no test asks for ten
    "each = 1 | 1 -> 2": "noticed",
    "count += 1 | count += 1 -> pass": "hangs",
    "return 3 | 3 -> 4": "survived",  # nobody calls it
}


@pytest.fixture(scope="module")
def toy(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("toy")
    for name, text in TOY.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(textwrap.dedent(text).lstrip())
    return root


@pytest.mark.long
def test_toys_end_as_they_should(toy):
    command = [sys.executable, "-c", RUN, str(toy), *ENDS]
    done = subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    ends = dict(map(json.loads, done.stdout.splitlines()))
    assert ends == ENDS
    for name, text in TOY.items():  # the checkout is left alone
        assert (toy / name).read_text() == textwrap.dedent(text).lstrip()
    kept = {path.relative_to(toy).parts[0] for path in toy.rglob("*") if path.is_file()}
    assert kept == {"src", "tests", "results"}
    assert not list((toy / "src").rglob("*.nb?"))


def test_every_room_has_its_kernels_its_tests_and_its_place_in_the_report():
    project = Project(ROOT, Path("src/frankwolfe"), Path())
    rooms = project.rooms()
    compiled = [file for file, text in project.texts.items() if "@njit(" in text]
    assert {file for file in compiled if not file.startswith("engines/cuda")} <= set(
        rooms["kernels"]
    )
    folders = {folder_of(file) for files in rooms.values() for file in files}
    assert {"base", "core", "apps/traffic"} <= folders
    assert {f"tests/{folder}" for folder in folders} <= set(parts())
    assert {"constraints", "traffic", "regions"} <= set(rooms)


def test_every_change_is_good_python_on_the_same_lines():
    text = (ROOT / "src/frankwolfe/solver/loop.py").read_text()
    found = changes("solver/loop.py", text)
    assert {change.kind for change in found} >= {"boundary", "negated", "dropped", "returned"}
    for seed in range(30):
        change = pick(found, {"solver/loop.py": text}, str(seed))
        new = mutated(text, change)
        assert new != text
        assert new.count("\n") == text.count("\n")
        compile(new, change.file, "exec")


def test_equivalent_changes_can_be_made_and_have_a_reason():
    project = Project(ROOT, Path("src/frankwolfe"), Path())
    for key, why in reasons().items():
        found = changes(key[0], project.texts[key[0]])
        assert key in {change.key for change in found}, key
        assert why.endswith("."), key


def test_a_share_leaves_out_what_is_equivalent(tmp_path):
    text = "def f(a, b):\n    return a < b\n"
    one, other = changes("room/f.py", text)[:2]
    assert share([Outcome(one, "noticed", "test"), Outcome(other, "survived")]) == 0.5
    rows = table({"room": [Outcome(one, "hangs"), Outcome(other, "never called")]})
    assert "| room | 2 | 0 | 1 | 0 | 1 | 0 | 50% |" in rows
    assert str(other) in rows.partition("Survivors")[2]
    path = tmp_path / "equivalent.toml"
    entry = dict(zip(("file", "function", "source", "before", "after"), other.key, strict=True))
    path.write_text("[[change]]\n" + "".join(f"{k} = {v!r}\n" for k, v in entry.items()))
    path.write_text(path.read_text() + 'reason = "It is so."\n')
    assert reason(other, path) == "It is so."
    assert reason(one, path) == ""
