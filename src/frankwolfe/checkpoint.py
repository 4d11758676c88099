"""Runs in files: written whole or not at all, read with one sentence on what is wrong."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from frankwolfe.errors import CheckpointError
from frankwolfe.run import Run

__all__ = ["load", "save"]

FORMAT = 1


def _identity(run: Run) -> dict[str, str]:
    problem = run.state.problem
    return {
        "method": repr(run.method),
        "objective": problem.objective.fingerprint(),
        "region": repr(problem.region),
    }


def save(run: Run, path: Any) -> None:
    """Write the run beside `path`, flush it to disk, and move it into place."""
    target = Path(path)
    header = json.dumps({"format": FORMAT, **_identity(run)}).encode()
    arrays = {**run.pack(), "header": np.frombuffer(header, dtype=np.uint8)}
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def load(run: Run, path: Any) -> None:
    """Put `run`, just started, where the checkpoint stopped."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        version = header.pop("format")
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint at {path}.") from None
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile):
        raise CheckpointError(
            f"{path} is not a whole frankwolfe checkpoint: start the run again without resume."
        ) from None
    if version != FORMAT:
        raise CheckpointError(
            f"{path} has format {version}, this version reads {FORMAT}: start the run again."
        )
    for name, here in _identity(run).items():
        if header.get(name) != here:
            raise CheckpointError(
                f"{path} belongs to another run: its {name} is {header.get(name)}, "
                f"but this run's is {here}."
            )
    try:
        run.restore(arrays)
    except (KeyError, ValueError, AttributeError):
        raise CheckpointError(
            f"{path} is not a whole frankwolfe checkpoint: start the run again without resume."
        ) from None
