"""Runs in files: written atomically, read with one sentence on what is wrong."""

from __future__ import annotations

import json
import math
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from frankwolfe.numerics.errors import CheckpointError
from frankwolfe.solver.files import atomic_write
from frankwolfe.solver.run import Run

__all__ = ["load", "save"]

FORMAT = 2
BROKEN = "{} is not a whole frankwolfe checkpoint: start the run again without resume."


def _identity(run: Run) -> dict[str, str]:
    problem, method = run.state.problem, run.method
    return {
        "method": repr(method) if is_dataclass(method) else method.name,
        "objective": problem.objective.fingerprint(),
        "region": problem.region.fingerprint(),
    }


def save(run: Run, path: Any) -> None:
    """Write the run beside `path`, flush it to disk, and move it into place."""
    header = json.dumps({"format": FORMAT, **_identity(run)}).encode()
    arrays = {**run.pack(), "header": np.frombuffer(header, dtype=np.uint8)}
    with atomic_write(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def load(run: Run, path: Any) -> None:
    """Put `run`, just started, where the checkpoint stopped."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        version = header.pop("format")
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint at {path}.") from None
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror or error}.") from None
    except Exception:  # a damaged archive fails in many ways
        raise CheckpointError(BROKEN.format(path)) from None
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
        raise CheckpointError(BROKEN.format(path)) from None
    _same_function(run, path)


def _same_function(run: Run, path: Any) -> None:
    """Evaluate f where the checkpoint stopped: a plain function has no other identity."""
    state = run.state
    value = state.problem.objective.value(state.iterate.image)
    if not math.isclose(value, state.value, rel_tol=1e-6, abs_tol=1e-9):
        raise CheckpointError(
            f"{path} belongs to another run: there f is {state.value:.9g} at the last point, "
            f"but here it is {value:.9g}."
        )
