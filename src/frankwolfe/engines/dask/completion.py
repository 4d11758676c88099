"""Matrix completion with ratings spread over the workers of a Dask cluster."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.atoms import Atom
from frankwolfe.core.gradients import MatrixGradient
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.objective_abilities import Traffic
from frankwolfe.engines.dask.build import own_version
from frankwolfe.engines.dask.cluster import connected
from frankwolfe.engines.dask.draft import wanted_shards
from frankwolfe.engines.dask.layout import aligned, grouped
from frankwolfe.engines.dask.mixture import LOOPS, Mixture
from frankwolfe.engines.dask.named import Each, Recent
from frankwolfe.engines.dask.origins import Origin
from frankwolfe.engines.dask.ratings import (
    MAX_TERMS,
    CellOptions,
    CellRecipe,
    described_cells,
    gathered_cells,
    made_cells,
    surveyed_cells,
)
from frankwolfe.engines.dask.tasks import once_more, over_groups
from frankwolfe.engines.dask.told import Guarded
from frankwolfe.objectives import Completion

if TYPE_CHECKING:
    from frankwolfe.base.arrays import Dtype, Image, Indices
    from frankwolfe.engines.dask.cluster import Answer
    from frankwolfe.engines.dask.layout import Collection, VectorLike
    from frankwolfe.engines.dask.mixture import MixtureLoops
    from frankwolfe.engines.dask.waiting import Future
    from frankwolfe.objectives.weighted import Reduction

__all__ = ["ShardedCompletion"]


class ShardedCompletion(Completion):
    """:class:`~frankwolfe.Completion` by rounds: a shard has some of the ratings.

    The client holds the factors, and a shard gets those of its own rows. An image is a mixture
    of named terms, a gradient is named by the point at which it was taken.

    Parameters
    ----------
    ratings : Dask DataFrame, or Dask array of shape (cells, 3)
        Row, column and value of each observed cell.
    shape, loss, delta, reduction, sample_weight, rank_cap
        As for :class:`~frankwolfe.Completion`.
    """

    distant, averages = True, False
    enclosure = None  # type: ignore[assignment]  # no proof is made from cells on workers

    def __init__(
        self,
        ratings: Collection,
        *,
        shape: tuple[int, int] | None = None,
        loss: Literal["huber", "squared", "logistic"] = "huber",
        delta: float = 1.0,
        reduction: Reduction = "sum",
        sample_weight: VectorLike = None,
        rank_cap: int = 500,
    ) -> None:
        options: CellOptions = {"loss": loss, "delta": delta, "rank_cap": rank_cap}
        trial: Any = Completion  # of two cells: checks the options, and says what they imply
        bare = trial(([0, 1], [0, 1], [1.0, 2.0]), reduction=reduction, **options)
        for name in ("_delta", "delta", "_code", "_curvature", "quadratic", "loss", "rank_cap"):
            setattr(self, name, getattr(bare, name))
        self.reduction = bare.reduction
        self.cluster = connected()
        self._sent_names: Recent[bytes, bool] = Recent(MAX_TERMS)
        self._pose(ratings, sample_weight, shape, options)

    def _pose(
        self,
        ratings: Collection,
        weights: VectorLike,
        shape: tuple[int, int] | None,
        options: CellOptions,
    ) -> None:
        """Gather the cells on workers, survey them, and make the shards."""
        cluster, client = self.cluster, self.cluster.client
        blocks = aligned(ratings, None, weights)
        if blocks.columns is not None and blocks.columns < 3:
            raise InvalidInput("ratings need three columns: row, column, value.")
        groups = grouped(blocks.rows, wanted_shards() or cluster.threads)
        rows = over_groups(client, groups, gathered_cells)
        asked = [self.loss == "logistic"] * len(rows), [own_version()] * len(rows)
        surveys = cluster.results(client.map(Guarded(surveyed_cells), rows, *asked, pure=False))
        if self.loss == "logistic":
            self.classes = np.unique(np.concatenate([survey.classes for survey in surveys]))
            if self.classes.size != 2:
                raise InvalidInput(
                    "the observed values must be of exactly two classes for the logistic loss, got "
                    f"{self.classes.size}."
                )
        last = [max(survey.last[k] for survey in surveys) + 1 for k in range(2)]
        self._shape = (last[0], last[1]) if shape is None else (int(shape[0]), int(shape[1]))
        if last[0] > self._shape[0] or last[1] > self._shape[1] or min(last) < 1:
            raise InvalidInput(
                f"the cells must lie in a matrix of shape {self._shape}, but rows go up to "
                f"{last[0] - 1} and columns up to {last[1] - 1}."
            )
        total = sum((Fraction(survey.weight) for survey in surveys), Fraction(0))
        if not total > 0:
            raise InvalidInput("sample_weight must be >= 0 with a positive sum.")
        factor = 1 / total if self.reduction == "mean" else Fraction(1)
        classes = getattr(self, "classes", None)
        recipe = CellRecipe(self._shape, options, classes, factor)
        there = [k for k, survey in enumerate(surveys) if survey.cells]
        self.shards: list[Future[object]] = []
        for k in there:
            load = partial(once_more, client, groups[k], gathered_cells)
            origin = Origin(load, Guarded(made_cells), (recipe,))
            self.shards.append(cluster.made(origin, rows[k]))
        self._describe(
            cluster.results(client.map(Guarded(described_cells), self.shards, pure=False))
        )

    def _describe(self, parts: Sequence[tuple[Indices, int, int, float, Dtype, int]]) -> None:
        """Set what is known of the whole from the descriptions of the shards."""
        self._rows = [part[0] for part in parts]
        self.m, self.n = sum(part[1] for part in parts), self._shape[0] * self._shape[1]
        # shards with rows in common may hold the same cell
        apart = np.unique(np.concatenate(self._rows)).size == sum(map(len, self._rows))
        self._multiplicity = int((max if apart else sum)(part[2] for part in parts))
        self.weight = np.array([max(part[3] for part in parts)])
        self.dtype = np.dtype(np.result_type(*(part[4] for part in parts)))
        self.nbytes = sum(part[5] for part in parts)

    # rounds ------------------------------------------------------------------------------------

    def ask(self, question: str, *arguments: object) -> list[Answer]:
        """Answers of all shards to a question: one round. Of mixtures only new terms are sent."""
        made = [self._each(part) if isinstance(part, Mixture) else part for part in arguments]
        found = self.cluster.ask(self.shards, question, *made)
        for part in arguments:
            if isinstance(part, Mixture):
                for term in part.terms():
                    self._sent_names.keep(term.name, True)
        return found

    def _each(self, z: Mixture) -> Each:
        """Mixture as an argument for each shard, with the terms that it does not know, or all."""
        return Each(
            lambda k: z.sent(self._rows[k], self._sent_names.find),
            lambda k: z.sent(self._rows[k], lambda _: None),
        )

    def _own(self, block: Array) -> Each:
        """Rows of a matrix as an argument for each shard, which gets its own."""
        return Each(lambda k: block[self._rows[k]])

    def value(self, z: Image) -> float:
        return float(sum(self.ask("value", z)))

    def linearize(self, z: Image, slope: Image) -> tuple[float, float]:
        value, inner, square = (sum(part) for part in zip(*self.ask("evaluate", z), strict=True))
        slope.take(z, math.sqrt(square))
        return float(value), float(inner)

    def evaluate(self, z: Image, slope: Image, out: Image) -> tuple[float, float]:
        pair = self.linearize(z, slope)
        out.take(slope.at, slope.length)
        return pair

    def gradient(self, slope: Image, out: Image) -> None:
        out.take(slope.at, slope.length)

    def along(self, z: Image, dz: Image, t: float) -> tuple[float, float, float | None]:
        found = zip(*self.ask("along", z, dz, float(t)), strict=True)
        value, slope, curvature = (float(sum(part)) for part in found)
        return value, slope, curvature

    def squared_length(self, z: Image) -> float:
        return float(sum(self.ask("squared_length", z)))

    def curvature_bound(self, dz: Image) -> float | None:
        return float(sum(self.ask("curvature_bound", dz)))

    def linearize_factors(
        self, tau: float, left: Array, right: Array, by_row: Array, by_column: Array
    ) -> tuple[float, float]:
        by_row[:], by_column[:] = 0.0, 0.0
        value = inner = 0.0
        answers = self.ask("factors", float(tau), self._own(left), np.ascontiguousarray(right))
        for rows, one in zip(self._rows, answers, strict=True):
            value, inner = value + one[0], inner + one[1]
            by_row[rows] += one[2]
            by_column += one[3]
        return value, inner

    def factor_curvature(self, left: Array, right: Array) -> None:
        """Return None: second derivatives are not offered, for each product would be a round."""

    # images and gradients are names -----------------------------------------------------------

    def new_image(self) -> Image:
        return SlopeOrImage(self)

    def new_gradient(self) -> Image:
        return SlopeOrImage(self)

    @property
    def loops(self) -> MixtureLoops:
        """Vector loops for mixtures."""
        return LOOPS

    def image(self, x: FactoredMatrix, out: Image) -> None:
        out.put(x)

    def image_of(self, atom: Atom, out: Image) -> None:
        out.put(atom)

    def covector(self, gradient: Image) -> MatrixGradient:
        return ShardedGradient(self, gradient)

    def here(self) -> Self:
        return self

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns of X."""
        return self._shape

    @property
    def multiplicity(self) -> int:
        return self._multiplicity

    @property
    def traffic(self) -> Traffic:
        """Number of rounds and bytes so far."""
        return self.cluster.traffic

    def fingerprint(self) -> str:
        return repr(self)

    def close(self) -> None:
        """Release the data, and end a cluster that was started for them."""
        self.shards = []
        self.cluster.close()

    def __repr__(self) -> str:
        rows, columns = self.shape
        return (
            f"Completion({self.loss}, {rows} x {columns}, {self.m} cells, {self.dtype}, "
            f"{len(self.shards)} shards)"
        )


