"""A corrective method for matrix completion: oracle and local search take turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import OwnSteps, check_accepted
from frankwolfe.methods.matrix.local_search import FactorLoss, lbfgs, unweighed, weighed
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.blas import one_thread
from frankwolfe.numerics.checks import at_least_one
from frankwolfe.numerics.gradients import MatrixGradient
from frankwolfe.numerics.low_rank import FactoredMatrix, as_rows, thin_svd
from frankwolfe.numerics.memory import Memory
from frankwolfe.objectives import Objective
from frankwolfe.regions.abilities import Factoring
from frankwolfe.regions.matrices.rescaled import RescaledGradient

__all__ = ["Hybrid", "hybrid"]

POWERS = 3  # of G'G in the subspace iteration for the leading singular vectors


@dataclass(frozen=True)
class Hybrid(OwnSteps):
    """See :func:`hybrid`."""

    local_steps: int
    block: int
    name: str = "hybrid FW with local search"
    reference: str = references.LAUE
    patience = 20
    oracle = Exact(calls_between=0)

    def accepts(self, problem: Problem) -> str | None:
        """None for completion over a nuclear ball or a spectraplex."""
        if problem.objective.most_terms and problem.region.factoring is not None:
            return None
        return (
            "the hybrid method needs a Completion objective over a NuclearBall or a Spectraplex; "
            "use frank_wolfe, jacobi or afw elsewhere."
        )

    def init(self, problem: Problem, x0: Any = None) -> State:
        check_accepted(self, problem)
        with one_thread():
            return self.begin(problem, problem.start(x0), Memory())

    def advance(self, state: State) -> None:
        """New atoms by a line search, a local search on the factors, then evaluate."""
        objective, form = state.problem.objective, state.problem.region.factoring
        assert form is not None
        with one_thread():
            x = self._with_atoms(state, objective, form)
            x = self._searched(state, objective, form, x)
            state.iterate.jump(x)
            state.k += 1
            self.evaluate(state)

    def _with_atoms(self, state: State, objective: Objective, form: Factoring) -> FactoredMatrix:
        """X after a line search toward a mixture of the gradient's leading atoms."""
        leading = _leading_symmetric if form.symmetric else _leading
        g = objective.covector(state.gradient)
        if form.rows is not None and form.columns is not None:
            g = RescaledGradient(g, form.rows, form.columns)
        u, s, v = leading(g, self.block)
        # an atom leads downhill where its slope R sigma + <G, X> is positive
        slope = np.maximum(form.most * s + state.above, 0.0)
        if slope.sum() == 0.0:
            return state.iterate.here()  # type: ignore[no-any-return]
        count = int((slope > 0.0).sum())  # the first ones: slopes fall
        share = slope[:count] / slope.sum()
        mixture = weighed(FactoredMatrix(u[:count], form.most * share, v[:count]), form)
        objective.image(mixture, state.atom_image)
        gamma = state.step = state.line_search(state.atom_image - state.iterate.image, 1.0)
        now = state.iterate.here()
        return FactoredMatrix(
            np.vstack([now.left, mixture.left]),
            np.concatenate([(1.0 - gamma) * now.weights, gamma * mixture.weights]),
            np.vstack([now.right, mixture.right]),
        )

    def _searched(
        self, state: State, objective: Objective, form: Factoring, x: FactoredMatrix
    ) -> FactoredMatrix:
        """X after the local search on its factors, with terms of no weight dropped."""
        svd, cut = unweighed(x, form).compressed(objective.most_terms)
        state.cuts += cut
        if not svd.terms:
            return weighed(svd, form)
        loss = FactorLoss(objective, form, svd)
        small = 0.002 * max(state.shown, 1e-12 * abs(state.value))
        start = loss.flat(svd).astype(objective.dtype)
        found, steps = lbfgs(loss, start, self.local_steps, small, place=objective.place)
        state.gradient_calls += steps
        tau, _ = loss.scale(found)
        u, v = loss.matrices(found)
        dense = FactoredMatrix(
            as_rows(u.T, objective.dtype),
            np.full(svd.terms, tau),
            as_rows(v.T, objective.dtype),
        )
        clean, _ = dense.compressed()
        count = int((clean.weights > 1e-9 * clean.weights[0]).sum())  # they fall
        left, weights, right = clean.left[:count], clean.weights[:count], clean.right[:count]
        if form.exact:
            weights = weights * (form.most / weights.sum())
        thin = FactoredMatrix(left, weights, left.copy() if form.symmetric else right)
        return weighed(thin, form)


