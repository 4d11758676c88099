"""Starting kernels: types, grids, and sums that come back as numbers."""

from __future__ import annotations

from threading import get_ident
from typing import Any, ClassVar

import cupy
import numpy as np

from frankwolfe.engines.cuda.source import TYPES, compiled

__all__ = ["CACHED", "THREADS", "Answers", "Kernels", "Launcher", "grid"]

THREADS = 256  # in a block, as the source has it
MOST = 1024  # blocks whose sums are added
SUMS = 8  # numbers that one kernel adds up, at most
CACHED = -1  # shared memory: none, so that all of it is a cache
NUMBERS: dict[type, Any] = {bool: np.int32, int: np.int64, float: np.float64}
EACH = 4  # entries for each thread before there are more blocks


def grid(size: int) -> int:
    """Blocks for so many entries: by their number alone, so that sums have one order."""
    return max(1, min(MOST, -(-size // (THREADS * EACH))))


class Answers:
    """Room for the sums of a kernel: those of blocks, and memory here that it writes to."""

    def __init__(self) -> None:
        self.partial = cupy.empty(MOST * SUMS, dtype=np.float64)
        self.count = cupy.zeros(1, dtype=np.uint32)
        self.memory = cupy.cuda.alloc_pinned_memory(8 * SUMS)
        self.numbers = np.frombuffer(self.memory, np.float64, SUMS)
        self.pointer = np.uint64(self.memory.ptr)


class Launcher:
    """Kernels on the current device; each thread that starts some has its own answers."""

    def __init__(self) -> None:
        self._answers: dict[int, Answers] = {}
        self.rounds = self.bytes = 0
        self._kernels: dict[Any, Any] = {}

    @property
    def answers(self) -> Answers:
        """Those of this thread."""
        found = self._answers.get(get_ident())
        if found is None:
            found = self._answers[get_ident()] = Answers()
        return found

    def start(
        self,
        code: str,
        name: str,
        blocks: Any,
        arguments: tuple[Any, ...],
        names: dict[str, str],
        shared: int = 0,
    ) -> None:
        """Start a kernel on a grid of blocks; nothing is waited for.

        It has so many bytes of `shared` memory, or `CACHED`.
        """
        shape = blocks if isinstance(blocks, tuple) else (blocks,)
        key = code, name, *names.values()
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels[key] = compiled(code, name, **names)
            if shared == CACHED:
                kernel.preferred_shared_memory_carveout = 0
        kernel(shape, (THREADS,), tuple(map(_argument, arguments)), shared_mem=max(shared, 0))

    def sums(
        self,
        code: str,
        name: str,
        size: int,
        arguments: tuple[Any, ...],
        count: int,
        types: dict[str, Any],
        wait: bool = True,
        **names: str,
    ) -> tuple[float, ...]:
        """Start a kernel over `size` entries, and wait for its sums, if it has any."""
        if count:
            answers = self.answers
            arguments = (*arguments, answers.partial, answers.count, answers.pointer)
        key = code, name, *(array.dtype.char for array in types.values()), *names.values()
        kernel = self._kernels.get(key)
        if kernel is None:
            macros = names | {macro: TYPES[array.dtype] for macro, array in types.items()}
            kernel = self._kernels[key] = compiled(code, name, **macros)
        kernel((grid(size),), (THREADS,), tuple(map(_argument, arguments)))
        return self.wait(count) if count and wait else ()

    def wait(self, count: int) -> tuple[float, ...]:
        """The sums that the last kernel wrote."""
        cupy.cuda.get_current_stream().synchronize()
        self.rounds += 1
        self.bytes += 8 * count
        return tuple(self.answers.numbers[:count].tolist())


class Kernels:
    """Kernels of one source, for the type of a matrix."""

    source: ClassVar[str]
    macros: ClassVar[dict[str, str]]

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher

    def _start(
        self,
        name: str,
        blocks: Any,
        arguments: tuple[Any, ...],
        A: Any,
        shared: int = 0,
        names: dict[str, str] | None = None,
    ) -> None:
        """Start a kernel on a grid of blocks."""
        macros = {"T": TYPES[A.dtype]} | self.macros | (names or {})
        self._launcher.start(self.source, name, blocks, arguments, macros, shared)


def _argument(value: Any) -> Any:
    """Numbers as the source takes them: whole ones as long long, answers as int, or double."""
    kind = NUMBERS.get(type(value))
    return value if kind is None else kind(value)
