"""Classes of sharded losses, each below the class of the loss that it stands for."""

from __future__ import annotations

from inspect import getattr_static
from typing import TYPE_CHECKING, Any

import numpy as np

from frankwolfe.engines.dask.sharded import Sharded
from frankwolfe.objectives import Objective

if TYPE_CHECKING:
    from frankwolfe.engines.dask.layout import Collection, VectorLike
    from frankwolfe.objectives.weighted import Weighted

__all__ = ["sharded_kind"]

_KINDS: dict[type[Weighted], type[Sharded]] = {}


def sharded_kind(kind: type[Weighted]) -> type[Sharded]:
    """Class of sharded losses of class `kind`: a subclass of both, made once.

    What an objective can be asked is answered by :class:`Sharded` alone. The rest of what `kind`
    defines, over arrays that the client does not have, is what Objective says by default.
    """
    if issubclass(kind, Sharded):
        return kind
    if kind not in _KINDS:
        hidden = {
            name: getattr_static(Objective, name)
            for name in _names(kind) - _names(Sharded)
            if hasattr(Objective, name) and not name.startswith("__")
        }
        own = {"__init__": _init, "__module__": __name__, "kind": kind}
        _KINDS[kind] = type(f"Sharded{kind.__name__}", (Sharded, kind), hidden | own)
    return _KINDS[kind]


def _names(kind: type) -> set[str]:
    """Names that a class of objectives and its bases below Objective define."""
    return {name for base in kind.__mro__ if base not in Objective.__mro__ for name in vars(base)}


def _init(self: Sharded, data: Collection, *rest: VectorLike, **options: Any) -> None:
    """Survey the rows of a Dask array or DataFrame, and make a shard of each group of them."""
    from frankwolfe.engines.dask.draft import draft

    targets = rest[0] if rest else options.pop("b", options.pop("labels", None))
    weights = options.pop("sample_weight", None)
    # a loss of two rows: wrong options raise before any work is done
    self.kind(np.ones((2, 1)), *(() if targets is None else (np.array([0.0, 1.0]),)), **options)
    found = draft(data, targets, weights, labels=self.kind.takes_labels)
    self.ask_all(found.cluster, found.made(self.kind, **options))