class SlopeOrImage(Mixture):
    """Image, or the slope phi' at one (`at`), whose entries stay on the workers."""

    __slots__ = ("_whole", "at", "dtype", "length")

    def __init__(self, whole: ShardedCompletion) -> None:
        super().__init__()
        self._whole, self.dtype = whole, whole.dtype
        self.at, self.length = Mixture(), 0.0

    def take(self, z: Mixture, length: float) -> None:
        """Become the slope at z, with its 2-norm."""
        self.at, self.length = z.copy(), length

    def dot(self, dz: Mixture) -> float:
        """Inner product <phi'(z), dz>, by a round."""
        return float(sum(self._whole.ask("inner", self.at, dz)))


class ShardedGradient(MatrixGradient):
    """Gradient at a named point, whose products are rounds."""

    def __init__(self, whole: ShardedCompletion, gradient: SlopeOrImage) -> None:
        self._whole, self._at = whole, gradient.at
        self._length = gradient.length
        self.shape, self.dtype = whole.shape, whole.dtype

    def apply(self, v: Array, out: Array) -> None:
        self.apply_block(v[:, None], out[:, None])

    def adjoint(self, u: Array, out: Array) -> None:
        self.adjoint_block(u[:, None], out[:, None])

    def apply_block(self, block: Array, out: Array) -> None:
        out[:] = 0.0
        answers = self._whole.ask("product", self._at, np.ascontiguousarray(block))
        for rows, part in zip(self._whole._rows, answers, strict=True):
            out[rows] += part

    def adjoint_block(self, block: Array, out: Array) -> None:
        out[:] = 0.0
        for part in self._whole.ask("adjoint", self._at, self._whole._own(block)):
            out += part

    def between(self, left: Array, right: Array) -> Array:
        image = np.empty((self.shape[0], right.shape[0]))
        self.apply_block(np.ascontiguousarray(right.T), image)
        return np.asarray(left @ image)

    def frobenius(self) -> float:
        return self._length * math.sqrt(self._whole.multiplicity)

    def dense(self) -> Array:
        out = np.empty(self.shape)
        self.apply_block(np.eye(self.shape[1]), out)
        return out
