"""Who takes part in completion_peers.py, at which settings; see completion_recipe.py.

A contestant gives scores of all items for some users, and with them predictions, where its
scores are ratings. Each is on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from completion_measures import ndcg_of_all
from completion_recipe import Candidates, Floats, Ints, Outcome, Sample, now, search_and_fit

from frankwolfe.sklearn import MatrixCompletion

FACTORS = 40  # of all but surprise, whose default is 100


@dataclass(frozen=True)
class Factors:
    """Scores base + left right', and predictions from them."""

    left: Floats
    right: Floats
    base: float = 0.0

    def __call__(self, cells: Ints) -> Floats:
        users, items = cells.T
        return self.base + np.einsum("ck,ck->c", self.left[users], self.right[items])

    def scores(self, users: Ints) -> Floats:
        """Of all items, a user a line."""
        return self.base + self.left[users] @ self.right.T


def with_effects(left: Floats, right: Floats, users: Floats, items: Floats, base: float) -> Factors:
    """Effects as two factors more."""
    return Factors(
        np.column_stack([left, users, np.ones(len(users))]).astype(np.float64),
        np.column_stack([right, np.ones(len(items)), items]).astype(np.float64),
        base,
    )


def completion(train: Sample) -> Outcome:
    """The library's estimator; it searches by itself, so the fit alone is a second one."""
    began = now()
    model = MatrixCompletion().fit_cells(train.cells, train.y, shape=train.shape)
    whole = now() - began
    began = now()
    again = MatrixCompletion(max(model.radius_, 1e-9), ridge=model.ridge_)
    again.fit_cells(train.cells, train.y, shape=train.shape)
    fit = now() - began
    left, right = model.matrix_.factors()
    effects = model.effects_
    scores = with_effects(left, right, effects.row, effects.column, effects.mean)
    return Outcome(scores, model.radius_, whole, fit)


def effects(train: Sample) -> Outcome:
    """Mean, row and column effects."""
    from frankwolfe.apps.completion.effects import fit_effects

    began = now()
    found = fit_effects(*train.cells.T, train.y, train.shape, (3.0, 3.0))
    seconds = now() - began
    nothing = np.zeros((train.shape[0], 0)), np.zeros((train.shape[1], 0))
    scores = with_effects(*nothing, found.row, found.column, found.mean)
    return Outcome(scores, None, seconds, seconds)


def popularity(train: Sample) -> Outcome:
    """Items by how often they were rated."""
    began = now()
    counts = np.bincount(train.cells[:, 1], minlength=train.shape[1]).astype(np.float64)
    seconds = now() - began
    return Outcome(Factors(np.ones((train.shape[0], 1)), counts[:, None]), None, seconds, seconds)


def cmfrec(train: Sample, *, scaled: bool) -> Outcome:
    """Alternating least squares with biases; scaled: the penalty times the number of ratings."""
    import pandas
    from cmfrec import CMF

    def fit(sample: Sample, penalty: float) -> Factors:
        columns = {"UserId": sample.cells[:, 0], "ItemId": sample.cells[:, 1], "Rating": sample.y}
        model = CMF(
            k=FACTORS, lambda_=penalty, method="als", use_cg=False, scale_lam=scaled,
            verbose=False, nthreads=1,
        )  # fmt: skip
        model.fit(pandas.DataFrame(columns))
        m, n = sample.shape
        left, right = np.zeros((m, FACTORS)), np.zeros((n, FACTORS))
        users, items = np.zeros(m), np.zeros(n)
        left[model.user_mapping_], right[model.item_mapping_] = model.A_, model.B_
        users[model.user_mapping_], items[model.item_mapping_] = model.user_bias_, model.item_bias_
        return with_effects(left, right, users, items, float(model.glob_mean_))

    def candidates(kept: Sample) -> Candidates:
        grid = (0.2, 0.1, 0.05, 0.025) if scaled else (35.0, 20.0, 10.0, 5.0)
        return ((penalty, fit(kept, penalty)) for penalty in grid)

    return search_and_fit(train, candidates, fit)


def surprise_svd(train: Sample) -> Outcome:
    """Factors and biases by stochastic gradients, of scikit-surprise."""
    import pandas
    from surprise import SVD, Dataset, Reader

    def fit(sample: Sample, penalty: float) -> Factors:
        frame = pandas.DataFrame({"u": sample.cells[:, 0], "i": sample.cells[:, 1], "r": sample.y})
        reader = Reader(rating_scale=(float(train.y.min()), float(train.y.max())))
        data = Dataset.load_from_df(frame, reader).build_full_trainset()
        model = SVD(n_epochs=40, reg_all=penalty, random_state=0).fit(data)
        m, n = sample.shape
        left, right = np.zeros((m, model.n_factors)), np.zeros((n, model.n_factors))
        users, items = np.zeros(m), np.zeros(n)
        rows = [data.to_raw_uid(k) for k in range(data.n_users)]
        columns = [data.to_raw_iid(k) for k in range(data.n_items)]
        left[rows], right[columns] = model.pu, model.qi
        users[rows], items[columns] = model.bu, model.bi
        return with_effects(left, right, users, items, data.global_mean)

    def candidates(kept: Sample) -> Candidates:
        return ((penalty, fit(kept, penalty)) for penalty in (0.2, 0.1, 0.05, 0.02))

    return search_and_fit(train, candidates, fit)


def implicit_als(train: Sample) -> Outcome:
    """Alternating least squares of who rated what, of implicit; chosen by the ranking."""
    from implicit.als import AlternatingLeastSquares
    from scipy.sparse import csr_matrix

    def fit(sample: Sample, alpha: float) -> Factors:
        table = csr_matrix((sample.y, sample.cells.T), shape=sample.shape)
        model = AlternatingLeastSquares(
            FACTORS, regularization=0.1, alpha=alpha, num_threads=1, random_state=0
        )
        model.fit(table, show_progress=False)
        return Factors(model.user_factors, model.item_factors)

    began = now()
    kept, held = train.divided()
    scores = {alpha: ndcg_of_all(fit(kept, alpha).scores, kept, held) for alpha in (0.1, 0.5, 2.0)}
    best = max(scores, key=scores.__getitem__)
    chosen = now()
    found = fit(train, best)
    ended = now()
    return Outcome(found, best, ended - began, ended - chosen)


@dataclass(frozen=True)
class Ranker:
    """What it does, the package that it needs, and whether its scores are ratings."""

    run: Callable[[Sample], Outcome]
    package: str = "numpy"
    ratings: bool = True

    def absent(self) -> str:
        """Why it cannot take part, if so."""
        return "" if find_spec(self.package) else f"{self.package} is not installed."


RANKERS = {
    "MatrixCompletion": Ranker(completion),
    "cmfrec": Ranker(lambda train: cmfrec(train, scaled=False), "cmfrec"),
    "cmfrec, scaled": Ranker(lambda train: cmfrec(train, scaled=True), "cmfrec"),
    "surprise SVD": Ranker(surprise_svd, "surprise"),
    "implicit ALS": Ranker(implicit_als, "implicit", ratings=False),
    "effects": Ranker(effects),
    "popularity": Ranker(popularity, ratings=False),
}
