"""Peak memory of the process, where Linux tells it."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from pathlib import Path

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def megabytes(field: str) -> float | None:
    """VmRSS (now) or VmHWM (peak) of this process."""
    if not STATUS.exists():
        return None
    for line in STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return None


def let_go() -> None:
    """Hand memory that is free but kept by the allocator back to the system."""
    gc.collect()
    with suppress(OSError, AttributeError):  # glibc has it
        ctypes.CDLL(None).malloc_trim(0)


def reset_peak() -> bool:
    """Let the peak begin anew; false where that cannot be done."""
    try:
        RESET.write_text("5")
    except OSError:
        return False
    return True
