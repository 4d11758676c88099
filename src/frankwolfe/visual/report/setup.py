"""Versions and machine, on which results depend beside the code."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

__all__ = ["PACKAGES", "machine", "versions"]

PACKAGES = ("frankwolfe", "numpy", "scipy", "numba", "cvxpy", "scikit-learn", "matplotlib")


def machine(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Python, packages, processor and system, by name.

    Examples
    --------
    >>> from frankwolfe.visual.report import machine
    >>> list(machine())
    ['Python', 'packages', 'system', 'processor']
    """
    return {
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": ", ".join(f"{name} {v}" for name, v in versions(packages).items()),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "processor": f"{_processor()}, {os.cpu_count()} logical cores",
    }


def versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Versions of the packages that are installed, by name."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
