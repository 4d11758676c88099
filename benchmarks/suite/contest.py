"""One timed run of one contestant on one problem."""

from __future__ import annotations

from time import perf_counter

from peers import Budget, Solver

from suite.problem import Problem
from suite.reading import ACCURACIES, Run


def budget_of(solver: Solver, problem: Problem, amount: float, seconds: float) -> Budget:
    """The budget; for a target, `amount` is the accuracy."""
    if solver.budget == "iterations":
        return Budget(iterations=int(amount), seconds=seconds)
    if solver.budget == "tolerance":
        return Budget(tolerance=amount, seconds=seconds)
    return Budget(target=problem.target(amount), seconds=seconds)


def timed(
    solver: Solver, problem: Problem, amount: float, seconds: float
) -> tuple[Run, dict[str, int]]:
    """Run once; f is evaluated after the clock has stopped."""
    budget = budget_of(solver, problem, amount, seconds)
    passes = problem.passes
    began = perf_counter()
    x = solver.run(problem, budget)
    taken = perf_counter() - began
    counts = dict(budget.counts)
    if problem.passes > passes:  # the solver calls the problem's own function
        counts.setdefault("gradients", problem.passes - passes)
    if solver.budget == "iterations":
        counts.setdefault("iterations", int(amount))
    return Run(amount, taken, problem.relative(x)), counts


def first_call(solver: Solver, problem: Problem, seconds: float) -> float:
    """Import, preparation, compilation and one run with the smallest budget."""
    began = perf_counter()
    solver.prepare(problem)
    smallest = {"iterations": 1.0, "target": ACCURACIES[0], "tolerance": solver.tolerances[0]}
    timed(solver, problem, smallest[solver.budget], seconds)
    return perf_counter() - began
