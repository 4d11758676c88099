"""Compiled loops over links, paths and bushes."""

from __future__ import annotations

from frankwolfe.base.kernels import deferred

__getattr__ = deferred(__name__)
