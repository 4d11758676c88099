"""A part of an attack in a process of its own, which may die."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

__all__ = ["records"]


def records(module: str, first: int, last: int, limit: float) -> Iterator[dict[str, Any]]:
    """What the module says of each seed, a line of JSON each.

    Where its process has died another one goes on behind the seed at which it did.
    """
    while first < last:
        command = [sys.executable, "-m", module, "--part", f"{first}:{last}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:  # type: ignore[union-attr]
                record = json.loads(line)
                first = record["seed"] + 1
                yield record
        if first < last:
            yield {"seed": first, "level": "died", "defects": ["died"], "seconds": limit}
            first += 1
