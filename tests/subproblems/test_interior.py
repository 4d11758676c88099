"""The system of a step along the path, against the same equations written out."""

from __future__ import annotations

import numpy as np
import pytest

from frankwolfe.base.kernels import losses
from frankwolfe.base.kernels.terms import HUBER, LOGISTIC, SQUARED
from frankwolfe.core.conjugate_function import ConjugateFunction
from frankwolfe.core.standard_form.form import ball, between, cells, grouped, split, summed
from frankwolfe.core.standard_form.lifting import mirrored, plain
from frankwolfe.subproblems.interior.system import Equations, NewtonSystem, Sides


def _matrix(of: Equations) -> np.ndarray:
    """All equations as one matrix."""
    size, m, k, q = of.D.size, of.E.size, of.E_R.size, of.U.shape[1]
    T = of.layout.gather_rows(np.eye(size)).T
    H = np.zeros((T.shape[0], T.shape[0])) if of.H is None else of.H
    zero = np.zeros
    return np.block(
        [
            [np.diag(of.D) + T.T @ H @ T, (of.G @ T).T, of.R.T, zero((size, q))],
            [of.G @ T, -np.diag(of.E), zero((m, k)), of.U],
            [of.R, zero((k, m)), -np.diag(of.E_R), zero((k, q))],
            [zero((q, size)), of.U.T, zero((q, k)), zero((q, q))],
        ]
    )


@pytest.mark.parametrize("two", [False, True])
@pytest.mark.parametrize("m", [4, 30])
@pytest.mark.parametrize("bent", [False, True])
def test_a_move_solves_the_equations_by_rows_and_by_variables(two, m, bent):
    rng = np.random.default_rng([m, two, bent])
    n, q = 8, 2
    layout = mirrored(n, 2 * n + 1) if two else plain(n, n + 1)
    B = rng.standard_normal((n, n))
    of = Equations(
        layout,
        rng.standard_normal((m, n)) * 10.0 ** rng.uniform(-3, 3, n),
        np.vstack([np.ones(layout.size), rng.standard_normal(layout.size)]),
        rng.standard_normal((m, q)),
        10.0 ** rng.uniform(-4, 4, layout.size),
        10.0 ** rng.uniform(-2, 2, m),
        np.array([0.0, 0.5]),
        B @ B.T if bent else None,
    )
    right = Sides(*(rng.standard_normal(v.size) for v in (of.D, of.E, of.E_R, np.empty(q))))
    move = NewtonSystem(of).solve(right)
    left = _matrix(of) @ np.concatenate(move)
    np.testing.assert_allclose(left, np.concatenate(right), atol=1e-7)
    np.testing.assert_allclose(left, np.concatenate(of.left(move)), atol=1e-7)


@pytest.mark.parametrize(
    "frame",
    [
        between(np.array([-1.0, 2.0, 3.0]), np.array([1.0, 2.0, 5.0])),
        summed(4, np.inf, 2.0, slack=False),
        summed(4, 1.0, 2.0, slack=True),
        split(3, 1.0, 2.0, np.ones(3)),
        cells(np.ones(3), np.ones(3)),
        ball(3, 1.3, 0.7),
        ball(3, 4.0, 0.7),
        grouped([np.array([0, 2]), np.array([1])], 3.0),
    ],
)
def test_a_frame_starts_inside_and_has_its_sums(frame):
    y = frame.start
    assert (y > frame.lower).all()
    assert (y < frame.upper).all()
    np.testing.assert_allclose(frame.equations @ y, frame.totals, rtol=1e-14)
    assert all(one.at(y)[0] < 0.0 for one in frame.balls)
    assert frame.plan.gather(y).size == len(frame.atoms)


@pytest.mark.parametrize("place", [0, 1])
def test_derivatives_of_balls_and_cones_are_those_of_their_functions(place):
    frame = [ball(3, 3.0, 0.7), grouped([np.array([0, 1, 2])], 1.0)][place]
    one, rng = frame.balls[0], np.random.default_rng(1)
    y, d = frame.start + 0.05 * rng.random(frame.start.size), rng.standard_normal(frame.start.size)
    step = 1e-5
    values = [one.at(y + t * d)[0] for t in (-step, 0.0, step)]
    _, first, second = one.at(y)
    assert (values[2] - values[0]) / (2 * step) == pytest.approx(first @ d, rel=1e-6)
    H = np.diag(second)
    if place == 1:
        one.add_curvature(y, 1.0, H)
    bend = (values[2] - 2.0 * values[1] + values[0]) / step**2
    assert bend == pytest.approx(d @ H @ d, rel=1e-4)


@pytest.mark.parametrize("code", [LOGISTIC, SQUARED, HUBER])
def test_the_place_of_a_slope_is_where_the_loss_has_it(code):
    rng = np.random.default_rng(code)
    b = np.sign(rng.standard_normal(6)) if code == LOGISTIC else rng.standard_normal(6)
    weight, delta = rng.uniform(0.5, 2.0, 6), (0.3, 0.9)
    z = b + rng.uniform(-0.25, 0.25, 6) if code == HUBER else rng.standard_normal(6)
    slope, bend = np.empty(6), np.empty(6)
    losses.linearize(code, delta, z, b, weight, slope)
    losses.curvature(code, delta, z, b, weight, bend)
    terms = ConjugateFunction(code, delta, b, weight)
    low, high = terms.bounds()
    places, rate = terms.places(slope, slope - low, high - slope)
    np.testing.assert_allclose(places, z, rtol=1e-9)
    np.testing.assert_allclose(rate, 1.0 / bend, rtol=1e-9)
