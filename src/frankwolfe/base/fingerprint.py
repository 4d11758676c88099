"""Fingerprints of objectives, regions and methods, by which a checkpoint knows its run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from frankwolfe.base.foreign import to_host

__all__ = ["fingerprint"]


def fingerprint(name: str, parts: Iterable[object]) -> str:
    """Text of `name` and a hash of the exact values of numbers, texts and arrays."""
    digest = hashlib.sha256()
    for part in map(to_host, parts):
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(repr(part).encode())
        digest.update(b"|")
    return f"{name} {digest.hexdigest()[:16]}"
