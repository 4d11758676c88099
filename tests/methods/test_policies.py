"""Policies of thresholds: frozen, and each field with a sentence of its own."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields
from inspect import cleandoc

import pytest

from frankwolfe.methods import default
from frankwolfe.methods.corrective import policy as corrective
from frankwolfe.methods.matrix import policy as matrix

POLICIES = [default.POLICY, corrective.POLICY, matrix.POLICY]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
def test_each_threshold_is_told_and_none_can_be_changed(policy):
    told = cleandoc(str(type(policy).__doc__)).split("Attributes\n----------\n", 1)[1]
    names = ", ".join(re.findall(r"^((?:\w+(?:, )?)+) : \w.*\n    \S", told, re.M)).split(", ")
    assert names == [field.name for field in fields(policy)]
    with pytest.raises(FrozenInstanceError):
        setattr(policy, names[0], 0)
