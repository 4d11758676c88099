"""One task a shard: it makes its blocks of rows one after the other, and holds one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

from frankwolfe.engines.dask.layout import Rows
from frankwolfe.engines.dask.told import Told

__all__ = ["once_more", "over_groups"]

LITTLE = 2**20  # bytes up to which data that several blocks share are sent with each of them

Work = Callable[[Iterator[Rows]], Any]


def over_groups(client: Any, groups: Sequence[Sequence[Rows]], work: Work) -> list[Any]:
    """Futures of what `work` makes of the rows of each group.

    Where no two blocks need the same task, all tasks of a group are done within one, block by
    block, so that a worker holds no more than what `work` keeps and one block. Otherwise, and
    where blocks are on workers already, Dask makes the blocks, and `work` gets them together.
    """
    sealed = _sealed(groups)
    if sealed is None:
        return list(client.compute([_delayed(work, group) for group in groups]))
    names = [f"rows-{uuid4().hex}" for _ in sealed]
    return list(client.map(Told(partial(_in_turn, work)), sealed, key=names, pure=False))


def once_more(client: Any, group: Sequence[Rows], work: Work) -> Any:
    """A future of the same for one group, under new names.

    Under its old name a task may be one that the scheduler has given up.
    """
    sealed = _sealed([group])
    if sealed is not None:
        return over_groups(client, [group], work)[0]
    from dask._task_spec import convert_legacy_graph
    from dask.delayed import Delayed

    task = _delayed(work, group)
    graph = convert_legacy_graph(dict(task.__dask_graph__()))
    names = _renamed(graph, task.key)
    tasks = {new: graph[old].substitute(names, key=new) for old, new in names.items()}
    return client.compute(Delayed(names[task.key], tasks))


def _renamed(graph: Mapping[Any, Any], first: Any) -> dict[Any, Any]:
    """New names of a task and of those that it needs; those of futures stay."""
    mark, waiting = uuid4().hex, [first]
    names: dict[Any, Any] = {}
    while waiting:
        key = waiting.pop()
        if key in graph and key not in names:
            names[key] = (f"{key[0]}-{mark}", *key[1:]) if isinstance(key, tuple) else key + mark
            waiting.extend(graph[key].dependencies)
    return names


def _delayed(work: Work, group: Sequence[Rows]) -> Any:
    from dask import delayed

    parts = (part for row in group for part in row)
    return delayed(Told(_together), pure=False)(work, *parts)


def _together(work: Work, *parts: Any) -> Any:
    return work(Rows(*row) for row in zip(*[iter(parts)] * 3, strict=True))


def _in_turn(work: Work, sealed: bytes) -> Any:
    from distributed.protocol.pickle import loads

    return work(map(_made, loads(sealed)))


def _made(block: tuple[dict[Any, Any], Rows]) -> Rows:
    """A block of rows, by its own tasks."""
    from dask import get

    graph, row = block
    found = iter(get(graph, [part.key for part in row if isinstance(part, _Key)]))
    return Rows(*(next(found) if isinstance(part, _Key) else part for part in row))


class _Key:
    """The name of a task."""

    def __init__(self, key: Any) -> None:
        self.key = key


def _sealed(groups: Sequence[Sequence[Rows]]) -> list[bytes] | None:
    """The blocks of each group with their tasks; None where tasks are shared, or done already."""
    from distributed.protocol.pickle import dumps

    graphs, owner = _Graphs(), dict[Any, int]()
    out, number = [], 0
    for group in groups:
        blocks = []
        for row in group:
            number += 1
            graph = graphs.needed(part for part in row if hasattr(part, "__dask_graph__"))
            if graph is None:
                return None
            if any(owner.setdefault(key, number) != number for key in graph.own):
                return None
            names = (_Key(p.key) if hasattr(p, "__dask_graph__") else p for p in row)
            blocks.append((graph.tasks, Rows(*names)))
        out.append(dumps(blocks))
    return out


def _is_task(node: Any) -> bool:
    """Whether a node of a graph does something; else it is data."""
    return hasattr(node, "func") or (type(node) is tuple and bool(node) and callable(node[0]))


def _before(graph: dict[Any, Any], key: Any) -> set[Any]:
    """The tasks that a task needs; among them may be futures, which are in no graph."""
    from dask.core import get_dependencies

    known = getattr(graph[key], "dependencies", None)
    return set(get_dependencies(graph, key) if known is None else known)


def _holds_future(task: Any) -> bool:
    """Whether a task, as older versions of Dask write it, is one that is done, or is given one."""
    from distributed import Future

    if isinstance(task, tuple | list):
        return any(map(_holds_future, task))
    if isinstance(task, dict):
        return any(map(_holds_future, task.values()))
    return isinstance(task, Future)


class _Needed:
    """Tasks of a block; `own` are those that no other block should need."""

    def __init__(self) -> None:
        self.tasks: dict[Any, Any] = {}
        self.own: set[Any] = set()


class _Graphs:
    """The graphs of collections, each looked into once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, dict[Any, Any]]] = {}

    def needed(self, parts: Any) -> _Needed | None:
        """All tasks behind some results; None where one of them is a future."""
        found = _Needed()
        for part in parts:
            if not self._walk(part, found):
                return None
        return found

    def _walk(self, part: Any, found: _Needed) -> bool:
        from dask.sizeof import sizeof

        graph, waiting = self._plain(part.__dask_graph__()), [part.key]
        while waiting:
            key = waiting.pop()
            if key in found.tasks:
                continue
            if key not in graph or _holds_future(graph[key]):
                return False
            found.tasks[key] = graph[key]
            before = _before(graph, key)
            waiting += before
            if before or _is_task(graph[key]) or sizeof(graph[key]) > LITTLE:
                found.own.add(key)
        return True

    def _plain(self, graph: Any) -> dict[Any, Any]:
        """A graph as a dict; the graph is kept too, so that no other gets its address."""
        known = self._known.get(id(graph))
        if known is None:
            known = self._known[id(graph)] = graph, dict(graph)
        return known[1]
