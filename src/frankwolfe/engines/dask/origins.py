"""How a shard came to be, so that it can be made again from the beginning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

__all__ = ["Origin", "changed"]


class Origin(NamedTuple):
    """How to load the rows of a shard, how it is made of them, and how it was changed."""

    load: Callable[[], Any]  # a new future of the rows
    make: Callable[..., Any]
    arguments: tuple[Any, ...]
    changes: tuple[tuple[str, tuple[Any, ...]], ...] = ()

    def changed(self, change: str, arguments: tuple[Any, ...]) -> Self:
        """The same, with another change."""
        return self._replace(changes=(*self.changes, (change, arguments)))

    def made(self, client: Any, rows: Any = None) -> Any:
        """A future of the shard; of its rows where these are there."""
        rows = self.load() if rows is None else rows
        shard = client.submit(self.make, rows, *self.arguments, pure=False)
        for change, arguments in self.changes:
            shard = client.submit(changed, shard, change, arguments, pure=False)
        return shard


def changed(shard: Any, change: str, arguments: tuple[Any, ...]) -> Any:
    """A shard changed by one of its methods."""
    return getattr(shard, change)(*arguments)
