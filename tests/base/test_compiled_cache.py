"""Compiled functions are kept somewhere, also where nothing of the usual can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import frankwolfe as fw

CODE = """
import sys
from pathlib import Path
import numpy as np, frankwolfe as fw
from numba import config
before = config.CACHE_DIR
from frankwolfe.base.kernels import vectors
assert vectors.dot(np.ones(3), np.ones(3)) == 3.0
assert config.CACHE_DIR == before  # other people's functions stay where they were
assert Path(fw.__file__).is_relative_to(sys.argv[1])
"""


def _installed_without_room(folder: Path) -> Path:
    """A copy of the package where a file stands in the way of every folder for compiled code."""
    place = folder / "site" / "frankwolfe"
    ignored = shutil.ignore_patterns("__pycache__", "*.nb?")
    shutil.copytree(Path(fw.__file__).parent, place, ignore=ignored)
    for below in [place, *(path for path in place.rglob("*") if path.is_dir())]:
        (below / "__pycache__").write_text("no folder")
    return place.parent


def _run(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    nowhere = str(folder / "site" / "frankwolfe" / "__pycache__" / "home")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_CACHE", "XDG_"))}
    own = {"HOME": nowhere, "XDG_CACHE_HOME": nowhere, "PYTHONPATH": str(folder / "site")}
    command = [sys.executable, "-B", "-c", CODE, str(folder)]
    return subprocess.run(
        command,
        env={**kept, **own, **more},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_read_only_installation_without_a_home_runs(tmp_path):
    _installed_without_room(tmp_path)
    room = tmp_path / "tmp"
    room.mkdir()
    done = _run(tmp_path, TMPDIR=str(room))
    assert done.returncode == 0, done.stderr
    assert list(room.rglob("*.nbi"))  # the next process finds them
    (folder,) = room.iterdir()
    assert folder.stat().st_mode & 0o077 == 0


def test_a_folder_that_others_may_write_is_not_used(tmp_path):
    _installed_without_room(tmp_path)
    room = tmp_path / "tmp"
    room.mkdir()
    folder = room / f"frankwolfe-compiled-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    assert _run(tmp_path, TMPDIR=str(room)).returncode == 0
    assert list(room.iterdir()) == [folder]  # another one was made, and removed at the end
    assert not list(folder.iterdir())
