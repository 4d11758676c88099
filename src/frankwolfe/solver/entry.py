"""`minimize`: the entry point of the library."""

from __future__ import annotations

import math
from functools import reduce
from operator import or_
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

from frankwolfe.base.arrays import Point
from frankwolfe.base.checks import at_least_one, finite_vector, number, quiet
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.problem import Problem
from frankwolfe.methods.base import Method
from frankwolfe.methods.default import best_for, named
from frankwolfe.objectives import Function, Objective
from frankwolfe.objectives.compact import compacted
from frankwolfe.objectives.function import UserFunction
from frankwolfe.regions import Region
from frankwolfe.solver.callbacks import Callbacks
from frankwolfe.solver.checkpoint import check_resume
from frankwolfe.solver.loop import solve
from frankwolfe.solver.result import Result
from frankwolfe.solver.stopping import (
    Gap,
    Iterations,
    RelativeGap,
    Seconds,
    Spent,
    Stalled,
    StoppingRule,
    checked_rule,
    is_time_limit,
)

if TYPE_CHECKING:
    from frankwolfe.apps.constraints import Affine, Intersection, Options

__all__ = ["minimize"]

DEFAULT_TOL = 1e-6  # gap over the size of f
DEFAULT_MAX_ITER = 10_000  # steps


Constraints: TypeAlias = Any
"""`Affine`, scipy's LinearConstraint (which has no type), a list of these, or None."""


def minimize(
    objective: Objective | UserFunction,
    region: Region | Intersection,
    *,
    x0: Point = None,
    method: Method | str | None = None,
    jac: UserFunction | bool | None = None,
    tol: float | Gap | None = None,
    max_iter: int | None = None,
    stop: StoppingRule | None = None,
    callback: Callbacks = None,
    resume: str | PathLike[str] | None = None,
    subject_to: Constraints = None,
    check_gradient: bool = True,
) -> Result:
    """Minimize a smooth function over a convex region, without projections.

    Parameters
    ----------
    objective : Objective or callable
        ``Logistic``, ``SquaredError``, ``Huber``, ``Quadratic``, ``Completion``, ``Poisson``,
        ``LogPortfolio``, ``DOptimal``, ``Function``, or a plain function with its gradient in
        `jac`, as in scipy. A plain function is taken to be convex and finite everywhere; use
        ``Function(..., convex=False)`` or ``Function(..., domain=...)`` where it is not.
    region : Region
        One of :data:`frankwolfe.regions.REGIONS` or `MATRIX_REGIONS` there, such as
        ``L2Ball(1.0)``, ``Simplex()``, ``Polytope(A_ub, b_ub)`` or ``NuclearBall(10.0)``;
        ``Product`` or ``Intersection`` of several, or ``OracleRegion`` for a linear minimization
        oracle of your own.
    x0 : array, optional
        A start in the region; the region's own by default. The `active_set` of an earlier
        result lets methods that keep atoms go on from these.
    method : method or str, optional
        One of :data:`frankwolfe.methods.METHODS` by name, such as "blended_pairwise", its function
        with parameters, such as ``jacobi(2.0, 2.0)``, or a ``FrankWolfe`` of your own. By
        default the method is chosen by what the objective and the region say of themselves:
        see :func:`frankwolfe.methods.default.best_for`.
    jac : callable or True
        The gradient of a plain function; True where the function returns (value, gradient).
    tol : float or Gap
        Stop when the certified gap is at most `tol` times the size of f, 1e-6 by default:
        times ``|f(x)|``, or less where f changes by less over the region, or a thousandth of what f
        has fallen where f goes to zero (`RelativeGap`). So it asks for the same digits in
        every unit. ``tol=Gap(1e-9)`` is a tolerance in the units of f.
    max_iter : int
        Stop after so many steps; 10,000 by default.
    stop : StoppingRule, optional
        A stopping rule of your own instead, such as ``Gap(1e-8) | Seconds(10)`` or
        ``Iterations(500)``; `tol` and `max_iter` then count only if they are given too. A limit
        of time alone, ``Seconds(10)``, comes beside the tolerance, with no limit of steps but a
        `max_iter` that is given. A run that meets its tolerance has converged, whatever else
        ended it. With `subject_to` only ``Seconds``, beside `tol` and `max_iter`.
    callback : Callback, callable, or several of them
        ``Progress()``, ``Checkpoint(path)``, ``Trace()``, a `Callback` of your own, or
        a function, which is called with the run (``run.state``, ``run.history``) after every
        step.
    resume : str or path-like, optional
        A file of :class:`~frankwolfe.Checkpoint`, of the same problem and method, to go on from.
    subject_to : Affine, scipy.optimize.LinearConstraint, or a list of these, optional
        Linear constraints beside the region, such as ``Affine(A, b)`` or
        ``Affine(A, lower, upper)``, for a convex f. The result is a `ConstrainedResult`:
        `lower_bound` is one on f under the constraints, `infeasibility` says how far x is from
        them, and `feasible_x` is a point that satisfies them to rounding, where one was found.

    check_gradient : bool
        True to compare the gradient of a plain function with differences of its values.

    Returns
    -------
    Result
        With ``x``, ``fun``, ``gap``, ``certified``, ``success``, ``status``, ``message``,
        ``nit``, ``history`` and more. Ctrl-C ends the run early and returns the best point.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> A, b = rng.standard_normal((50, 10)), rng.standard_normal(50)
    >>> result = fw.minimize(fw.SquaredError(A, b), fw.L2Ball(0.1), tol=1e-8)
    >>> result.success, result.certified, bool(result.gap <= 1e-8)
    (True, True, True)
    >>> result = fw.minimize(lambda x: x @ x, fw.Simplex(), jac=lambda x: 2 * x, x0=[1.0, 0, 0])
    >>> result.x.round(3)
    array([0.333, 0.333, 0.333])
    >>> few = fw.minimize(fw.SquaredError(A, b), fw.Simplex(), tol=1e-8,
    ...                   subject_to=fw.Affine(np.eye(10)[:2], 0.0, 0.1))
    >>> few.success, few.infeasibility <= 1e-8, abs(few.gap) <= 1e-8
    (True, True, True)
    """
    # apps are above this room; this import is declared in pyproject.toml
    from frankwolfe.apps.constraints import Intersection, constrained, in_all, unconstrained

    f = _objective(objective, jac, x0)
    if isinstance(f, Function) and not check_gradient:
        f = f.unchecked()
    rows = None if subject_to is None else _rows(subject_to, f, region)
    if isinstance(region, Intersection):
        options = _options(method, tol, max_iter, stop, callback, resume)
        return in_all(f, region, options, rows, x0)
    if rows is not None and not rows.vacuous:
        options = _options(method, tol, max_iter, stop, callback, resume)
        return constrained(Problem(f, region), rows, options, x0)
    if subject_to is not None:  # nothing is constrained, but the caller expects that kind of result
        plain = minimize(
            f,
            region,
            x0=x0,
            method=method,
            tol=tol,
            max_iter=max_iter,
            stop=stop,
            callback=callback,
            resume=resume,
        )
        return unconstrained(plain, rows)
    problem = Problem(compacted(f, region), region)
    rule = _rule(tol, max_iter, stop)
    with quiet():  # which evaluates bounds that may overflow
        chosen = best_for(problem) if method is None else method
    chosen = named(chosen) if isinstance(chosen, str) else chosen
    patience: int = getattr(chosen, "patience", 0)  # methods of the caller's may have none
    if stop is None or is_time_limit(stop):
        rule = rule | (Stalled(patience=patience, tolerance=1e-12) if patience else Spent())
    return solve(problem, chosen, rule, x0=x0, callback=callback, resume=resume)


