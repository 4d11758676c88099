"""Compiled runs: many steps of a method on a small dense problem in one call."""

from __future__ import annotations

from frankwolfe.base.kernels import deferred

__getattr__ = deferred(__name__)
