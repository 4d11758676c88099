"""What a process may take is the least of machine, container and its own limit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import frankwolfe as fw
from frankwolfe.base import budget


def _container(folder: Path, monkeypatch, version: int) -> None:
    """A group that may take 3 GB and holds 1 GB, half of it files that were read."""
    group = folder / ("memory/a/b" if version == 1 else "a/b")
    group.mkdir(parents=True)
    names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
    names = names if version == 1 else ("memory.max", "memory.current")
    sizes = (3 * 10**9, 10**9)
    for name, size in zip(names, sizes, strict=True):
        (group / name).write_text(f"{size}\n")
    (group / "memory.stat").write_text("anon 5\ninactive_file 500000000\nactive_file 7\n")
    if version == 2:
        (group.parent / "memory.max").write_text("max\n")
    line = "4:memory:/a/b" if version == 1 else "0::/a/b"
    read = Path.read_text

    def read_text(path, *rest, **more):
        if str(path) == "/proc/self/cgroup":
            return f"3:cpu:/\n{line}\n"
        return read(path, *rest, **more)

    monkeypatch.setattr(budget, "CGROUPS", folder)
    monkeypatch.setattr(Path, "read_text", read_text)


@pytest.mark.parametrize("version", [1, 2])
def test_a_container_bounds_what_is_left(version, tmp_path, monkeypatch):
    _container(tmp_path, monkeypatch, version)
    assert budget._of_container() == 2_500_000_000
    monkeypatch.setattr(budget, "_of_machine", lambda: 10**12)
    monkeypatch.setattr(budget, "_of_process", lambda: 10**12)
    assert budget.memory_left() == 2_500_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux alone")
def test_a_limit_of_the_process_bounds_what_is_left():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (10**10, 10**10))\n"
        "from frankwolfe.base.budget import memory_left\n"
        "assert memory_left() < 10**10"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_what_is_held_tells_early_what_the_whole_will_take():
    small = budget.Budget(1000, share=0.1)
    small.hold(150, "it")  # 1,500 in all, perhaps: lines differ
    with pytest.raises(fw.InvalidInput, match=r"it would take about 2.5 kB of memory, and 1.0 kB"):
        small.hold(100, "it")
    whole = budget.Budget(1000)
    whole.hold(1000, "it")
    with pytest.raises(fw.InvalidInput, match=r"it would take about 1\.0 kB"):
        whole.hold(1, "it")
