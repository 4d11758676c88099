"""Tasks that make a shard's blocks of rows one after the other, with one in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from uuid import uuid4

from frankwolfe.engines.dask.layout import RowBlock
from frankwolfe.engines.dask.told import Guarded, Refused

if TYPE_CHECKING:
    from frankwolfe.engines.dask.layout import Block
    from frankwolfe.engines.dask.waiting import Client, Future

__all__ = ["once_more", "over_groups"]

T = TypeVar("T")  # what is made of rows
MAX_SHARED_BYTES = 2**20  # of data that several blocks share, to be sent with each of them

Key: TypeAlias = str | tuple[str | int, ...]
"""The name of a task in a graph of Dask."""

Task: TypeAlias = Any
"""A node of a graph: a task of Dask, in its present or older form, or data."""

Graph: TypeAlias = dict[Key, Task]
"""Tasks by name."""

Work = Callable[[Iterator[RowBlock]], T]


def over_groups(
    client: Client, groups: Sequence[Sequence[RowBlock]], work: Work[T]
) -> list[Future[T | Refused]]:
    """Futures of the values of `work` on the rows of each group.

    Where no two blocks need the same task, all tasks of a group are done within one, block by
    block, so that a worker holds no more than what `work` keeps and one block. Otherwise, and
    where blocks are on workers already, Dask makes the blocks, and `work` gets them together.
    """
    sealed = _sealed(groups)
    if sealed is None:
        return list(client.compute([_delayed(work, group) for group in groups]))
    names = [f"rows-{uuid4().hex}" for _ in sealed]
    return list(client.map(Guarded(partial(_in_turn, work)), sealed, key=names, pure=False))


def once_more(client: Client, group: Sequence[RowBlock], work: Work[T]) -> Future[T | Refused]:
    """Future of the value of `work` on one group, computed again under new names.

    The scheduler may have given up the tasks of the old names.
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
    found: Future[T | Refused] = client.compute(Delayed(names[task.key], tasks))
    return found


def _renamed(graph: Mapping[Key, Task], first: Key) -> dict[Key, Key]:
    """New names of a task and of all tasks that it needs; futures keep theirs."""
    mark, waiting = uuid4().hex, [first]
    names: dict[Key, Key] = {}
    while waiting:
        key = waiting.pop()
        if key in graph and key not in names:
            names[key] = (f"{key[0]}-{mark}", *key[1:]) if isinstance(key, tuple) else key + mark
            waiting.extend(graph[key].dependencies)
    return names


def _delayed(work: Work[T], group: Sequence[RowBlock]) -> Task:
    """Task of the value of `work` on blocks that Dask makes."""
    from dask import delayed

    parts = (part for row in group for part in row)
    return delayed(Guarded(_together), pure=False)(work, *parts)


def _together(work: Work[T], *parts: Block) -> T:
    """Value of `work` on blocks that are there, given as data, targets and weights in turn."""
    return work(RowBlock(*row) for row in zip(*[iter(parts)] * 3, strict=True))


def _in_turn(work: Work[T], sealed: bytes) -> T:
    """Value of `work` on blocks made one after the other, from their pickled tasks."""
    from distributed.protocol.pickle import loads

    return work(map(_made, loads(sealed)))


def _made(block: tuple[Graph, RowBlock]) -> RowBlock:
    """Block of rows that its own tasks make."""
    from dask import get

    graph, row = block
    found = iter(get(graph, [part.key for part in row if isinstance(part, _Key)]))
    return RowBlock(*(next(found) if isinstance(part, _Key) else part for part in row))


class _Key:
    """Name of the task that makes a part of a block, in its place."""

    def __init__(self, key: Key) -> None:
        self.key = key


def _sealed(groups: Sequence[Sequence[RowBlock]]) -> list[bytes] | None:
    """Pickled blocks of each group with their tasks; None if tasks are shared, or done already."""
    from distributed.protocol.pickle import dumps

    graphs, owner = _Graphs(), dict[Key, int]()
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
            blocks.append((graph.tasks, RowBlock(*names)))
        out.append(dumps(blocks))
    return out


def _is_task(node: Task) -> bool:
    """True if a node of a graph is a task, in the form of any version of Dask; else it is data."""
    return hasattr(node, "func") or (type(node) is tuple and bool(node) and callable(node[0]))


def _before(graph: Graph, key: Key) -> set[Key]:
    """Names that a task depends on; those of futures are in no graph."""
    from dask.core import get_dependencies

    known = getattr(graph[key], "dependencies", None)
    return set(get_dependencies(graph, key) if known is None else known)


def _holds_future(task: object) -> bool:
    """True if a task, as older versions of Dask write it, is a future or has one as argument."""
    from distributed import Future

    if isinstance(task, tuple | list):
        return any(map(_holds_future, task))
    if isinstance(task, dict):
        return any(map(_holds_future, task.values()))
    return isinstance(task, Future)


class _Needed:
    """Tasks of a block; of these, `own` must not be needed by another block."""

    def __init__(self) -> None:
        self.tasks: Graph = {}
        self.own: set[Key] = set()


class _Graphs:
    """Graphs of collections as plain dicts, each converted once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, Graph]] = {}

    def needed(self, parts: Iterable[Task]) -> _Needed | None:
        """All tasks that some results depend on; None if one is a future."""
        found = _Needed()
        for part in parts:
            if not self._walk(part, found):
                return None
        return found

    def _walk(self, part: Task, found: _Needed) -> bool:
        """Add the tasks that a result depends on; False if one is a future."""
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
            # small data that blocks share may be sent with each; anything else is work, done once
            if before or _is_task(graph[key]) or sizeof(graph[key]) > MAX_SHARED_BYTES:
                found.own.add(key)
        return True

    def _plain(self, graph: Task) -> Graph:
        """Graph as a dict; the graph is kept too, so that no other gets its address."""
        known = self._known.get(id(graph))
        if known is None:
            known = self._known[id(graph)] = graph, dict(graph)
        return known[1]
