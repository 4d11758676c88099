"""Types ship with the package; `make lint` has the checker read `typed_user` and `typed_wrong`."""

from __future__ import annotations

from pathlib import Path

import frankwolfe as fw

USER = Path(__file__).with_name("typed_user.py")


def test_the_users_file_runs():
    names: dict[str, object] = {}
    exec(compile(USER.read_text(), str(USER), "exec"), names)
    assert names["run"]() <= 1e-6


def test_the_marker_is_in_the_package():
    assert Path(fw.__file__).with_name("py.typed").is_file()
