"""Hybrid method for matrix completion: oracle and local search on the factors take turns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.blas import one_thread
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.memory import Memory
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.region_abilities import Factoring
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import OwnSteps, check_accepted
from frankwolfe.methods.matrix.factor_loss import FactorLoss, unweighed, weighed
from frankwolfe.methods.matrix.leading import leading_beside
from frankwolfe.methods.matrix.newton import newton_step
from frankwolfe.methods.matrix.policy import POLICY
from frankwolfe.methods.parts.oracles import Exact
from frankwolfe.regions.matrices.rescaled import RescaledGradient
from frankwolfe.regions.matrices.spectral import Warm
from frankwolfe.subproblems.lbfgs import lbfgs

__all__ = ["Hybrid", "hybrid"]


@dataclass(slots=True)
class NewtonProgress(Memory):
    """Residuals of the first and the last Newton step, by which the next is forced."""

    first: float = 0.0
    last: float = math.inf
    good: bool = True  # the last Newton step lowered f
    added: int = 1  # terms that the last oracle call brought


@dataclass(frozen=True)
class Hybrid(OwnSteps):
    """Frank-Wolfe with a local search on the factors; made by `hybrid`."""

    local_steps: int
    block: int
    name: str = "hybrid FW with local search"
    reference: str = references.LAUE
    patience = 20
    oracle = Exact(calls_between=0)

    def accepts(self, problem: Problem) -> str | None:
        """None for completion over a nuclear ball or a spectraplex; else why not."""
        if problem.objective.factors is not None and problem.region.factoring is not None:
            return None
        return (
            "the hybrid method needs a Completion objective over a NuclearBall or a Spectraplex; "
            "use frank_wolfe, jacobi or afw elsewhere."
        )

    def init(self, problem: Problem, x0: Start = None) -> State[NewtonProgress]:
        check_accepted(self, problem)
        with one_thread():
            return self.begin(problem, problem.start(x0), NewtonProgress())

    def advance(self, state: State[NewtonProgress]) -> None:
        """Add atoms by a line search, search locally on the factors, then evaluate."""
        form = state.problem.region.factoring
        assert form is not None
        with one_thread():
            x, cut = unweighed(state.iterate.here(), form).compressed(_most_terms(state))
            state.cuts += cut
            x, added = self._with_atoms(state, form, x)
            x = self._searched(state, form, x, added)
            state.iterate.jump(weighed(x, form))
            state.k += 1
            # near the optimum these are the leading vectors of the gradient
            rows, columns = x.shape
            warm: Warm = state.oracle_memory  # type: ignore[assignment]
            warm.near = x.left if rows < columns else x.right
            self.evaluate(state)

    def _with_atoms(
        self, state: State, form: Factoring, x: FactoredMatrix
    ) -> tuple[FactoredMatrix, int]:
        """Search toward a mixture of the gradient's leading atoms; return X and their number."""
        objective = state.problem.objective
        g = objective.covector(state.gradient)
        if form.rows is not None and form.columns is not None:
            g = RescaledGradient(g, form.rows, form.columns)
        progress: NewtonProgress = state.memory
        warm: Warm = state.oracle_memory  # type: ignore[assignment]
        many = 0 if progress.added <= POLICY.newton_growth * x.terms else POLICY.growth * x.terms
        found = leading_beside(g, x, form, max(self.block, many), warm.vector)
        # an atom leads downhill where its slope R sigma + <G, X> is positive
        slope = np.maximum(form.most * found.values + state.above, 0.0)
        least = POLICY.min_decrease * abs(state.value)
        count = int((slope > least).sum())  # the first ones: slopes fall
        progress.added = count
        if not count:
            return x, 0
        share = slope[:count] / slope[:count].sum()
        atoms = FactoredMatrix(found.left[:count], form.most * share, found.right[:count])
        objective.image(weighed(atoms, form), state.atom_image)
        gamma = state.step = state.line_search(state.atom_image - state.iterate.image, 1.0)
        more = FactoredMatrix(
            np.vstack([x.left, atoms.left]),
            np.concatenate([(1.0 - gamma) * x.weights, gamma * atoms.weights]),
            np.vstack([x.right, atoms.right]),
        )
        x, cut = more.compressed(_most_terms(state))
        state.cuts += cut
        return x, count

    def _searched(
        self, state: State, form: Factoring, x: FactoredMatrix, added: int
    ) -> FactoredMatrix:
        """Search on the factors of X: quasi-Newton steps, and Newton's near the end."""
        if not x.terms:
            return x
        x = x.times(_radial(state, form, x))
        near = added <= POLICY.newton_growth * x.terms
        progress: NewtonProgress = state.memory
        if added or not progress.good:
            x = self._quasi_newton(
                state, form, x, POLICY.steps_before_newton if near else self.local_steps
            )
        if near and x.terms:
            x = self._newton(state, form, x)
        return x

    def _quasi_newton(
        self, state: State, form: Factoring, x: FactoredMatrix, most: int
    ) -> FactoredMatrix:
        """Make at most `most` quasi-Newton steps; factors and scaling are made anew in between."""
        objective, left = state.problem.objective, most
        small = POLICY.min_decrease * abs(state.value)
        highest = math.nan
        while left > 0 and x.terms:
            loss = FactorLoss(objective, form, x)
            flat = loss.flat(x)
            hessian = loss.hessian(flat)
            steps = left if hessian is None else min(POLICY.refresh, left)
            scaling = None if hessian is None else hessian.scaling()
            more = state.due, objective.place, POLICY.pairs
            found = lbfgs(loss, flat, steps, small, scaling, *more)
            state.gradient_calls += loss.calls
            left -= found.steps
            x = loss.thin(found.x)
            highest = found.start if math.isnan(highest) else highest
            slow = found.start - found.value <= POLICY.search_progress * (highest - found.value)
            if not found.going or slow or state.due():
                break
        return x

    def _newton(self, state: State, form: Factoring, x: FactoredMatrix) -> FactoredMatrix:
        """Make a Newton step on the factors, where there are second derivatives."""
        progress: NewtonProgress = state.memory
        loss = FactorLoss(state.problem.objective, form, x)
        flat = loss.flat(x)
        hessian = loss.hessian(flat)
        if hessian is None:
            return self._quasi_newton(state, form, x, self.local_steps)
        ease = math.sqrt(progress.last / progress.first) if progress.first else 1.0
        moved = newton_step(loss, hessian, flat, ease, state.due)
        state.gradient_calls += loss.calls + moved.products
        progress.first = progress.first or moved.residual
        progress.last, progress.good = moved.residual, moved.good
        return loss.thin(moved.flat)


