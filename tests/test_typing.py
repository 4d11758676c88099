"""Types ship with the package: a user's file passes the checker in strict mode, a wrong one not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import frankwolfe as fw

USER = Path(__file__).with_name("typed_user.py")
WRONG = """
import frankwolfe as fw
gap: str = fw.minimize(fw.SquaredError([[1.0]], [1.0]), fw.L1Ball(1.0)).gap
fw.minimize(fw.L1Ball(1.0))
fw.L1Ball(radius="large")
"""


def test_a_users_file_passes_in_strict_mode_and_a_wrong_one_does_not(tmp_path):
    api = pytest.importorskip("mypy.api")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    away = ["--config-file", os.devnull, "--cache-dir", str(tmp_path / "cache")]
    told, _, _ = api.run(["--strict", *away, str(USER), str(wrong)])
    errors = [line for line in told.splitlines() if ": error:" in line]
    assert [line for line in errors if "wrong.py" not in line] == []
    lines = {line.split(":")[1] for line in errors if "wrong.py" in line}
    assert lines == {"3", "4", "5"}


def test_the_users_file_runs():
    names: dict[str, object] = {}
    exec(compile(USER.read_text(), str(USER), "exec"), names)
    assert names["run"]() <= 1e-6


def test_the_marker_is_in_the_package():
    assert Path(fw.__file__).with_name("py.typed").is_file()
