"""How a shard came to be, so that it can be made again from the beginning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self
from uuid import uuid4

from frankwolfe.engines.dask.build import Recipe, gather_rows, made
from frankwolfe.engines.dask.layout import Rows

__all__ = ["Origin", "changed", "load"]


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
        rows = load(client, self.group) if rows is None else rows
        shard = client.submit(made, rows, self.recipe, self.first, pure=False)
        for change, arguments in self.changes:
            shard = client.submit(changed, shard, change, arguments, pure=False)
        return shard


def load(client: Any, group: list[Rows]) -> Any:
    """A future of the rows of a shard.

    All of it is one task, so that blocks are loaded where they will stay, and no worker holds
    more than its own; blocks that are on workers already are gathered from there.
    """
    from cloudpickle import dumps
    from dask import delayed
    from dask._task_spec import convert_legacy_graph
    from dask.delayed import Delayed

    task = delayed(gather_rows, pure=False)(*(part for row in group for part in row))
    graph = convert_legacy_graph(dict(task.__dask_graph__()))
    names, elsewhere = _needed(graph, task.key)
    if elsewhere:
        tasks = {new: graph[old].substitute(names, key=new) for old, new in names.items()}
        return client.compute(Delayed(names[task.key], tasks))
    alone = Delayed(task.key, {key: graph[key] for key in names})
    return client.submit(loaded, dumps(alone), pure=False)


def _needed(graph: Mapping[Any, Any], first: Any) -> tuple[dict[Any, Any], bool]:
    """New names of the tasks that one needs, and whether it needs others, which are futures.

    Under its old name a task may be one that the scheduler has given up.
    """
    mark, waiting, elsewhere = uuid4().hex, [first], False
    names: dict[Any, Any] = {}
    while waiting:
        key = waiting.pop()
        elsewhere |= key not in graph
        if key in graph and key not in names:
            names[key] = (f"{key[0]}-{mark}", *key[1:]) if isinstance(key, tuple) else key + mark
            waiting.extend(graph[key].dependencies)
    return names, elsewhere


def loaded(task: bytes) -> Any:
    """What a task computes, here and now."""
    from cloudpickle import loads

    return loads(task).compute(scheduler="synchronous")


def changed(shard: Any, change: str, arguments: tuple[Any, ...]) -> Any:
    """A shard changed by one of its methods."""
    return getattr(shard, change)(*arguments)
