"""How a shard came to be, so that it can be made again from the beginning."""

from __future__ import annotations

from typing import Any, NamedTuple, Self
from uuid import uuid4

from frankwolfe.engines.dask.build import Recipe, gather_rows, made
from frankwolfe.engines.dask.layout import Rows

__all__ = ["Origin", "together"]


class Origin(NamedTuple):
    """The blocks of a shard as tasks, how a loss is made of them, and how it was changed."""

    group: list[Rows]
    recipe: Recipe
    first: int  # the number of its first row
    changes: tuple[tuple[str, tuple[Any, ...]], ...] = ()

    def changed(self, change: str, arguments: tuple[Any, ...]) -> Self:
        """The same, with another change."""
        return self._replace(changes=(*self.changes, (change, arguments)))

    def make(self, client: Any, rows: Any = None) -> Any:
        """A future of the shard; of its rows where these are there."""
        if rows is None:  # under other names: the old ones stand for what was given up
            rows = client.compute(renamed(together(self.group)))
        shard = client.submit(made, rows, self.recipe, self.first, pure=False)
        for change, arguments in self.changes:
            shard = client.submit(changed, shard, change, arguments, pure=False)
        return shard


def together(group: list[Rows]) -> Any:
    """One task for the rows of a shard."""
    from dask import delayed

    return delayed(gather_rows, pure=False)(*(part for row in group for part in row))


def renamed(task: Any) -> Any:
    """The same computation, all tasks of which are new to the scheduler; futures stay."""
    from dask._task_spec import convert_legacy_graph
    from dask.delayed import Delayed

    graph = convert_legacy_graph(dict(task.__dask_graph__()))
    mark, waiting = uuid4().hex, [task.key]
    names: dict[Any, Any] = {}
    while waiting:
        key = waiting.pop()
        if key in graph and key not in names:
            names[key] = (f"{key[0]}-{mark}", *key[1:]) if isinstance(key, tuple) else key + mark
            waiting.extend(graph[key].dependencies)
    tasks = {new: graph[old].substitute(names, key=new) for old, new in names.items()}
    return Delayed(names[task.key], tasks)


def changed(shard: Any, change: str, arguments: tuple[Any, ...]) -> Any:
    """A shard changed by one of its methods."""
    return getattr(shard, change)(*arguments)