def _rows(given: Constraints, f: Objective, region: Region | Intersection) -> Affine | None:
    """The constraints as one `Affine`; None if the caller's list is empty."""
    from frankwolfe.apps.constraints import Affine, Intersection, sized

    if isinstance(given, (list, tuple)) and not given:
        return None
    if isinstance(region, Intersection):
        return Affine.of(given, sized(f).n)
    return Affine.of(given, Problem(f, region).n)


def _options(
    method: Method | str | None,
    tol: float | Gap | None,
    max_iter: int | None,
    stop: StoppingRule | None,
    callback: Callbacks,
    resume: str | PathLike[str] | None,
) -> Options:
    """The caller's options under constraints, checked."""
    from frankwolfe.apps.constraints import Options

    check_resume(resume)
    method = named(method) if isinstance(method, str) else method
    if stop is not None and not isinstance(stop, Seconds):
        raise InvalidInput(
            f"with subject_to a run ends by tol, max_iter and stop=Seconds(...), got {stop!r}."
        )
    if isinstance(tol, Gap):
        raise InvalidInput("with subject_to tol is a number, relative to f, got a Gap.")
    return Options(
        method,
        number("tol", DEFAULT_TOL if tol is None else tol, low=0.0),
        at_least_one("max_iter", DEFAULT_MAX_ITER if max_iter is None else max_iter),
        seconds=math.inf if stop is None else stop.limit,
        callback=callback,
        resume=resume,
    )


def _objective(
    objective: Objective | UserFunction, jac: UserFunction | bool | None, x0: Point
) -> Objective:
    """The objective; a plain function is wrapped, with as many variables as x0."""
    if isinstance(objective, Objective):
        if jac is not None:
            raise InvalidInput("jac goes with a plain function; this objective has its own.")
    elif callable(objective):
        if jac is None:
            raise InvalidInput(
                "jac is missing: pass the gradient as jac=..., or jac=True where the function "
                "returns (value, gradient)."
            )
        objective = Function(objective, jac)
    if isinstance(objective, Function) and x0 is not None:
        objective = objective.bound(finite_vector("x0", x0).size)
    return objective


def _rule(tol: float | Gap | None, max_iter: int | None, stop: StoppingRule | None) -> StoppingRule:
    """The stopping rule by tol, max_iter and stop, with their defaults."""
    rules: list[StoppingRule] = [] if stop is None else [checked_rule(stop)]
    if stop is None or is_time_limit(stop):
        tol = DEFAULT_TOL if tol is None else tol
    if stop is None:
        max_iter = DEFAULT_MAX_ITER if max_iter is None else max_iter
    if tol is not None:
        rules.append(tol if isinstance(tol, Gap) else RelativeGap(number("tol", tol, low=0.0)))
    if max_iter is not None:
        rules.append(Iterations(at_least_one("max_iter", max_iter)))
    return reduce(or_, rules)
