"""The benchmark: this library and others on ten problems, in one run; see README.md.

    python benchmarks/bench.py [--data FOLDER] [--quick] [--problems P1 P4] [--solvers copt]
    python benchmarks/bench.py --report     # tables, plots and claims from what is saved

Everything runs on one thread of one core: the script starts itself anew with that environment.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter

from suite.facts import THREADS, keep_to_one_thread, pin

STUDIES = Path(__file__).parent / "studies"
WHAT = (__doc__ or "").splitlines()[0]


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=WHAT)
    parser.add_argument("--data", type=Path, help="folder with duke.xz, a9a.xz, ml-100k/u.data")
    parser.add_argument("--quick", action="store_true", help="short limits, to try it out")
    parser.add_argument("--problems", nargs="+")
    parser.add_argument("--solvers", nargs="+", help="words in their names")
    parser.add_argument("--cap", type=float, help="seconds that one run may take")
    parser.add_argument("--free", action="store_true", help="do not stay on one core")
    parser.add_argument("--out", type=Path, help="results/bench by default")
    parser.add_argument("--report", action="store_true", help="only report what is saved")
    return parser.parse_args()


def _one(pipe: Connection, name: str, given: argparse.Namespace) -> None:
    """Measure a problem, in a process of its own."""
    from peers import solvers
    from suite.measure import Limits, measure

    limits = Limits()
    if given.quick:
        limits = Limits(cap=5.0, multiple=20.0, least=2.0, share=0.3, optimum=10.0, completion=20.0)
    if given.cap:
        limits = replace(limits, cap=given.cap)
    began = perf_counter()

    def say(text: str) -> None:
        print(f"[{perf_counter() - began:6.1f} s] {text}", flush=True)

    pipe.send(measure(name, given.data, solvers(given.solvers), limits, say))


def run(given: argparse.Namespace) -> None:
    """All problems, one after the other; what is done is saved at once."""
    from problems import NAMES, TITLES, missing
    from suite.store import FOLDER, save

    folder = given.out or FOLDER
    problems, rows = [], []
    fork = multiprocessing.get_context("fork")
    for name in given.problems or NAMES:
        why = missing(name, given.data)
        if why:
            print(f"{name} is left out: {why}.")
            problems.append({"problem": name, "title": TITLES[name], "left out": why})
            continue
        here, there = fork.Pipe(duplex=False)
        process = fork.Process(target=_one, args=(there, name, given))
        process.start()
        there.close()
        try:
            problem, found = here.recv()
        except EOFError:
            problem, found = {"problem": name, "title": TITLES[name], "left out": "it failed"}, []
        process.join()
        problems.append(problem)
        rows += found
        save("problems", problems, folder)
        save("solvers", rows, folder)


def _scale(given: argparse.Namespace) -> None:
    """Large data, on all cores and with the threads that a user would have."""
    extra = ["--out", str(given.out)] * bool(given.out) + ["--quick"] * given.quick
    extra += ["--data", str(given.data)] * bool(given.data)
    environment = {name: value for name, value in os.environ.items() if name not in THREADS}
    command = [sys.executable, str(STUDIES / "scale.py"), *extra]
    done = subprocess.run(command, check=False, env=environment)
    if done.returncode:
        print("scale.py failed: what it had not saved is missing from the report.")


def main() -> None:
    """Run and report."""
    given = options()
    keep_to_one_thread()
    if not given.report:
        if not given.free:
            pin()
        run(given)
        extra = ["--out", str(given.out)] * bool(given.out) + ["--rounds", "5"] * given.quick
        extra += ["--free"] * given.free
        subprocess.run([sys.executable, str(STUDIES / "per_iteration.py"), *extra], check=True)
        _scale(given)
    from suite.report import report

    print(report(given.out))


if __name__ == "__main__":
    main()
