"""The thresholds of the method of multipliers, in one place."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["POLICY", "RoundsPolicy"]


@dataclass(frozen=True)
class RoundsPolicy:
    """Thresholds of rounds under constraints, each with its unit and its reason.

    Rows have the norm one where these numbers are used. `docs/constraints.md` says how they depend
    on each other. No study of its own has set any of them: a change is judged by the problems of
    ``python -m tests.attack.constraints`` and by ``benchmarks/studies/constrained.py``.

    Attributes
    ----------
    max_rounds : int
        Rounds of multipliers; where the method converges it takes a handful.
    first_gap : float
        Gap of the first run, over the range of f's tangent on the region: early multipliers are
        wrong, so that an exact run for them is wasted.
    gap_decrease : float
        Gap of a run over that of the run before, until it is `final_gap`.
    final_gap : float
        Least gap of a run, over the gap asked for: below 1, since the gap of the result also
        holds what the multipliers lack. It falls by `gap_decrease` where a run did not move x.
    violation_decrease : float
        Violation over the one of the round before; where more is left, the penalty is too small.
    penalty_increase : float
        Factor of the penalty, and its square where the violation is above `slow` of the last one.
    max_penalty : float
        Largest penalty over the first: beyond, eight digits of f are lost in the rounding of the
        penalty's term.
    penalty_gap : float
        Gap of a run, over ρ times the squared violation, up to which that violation is due to
        the penalty and not to the run.
    slow : float
        Violation, or optimality ratio, over the best before: a round that leaves more was in vain.
    max_idle_rounds : int
        Rounds in vain, in a row, before the method gives up.
    patient_rounds : int
        Rounds without `violation_decrease` before the nearest point of the region to the bounds
        is looked for, which proves infeasibility sooner than multipliers that grow.
    nearest_gap : float
        Gap of that run, over the squared feasibility tolerance.
    proof_distance : float
        Distance, over the feasibility tolerance, by which a proof must separate the region from
        the bounds while rounds go on: rows that are outside by less count as satisfied.
    nearly_feasible : float
        Violation over the size of the bounds, below which feasible points are looked for.
    min_row_change : float
        Change of a row over the region, in diameters, that the first penalty assumes at least.
    min_unit : float
        Unit of violations, over the largest row on the region: bounds near zero give no unit.
    unchanged_row : float
        Change of a row, over the unit, below which it is rounding.
    unchanged_range : float
        Range of f's tangent, over abs(f), below which it is rounding.
    stalled : float
        Relative change of the gap in a run that counts as progress.
    min_run_seconds : float
        Seconds of a run where none are left, so that its time limit is above zero.
    bound_rounding : float
        Rounding of a bound, over the sum of its terms, which is subtracted.
    proof_rounding : float
        Margin of a proof of infeasibility, over the sum of its terms.
    restore_tol : float
        Distance of a checkpoint's feasible point from the region, and of its value from the bound,
        over their sizes: another machine may round otherwise.
    violation_rounding : float
        Violation, over the size of the rows, that counts as rounding at a feasible point.
    corrected : float
        Violation, over the one that counts as rounding, from which a row is corrected: below 1, so
        that the point stays feasible once it is rounded.
    dependent : float
        Singular value, over the largest, below which tight rows depend on each other.
    sum_rounding : float
        Error of a sum of weights, over its terms.
    trace_rounding : float
        Error of a sum of diagonal entries, over the trace of the region.
    cancellation : float
        Size of terms that cancel in a row, over ‖x‖, which a row of the norm one never exceeds.
    max_corrections : int
        Least-squares steps to a feasible point; each makes a few more rows active.
    max_frame_variables : int
        Variables up to which a frame with dense sums is solved by least squares.
    max_row_entries : int
        Entries of the dense matrix of rows at atoms: 160 MB.
    inside_tol : float
        Violation of a region of an intersection up to which the caller's start is taken for it.
    dual_steps : int
        Steps of L-BFGS-B for the first multipliers; rounds go on from wherever it ends.
    dual_tol : float
        Slope of the dual of the nearest point, in units of the rows.
    max_binding_rows : int
        Binding rows up to which equations for their multipliers cost less than a round.
    round_steps : int
        Steps of a run over large matrices: multipliers move often, since factors are cheap.
    first_products : int
        Products with a vector in a search for an eigenvector within the first runs.
    products_increase : int
        Factor of these where a bound does not improve: short searches may miss the least
        eigenvalue.
    max_products : int
        Products in the search that makes a bound, and at most in any.
    bound_error : float
        Error that such a search may leave, over the gap that is to be shown.
    tangent_gap : float
        Distance of the Lagrangian from the best feasible value, over the gap asked for, up to which
        a bound is made although the point is not feasible.
    ratio_decrease : float
        Optimality ratio over the best before, that a bound must reach: else searches grow longer.
    max_quick_entries : int
        Entries of a matrix up to which an atom is found by decomposing it in full (200 rows).
    max_hard_entries : int
        The same once short searches have failed (1000 rows).
    max_full_entries : int
        The same for a bound (3000 rows).
    max_tired_searches : int
        Bounds in a row without `ratio_decrease`, before rounds over matrices end.
    """

    max_rounds: int = 60
    first_gap: float = 1e-2
    gap_decrease: float = 0.1
    final_gap: float = 0.25
    violation_decrease: float = 0.25
    penalty_increase: float = 10.0
    max_penalty: float = 1e8
    penalty_gap: float = 0.1
    slow: float = 0.9
    max_idle_rounds: int = 12
    patient_rounds: int = 4
    nearest_gap: float = 0.25
    proof_distance: float = 1e-2
    nearly_feasible: float = 0.03
    min_row_change: float = 1e-3
    min_unit: float = 1e-4
    unchanged_row: float = 1e-12
    unchanged_range: float = 1e-12
    stalled: float = 1e-12
    min_run_seconds: float = 1e-3
    bound_rounding: float = 1e-14
    proof_rounding: float = 1e-12
    restore_tol: float = 1e-6
    violation_rounding: float = 1e-11
    corrected: float = 0.1
    dependent: float = 1e-12
    sum_rounding: float = 1e-13
    trace_rounding: float = 1e-12
    cancellation: float = 1e-3
    max_corrections: int = 6
    max_frame_variables: int = 10_000
    max_row_entries: int = 20_000_000
    inside_tol: float = 1e-9
    dual_steps: int = 500
    dual_tol: float = 1e-12
    max_binding_rows: int = 100
    round_steps: int = 8
    first_products: int = 60
    products_increase: int = 4
    max_products: int = 1500
    bound_error: float = 0.25
    tangent_gap: float = 0.5
    ratio_decrease: float = 0.5
    max_quick_entries: int = 40_000
    max_hard_entries: int = 1_000_000
    max_full_entries: int = 9_000_000
    max_tired_searches: int = 4


POLICY = RoundsPolicy()