def _leading(g: MatrixGradient, count: int) -> tuple[Array, Array, Array]:
    """Leading singular vectors, one a row, and values of minus a sparse gradient, roughly."""
    rows, columns = g.shape
    if min(rows, columns) <= count + 1:
        u, s, vt = np.linalg.svd(g.dense(), full_matrices=False)
        return g.place.put(-u.T[:count]), s[:count], g.place.put(vt[:count].copy())
    width = min(count + 5, rows, columns)
    image = g.place.empty((rows, width), g.dtype)
    # a fixed seed: a resumed run is the same; rough vectors do, the local search mends them
    noise = np.random.default_rng(0).standard_normal((columns, width)).astype(g.dtype)
    block = g.place.put(noise)
    for _ in range(POWERS):
        g.apply_block(block, image)
        g.adjoint_block(image, block)
        block = as_rows(np.linalg.qr(block)[0], g.dtype)
    g.apply_block(block, image)
    u, s, wt = thin_svd(image)
    return -u.T[:count], s[:count], (g.place.put(wt) @ block.T)[:count].copy()


def _leading_symmetric(g: MatrixGradient, count: int) -> tuple[Array, Array, Array]:
    """Leading eigenvectors, twice, and values of minus the symmetric part of a gradient, roughly.

    A subspace iteration with powers of it plus a multiple of the identity that makes it positive.
    """
    n = g.shape[0]
    if n <= count + 1:
        full = g.dense()
        values, vectors = np.linalg.eigh(-0.5 * (full + full.T))
    else:
        noise = np.random.default_rng(0).standard_normal((n, min(count + 5, n))).astype(g.dtype)
        block = g.place.put(noise)
        there, back = np.empty_like(block), np.empty_like(block)
        lift = g.frobenius()
        for _ in range(2 * POWERS + 1):
            block = as_rows(np.linalg.qr(block)[0], g.dtype)
            g.apply_block(block, there)
            g.adjoint_block(block, back)
            image = -0.5 * (there + back)
            basis, block = block, image + lift * block
        values, turn = np.linalg.eigh(g.place.get(basis.T @ image))
        vectors = basis @ g.place.put(turn)
    vectors = g.place.put(as_rows(vectors[:, ::-1][:, :count].T, vectors.dtype))
    return vectors, values[::-1][:count], vectors


def hybrid(local_steps: int = 200, block: int = 20) -> Hybrid:
    r"""Frank-Wolfe with a local search on the factors, for matrix completion.

    .. code-block:: text

        for k = 0, 1, ...
            leading singular pairs of the gradient  ->  a mixture of atoms
            line search from X toward it            ->  X
            quasi-Newton on U, V with X = tau U V'  ->  X     (tau keeps it in the region)
            one oracle call                         ->  certified gap

    The oracle sees whether the local search has found the optimum of the convex problem, and
    gives the next directions where it has not. Over a spectraplex the pairs are eigenvectors,
    and V is U.

    Parameters
    ----------
    local_steps : int
        Most quasi-Newton steps between oracle calls.
    block : int
        Singular pairs added at once.

    References
    ----------
    S. Laue, *A Hybrid Algorithm for Convex Semidefinite Optimization*, ICML 2012; X. Zhang,
    Y. Yu and D. Schuurmans, *Accelerated Training for Matrix-norm Regularization*, NIPS 2012.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> rows, columns = np.nonzero(rng.random((30, 20)) < 0.5)
    >>> truth = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 20))
    >>> f = fw.Completion((rows, columns, truth[rows, columns]), loss="squared")
    >>> result = fw.minimize(f, fw.NuclearBall(30.0), method=fw.hybrid(), tol=1e-8)
    >>> result.success, result.certified
    (True, True)
    """
    return Hybrid(at_least_one("local_steps", local_steps), at_least_one("block", block))
