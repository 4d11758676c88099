"""Cases in processes of their own: one that hangs, dies or eats the memory is a verdict.

A worker says what it does next before it does it, so that the parent knows what it killed.
"""

from __future__ import annotations

import contextlib
import multiprocessing as mp
import os
import sys
import time
import traceback
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
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


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    case: int | Case | None = None
    head: Record = field(default_factory=dict)
    phase: str = ""
    since: float = 0.0
    again: bool = False  # whether it has been killed over this case before

    @classmethod
    def start(cls) -> _Worker:
        context = mp.get_context("spawn")
        mine, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        return cls(process, mine)

    def give(self, case: int | Case, *, extra: bool) -> None:
        self.case, self.head, self.phase, self.since = case, {}, "making", time.monotonic()
        self.again = False
        self.pipe.send((case, extra))

    @property
    def late(self) -> bool:
        limit = JUDGING if self.phase in ("making", "building", "judging") else LIMIT + GRACE
        return self.case is not None and time.monotonic() - self.since > limit

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
        self.since = time.monotonic()
        self.head, self.phase = (what, self.phase) if word == "head" else (self.head, what)
        return None


def attack(cases: Iterable[int | Case], workers: int, *, extra: bool = True) -> Generator[Record]:
    """The records of cases, in the order in which they end."""
    for name in THREADS:
        os.environ[name] = "1"
    left = iter(cases)
    team: list[_Worker] = []
    try:
        for case in left:
            team.append(_Worker.start())
            team[-1].give(case, extra=extra)
            if len(team) == workers:
                break
        while any(worker.case is not None for worker in team):
            wait([w.pipe for w in team if w.case is not None], timeout=0.5)
            for place, worker in enumerate(team):
                record = None
                if worker.case is not None and worker.pipe.poll():
                    record = worker.heard()
                elif worker.late and worker.again:
                    record = worker.lost("over 30 s", "killed twice")
                elif worker.late:  # once more: a first call compiles, and a machine may be busy
                    case = worker.case
                    worker.end()
                    team[place] = _Worker.start()
                    team[place].give(case, extra=extra)
                    team[place].again = True
                if record is None:
                    continue
                yield record
                if record["level"] in ("hang", "died", "judge failed") and (
                    not worker.process.is_alive() or worker.late
                ):
                    worker.end()
                    team[place] = _Worker.start()
                team[place].case = None
                following = next(left, None)
                if following is not None:
                    team[place].give(following, extra=extra)
    finally:
        for worker in team:
            worker.end()
        sys.stdout.flush()


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
