"""Errors of tasks about data, sent back as answers: workers log no traceback for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from frankwolfe.base.errors import InvalidInput

__all__ = ["Guarded", "Refused", "raise_refusal"]

T = TypeVar("T")  # an answer


class Refused(NamedTuple):
    """Answer of a worker that finds data wrong: the sentence of its InvalidInput."""

    sentence: str


class Guarded(Generic[T]):
    """Function for workers that returns an InvalidInput as `Refused`, instead of raising it.

    A refusal among its arguments, from a task before it, is passed on.
    """

    def __init__(self, function: Callable[..., T]) -> None:
        self.function = function
        self.__name__ = getattr(function, "__name__", "told")  # in Dask's names of tasks

    def __call__(self, *arguments: object, **options: object) -> T | Refused:
        for argument in arguments:
            if isinstance(argument, Refused):
                return argument
        try:
            return self.function(*arguments, **options)
        except InvalidInput as error:
            return Refused(str(error))


def raise_refusal(answers: Sequence[T | Refused]) -> list[T]:
    """Answers as a list; InvalidInput for the first refusal among them."""
    found: list[T] = []
    for answer in answers:
        if isinstance(answer, Refused):
            raise InvalidInput(answer.sentence)
        found.append(answer)
    return found
