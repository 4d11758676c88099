"""Standard form of a problem for interior points: the loss over the region's standard form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.kernels.terms import SQUARED
from frankwolfe.core.conjugate_function import ConjugateFunction
from frankwolfe.core.objective_abilities import SecondOrder
from frankwolfe.core.problem import Problem
from frankwolfe.core.products import as_columns
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.objectives import Objective
from frankwolfe.subproblems.interior.inside import Curved, Program

__all__ = ["program_of"]

EPS = 2.0**-52  # of double precision: eigenvalues below n eps of the largest are rounding


def program_of(problem: Problem, frame: StandardForm) -> Program:
    """Write the loss over the frame: by its convex conjugate, as squares, or by derivatives."""
    objective, points = problem.objective.here(), as_columns(frame.atoms, problem.n)
    second = objective.second_order
    assert second is not None  # `accepts` has asked
    images = second.images(frame.atoms)
    F = np.asarray(images.toarray() if is_sparse(images) else images, dtype=np.float64)
    terms = objective.conjugate()
    if terms is None and objective.quadratic:
        return _squares(objective, second, points, frame)
    if terms is None:
        curved = _curved(objective, second, F)
        rows = np.empty((0, F.shape[1]))
        empty = np.empty(0)
        linear = np.zeros(F.shape[1])
        none = np.empty((0, 0))
        return Program(frame, points, _image(objective), rows, none, linear, None, curved, empty)
    loss, free = terms
    there = loss.weight > 0.0
    loss = ConjugateFunction(loss.code, loss.delta, loss.b[there], loss.weight[there])
    start = np.asarray(points @ frame.plan.gather(frame.start))
    first = objective.new_image()
    z = _image(objective)(start if frame.center is None else start + frame.center)
    objective.linearize(z.astype(objective.dtype), first)

    def image(x: Array) -> Array:
        return _image(objective)(x)[there]

    slopes = first[there].astype(np.float64)
    linear = np.zeros(F.shape[1])
    return Program(frame, points, image, F[there], free[there], linear, loss, None, slopes)


def _squares(
    objective: Objective, second: SecondOrder, points: Matrix, frame: StandardForm
) -> Program:
    """Write a quadratic as squares and a linear term: H = B'B, each column in its own unit.

    Units first: eigenvectors of columns of very different sizes would lose the small ones.
    """
    zero, slope = objective.zero_image(), objective.new_image()
    c = np.empty(objective.n, dtype=objective.dtype)
    objective.evaluate(zero, slope, c)
    H = np.asarray(second.full_hessian(zero), dtype=np.float64)
    units = np.sqrt(np.maximum(np.diagonal(H), 0.0))
    over = 1.0 / np.where(units > 0.0, units, 1.0)
    values, vectors = np.linalg.eigh(0.5 * (H + H.T) * over[:, None] * over)
    there = values > EPS * objective.n * float(values[-1])
    B = np.sqrt(values[there])[:, None] * vectors[:, there].T * units
    start = np.asarray(points @ frame.plan.gather(frame.start))
    start = start if frame.center is None else start + frame.center
    loss = ConjugateFunction(SQUARED, 1.0, np.zeros(B.shape[0]), np.ones(B.shape[0]))
    linear = np.asarray(points.T @ c.astype(np.float64))
    free, rows = np.empty((B.shape[0], 0)), np.asarray((points.T @ B.T).T)
    return Program(frame, points, lambda x: B @ x, rows, free, linear, loss, None, B @ start)


def _image(objective: Objective) -> Callable[[Array], Array]:
    """Function x -> Ax, in double precision."""

    def image(x: Array) -> Array:
        z = objective.new_image()
        objective.image(x.astype(objective.dtype), z)
        return z.astype(np.float64)

    return image


def _curved(objective: Objective, second: SecondOrder, F: Array) -> Curved:
    """Function of the coefficients, with gradient and Hessian, for the loss f."""

    def image(x: Array) -> Array:
        return _image(objective)(x).astype(objective.dtype)

    def gradient(x: Array) -> Array:
        z = image(x)
        slope = np.empty_like(z)
        objective.linearize(z, slope)
        return np.asarray(F.T @ slope, dtype=np.float64)

    def hessian(x: Array) -> Array:
        H = second.hessian(image(x), F, F)
        return 0.5 * (H + H.T)

    return Curved(lambda x: objective.value(image(x)), gradient, hessian, objective.quadratic)
