"""Runs in files: written atomically, read with one sentence on what is wrong."""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.archives import BrokenArchive, read_arrays
from frankwolfe.base.arrays import Array
from frankwolfe.base.budget import Budget
from frankwolfe.base.errors import CheckpointError, InvalidInput
from frankwolfe.base.files import atomic_write
from frankwolfe.base.memory import group, grouped
from frankwolfe.solver.resumed import check_arrays, check_point
from frankwolfe.solver.run import Run

__all__ = ["Saved", "check_resume", "load", "read", "restored", "save"]

FORMAT = 3
BROKEN = "{} is not a whole frankwolfe checkpoint{}: start the run again without resume."
DAMAGES = (
    *(BrokenArchive, KeyError, ValueError, AttributeError, TypeError, IndexError),
    *(OverflowError, RecursionError, np.linalg.LinAlgError),
)


ALONE = "{} is of a run without constraints: resume it without subject_to."
BESIDE = "{} is of a run under constraints: resume it with the same subject_to."
PART = "part"  # the group of arrays that are kept beside a run


class Saved(NamedTuple):
    """What a whole file holds: whose run it is, its arrays, and those beside it."""

    path: Any
    header: dict[str, Any]
    arrays: dict[str, Array]
    beside: dict[str, Array]


def check_resume(given: Any) -> None:
    """Raise unless this can name a file."""
    if given is not None and not isinstance(given, str | os.PathLike):
        kind = type(given).__name__
        raise InvalidInput(
            f"resume must name a file that Checkpoint(path) has written, got {kind}: pass its path."
        )


def _identity(run: Run) -> dict[str, str]:
    problem, method = run.state.problem, run.method
    return {
        "method": repr(method) if is_dataclass(method) else method.name,
        "objective": problem.objective.fingerprint(),
        "region": problem.region.fingerprint(),
    }


def digest(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """The SHA-256 hash of arrays with their names, types and shapes."""
    found = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        found.update(f"{name}|{array.dtype.str}|{array.shape}|".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return np.frombuffer(found.digest(), dtype=np.uint8)


def save(run: Run, path: Any) -> None:
    """Write the run beside `path`, flush it to disk, and move it into place."""
    header = json.dumps({"format": FORMAT, **_identity(run)}).encode()
    arrays = {**run.pack(), "header": np.frombuffer(header, dtype=np.uint8)}
    if run.part is not None:
        arrays |= grouped(PART, run.part.arrays)
    with atomic_write(path) as file:
        np.savez(file, allow_pickle=False, **arrays, digest=digest(arrays))


def read(path: Any) -> Saved:
    """The contents of a checkpoint. Nothing of a file is used unless its digest is theirs."""
    arrays = _read(path)
    try:
        mark, header = arrays.pop("digest"), json.loads(arrays["header"].tobytes())
        version = header.pop("format")
        whole = version != FORMAT or np.array_equal(mark, digest(arrays))
    except DAMAGES:
        raise CheckpointError(BROKEN.format(path, "")) from None
    if version != FORMAT:
        raise CheckpointError(
            f"{path} has format {version}, this version reads {FORMAT}: start the run again."
        )
    if not whole:
        raise CheckpointError(BROKEN.format(path, " (its digest is another)"))
    del arrays["header"]
    beside = group(PART, arrays)
    own = {name: array for name, array in arrays.items() if not name.startswith(f"{PART}/")}
    return Saved(path, header, own, beside)


def load(run: Run, given: Any) -> None:
    """Put `run`, just started, where the checkpoint stopped: a file, or what was read of one.

    A digest tells damage, not intent: so lengths and places are checked besides, and value, image
    and feasibility of the point are computed again. The bound cannot be: the result says that it
    rests on the file.
    """
    saved = given if isinstance(given, Saved) else read(given)
    path, header, arrays = saved.path, saved.header, saved.arrays
    if run.part is None and saved.beside:
        raise CheckpointError(BESIDE.format(path))
    for name, here in _identity(run).items():
        if header.get(name) != here:
            raise CheckpointError(
                f"{path} belongs to another run: its {name} is {header.get(name)}, "
                f"but this run's is {here}."
            )

    def restore() -> None:
        run.state.memory.take_form(group("memory", arrays))
        check_arrays(run, arrays)
        run.restore(arrays)
        _same_function(run, path)
        check_point(run)

    restored(path, restore)
    run.resumed = True


def restored(path: Any, restore: Callable[[], None]) -> None:
    """Take what a file holds; one sentence where nothing can have written that."""
    try:
        restore()
    except CheckpointError:
        raise
    except DAMAGES as error:
        raise CheckpointError(BROKEN.format(path, f" ({str(error)[:120]})")) from None


def _read(path: Any) -> dict[str, Array]:
    """All arrays of the file, which take no more memory than it has bytes."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise CheckpointError(f"{path} cannot be read: it is not a file.")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            Budget.of().need(size, path)
            return read_arrays(file, path, Budget(size))
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint at {path}.") from None
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror or error}.") from None
    except CheckpointError:
        raise
    except (BrokenArchive, InvalidInput):  # arrays that are packed take more
        raise CheckpointError(BROKEN.format(path, "")) from None


def _same_function(run: Run, path: Any) -> None:
    """Evaluate f where the checkpoint stopped: a plain function has no other identity."""
    state = run.state
    value = state.problem.objective.value(state.iterate.image)
    if not math.isclose(value, state.value, rel_tol=1e-6, abs_tol=1e-9):
        raise CheckpointError(
            f"{path} belongs to another run: there f is {state.value:.9g} at the last point, "
            f"but here it is {value:.9g}."
        )
