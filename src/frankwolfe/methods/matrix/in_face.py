"""In-face Frank-Wolfe, which keeps the rank low: steps within the face of X come first."""

from __future__ import annotations

import math
from dataclasses import dataclass

from frankwolfe.base.blas import one_thread
from frankwolfe.base.checks import number
from frankwolfe.base.memory import Memory
from frankwolfe.core.atoms import RankOne
from frankwolfe.core.faces import RankOneSpan
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import OwnSteps, check_accepted
from frankwolfe.methods.matrix.policy import POLICY

__all__ = ["InFace", "in_face"]


@dataclass(frozen=True)
class InFace(OwnSteps):
    """Frank-Wolfe with in-face directions; made by :func:`~frankwolfe.methods.in_face`."""

    gamma1: float
    gamma2: float
    name: str = "in-face FW"
    reference: str = references.IN_FACE

    def accepts(self, problem: Problem) -> str | None:
        """None if the region knows the faces of its matrices; else why not."""
        if problem.region.thin_faces is not None:
            return None
        return (
            "the in-face method needs a region that knows the faces of its matrices, "
            f"NuclearBall or Spectraplex, but {problem.region!r} does not: use frank_wolfe, "
            "jacobi or afw there."
        )

    def init(self, problem: Problem, x0: Start = None) -> State:
        """Make the state at the start; X is a thin decomposition from here on."""
        check_accepted(self, problem)
        x = problem.start(None if x0 is None else problem.start(x0).compressed()[0])
        return self.begin(problem, x, Memory())

    def advance(self, state: State) -> None:
        """Step within the face if that is good enough, else toward the atom; then evaluate."""
        with one_thread():
            gamma, x = self._in_face(state) or self._toward(state)
            state.step = abs(gamma)
            state.k += 1
            self._arrive(state, x, gamma)
            self.evaluate(state)

    def _in_face(self, state: State) -> tuple[float, FactoredMatrix] | None:
        """Try (a) and (b): minus a step away from a vertex of the face, and the point; or None."""
        objective, faces = state.problem.objective, state.problem.region.thin_faces
        assert faces is not None
        away = faces.away(_x(state), objective.covector(state.gradient))
        if away is None:
            return None
        objective.image_of(away.vertex, state.atom_image)
        alpha = away.longest
        if self._enough(state, alpha, self.gamma1):
            return -alpha, away.point(alpha)
        if math.isinf(self.gamma2):
            return None
        alpha = state.line_search(-state.direction_image(), alpha)
        if alpha > 0.0 and self._enough(state, alpha, self.gamma2):
            return -alpha, away.point(alpha)
        return None

    def _enough(self, state: State, alpha: float, gamma: float) -> bool:
        """Test 1/(f(X_alpha) - B) >= 1/(f(X) - B) + gamma/(2 L D^2), without the divisions."""
        value, bound, problem = state.trial_value(-alpha), state.lower_bound, state.problem
        if gamma == 0.0:
            return value <= state.value
        assert problem.smoothness is not None
        least = (state.value - bound) * (value - bound) / (2 * problem.smoothness)
        return state.value - value >= max(gamma * least / problem.diameter**2, 0.0)

    def _toward(self, state: State) -> tuple[float, FactoredMatrix]:
        """Step (c): exact line search toward the atom; return its size and the point."""
        assert isinstance(state.atom, RankOne)
        state.problem.objective.image_of(state.atom, state.atom_image)
        gamma = state.line_search(state.direction_image(), 1.0)
        return gamma, RankOneSpan(_x(state), state.atom).matrix(1.0 - gamma, gamma)

    def _arrive(self, state: State, x: FactoredMatrix, gamma: float) -> None:
        """Move to X; beyond the rank cap it is cut."""
        factors = state.problem.objective.factors
        assert factors is not None  # matrices are kept as factors
        cap = factors.most_terms
        if x.terms > cap:
            x = FactoredMatrix(x.left[:cap], x.weights[:cap], x.right[:cap])
            form = state.problem.region.factoring
            scale = 1.0 if form is None else form.scale_after_cut(x)
            x = FactoredMatrix(x.left, x.weights * scale, x.right)
            state.cuts += 1
            state.iterate.jump(x)
        elif state.k % POLICY.face_refresh == 0:
            state.iterate.jump(x.compressed()[0])
        else:
            state.iterate.arrive(x, state.atom_image, gamma)


def _x(state: State) -> FactoredMatrix:
    """Current X, on the rows and columns of the run, in this process's memory."""
    here: FactoredMatrix = state.iterate.here().here()
    return here


def in_face(gamma1: float = 0.0, gamma2: float = math.inf) -> InFace:
    r"""Frank-Wolfe with in-face directions: completion with iterates of low rank.

    .. code-block:: text

        for k = 0, 1, ...                            X = U S V', B a lower bound on min f
            w <- top eigenvector of U'GV + V'G'U,    Z <- tr(S) (Uw)(Vw)'
            (a) X_a <- X + alpha (X - Z), the largest alpha:  the rank falls by one
            (b) X_b <- the best point on the way
            (c) X_c <- the best point between X and the oracle's atom
            X <- X_a if  1/(f(X_a) - B) >= 1/(f(X) - B) + gamma1/(2 L D^2),
                 X_b if  the same holds with gamma2,  else X_c

    A Frank-Wolfe step adds one to the rank. X on the boundary of the region lies in a face,
    :math:`\{UMV' : M \succeq 0, tr M = tr S\}`, where steps add none; with gamma1 = 0 one that
    takes one from the rank, (a), is made whenever f does not rise. The rule with B, the
    certified bound, keeps the rate O(1/k).

    Inside a nuclear ball (trace of S below 0.9999 R) the paper's face is the whole ball, and
    its (a) leads to the boundary at a rank of one more. Here it is the part of the ball with
    :math:`M \succeq 0, tr M \le R`, as in a spectraplex with trace <= R: Z is R (Uw)(Vw)', or zero
    where that has the larger <G, Z>, and then (a) is X grown to the boundary.

    U'GV costs as many sparse products as X has rank, and after each step X is decomposed again, by
    a decomposition of that size and a product with the factors.

    Parameters
    ----------
    gamma1, gamma2 : float
        How much (a) and (b) must bring, 0 <= gamma1 <= gamma2; infinity for never. With
        (0, inf), the authors' choice on MovieLens 10M, values often end lower at a like rank.

    References
    ----------
    R. M. Freund, P. Grigas and R. Mazumder, *An Extended Frank-Wolfe Method with "In-Face"
    Directions, and Its Application to Low-Rank Matrix Completion*, SIAM Journal on
    Optimization 27, 2017.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> rows, columns = np.nonzero(rng.random((60, 40)) < 0.5)
    >>> truth = rng.standard_normal((60, 2)) @ rng.standard_normal((2, 40))
    >>> f = fw.Completion((rows, columns, truth[rows, columns]), loss="squared")
    >>> ball = fw.NuclearBall(80.0)
    >>> low = fw.minimize(f, ball, method=fw.methods.in_face(), max_iter=100)
    >>> search = fw.frank_wolfe(fw.steps.ExactLineSearch())
    >>> usual = fw.minimize(f, ball, method=search, max_iter=100)
    >>> low.x.terms, usual.x.singular_values().size > 20, low.fun < usual.fun
    (3, True, True)
    """
    first = number("gamma1", gamma1, low=0.0, infinite=True)
    return InFace(first, number("gamma2", gamma2, low=first, infinite=True))