def _radial(state: State, form: Factoring, x: FactoredMatrix) -> float:
    """Factor >= 0 of X with the smallest f that the region allows.

    After it X is on the edge and would leave it, or within and has no reason to: a search on the
    factors that has to find the edge is slow.
    """
    if form.exact:
        return 1.0
    objective = state.problem.objective
    z = objective.new_image()
    objective.image(weighed(x, form), z)
    longest = form.most / float(x.weights.sum())
    return state.line_search(z, longest, 0.0 * z)


def _most_terms(state: State) -> int:
    """Cap on the rank of X."""
    factors = state.problem.objective.factors
    assert factors is not None  # `accepts` has asked
    return factors.most_terms


def hybrid(local_steps: int = 200, block: int = 20) -> Hybrid:
    r"""Frank-Wolfe with a local search on the factors, for matrix completion.

    .. code-block:: text

        for k = 0, 1, ...
            leading singular pairs of the gradient beside those of X  ->  a mixture of atoms
            line search from X toward it                              ->  X
            quasi-Newton steps on U, V with X = tau U V',             ->  X
                Newton's where these are slow    (tau keeps X in the region)
            one oracle call                                           ->  certified gap

    The oracle sees whether the local search has found the optimum of the convex problem, and
    gives the next directions where it has not. Over a spectraplex the pairs are eigenvectors,
    and V is U.

    A gap is proportional to the error of the gradient, and f to its square: a certificate of 1e-6
    asks for twelve digits of f. Quasi-Newton steps begin with the diagonal of the Hessian, for
    factors that are singular vectors times the roots of their values; Newton's are truncated
    conjugate gradients with that diagonal as a preconditioner. Near the optimum the singular
    vectors of X are leading ones of the gradient, and the oracle bounds what is beside them.

    Parameters
    ----------
    local_steps : int
        Most quasi-Newton steps between oracle calls.
    block : int
        Singular pairs added at once, at least; twice as many as X has, at most.

    References
    ----------
    S. Laue, *A Hybrid Algorithm for Convex Semidefinite Optimization*, ICML 2012; X. Zhang,
    Y. Yu and D. Schuurmans, *Accelerated Training for Matrix-norm Regularization*, NIPS 2012;
    P.-A. Absil, R. Mahony and R. Sepulchre, *Optimization Algorithms on Matrix Manifolds*, 2008.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> rows, columns = np.nonzero(rng.random((30, 20)) < 0.5)
    >>> truth = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 20))
    >>> f = fw.Completion((rows, columns, truth[rows, columns]), loss="squared")
    >>> result = fw.minimize(f, fw.NuclearBall(30.0), method=fw.methods.hybrid(), tol=1e-8)
    >>> result.success, result.certified
    (True, True)
    """
    return Hybrid(at_least_one("local_steps", local_steps), at_least_one("block", block))
