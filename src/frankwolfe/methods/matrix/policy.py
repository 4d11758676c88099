"""Thresholds of the methods for matrices."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["POLICY", "MatrixPolicy"]


@dataclass(frozen=True)
class MatrixPolicy:
    """Thresholds of the hybrid, the in-face and the interior-point method for matrices.

    Attributes
    ----------
    steps_before_newton : int
        Quasi-Newton steps where few terms are new and Newton's follow.
    refresh : int
        Quasi-Newton steps after which factors are singular vectors again: the scaling fits.
    pairs : int
        Pairs of quasi-Newton steps that are kept: more cost as much as a sweep of the cells.
    search_progress : float
        Share of what a search has gained that `refresh` steps have to add; else it ends.
    growth : int
        New terms at most, over those that X has.
    newton_growth : float
        New terms over those that X has, up to which Newton steps follow.
    min_decrease : float
        Decrease over |f|; less is rounding.
    face_refresh : int
        In-face steps after which X is decomposed and z = Ax computed again.
    min_diagonal_share, min_diagonal : float
        Least diagonal of the Hessian: a share of its mean, for rows without cells, and positive.
    min_singular_value : float
        Singular value over the largest; terms below it are dropped.
    products : int
        Vectors times powers of G'G in a subspace iteration.
    min_powers, max_powers : int
        Powers of G'G in a subspace iteration.
    oversampling : int
        Vectors in its block beyond those that are wanted.
    forcing : float
        Share of the residual that conjugate gradients may leave: the next step turns anyway.
    hessian_products : int
        Products with the Hessian in one Newton step.
    min_newton_step : float
        Share of Newton's step; a shorter one is none.
    armijo : float
        Share of the slope times the step by which a Newton step has to lower the loss.
    value_rounding : float
        Roundings in a value of the loss, in units of eps.
    newton_slope_left : float
        Share of the slope that a Newton step may leave behind (Wolfe).
    interior_rows : int
        Rows of X up to which interior points form a system in all n(n+1)/2 entries.
    boundary_share : float
        Share of the way to the end of the cone that an interior step may go: X stays definite.
    mu_decrease : float
        Factor of mu after a step of at least `long_step`: it has come close enough to the path.
    long_step : float
        Length, of Newton's step, from which an interior step is long.
    slope_left : float
        Share of the slope at the start of an interior step that its search may leave.
    trials : int
        Step sizes tried in that search.
    sum_rounding : float
        Relative rounding of sums that cancel.
    remade : int
        Times that a step shorter than `short_step` is made anew, with more curvature in cells.
    short_step : float
        Length below which an interior step is short.
    move : float
        Relative change of X in a step, up to which mu may fall too.
    stale_steps : int
        Interior steps without a smaller gap, after which the method ends.
    mu_ratio : float
        Ratio of eigenvalues of XS and mu, either way, beyond which S is made anew from X.
    """

    steps_before_newton: int = 20
    refresh: int = 20
    pairs: int = 6
    search_progress: float = 0.1
    growth: int = 2
    newton_growth: float = 0.1
    min_decrease: float = 1e-14
    face_refresh: int = 50
    min_diagonal_share: float = 1e-3
    min_diagonal: float = 1e-100
    min_singular_value: float = 1e-9
    products: int = 200
    min_powers: int = 3
    max_powers: int = 10
    oversampling: int = 5
    forcing: float = 0.1
    hessian_products: int = 120
    min_newton_step: float = 1e-3
    armijo: float = 1e-4
    value_rounding: float = 8.0
    newton_slope_left: float = 0.9
    interior_rows: int = 40
    boundary_share: float = 0.95
    mu_decrease: float = 0.3
    long_step: float = 0.9
    slope_left: float = 0.25
    trials: int = 30
    sum_rounding: float = 1e-14
    remade: int = 20
    short_step: float = 0.3
    move: float = 0.2
    stale_steps: int = 12
    mu_ratio: float = 1e8


POLICY = MatrixPolicy()
