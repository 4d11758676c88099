"""The machine and the versions, to be saved beside every figure."""

from __future__ import annotations

import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    *("frankwolfe", "numpy", "scipy", "numba", "copt", "cvxpy", "clarabel", "ecos", "scs", "osqp"),
    *("scikit-learn", "skglm", "celer", "jax", "jaxopt", "POT", "piqp", "quadprog"),
    *("cmfrec", "fancyimpute"),
)
THREADS = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


def keep_to_one_thread() -> None:
    """Start this script anew where the environment would let anything run on more threads."""
    if any(os.environ.get(name) != value for name, value in THREADS.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **THREADS})


def pin() -> None:
    """Keep this process and its children on one core, where the system lets us."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def facts() -> dict[str, Any]:
    """Processor, cores, threads, versions, load and date."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _processor(),
        "cores": os.cpu_count(),
        "cores used": cores,
        "threads": {name: os.environ.get(name) for name in THREADS},
        "load": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES if _version(name)},
    }
