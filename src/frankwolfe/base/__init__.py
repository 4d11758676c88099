"""What every room needs and no mathematics of the field: arrays, checks, errors, files, threads."""

from __future__ import annotations

from frankwolfe.base.errors import CheckpointError, InvalidInput, MissingExtra, Unproven

__all__ = ["CheckpointError", "InvalidInput", "MissingExtra", "Unproven"]
