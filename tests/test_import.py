"""Importing the library is light."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numba", "sklearn", "matplotlib", "cvxpy", "pandas", "rich", "scipy.optimize")
HEAVY = (*HEAVY, "torch", "jax", "dask", "distributed", "cupy")


def _python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout


def test_heavy_packages_are_loaded_only_when_used():
    loaded = f"[m for m in {HEAVY!r} if m in sys.modules]"
    code = f"import sys, json, frankwolfe; print(json.dumps({loaded}))"
    assert json.loads(_python(code)) == []


def test_estimators_and_commands_load_no_engine():
    pytest.importorskip("sklearn", minversion="1.6")
    code = (
        "import sys, json, frankwolfe.cli, frankwolfe.sklearn; frankwolfe.cli.parser(); "
        "print(json.dumps([m for m in ('dask', 'distributed', 'cupy') if m in sys.modules]))"
    )
    assert json.loads(_python(code)) == []


def test_importing_loads_nothing_but_numpy_and_the_standard_library():
    code = (
        "import sys, json, numpy; before = set(sys.modules); import frankwolfe; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "print(json.dumps(sorted(new - sys.stdlib_module_names)))"
    )
    assert json.loads(_python(code)) in (["frankwolfe"], ["frankwolfe", "numpy"])


def test_public_names_exist_and_are_documented():
    import frankwolfe as fw

    for name in fw.__all__:
        assert getattr(fw, name).__doc__, name
    assert len(fw.__all__) <= 90
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = fw.nothing


def test_type_checkers_see_the_names_that_are_loaded_when_used():
    import frankwolfe as fw

    tree = ast.parse(Path(fw.__file__).read_text("utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [each for each in blocks[0].body if isinstance(each, ast.ImportFrom)]
    seen = {alias.asname: f"{each.module}.{alias.name}" for each in imports for alias in each.names}
    assert sorted(seen) == sorted([*fw.__all__, "sklearn"])
    for name, home in seen.items():
        if name == "sklearn":
            pytest.importorskip("sklearn", minversion="1.6")
        module, _, last = home.rpartition(".")
        assert getattr(fw, name) is getattr(importlib.import_module(module), last), name


def test_the_package_itself_loads_nothing():
    code = (
        "import sys, json, frankwolfe; print(json.dumps([m for m in sys.modules if 'wolfe.' in m]))"
    )
    assert json.loads(_python(code)) == []


THREADS = """
from concurrent.futures import ThreadPoolExecutor
import frankwolfe as fw
first = [lambda: fw.methods.partan, lambda: fw.minimize, lambda: fw.Huber, lambda: fw.project]
with ThreadPoolExecutor(8) as pool:
    print(len(list(pool.map(lambda use: use(), 2 * first))))
"""


def test_names_may_be_used_first_by_several_threads_at_once():
    assert _python(THREADS).strip() == "8"
