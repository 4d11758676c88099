"""Compiled active-set loops for quadratics over simple sets."""

from __future__ import annotations

from frankwolfe.base.kernels import deferred

__getattr__ = deferred(__name__)
