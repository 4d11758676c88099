"""Importing the library is light."""

from __future__ import annotations

import json
import subprocess
import sys

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
