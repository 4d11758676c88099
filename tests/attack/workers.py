"""Cases in processes of their own: one that hangs, dies or eats the memory is a verdict.

A worker says what it does next before it does it, so that the parent knows what it killed.
"""

from __future__ import annotations

import contextlib
import multiprocessing as mp
import os
import time
import traceback
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from .cases import Case
from .data import NoData
from .judge import LIMIT, judge

__all__ = ["Jury", "attack", "record_of"]

GRACE = 5.0  # seconds over the limit before a run is killed: a first call compiles
JUDGING = 240.0  # seconds for the exact arithmetic of a case
MEMORY = 12 * 2**30  # bytes of address space
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

Record = dict[str, Any]


def record_of(case: Case, *, extra: bool = True, phase: Callable[[str], None] = print) -> Record:
    """What is written down of a case."""
    verdict = judge(case, extra=extra, phase=phase)
    return {**_head(case), "level": verdict.level, **verdict.facts, "defects": verdict.defects}


def _head(case: Case) -> Record:
    return {
        "seed": case.seed,
        "objective": case.objective.name,
        "region": case.region.name,
        "method": case.method,
        **case.labels,
    }


def _work(pipe: Connection) -> None:
    """A worker: cases in, records out, until there is nothing more."""
    from .problems import problem

    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    while (task := pipe.recv()) is not None:
        case, extra = task
        try:
            case = problem(case) if isinstance(case, int) else case
            pipe.send(("head", _head(case)))
            record = record_of(case, extra=extra, phase=lambda p: pipe.send(("phase", p)))
        except NoData as error:
            record = {"seed": case, "level": "no data", "base": str(error), "defects": []}
        except Exception:
            record = {"seed": getattr(case, "seed", case), "level": "judge failed", "defects": []}
            record["error"] = traceback.format_exc()[-1500:]
        pipe.send(("done", record))


@dataclass(eq=False)
class _Worker:
    process: Any
    pipe: Connection
    case: int | Case | None = None
    head: Record = field(default_factory=dict)
    phase: str = ""
    since: float = 0.0  # by `used`
    began: float = 0.0  # by the clock
    again: bool = False  # whether it has been killed over this case before
    limit: float = LIMIT + GRACE

    @classmethod
    def start(cls, limit: float) -> _Worker:
        context = mp.get_context("spawn")
        mine, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        return cls(process, mine, limit=limit)

    def give(self, case: int | Case, *, extra: bool) -> None:
        self.case, self.head, self.phase, self.since = case, {}, "making", self.used
        self.again, self.began = False, time.monotonic()
        self.pipe.send((case, extra))

    @property
    def used(self) -> float:
        """Processor seconds of the process; where they are not to be had, those of the clock."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, IndexError):
            return time.monotonic()

    @property
    def late(self) -> bool:
        limit = JUDGING if self.phase in ("making", "building", "judging") else self.limit
        waited = time.monotonic() - self.began  # one that sleeps uses no processor
        return self.case is not None and (self.used - self.since > limit or waited > 20.0 * limit)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def lost(self, kind: str, detail: str) -> Record:
        """The record of a case whose worker is gone."""
        seed = self.case if isinstance(self.case, int) else getattr(self.case, "seed", -1)
        blame = self.phase not in ("making", "building", "judging")
        defect = {"kind": kind, "method": self.phase, "detail": detail, "amount": 0.0}
        level = ("hang" if kind == "over 30 s" else "died") if blame else "judge failed"
        record = {"seed": seed, **self.head, "level": level, "defects": [defect] if blame else []}
        return record if blame else {**record, "error": f"{detail} while {self.phase}"}

    def heard(self) -> Record | None:
        """The record of the case, once there is one."""
        try:
            word, what = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            return self.lost("died", f"exit code {self.process.exitcode}")
        if word == "done":
            return what
        self.since, self.began = self.used, time.monotonic()
        self.head, self.phase = (what, self.phase) if word == "head" else (self.head, what)
        return None


class _Team:
    """Workers, and the cases that are left for them."""

    def __init__(
        self, cases: Iterable[int | Case], count: int, *, extra: bool, limit: float
    ) -> None:
        self.left, self.extra, self.limit = iter(cases), extra, limit
        self.workers: list[_Worker] = []
        for case in self.left:
            self.workers.append(_Worker.start(limit))
            self.workers[-1].give(case, extra=extra)
            if len(self.workers) == count:
                break

    @property
    def busy(self) -> list[_Worker]:
        return [worker for worker in self.workers if worker.case is not None]

    def records(self) -> Generator[Record]:
        while self.busy:
            wait([worker.pipe for worker in self.busy], timeout=0.5)
            for worker in self.busy:
                record = worker.heard() if worker.pipe.poll() else self._if_late(worker)
                if record is not None:
                    yield record
                    self._next(worker, gone=record["level"] in GONE)

    def _if_late(self, worker: _Worker) -> Record | None:
        if not worker.late:
            return None
        if worker.again:
            return worker.lost("over 30 s", "killed twice")
        # once more: a first call compiles, and a machine may be busy
        case = worker.case
        assert case is not None
        fresh = self._instead(worker)
        fresh.give(case, extra=self.extra)
        fresh.again = True
        return None

    def _instead(self, worker: _Worker) -> _Worker:
        worker.end()
        fresh = self.workers[self.workers.index(worker)] = _Worker.start(self.limit)
        return fresh

    def _next(self, worker: _Worker, *, gone: bool) -> None:
        worker = self._instead(worker) if gone else worker
        worker.case = None
        following = next(self.left, None)
        if following is not None:
            worker.give(following, extra=self.extra)

    def end(self) -> None:
        for worker in self.workers:
            worker.end()


GONE = ("hang", "died", "judge failed")  # after which a worker is not to be trusted


def attack(
    cases: Iterable[int | Case], workers: int, *, extra: bool = True, limit: float = LIMIT + GRACE
) -> Generator[Record]:
    """The records of cases, in the order in which they end; a run may take `limit` seconds."""
    for name in THREADS:
        os.environ[name] = "1"
    team = _Team(cases, workers, extra=extra, limit=limit)
    try:
        yield from team.records()
    finally:
        team.end()


class Jury:
    """One worker that judges the cases it is handed, one after the other."""

    def __enter__(self) -> Jury:
        self._waiting: list[Case] = []
        self._records = attack(iter(self._waiting.pop, None), 1, extra=False)
        return self

    def record(self, case: Case) -> Record:
        """The record of a case."""
        self._waiting.append(case)
        return next(self._records)

    def __exit__(self, *error: object) -> None:
        self._records.close()
