"""Launches of kernels: types, grids, and sums that come back as numbers."""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, ClassVar

import cupy
import numpy as np

from frankwolfe.engines.cuda.source import TYPES, compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from frankwolfe.engines.cuda.source import Kernel
    from frankwolfe.engines.maps import DeviceArray

__all__ = ["ALL_CACHE", "THREADS", "Answers", "Kernels", "Launcher", "grid"]

THREADS = 256  # of a block, as the source has it
MAX_BLOCKS = 1024  # of a kernel with sums, which one block adds at the end
MAX_SUMS = 8  # that one kernel may return
ALL_CACHE = -1  # in place of bytes of shared memory: all of it serves as a cache
NUMBERS: dict[type, Callable[..., np.generic]] = {bool: np.int32, int: np.int64, float: np.float64}
ENTRIES_A_THREAD = 4  # before there are more blocks: amortizes the sums of a block


def grid(size: int) -> int:
    """Number of blocks for `size` entries; of the size alone, so that sums have one order."""
    return max(1, min(MAX_BLOCKS, -(-size // (THREADS * ENTRIES_A_THREAD))))


class Answers:
    """Memory for the sums of a kernel: partial sums on the device, results in pinned memory."""

    def __init__(self) -> None:
        self.partial = cupy.empty(MAX_BLOCKS * MAX_SUMS, dtype=np.float64)
        self.count = cupy.zeros(1, dtype=np.uint32)
        self.memory = cupy.cuda.alloc_pinned_memory(8 * MAX_SUMS)
        self.numbers = np.frombuffer(self.memory, np.float64, MAX_SUMS)
        self.pointer = np.uint64(self.memory.ptr)


class Launcher:
    """Launcher of kernels on the current device; each thread has `Answers` of its own."""

    def __init__(self) -> None:
        self._answers: dict[int, Answers] = {}
        self.rounds = self.bytes = 0
        self._kernels: dict[tuple[str, ...], Kernel] = {}

    @property
    def answers(self) -> Answers:
        """Memory for sums of the calling thread."""
        found = self._answers.get(get_ident())
        if found is None:
            found = self._answers[get_ident()] = Answers()
        return found

    def start(
        self,
        code: str,
        name: str,
        blocks: int | tuple[int, ...],
        arguments: tuple[object, ...],
        names: dict[str, str],
        shared: int = 0,
    ) -> None:
        """Start a kernel on a grid of blocks; nothing is waited for.

        It has `shared` bytes of shared memory, or `ALL_CACHE`.
        """
        shape = blocks if isinstance(blocks, tuple) else (blocks,)
        key = code, name, *names.values()
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels[key] = compiled(code, name, **names)
            if shared == ALL_CACHE:
                kernel.preferred_shared_memory_carveout = 0
        kernel(shape, (THREADS,), tuple(map(_argument, arguments)), shared_mem=max(shared, 0))

    def sums(
        self,
        code: str,
        name: str,
        size: int,
        arguments: tuple[object, ...],
        count: int,
        types: dict[str, DeviceArray],
        wait: bool = True,
        **names: str,
    ) -> tuple[float, ...]:
        """Start a kernel over `size` entries, and return its `count` sums when it is done.

        Without sums, or without `wait`, nothing is waited for. `types` are arrays whose type is
        a macro of the source.
        """
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
        """First `count` sums that the last kernel wrote, when it is done."""
        cupy.cuda.get_current_stream().synchronize()
        self.rounds += 1
        self.bytes += 8 * count
        return tuple(self.answers.numbers[:count].tolist())


class Kernels:
    """Kernels of one CUDA source, compiled for the type of a matrix."""

    source: ClassVar[str]
    macros: ClassVar[dict[str, str]]

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher

    def _start(
        self,
        name: str,
        blocks: int | tuple[int, ...],
        arguments: tuple[object, ...],
        A: DeviceArray,
        shared: int = 0,
        names: dict[str, str] | None = None,
    ) -> None:
        """Start a kernel on a grid of blocks, compiled for the type of A."""
        macros = {"T": TYPES[A.dtype]} | self.macros | (names or {})
        self._launcher.start(self.source, name, blocks, arguments, macros, shared)


def _argument(value: object) -> object:
    """Python number as the source takes it: bool as int, int as long long, float as double."""
    kind = NUMBERS.get(type(value))
    return value if kind is None else kind(value)
