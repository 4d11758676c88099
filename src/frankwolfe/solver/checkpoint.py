"""Checkpoints: runs in files, written atomically and checked when they are read."""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import AnyArray, Array
from frankwolfe.base.budget import Budget
from frankwolfe.base.errors import CheckpointError, InvalidInput
from frankwolfe.base.files import BrokenArchive, atomic_write, read_arrays
from frankwolfe.base.memory import group, grouped
from frankwolfe.solver.resumed import check_arrays, check_point
from frankwolfe.solver.run import Run

__all__ = ["Saved", "check_resume", "load", "read_checkpoint", "restored", "save"]

FORMAT = 4  # of the file; raised when arrays change their names or meanings
BROKEN = "{} is not a whole frankwolfe checkpoint{}: start the run again without resume."
# errors that arbitrary bytes may raise while they are read: each means a damaged file
DAMAGE_ERRORS = (
    *(BrokenArchive, KeyError, ValueError, AttributeError, TypeError, IndexError),
    *(OverflowError, RecursionError, np.linalg.LinAlgError),
)


UNCONSTRAINED_RUN = "{} is of a run without constraints: resume it without subject_to."
CONSTRAINED_RUN = "{} is of a run under constraints: resume it with the same subject_to."
PART_GROUP = "part"  # prefix of the arrays that rounds keep beside the run


FilePath: TypeAlias = str | os.PathLike[str]


class Saved(NamedTuple):
    """The contents of a checkpoint: identity of the run, its arrays, and those kept beside it."""

    path: FilePath
    header: dict[str, object]
    arrays: dict[str, Array]
    beside: dict[str, Array]


def check_resume(given: object) -> None:
    """Raise unless `given` is None or can name a file."""
    if given is not None and not isinstance(given, str | os.PathLike):
        kind = type(given).__name__
        raise InvalidInput(
            f"resume must name a file that Checkpoint(path) has written, got {kind}: pass its path."
        )


def _identity(run: Run) -> dict[str, str]:
    """Texts for method, objective and region, by which a file belongs to a run."""
    problem, method = run.state.problem, run.method
    return {
        "method": repr(method) if is_dataclass(method) else method.name,
        "objective": problem.objective.fingerprint(),
        "region": problem.region.fingerprint(),
    }


def digest(arrays: Mapping[str, AnyArray]) -> NDArray[np.uint8]:
    """SHA-256 hash of arrays with their names, types and shapes."""
    found = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        found.update(f"{name}|{array.dtype.str}|{array.shape}|".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return np.frombuffer(found.digest(), dtype=np.uint8)


def save(run: Run, path: FilePath) -> None:
    """Write the run beside `path`, flush it to disk, and move it into place."""
    header = json.dumps({"format": FORMAT, **_identity(run)}).encode()
    arrays = {**run.pack(), "header": np.frombuffer(header, dtype=np.uint8)}
    if run.part is not None:
        arrays |= grouped(PART_GROUP, run.part.arrays)
    with atomic_write(path) as file:
        np.savez(file, allow_pickle=False, **arrays, digest=digest(arrays))


def read_checkpoint(path: FilePath) -> Saved:
    """Read a checkpoint; nothing of it is used unless its digest fits."""
    arrays = _read(path)
    try:
        mark, header = arrays.pop("digest"), json.loads(arrays["header"].tobytes())
        version = header.pop("format")
        # an older file has other arrays in its digest: its version is the thing to report
        whole = version != FORMAT or np.array_equal(mark, digest(arrays))
    except DAMAGE_ERRORS:
        raise CheckpointError(BROKEN.format(path, "")) from None
    if version != FORMAT:
        raise CheckpointError(
            f"{path} has format {version}, this version reads {FORMAT}: start the run again."
        )
    if not whole:
        raise CheckpointError(BROKEN.format(path, " (its digest is another)"))
    del arrays["header"]
    beside = group(PART_GROUP, arrays)
    own = {name: array for name, array in arrays.items() if not name.startswith(f"{PART_GROUP}/")}
    return Saved(path, header, own, beside)


def load(run: Run, given: FilePath | Saved) -> None:
    """Move a run that has just begun to where a checkpoint, a file or `Saved`, stopped.

    A digest shows damage, but not intent: so lengths and places are also checked, and value, image
    and feasibility of the point are computed again. The bound cannot be: the result says that it
    rests on the file.
    """
    saved = given if isinstance(given, Saved) else read_checkpoint(given)
    path, header, arrays = saved.path, saved.header, saved.arrays
    if run.part is None and saved.beside:
        raise CheckpointError(CONSTRAINED_RUN.format(path))
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


def restored(path: FilePath, restore: Callable[[], None]) -> None:
    """Call `restore`; raise CheckpointError, in one sentence, where the file is damaged."""
    try:
        restore()
    except CheckpointError:
        raise
    except DAMAGE_ERRORS as error:
        raise CheckpointError(BROKEN.format(path, f" ({str(error)[:120]})")) from None


def _read(path: FilePath) -> dict[str, Array]:
    """All arrays of the file, which may take no more memory than the file has bytes."""
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
    except (BrokenArchive, InvalidInput):  # packed arrays would take more than the file
        raise CheckpointError(BROKEN.format(path, "")) from None


def _same_function(run: Run, path: FilePath) -> None:
    """Compare f at the last point with the file: a plain function has no other identity."""
    state = run.state
    value = state.problem.objective.value(state.iterate.image)
    # tolerances for another machine's or BLAS's rounding, far below any other function
    if not math.isclose(value, state.value, rel_tol=1e-6, abs_tol=1e-9):
        raise CheckpointError(
            f"{path} belongs to another run: there f is {state.value:.9g} at the last point, "
            f"but here it is {value:.9g}."
        )
