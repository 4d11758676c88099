"""Compiled loops over images, factors and rows, of which several rooms are made."""

from __future__ import annotations

from frankwolfe.base.kernels import deferred

__getattr__ = deferred(__name__)
