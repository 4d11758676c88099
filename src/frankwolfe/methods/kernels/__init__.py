"""Compiled loops of single parts of methods."""

from __future__ import annotations

from frankwolfe.base.kernels import deferred

__getattr__ = deferred(__name__)
