"""What workers find wrong with data comes back as an answer: not an error in their logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from frankwolfe.base.errors import InvalidInput

__all__ = ["Refused", "Told", "told"]


class Refused(NamedTuple):
    """A worker's answer where data are wrong."""

    sentence: str


class Told:
    """A function for workers: what it refuses, or was refused before it, is its answer."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = getattr(function, "__name__", "told")  # in Dask's names of tasks

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        for argument in arguments:
            if isinstance(argument, Refused):
                return argument
        try:
            return self.function(*arguments, **options)
        except InvalidInput as error:
            return Refused(str(error))


def told(answers: Sequence[Any]) -> list[Any]:
    """The answers; the first refusal among them is raised here."""
    for answer in answers:
        if isinstance(answer, Refused):
            raise InvalidInput(answer.sentence)
    return list(answers)
