"""Origins of shards, from which lost ones are made again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from frankwolfe.engines.dask.waiting import Client, Future

__all__ = ["Origin", "changed"]


class Origin(NamedTuple):
    """Recipe of a shard: how its rows are loaded, it is made of them, and it was changed."""

    load: Callable[[], Future[object]]  # a new future of the rows
    make: Callable[..., object]
    arguments: tuple[object, ...]
    changes: tuple[tuple[str, tuple[object, ...]], ...] = ()

    def changed(self, change: str, arguments: tuple[object, ...]) -> Self:
        """Origin of the shard that one more change makes."""
        return self._replace(changes=(*self.changes, (change, arguments)))

    def made(self, client: Client, rows: Future[object] | None = None) -> Future[object]:
        """Future of the shard, made of `rows` or, without these, of rows loaded anew."""
        rows = self.load() if rows is None else rows
        shard: Future[object] = client.submit(self.make, rows, *self.arguments, pure=False)
        for change, arguments in self.changes:
            shard = client.submit(changed, shard, change, arguments, pure=False)
        return shard


def changed(shard: object, change: str, arguments: tuple[object, ...]) -> object:
    """Shard that the method `change` of a shard returns."""
    return getattr(shard, change)(*arguments)
