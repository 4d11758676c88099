"""Every named method, the recipes over the five parts and those with a file of their own."""

from __future__ import annotations

from collections.abc import Callable

from frankwolfe.corrective import fully_corrective, working_set
from frankwolfe.hybrid import hybrid
from frankwolfe.in_face import in_face
from frankwolfe.method import Method
from frankwolfe.nearest_point import nearest_point
from frankwolfe.recipes import METHODS as RECIPES
from frankwolfe.relay import relay
from frankwolfe.second_order import second_order

__all__ = ["METHODS"]

METHODS: dict[str, Callable[[], Method]] = {
    **RECIPES,
    "fully_corrective": fully_corrective,
    "working_set": working_set,
    "second_order": second_order,
    "relay": relay,
    "nearest_point": nearest_point,
    "hybrid": hybrid,
    "in_face": in_face,
}
