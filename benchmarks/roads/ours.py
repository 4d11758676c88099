"""Assignments of this library, in processor time."""

from __future__ import annotations

import time
from typing import Any

import frankwolfe as fw
from frankwolfe.apps import traffic
from roads.networks import Problem

METHODS = ("bushes", "frank_wolfe", "conjugate_fw", "biconjugate_fw")


def warm_up(methods: Any = METHODS) -> list[str]:
    """Load the compiled code with a tiny problem; the methods that there are."""
    there = []
    for method in methods:
        try:
            traffic.equilibrium(*traffic.braess(), tol=1e-2, max_iter=20, method=method)
        except fw.InvalidInput:  # not one of this version
            continue
        there.append(method)
    return there


def solved(problem: Problem, tol: float, limit: float = 600.0) -> tuple[float, Any]:
    """Seconds of a whole call, and its answer."""
    began = time.process_time()
    answer = traffic.equilibrium(
        problem.network, problem.trips, tol=tol, max_iter=100_000, stop=fw.Seconds(limit)
    )
    return time.process_time() - began, answer


class Clock(fw.callbacks.Callback):
    """The processor time when each step has been done."""

    def __init__(self) -> None:
        self.began, self.seconds = time.process_time(), list[float]()

    def on_step(self, run: Any) -> None:
        self.seconds.append(time.process_time() - self.began)


def course(problem: Problem, method: str, tol: float, limit: float) -> tuple[list[float], Any]:
    """Seconds after each step of one run, and its answer, whose `excess` are the gaps."""
    clock = Clock()
    answer = traffic.equilibrium(
        problem.network,
        problem.trips,
        tol=tol,
        method=method,
        max_iter=10**6,
        stop=fw.Seconds(limit),
        callback=clock,
    )
    return clock.seconds, answer
